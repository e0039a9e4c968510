/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of names and sizes against the running kernel. */
#include "cmd/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tracefs/kconfig.h"
#include "util/io.h"
#include "util/mem.h"

int name_unknown(const char *what, const char *name, const struct strv *names, const char *list,
		 struct err *err)
{
	cleanup_free char *near = near_names(name, names);

	return err_set(err, ENOENT, "no %s '%s' on this kernel%s; 'ft list %s' shows all", what,
		       name, near, list);
}

int name_missing_tracer(const char *name, const struct strv *names, struct err *err)
{
	size_t nr;
	const struct kconfig_tracer *tracer = kconfig_tracers(&nr);
	cleanup(kconfig_fini) struct kconfig kc = {0};

	kconfig_load(&kc);
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(tracer[i].name, name))
			return err_set(err, ENOENT,
				       "no tracer '%s' on this kernel: it %s CONFIG_%s; boot a "
				       "kernel that has it. 'ft list tracers' shows what there is",
				       name,
				       kconfig_get(&kc, tracer[i].config) == KCONFIG_NO
					       ? "was built without"
					       : "needs",
				       tracer[i].config);
	return name_unknown("tracer", name, names, "tracers", err);
}

int name_check_tracer(const struct tfs *tfs, const char *name, struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	int r = tfs_tracers(tfs, &names, err);

	if (r < 0 || strv_has(&names, name))
		return r;
	return name_missing_tracer(name, &names, err);
}

int name_check_clock(const struct tfs *tfs, const char *name, struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	int r = tfs_clocks(tfs, &names, NULL, err);

	if (r < 0 || strv_has(&names, name))
		return r;
	return name_unknown("clock", name, &names, "clocks", err);
}

int name_check_option(const struct tfs *tfs, const char *name, struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	int r = tfs_options(tfs, &names, err);

	if (r < 0 || strv_has(&names, name))
		return r;
	return name_unknown("trace option", name, &names, "options", err);
}

uint64_t name_available_kb(void)
{
	cleanup(strbuf_fini) struct strbuf text = {0};
	const char *at;

	if (io_read_file("/proc/meminfo", &text, NULL) < 0)
		return 0;
	at = strstr(strbuf_str(&text), "MemAvailable:");
	return at ? strtoull(at + strlen("MemAvailable:"), NULL, 10) : 0;
}

int name_check_buffer(const struct tfs *tfs, uint64_t bytes, struct err *err)
{
	cleanup_free unsigned int *cpus = NULL;
	uint64_t available = name_available_kb();
	uint64_t kb = bytes / 1024 + (bytes % 1024 != 0);
	size_t nr;
	int r = tfs_cpus(tfs, &cpus, &nr, err);

	if (r < 0 || !available || kb <= available / nr)
		return r;
	return err_set(err, ENOMEM,
		       "a buffer of %" PRIu64 " KiB on each of %zu CPUs is more than the memory "
		       "available (%" PRIu64 " KiB)",
		       kb, nr, available);
}
