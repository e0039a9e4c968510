/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the kernel's build configuration. */
#include "tracefs/kconfig.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <zlib.h>

#include "util/library.h"
#include "util/mem.h"

#define ZLIB(function) LIBRARY_FUNCTION("libz.so.1", function)

/* More than any kernel's; a file in /boot could be anything. */
#define CONFIG_LARGEST (16 << 20)

static const char *const places[] = {
	"/proc/config.gz",
	"/boot/config-%s",
	"/lib/modules/%s/config",
	"/usr/lib/modules/%s/config",
};

static char *fill_in(const char *place, const char *release)
{
	const char *mark = strstr(place, "%s");

	if (!mark)
		return xstrdup(place);
	return xasprintf("%.*s%s%s", (int)(mark - place), place, release, mark + 2);
}

static bool read_gz(const char *path, struct strbuf *out)
{
	gzFile file = ZLIB(gzopen)(path, "rbe");
	char chunk[65536];
	int n;

	if (!file)
		return false;
	while ((n = ZLIB(gzread)(file, chunk, sizeof(chunk))) > 0 && out->len < CONFIG_LARGEST)
		strbuf_add_mem(out, chunk, (size_t)n);
	ZLIB(gzclose)(file);
	return n >= 0 && out->len > 0;
}

static void parse_config(struct kconfig *kc, char *text)
{
	char *line;

	while ((line = str_next_line(&text)))
		if (str_starts(line, "CONFIG_") && strchr(line, '='))
			strv_add(&kc->set, line + strlen("CONFIG_"));
}

void kconfig_load(struct kconfig *kc)
{
	struct utsname uts;

	*kc = (struct kconfig){0};
	if (uname(&uts) < 0)
		return;
	for (size_t i = 0; i < array_size(places) && !kc->path; i++) {
		cleanup_free char *path = fill_in(places[i], uts.release);
		cleanup(strbuf_fini) struct strbuf text = {0};

		if (!read_gz(path, &text))
			continue;
		parse_config(kc, text.text);
		kc->path = take_ptr(path);
	}
}

void kconfig_fini(struct kconfig *kc)
{
	free(kc->path);
	strv_fini(&kc->set);
	*kc = (struct kconfig){0};
}

enum kconfig_state kconfig_get(const struct kconfig *kc, const char *name)
{
	size_t len = strlen(name);

	if (!kc->path)
		return KCONFIG_UNKNOWN;
	for (size_t i = 0; i < kc->set.nr; i++) {
		const char *line = kc->set.item[i];

		if (!strncmp(line, name, len) && line[len] == '=')
			return strcmp(line + len + 1, "m") ? KCONFIG_YES : KCONFIG_MODULE;
	}
	return KCONFIG_NO;
}

static const struct kconfig_tracer tracers[] = {
	{"blk", "BLK_DEV_IO_TRACE"},
	{"function", "FUNCTION_TRACER"},
	{"function_graph", "FUNCTION_GRAPH_TRACER"},
	{"hwlat", "HWLAT_TRACER"},
	{"irqsoff", "IRQSOFF_TRACER"},
	{"mmiotrace", "MMIOTRACE"},
	{"nop", "TRACING"},
	{"osnoise", "OSNOISE_TRACER"},
	{"preemptirqsoff", "PREEMPT_TRACER"},
	{"preemptoff", "PREEMPT_TRACER"},
	{"timerlat", "TIMERLAT_TRACER"},
	{"wakeup", "SCHED_TRACER"},
	{"wakeup_dl", "SCHED_TRACER"},
	{"wakeup_rt", "SCHED_TRACER"},
};

const struct kconfig_tracer *kconfig_tracers(size_t *nr)
{
	*nr = array_size(tracers);
	return tracers;
}
