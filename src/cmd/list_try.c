/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The features that are really tried, in the scratch instance where that is possible. Files that
 * would enlarge the top-level buffer on their first write (tracers, events) are only opened. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/list_probe.h"
#include "util/io.h"
#include "util/mem.h"

/* Enough to fill sub-buffers of 64 KiB on each of a few CPUs. */
#define MARKERS 2000

void probe_events(const struct probe *p, const struct feature *f, struct verdict *v)
{
	cleanup(strv_fini) struct strv names = {0};
	cleanup(strv_fini) struct strv systems = {0};
	struct err err = {0};

	if (verdict_blind(p, f, v))
		return;
	if (!tfs_has(p->tfs, "events")) {
		verdict_lacks(p, f, v);
		return;
	}
	if (tfs_events(p->tfs, &names, &err) < 0 || tfs_systems(p->tfs, &systems, &err) < 0 ||
	    !can_open(p->tfs, "events/enable", O_WRONLY, &err)) {
		verdict_refused(p, "events", &err, v);
		return;
	}
	verdict_set(v, names.nr ? SUPPORT_OK : SUPPORT_NO,
		    xasprintf("%zu in %zu systems", names.nr, systems.nr), NULL);
}

static bool reads_zero(const char *path)
{
	cleanup(strbuf_fini) struct strbuf text = {0};

	return io_read_file(path, &text, NULL) == 0 && !strcmp(str_trim(text.text), "0");
}

void probe_tracer(const struct probe *p, const struct feature *f, struct verdict *v)
{
	const struct tfs *tfs = p->inst ? p->inst : p->tfs;
	struct err err = {0};

	if (verdict_blind(p, f, v))
		return;
	if (!strv_has(&p->tracers, f->text)) {
		verdict_lacks(p, f, v);
		return;
	}
	/* The tracer may be listed where lockdown forbids to use it; its filter tells. */
	if (tfs_has(tfs, f->file) && !can_open(tfs, f->file, O_RDONLY, &err)) {
		verdict_refused(p, f->file, &err, v);
		return;
	}
	if (!can_open(p->tfs, "current_tracer", O_WRONLY, &err)) {
		verdict_refused(p, "current_tracer", &err, v);
		return;
	}
	if (reads_zero("/proc/sys/kernel/ftrace_enabled"))
		verdict_set(v, SUPPORT_NO, xstrdup("the sysctl kernel.ftrace_enabled is 0"),
			    xstrdup("sysctl kernel.ftrace_enabled=1"));
	else
		verdict_set(v, SUPPORT_OK, xasprintf("ft record -p %s", f->text), NULL);
}

/* Any of several tracers that come one by one. */
void probe_latency(const struct probe *p, const struct feature *f, struct verdict *v)
{
	cleanup(strv_fini) struct strv wanted = {0};
	cleanup(strv_fini) struct strv found = {0};

	if (verdict_blind(p, f, v))
		return;
	strv_split(&wanted, f->text, " ");
	for (size_t i = 0; i < wanted.nr; i++)
		if (strv_has(&p->tracers, wanted.item[i]))
			strv_add(&found, wanted.item[i]);
	if (found.nr)
		verdict_set(v, SUPPORT_OK, strv_join(&found, " "), NULL);
	else
		verdict_lacks(p, f, v);
}

void probe_functions(const struct probe *p, const struct feature *f, struct verdict *v)
{
	cleanup_free char *total = NULL;
	struct err err = {0};

	if (verdict_blind(p, f, v))
		return;
	if (!tfs_has(p->tfs, f->file)) {
		verdict_lacks(p, f, v);
		return;
	}
	if (!can_open(p->tfs, f->file, O_RDONLY, &err)) {
		verdict_refused(p, f->file, &err, v);
		return;
	}
	/* "47111 pages:192 groups: 15": the list itself would take a second. */
	if (tfs_read_line(p->tfs, "dyn_ftrace_total_info", &total, NULL) == 0)
		total[strcspn(total, " ")] = '\0';
	verdict_set(v, SUPPORT_OK,
		    total ? xasprintf("%s can be chosen", total) : xstrdup("can be chosen"), NULL);
}

