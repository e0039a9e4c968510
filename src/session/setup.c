/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of a buffer's settings is not at the kernel's defaults. */
#include "session/setup.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/shown.h"
#include "util/io.h"
#include "util/mem.h"

/* As the kernel asks for it; it gives a bit more, since sub-buffers have a head. */
#define BUFFER_DEFAULT_KB 1408

void setup_fini(struct setup *setup)
{
	for (size_t i = 0; i < setup->nr; i++) {
		free(setup->setting[i].file);
		free(setup->setting[i].value);
	}
	free(setup->setting);
	*setup = (struct setup){0};
}

void setup_add(struct setup *setup, enum step_kind kind, const char *file, const char *value)
{
	setup->setting = xrealloc(setup->setting, (setup->nr + 1) * sizeof(*setup->setting));
	setup->setting[setup->nr++] = (struct setting){kind, xstrdup(file), xstrdup(value)};
}

bool setup_has(const struct setup *setup, const struct setting *setting)
{
	for (size_t i = 0; i < setup->nr; i++) {
		const struct setting *one = &setup->setting[i];

		if (one->kind == setting->kind && !strcmp(one->file, setting->file) &&
		    !strcmp(one->value, setting->value))
			return true;
	}
	return false;
}

const char *setup_value(const struct setup *setup, const char *file)
{
	for (size_t i = 0; i < setup->nr; i++)
		if (!strcmp(setup->setting[i].file, file))
			return setup->setting[i].value;
	return NULL;
}

static const struct {
	const char *file;
	const char *value;
} defaults[] = {
	{"current_tracer", "nop"},	   {"trace_clock", "local"}, {"buffer_size_kb", "1408"},
	{"buffer_subbuf_size_kb", "4"},	   {"buffer_percent", "50"}, {"saved_cmdlines_size", "128"},
	{"max_graph_depth", "0"},	   {"tracing_thresh", "0"},  {"tracing_on", "1"},
	{"function_profile_enabled", "0"},
};

/* Every other option is off in a kernel that nobody has told otherwise. */
static const char *const options_on[] = {
	"annotate",	  "context-info",	"funcgraph-cpu",  "funcgraph-duration",
	"funcgraph-irqs", "funcgraph-overhead", "function-trace", "graph-time",
	"hash-ptr",	  "irq-info",		"markers",	  "overwrite",
	"print-parent",	  "record-cmd",		"sleep-time",	  "trace_printk",
};

static const char *option_default(const char *name)
{
	for (size_t i = 0; i < array_size(options_on); i++)
		if (!strcmp(options_on[i], name))
			return "1";
	return "0";
}

const char *setup_default(const char *file)
{
	for (size_t i = 0; i < array_size(defaults); i++)
		if (!strcmp(defaults[i].file, file))
			return defaults[i].value;
	if (str_starts(file, "options/"))
		return option_default(file + strlen("options/"));
	if (str_starts(file, "events/"))
		return "0";
	return NULL;
}

/* The reader's view. */
struct reading {
	const struct tfs *tfs;
	bool is_top;
	long subbuf_kb;
	struct setup *out;
};

/* A file as it is, without what the kernel adds; NULL when it is not there. */
static char *read_value(const struct reading *r, const char *file)
{
	cleanup_free char *shown = NULL;

	if (!tfs_has(r->tfs, file) || tfs_read_line(r->tfs, file, &shown, NULL) < 0)
		return NULL;
	return shown_value(shown);
}

static bool is_default_size(const struct reading *r, const char *value)
{
	long kb;

	return parse_long(value, &kb) && kb >= BUFFER_DEFAULT_KB &&
	       kb <= BUFFER_DEFAULT_KB + r->subbuf_kb;
}

static void read_buffer_size(const struct reading *r)
{
	cleanup_free char *shown = NULL;
	cleanup_free unsigned int *cpus = NULL;
	size_t nr;

	/* "7 (expanded: 1408)": nobody has used it yet. */
	if (tfs_read_line(r->tfs, "buffer_size_kb", &shown, NULL) < 0 ||
	    strstr(shown, "expanded") || is_default_size(r, shown))
		return;
	if (strcmp(shown, "X")) {
		setup_add(r->out, STEP_SET, "buffer_size_kb", shown);
		return;
	}
	if (tfs_cpus(r->tfs, &cpus, &nr, NULL) < 0)
		return;
	for (size_t i = 0; i < nr; i++) {
		cleanup_free char *file = xasprintf("per_cpu/cpu%u/buffer_size_kb", cpus[i]);
		cleanup_free char *value = read_value(r, file);

		if (value && !is_default_size(r, value))
			setup_add(r->out, STEP_SET, file, value);
	}
}

