/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From one setup to another, in an order that the kernel accepts. Touches nothing. */
#include <string.h>

#include "session/setup.h"
#include "session/shown.h"
#include "util/mem.h"

/* Both ends, and the list so far. */
struct way {
	const struct setup *now;
	const struct setup *want;
	const struct strv *all;
	const char *all_cpus;
	struct steps *out;
};

static size_t count_system(const struct strv *events, const char *system)
{
	size_t len = strlen(system);
	size_t nr = 0;

	for (size_t i = 0; i < events->nr; i++)
		nr += !strncmp(events->item[i], system, len) && events->item[i][len] == ':';
	return nr;
}

void steps_add_events(struct steps *steps, const struct strv *events, const struct strv *all,
		      const char *value)
{
	cleanup(strv_fini) struct strv done = {0};

	for (size_t i = 0; i < events->nr; i++) {
		const char *event = events->item[i];
		size_t len = strcspn(event, ":");
		cleanup_free char *system = xstrndup(event, len);
		size_t nr;

		if (strv_has(&done, system))
			continue;
		nr = count_system(events, system);
		if (nr > 1 && nr == count_system(all, system)) {
			steps_add(steps, STEP_SYSTEM, xasprintf("events/%s/enable", system),
				  xstrdup(value));
			strv_add(&done, system);
		} else {
			steps_add(steps, STEP_SET,
				  xasprintf("events/%s/%s/enable", system, event + len + 1),
				  xstrdup(value));
		}
	}
}

static bool is_event_switch(const struct setting *one)
{
	return one->kind == STEP_SET && str_starts(one->file, "events/");
}

/* "system:name" of events that @in switches on and @not_in does not. */
static void add_switched(const struct setup *in, const struct setup *not_in, struct strv *out)
{
	for (size_t i = 0; i < in->nr; i++) {
		const struct setting *one = &in->setting[i];
		cleanup(strv_fini) struct strv parts = {0};

		if (!is_event_switch(one) || setup_has(not_in, one))
			continue;
		strv_split(&parts, one->file, "/");
		strv_add_take(out, xasprintf("%s:%s", parts.item[1], parts.item[2]));
	}
}

static void switch_events(struct way *w, const char *value)
{
	cleanup(strv_fini) struct strv events = {0};
	bool on = value[0] == '1';

	add_switched(on ? w->want : w->now, on ? w->now : w->want, &events);
	steps_add_events(w->out, &events, w->all, value);
}

static bool value_differs(const struct way *w, const char *file)
{
	const char *now = setup_value(w->now, file);
	const char *want = setup_value(w->want, file);

	return now && want ? strcmp(now, want) != 0 : now != want;
}

/* To @file goes what is wanted, or its default. */
static void set_value(struct way *w, const char *file)
{
	const char *want = setup_value(w->want, file);

	if (!want)
		want = !strcmp(file, "tracing_cpumask")		       ? w->all_cpus
		       : !strcmp(file, "trace_clock") && w->now->clock ? w->now->clock
								       : setup_default(file);
	steps_add(w->out, STEP_SET, xstrdup(file), xstrdup(want));
}

static void set_if_differs(struct way *w, const char *file)
{
	if (value_differs(w, file))
		set_value(w, file);
}

/* What one end has and the other has not, of one kind; "newest first" for what may depend on what
 * was there before it. */
static void add_missing(struct way *w, enum step_kind kind, bool remove)
{
	const struct setup *from = remove ? w->now : w->want;
	const struct setup *other = remove ? w->want : w->now;

	for (size_t n = 0; n < from->nr; n++) {
		const struct setting *one = &from->setting[remove ? from->nr - 1 - n : n];

		if (one->kind != kind || setup_has(other, one))
			continue;
		if (!remove)
			steps_add(w->out, kind, xstrdup(one->file), xstrdup(one->value));
		else if (kind == STEP_FILTER)
			steps_add(w->out, kind, xstrdup(one->file), xstrdup("0"));
		else
			steps_add(w->out, kind, xstrdup(one->file),
				  xasprintf("%c%s", kind == STEP_PROBE ? '-' : '!', one->value));
	}
}

