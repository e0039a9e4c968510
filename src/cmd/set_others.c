/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What uses the kernel's tracing but has no file of it open: hooks of functions, kprobes, live patches,
 * and what was asked for at boot. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/set.h"
#include "util/io.h"
#include "util/mem.h"

/* Who calls himself so in the list of hooked functions. */
static const struct {
	const char *callback;
	const char *owner;
} hooks[] = {
	{"function_trace_call", "the function tracer"},
	{"function_stack_trace_call", "the function tracer"},
	{"function_args_trace_call", "the function tracer"},
	{"ftrace_pid_func", "the function tracer"}, /* with set_ftrace_pid */
	{"function_trace_probe_call", "commands of set_ftrace_filter"},
	{"ftrace_graph_func", "function_graph"},
	{"ftrace_graph_caller", "function_graph"},
	{"trace_graph_entry", "function_graph"},
	{"kprobe_ftrace_handler", "kprobes"},
	{"fprobe_handler", "fprobes or bpf"},
	{"fprobe_ftrace_entry", "fprobes or bpf"},
	{"fprobe_entry", "fprobes or bpf"},
	{"klp_ftrace_handler", "a live patch"},
	{"perf_ftrace_function_call", "perf"},
	{"stack_trace_call", "the stack tracer"},
	{"function_profile_call", "the function profiler"},
	{"arch_ftrace_ops_list_func", "several at once"},
	{"ftrace_ops_list_func", "several at once"},
};

/* NULL for the one that jumps to whoever is on the next line. */
static char *owner_of(const char *callback)
{
	if (!strcmp(callback, "call_direct_funcs"))
		return NULL;
	for (size_t i = 0; i < array_size(hooks); i++)
		if (!strcmp(hooks[i].callback, callback))
			return xstrdup(hooks[i].owner);
	if (str_starts(callback, "bpf_"))
		return xstrdup("bpf");
	return xstrdup(callback);
}

/* A line is "name (count) flags ->callback+0x0/0x10", or the second one of a function, with "direct-->". */
static void add_hooks(const struct tfs *tfs, struct tracing_users *out)
{
	cleanup_free char *text = NULL;

	if (!tfs_has(tfs, "enabled_functions") ||
	    tfs_read(tfs, "enabled_functions", &text, NULL) < 0)
		return;
	for (char *at = text, *line; (line = str_next_line(&at));) {
		char *callback = NULL;
		char *owner;

		for (char *arrow = line; (arrow = strstr(arrow, "->"));)
			callback = arrow += 2;
		if (!callback)
			continue;
		callback[strcspn(callback, "+ \t")] = '\0';
		owner = owner_of(callback);
		if (owner)
			tracing_others_add(out, "hook", 0, owner);
	}
}

/* Those of tracefs are among them; a line is "address  kind  symbol+offset  [FLAG]...". */
static void add_kprobes(struct tracing_users *out)
{
	cleanup(strbuf_fini) struct strbuf text = {0};

	if (io_read_file("/sys/kernel/debug/kprobes/list", &text, NULL) < 0 || !text.len)
		return;
	for (char *at = text.text, *line; (line = str_next_line(&at));) {
		cleanup(strv_fini) struct strv words = {0};

		if (strstr(line, "[DISABLED]"))
			continue;
		strv_split(&words, line, " \t");
		if (words.nr >= 3)
			tracing_others_add(out, "kprobe", 0, xstrdup(words.item[2]));
	}
}

static void add_live_patches(struct tracing_users *out)
{
	DIR *dir = opendir("/sys/kernel/livepatch");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			tracing_others_add(out, "livepatch", 0, xstrdup(entry->d_name));
	if (dir)
		closedir(dir);
}

static void add_sysctls(struct tracing_users *out)
{
	static const struct {
		const char *name;
		char usual;
	} sysctls[] = {
		{"ftrace_enabled", '1'},      {"stack_tracer_enabled", '0'},
		{"tracepoint_printk", '0'},   {"traceoff_on_warning", '0'},
		{"ftrace_dump_on_oops", '0'},
	};

	for (size_t i = 0; i < array_size(sysctls); i++) {
		cleanup_free char *path = xasprintf("/proc/sys/kernel/%s", sysctls[i].name);
		cleanup(strbuf_fini) struct strbuf text = {0};

		if (io_read_file(path, &text, NULL) == 0 && text.len &&
		    text.text[0] != sysctls[i].usual)
			tracing_others_add(
				out, "sysctl", 0,
				xasprintf("kernel.%s=%s", sysctls[i].name, str_trim(text.text)));
	}
}

/* The words of the kernel's command line that set tracing up. */
static void add_boot(struct tracing_users *out)
{
	static const char *const leads[] = {"ftrace",	     "trace_",	  "tp_printk",
					    "kprobe_event=", "traceoff_", "stacktrace",
					    "alloc_snapshot"};
	cleanup(strbuf_fini) struct strbuf text = {0};
	cleanup(strv_fini) struct strv words = {0};

	if (io_read_file("/proc/cmdline", &text, NULL) < 0 || !text.len)
		return;
	strv_split(&words, text.text, " \n");
	for (size_t i = 0; i < words.nr; i++)
		for (size_t n = 0; n < array_size(leads); n++)
			if (str_starts(words.item[i], leads[n])) {
				tracing_others_add(out, "boot", 0, xstrdup(words.item[i]));
				break;
			}
}

void tracing_others_find(const struct tfs *tfs, struct tracing_users *out)
{
	add_hooks(tfs, out);
	add_kprobes(out);
	add_live_patches(out);
	add_sysctls(out);
	add_boot(out);
}

static char *held_text(const struct tracing_other *other)
{
	const char *many = other->nr == 1 ? "" : "s";

	if (other->name)
		return xasprintf("process %d (%s): holds %zu bpf program%s on %s", other->pid,
				 other->comm, other->nr, many, other->name);
	return xasprintf(
		"process %d (%s): holds %zu perf event%s, of what the kernel does not tell",
		other->pid, other->comm, other->nr, many);
}

char *tracing_other_text(const struct tracing_other *other)
{
	if (other->pid)
		return held_text(other);
	if (!strcmp(other->kind, "hook"))
		return xasprintf("function hooks: %zu by %s", other->nr, other->name);
	if (!strcmp(other->kind, "livepatch"))
		return xasprintf("live patch %s", other->name);
	if (!strcmp(other->kind, "boot"))
		return xasprintf("the kernel's command line: %s", other->name);
	return xasprintf("%s %s", other->kind, other->name);
}