/* Kernels that keep whole pages of names show what fits into the least number of them. */
static bool is_default_cmdlines(const char *value)
{
	static const char *const least[] = {"128", "6552", "8190"};

	for (size_t i = 0; i < array_size(least); i++)
		if (!strcmp(value, least[i]))
			return true;
	return false;
}

static void read_subbuf_size(struct reading *r)
{
	long page_kb = sysconf(_SC_PAGESIZE) / 1024;
	cleanup_free char *value = read_value(r, "buffer_subbuf_size_kb");

	r->subbuf_kb = page_kb;
	if (value && parse_long(value, &r->subbuf_kb) && r->subbuf_kb != page_kb)
		setup_add(r->out, STEP_SET, "buffer_subbuf_size_kb", value);
}

static void read_cpumask(const struct reading *r)
{
	cleanup_free char *mask = read_value(r, "tracing_cpumask");
	cleanup_free unsigned int *cpus = NULL;
	cleanup_free char *all = NULL;
	size_t nr;

	if (!mask || tfs_cpus(r->tfs, &cpus, &nr, NULL) < 0)
		return;
	all = format_full_cpumask(cpus[nr - 1] + 1);
	if (shown_compare("tracing_cpumask", all, mask) != SHOWN_SAME)
		setup_add(r->out, STEP_SET, "tracing_cpumask", mask);
}

static bool has_line_with(const char *path, const char *word)
{
	cleanup(strbuf_fini) struct strbuf text = {0};

	return io_read_file(path, &text, NULL) == 0 && strstr(strbuf_str(&text), word);
}

/* An x86 machine whose time stamp counter may stand still starts with the global clock, unless its
 * host counts for it. */
static const char *clock_default(void)
{
	static const char cpus[] = "/proc/cpuinfo";
	static const char source[] =
		"/sys/devices/system/clocksource/clocksource0/current_clocksource";

	/* Other architectures have no such line. */
	if (!has_line_with(cpus, "\nflags\t") || has_line_with(cpus, " nonstop_tsc") ||
	    has_line_with(source, "kvm-clock") || has_line_with(source, "hyperv") ||
	    has_line_with(source, "xen"))
		return "local";
	return "global";
}

static void read_values(struct reading *r)
{
	/* Instances begin with the local clock on every machine. */
	r->out->clock = r->is_top ? clock_default() : "local";
	read_subbuf_size(r);
	read_buffer_size(r);
	read_cpumask(r);
	for (size_t i = 0; i < array_size(defaults); i++) {
		const char *file = defaults[i].file;
		cleanup_free char *value = read_value(r, file);
		const char *usual = !strcmp(file, "trace_clock") ? r->out->clock
								 : defaults[i].value;

		if (!value || !strcmp(value, usual) || str_ends(file, "buf_size_kb") ||
		    str_ends(file, "buffer_size_kb"))
			continue;
		if (strcmp(file, "saved_cmdlines_size") || !is_default_cmdlines(value))
			setup_add(r->out, STEP_SET, file, value);
	}
}

static bool is_option_of_top(const char *name)
{
	return !strcmp(name, "trace_printk_dest") || !strcmp(name, "copy_trace_marker");
}

static int read_options(const struct reading *r, struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	int code = tfs_options(r->tfs, &names, err);

	for (size_t i = 0; code >= 0 && i < names.nr; i++) {
		cleanup_free char *file = xasprintf("options/%s", names.item[i]);
		cleanup_free char *value = read_value(r, file);

		/* The top level gets the kernel's prints and programs' markers from the start. */
		if (r->is_top && is_option_of_top(names.item[i]))
			continue;
		if (value && strcmp(value, option_default(names.item[i])))
			setup_add(r->out, STEP_SET, file, value);
	}
	return code;
}

static const char *const list_files[] = {
	"set_ftrace_filter", "set_ftrace_notrace",    "set_graph_function",
	"set_graph_notrace", "set_ftrace_pid",	      "set_ftrace_notrace_pid",
	"set_event_pid",     "set_event_notrace_pid",
};