/* Makes the event and removes it at once. It is never enabled, so nothing is patched. */
static bool try_dynamic(const struct tfs *tfs, const char *file, const char *definition,
			struct err *err)
{
	cleanup_free char *make = xasprintf("p:ft_support_%d/try %s\n", (int)getpid(), definition);
	cleanup_free char *remove = xasprintf("-:ft_support_%d/try\n", (int)getpid());
	cleanup_close int fd = tfs_open_file(tfs, file, O_WRONLY | O_APPEND, err);

	if (fd < 0)
		return false;
	if (write(fd, make, strlen(make)) < 0) {
		err_sys(err, errno, "the kernel refuses a probe at %s", definition);
		return false;
	}
	if (write(fd, remove, strlen(remove)) < 0) {
		err_sys(err, errno, "a probe could be made but not removed (echo '%.*s' >> %s/%s)",
			(int)strlen(remove) - 1, remove, tfs_dir(tfs), file);
		return false;
	}
	return true;
}

static void probe_dynamic(const struct probe *p, const struct feature *f, const char *place,
			  struct verdict *v)
{
	struct err err = {0};

	if (verdict_blind(p, f, v))
		return;
	if (!tfs_has(p->tfs, f->file))
		verdict_lacks(p, f, v);
	else if (try_dynamic(p->tfs, f->file, place, &err))
		verdict_set(v, SUPPORT_OK, xstrdup(f->text), NULL);
	else
		verdict_refused(p, f->file, &err, v);
}

void probe_kprobes(const struct probe *p, const struct feature *f, struct verdict *v)
{
	/* In every kernel since 2.6, and never excluded from probing. */
	probe_dynamic(p, f, "vfs_read", v);
}

void probe_uprobes(const struct probe *p, const struct feature *f, struct verdict *v)
{
	probe_dynamic(p, f, "/proc/self/exe:0x40", v);
}

void probe_instances(const struct probe *p, const struct feature *f, struct verdict *v)
{
	if (verdict_blind(p, f, v))
		return;
	if (p->inst)
		verdict_set(v, SUPPORT_OK, xstrdup("made and removed one"), NULL);
	else
		verdict_refused(p, "instances", &p->inst_why, v);
}

/* Fills the scratch instance with markers; bytes of the longest line it took, or -errno. */
static ssize_t write_markers(const struct tfs *inst, struct err *err)
{
	cleanup_close int fd = tfs_open_file(inst, "trace_marker", O_WRONLY, err);
	char text[256];

	if (fd < 0)
		return fd;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\n';
	for (int i = 0; i < MARKERS; i++)
		if (write(fd, text, sizeof(text)) < 0)
			return err_sys(err, errno, "cannot write to trace_marker");
	return (ssize_t)sizeof(text);
}

void probe_markers(const struct probe *p, const struct feature *f, struct verdict *v)
{
	struct err err = {0};
	bool has_copy;

	if (verdict_blind(p, f, v))
		return;
	if (!tfs_has(p->tfs, f->file)) {
		verdict_lacks(p, f, v);
		return;
	}
	if (!can_open(p->tfs, f->file, O_WRONLY, &err) ||
	    (p->inst && write_markers(p->inst, &err) < 0)) {
		verdict_refused(p, f->file, &err, v);
		return;
	}
	has_copy = tfs_has(p->tfs, "options/copy_trace_marker");
	verdict_set(v, SUPPORT_OK,
		    xstrdup(has_copy ? "programs' markers reach private instances too"
				     : "programs' markers only reach the top-level buffer"),
		    NULL);
}

