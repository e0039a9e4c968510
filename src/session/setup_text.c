/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A setup as a text file: "file = value" and "file += one of several", a line each. */
#include <string.h>

#include "session/setup.h"
#include "util/mem.h"

static const char head[] = "# ft setup 1";

static bool is_single(enum step_kind kind)
{
	return kind == STEP_SET || kind == STEP_FILTER;
}

void setup_print(const struct setup *setup, struct strbuf *out)
{
	strbuf_addf(out, "%s\n", head);
	for (size_t i = 0; i < setup->nr; i++) {
		const struct setting *one = &setup->setting[i];

		strbuf_addf(out, "%s %s %s\n", one->file,
			    is_single(one->kind) ? "=" : "+=", one->value);
	}
}

/* The files that may stand in a setup, as patterns; nothing else is ever written to. */
static const struct {
	const char *pattern;
	enum step_kind kind;
} places[] = {
	{"current_tracer", STEP_SET},
	{"trace_clock", STEP_SET},
	{"buffer_size_kb", STEP_SET},
	{"per_cpu/cpu*/buffer_size_kb", STEP_SET},
	{"buffer_subbuf_size_kb", STEP_SET},
	{"buffer_percent", STEP_SET},
	{"saved_cmdlines_size", STEP_SET},
	{"max_graph_depth", STEP_SET},
	{"tracing_thresh", STEP_SET},
	{"tracing_on", STEP_SET},
	{"tracing_cpumask", STEP_SET},
	{"function_profile_enabled", STEP_SET},
	{"options/*", STEP_SET},
	{"set_ftrace_filter", STEP_LIST},
	{"set_ftrace_notrace", STEP_LIST},
	{"set_graph_function", STEP_LIST},
	{"set_graph_notrace", STEP_LIST},
	{"set_ftrace_pid", STEP_LIST},
	{"set_ftrace_notrace_pid", STEP_LIST},
	{"set_event_pid", STEP_LIST},
	{"set_event_notrace_pid", STEP_LIST},
	{"events/*/*/enable", STEP_SET},
	{"events/*/*/filter", STEP_FILTER},
	{"events/*/*/trigger", STEP_ACTION},
	{"dynamic_events", STEP_PROBE},
};

static size_t count_slashes(const char *text)
{
	size_t nr = 0;

	for (; *text; text++)
		nr += *text == '/';
	return nr;
}

/* A '*' of a pattern stands for one name: no way leads out of the tracing directory. */
static bool find_kind(const char *file, const char *value, enum step_kind *kind)
{
	for (size_t i = 0; i < array_size(places); i++) {
		if (!glob_matches(places[i].pattern, file) || strstr(file, "..") ||
		    count_slashes(file) != count_slashes(places[i].pattern))
			continue;
		*kind = places[i].kind;
		/* "vfs_read:traceoff" in the list of functions is a command. */
		if (*kind == STEP_LIST && strchr(value, ':') && !strstr(value, ":mod:"))
			*kind = STEP_ACTION;
		return true;
	}
	return false;
}

static int parse_one(char *line, size_t number, struct setup *out, struct err *err)
{
	char *value = strchr(line, ' ');
	enum step_kind kind;
	bool adds;

	if (!value)
		return err_set(err, EINVAL, "line %zu is no setting: '%s'", number, line);
	*value++ = '\0';
	adds = str_starts(value, "+= ");
	if (!adds && !str_starts(value, "= "))
		return err_set(err, EINVAL,
			       "line %zu is no setting: there is neither '=' nor '+=' after %s",
			       number, line);
	value += adds ? 3 : 2;
	if (!find_kind(line, value, &kind))
		return err_set(err, EINVAL, "line %zu: %s is no setting of ft's", number, line);
	if (is_single(kind) == adds)
		return err_set(err, EINVAL, "line %zu: %s takes '%s', not '%s'", number, line,
			       adds ? "=" : "+=", adds ? "+=" : "=");
	if (!*value)
		return err_set(err, EINVAL, "line %zu: %s has no value", number, line);
	setup_add(out, kind, line, value);
	return 0;
}

int setup_parse(const char *text, struct setup *out, struct err *err)
{
	cleanup_free char *copy = xstrdup(text);
	char *at = copy;
	size_t number = 0;
	int r = 0;

	if (!str_starts(text, head))
		return err_set(err, EINVAL,
			       "this is no setup that ft has saved: it does not begin with '%s'",
			       head);
	for (char *line = str_next_line(&at); r == 0 && line; line = str_next_line(&at)) {
		number++;
		if (*line && *line != '#')
			r = parse_one(line, number, out, err);
	}
	return r;
}