static bool is_command(const char *line)
{
	return line[0] != '#' && strchr(line, ':') && !strstr(line, ":mod:");
}

static void read_list(const struct reading *r, const char *file)
{
	cleanup_free char *shown = NULL;
	cleanup_free char *tokens = NULL;
	char *at;

	if (!tfs_has(r->tfs, file) || tfs_read(r->tfs, file, &shown, NULL) < 0)
		return;
	tokens = shown_list(shown);
	at = tokens;
	for (char *line = str_next_line(&at); line; line = str_next_line(&at))
		setup_add(r->out, STEP_LIST, file, line);
	at = shown;
	for (char *line = str_next_line(&at); line; line = str_next_line(&at)) {
		cleanup_free char *action = NULL;

		if (!is_command(line))
			continue;
		action = shown_action(line);
		setup_add(r->out, STEP_ACTION, file, action);
	}
}

static void read_filter(const struct reading *r, const char *file)
{
	cleanup_free char *shown = NULL;

	/* Where it has a second line, that is the kernel's complaint, and nothing is filtered. */
	if (tfs_read_line(r->tfs, file, &shown, NULL) == 0 && *shown && strcmp(shown, "none") &&
	    !strchr(shown, '\n'))
		setup_add(r->out, STEP_FILTER, file, shown);
}

static void read_triggers(const struct reading *r, const char *file)
{
	cleanup_free char *shown = NULL;
	char *at;

	if (tfs_read(r->tfs, file, &shown, NULL) < 0)
		return;
	at = shown;
	for (char *line = str_next_line(&at); line; line = str_next_line(&at)) {
		cleanup_free char *action = NULL;

		if (!*line || *line == '#')
			continue;
		action = shown_action(line);
		setup_add(r->out, STEP_ACTION, file, action);
	}
}

static int read_events(const struct reading *r, struct err *err)
{
	cleanup(strv_fini) struct strv events = {0};
	cleanup(strv_fini) struct strv enabled = {0};
	cleanup_free char *text = NULL;
	int code = tfs_read(r->tfs, "set_event", &text, err);

	if (code == 0)
		code = tfs_events(r->tfs, &events, err);
	if (code < 0)
		return code;
	strv_split(&enabled, text, "\n");
	for (size_t i = 0; i < enabled.nr; i++) {
		size_t len = strcspn(enabled.item[i], ":");
		cleanup_free char *file = NULL;
		cleanup_free char *shown = NULL;

		/* ":mod:NAME" waits for a module. */
		if (!len || !enabled.item[i][len])
			continue;
		file = xasprintf("events/%.*s/%s/enable", (int)len, enabled.item[i],
				 enabled.item[i] + len + 1);
		/* "0*": a trigger or a filter of processes holds it, which is not switched here. */
		if (tfs_read_line(r->tfs, file, &shown, NULL) == 0 && shown[0] == '1')
			setup_add(r->out, STEP_SET, file, "1");
	}
	for (size_t i = 0; i < events.nr; i++) {
		size_t len = strcspn(events.item[i], ":");
		cleanup_free char *dir = xasprintf("events/%.*s/%s", (int)len, events.item[i],
						   events.item[i] + len + 1);
		cleanup_free char *filter = xasprintf("%s/filter", dir);
		cleanup_free char *trigger = xasprintf("%s/trigger", dir);

		read_filter(r, filter);
		read_triggers(r, trigger);
	}
	return 0;
}

static void read_probes(const struct reading *r)
{
	static const char file[] = "dynamic_events";
	cleanup_free char *text = NULL;
	char *at;

	if (!r->is_top || !tfs_has(r->tfs, file) || tfs_read(r->tfs, file, &text, NULL) < 0)
		return;
	at = text;
	for (char *line = str_next_line(&at); line; line = str_next_line(&at))
		if (*line && *line != '#')
			setup_add(r->out, STEP_PROBE, file, str_trim(line));
}

int setup_read(const struct tfs *tfs, struct setup *out, struct err *err)
{
	struct reading r = {.tfs = tfs, .is_top = !tfs_instance_name(tfs), .out = out};
	int code;

	read_probes(&r);
	read_values(&r);
	code = read_options(&r, err);
	for (size_t i = 0; code >= 0 && i < array_size(list_files); i++)
		read_list(&r, list_files[i]);
	return code < 0 ? code : read_events(&r, err);
}