/* Bytes that went through a pipe from the buffer of @cpu, 0 when it has no full sub-buffer. */
static ssize_t splice_once(const struct tfs *inst, unsigned int cpu, struct err *err)
{
	cleanup_free char *file = xasprintf("per_cpu/cpu%u/trace_pipe_raw", cpu);
	cleanup_close int from = tfs_open_file(inst, file, O_RDONLY | O_NONBLOCK, err);
	int ends[2];
	ssize_t n;
	int code;

	if (from < 0)
		return from;
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return err_sys(err, errno, "cannot make a pipe");
	n = splice(from, NULL, ends[1], NULL, 65536, SPLICE_F_NONBLOCK);
	code = errno;
	close(ends[0]);
	close(ends[1]);
	if (n < 0 && code == EAGAIN)
		return 0;
	return n < 0 ? err_sys(err, code, "splice from %s fails", file) : n;
}

void probe_splice(const struct probe *p, const struct feature *f, struct verdict *v)
{
	cleanup_free unsigned int *cpus = NULL;
	struct err err = {0};
	size_t nr = 0;

	if (verdict_blind(p, f, v))
		return;
	if (!p->inst || write_markers(p->inst, &err) < 0 ||
	    tfs_cpus(p->inst, &cpus, &nr, &err) < 0) {
		verdict_set(v, SUPPORT_UNKNOWN,
			    xstrdup("cannot be tried without a private instance"), NULL);
		return;
	}
	for (size_t i = 0; i < nr; i++) {
		ssize_t n = splice_once(p->inst, cpus[i], &err);

		if (n > 0) {
			verdict_set(v, SUPPORT_OK,
				    xasprintf("tried: %zd bytes from cpu%u", n, cpus[i]), NULL);
			return;
		}
		if (n < 0) {
			verdict_refused(p, "trace_pipe_raw", &err, v);
			return;
		}
	}
	verdict_set(v, SUPPORT_UNKNOWN, xstrdup("tried, but no buffer filled up"), NULL);
}

void probe_clocks(const struct probe *p, const struct feature *f, struct verdict *v)
{
	cleanup(strv_fini) struct strv names = {0};
	cleanup_free char *current = NULL;
	cleanup_free char *all = NULL;
	struct err err = {0};

	if (verdict_blind(p, f, v))
		return;
	if (tfs_clocks(p->tfs, &names, &current, &err) < 0) {
		verdict_refused(p, "trace_clock", &err, v);
		return;
	}
	all = strv_join(&names, " ");
	if (strv_has(&names, "mono"))
		verdict_set(v, SUPPORT_OK, take_ptr(all), NULL);
	else
		verdict_set(v, SUPPORT_NO, xasprintf("no clock mono, only %s", all),
			    xstrdup("name another with ft record -C"));
}

void probe_symbols(const struct probe *p, const struct feature *f, struct verdict *v)
{
	cleanup(strbuf_fini) struct strbuf text = {0};
	const char *line;

	(void)p;
	if (io_read_file(f->file, &text, NULL) < 0 || !text.len) {
		verdict_set(v, SUPPORT_NO, xasprintf("%s cannot be read", f->file), NULL);
		return;
	}
	/* The first few of x86 are per-CPU offsets and zero anyway. */
	for (line = text.text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (*line && strspn(line, "0") < 8)
			break;
	}
	if (line)
		verdict_set(v, SUPPORT_OK, xstrdup("addresses can be read"), NULL);
	else
		verdict_set(v, SUPPORT_NO, xasprintf("all addresses in %s are 0", f->file),
			    xstrdup(geteuid() ? "use sudo" : "sysctl kernel.kptr_restrict=1"));
}

void probe_btf(const struct probe *p, const struct feature *f, struct verdict *v)
{
	if (access(f->file, R_OK) == 0)
		verdict_set(v, SUPPORT_OK, xstrdup(f->file), NULL);
	else
		verdict_lacks(p, f, v);
}