static char *list_of(const struct setup *setup, const char *file)
{
	cleanup(strv_fini) struct strv tokens = {0};

	for (size_t i = 0; i < setup->nr; i++)
		if (setup->setting[i].kind == STEP_LIST && !strcmp(setup->setting[i].file, file))
			strv_add(&tokens, setup->setting[i].value);
	strv_sort(&tokens);
	return strv_join(&tokens, "\n");
}

static void set_lists(struct way *w)
{
	static const char *const files[] = {
		"set_ftrace_filter", "set_ftrace_notrace",    "set_graph_function",
		"set_graph_notrace", "set_ftrace_pid",	      "set_ftrace_notrace_pid",
		"set_event_pid",     "set_event_notrace_pid",
	};

	for (size_t i = 0; i < array_size(files); i++) {
		cleanup_free char *now = list_of(w->now, files[i]);
		cleanup_free char *want = list_of(w->want, files[i]);

		if (strcmp(now, want))
			steps_add(w->out, STEP_LIST, xstrdup(files[i]), take_ptr(want));
	}
}

static bool is_option(const struct setting *one)
{
	return one->kind == STEP_SET && str_starts(one->file, "options/");
}

static void set_options(struct way *w)
{
	for (size_t i = 0; i < w->now->nr; i++)
		if (is_option(&w->now->setting[i]))
			set_if_differs(w, w->now->setting[i].file);
	for (size_t i = 0; i < w->want->nr; i++)
		if (is_option(&w->want->setting[i]) &&
		    !setup_value(w->now, w->want->setting[i].file))
			set_value(w, w->want->setting[i].file);
}

static bool is_cpu_size(const struct setting *one)
{
	return str_starts(one->file, "per_cpu/");
}

/* Sizes of single CPUs stand upon that of all. */
static void set_buffer_size(struct way *w)
{
	bool differs = value_differs(w, "buffer_size_kb");

	for (size_t i = 0; i < w->now->nr; i++)
		if (is_cpu_size(&w->now->setting[i]) && !setup_has(w->want, &w->now->setting[i]))
			differs = true;
	if (differs)
		set_value(w, "buffer_size_kb");
	for (size_t i = 0; i < w->want->nr; i++)
		if (is_cpu_size(&w->want->setting[i]) &&
		    (differs || !setup_has(w->now, &w->want->setting[i])))
			set_value(w, w->want->setting[i].file);
}

static void set_values(struct way *w)
{
	static const char *const files[] = {
		"trace_clock",
		"tracing_cpumask",
		"buffer_percent",
		"saved_cmdlines_size",
		"max_graph_depth",
		"tracing_thresh",
		"function_profile_enabled",
	};

	set_if_differs(w, "buffer_subbuf_size_kb");
	set_buffer_size(w);
	for (size_t i = 0; i < array_size(files); i++)
		set_if_differs(w, files[i]);
}

static bool is_off(const struct setup *setup)
{
	return setup_value(setup, "tracing_on") != NULL;
}

void setup_steps(const struct setup *now, const struct setup *want, const struct strv *all,
		 const char *all_cpus, struct steps *out)
{
	struct way w = {now, want, all, all_cpus, out};
	bool other_tracer = value_differs(&w, "current_tracer");

	if (is_off(want) && !is_off(now))
		set_value(&w, "tracing_on");
	if (other_tracer && setup_value(now, "current_tracer"))
		steps_add(out, STEP_SET, xstrdup("current_tracer"), xstrdup("nop"));
	add_missing(&w, STEP_ACTION, true);
	switch_events(&w, "0");
	add_missing(&w, STEP_FILTER, true);
	add_missing(&w, STEP_PROBE, true);
	add_missing(&w, STEP_PROBE, false);
	set_lists(&w);
	set_options(&w);
	set_values(&w);
	add_missing(&w, STEP_FILTER, false);
	switch_events(&w, "1");
	add_missing(&w, STEP_ACTION, false);
	if (other_tracer && setup_value(want, "current_tracer"))
		set_value(&w, "current_tracer");
	if (!is_off(want) && is_off(now))
		set_value(&w, "tracing_on");
}
