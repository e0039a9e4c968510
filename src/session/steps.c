/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what is wanted to the ordered list of writes that brings it about. Touches nothing. */
#include "session/steps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

void steps_fini(struct steps *steps)
{
	for (size_t i = 0; i < steps->nr; i++) {
		free(steps->step[i].file);
		free(steps->step[i].value);
	}
	free(steps->step);
	*steps = (struct steps){0};
}

/* The builder's view: what is wanted, what is there, and the list so far. */
struct builder {
	const struct trace_config *config;
	const struct kernel_facts *facts;
	struct steps *out;
};

static struct step *add_step(struct steps *steps, enum step_kind kind, char *file, char *value)
{
	struct step *step;

	steps->step = xrealloc(steps->step, (steps->nr + 1) * sizeof(*steps->step));
	step = &steps->step[steps->nr++];
	*step = (struct step){.kind = kind, .file = file, .value = value};
	return step;
}

static void set(struct builder *b, const char *file, const char *value)
{
	add_step(b->out, STEP_SET, xstrdup(file), xstrdup(value));
}

static bool has(const struct builder *b, const char *file)
{
	return b->facts->has(b->facts->ctx, file, false);
}

/* A file that not every kernel or instance has. */
static void set_if_there(struct builder *b, const char *file, const char *value)
{
	if (has(b, file))
		set(b, file, value);
}

/* A file that only the top level has, and that the instance's trace depends on. */
static void set_at_top(struct builder *b, const char *file, const char *value)
{
	if (b->facts->has(b->facts->ctx, file, true))
		add_step(b->out, STEP_SET, xstrdup(file), xstrdup(value))->top = true;
}

static void set_number(struct builder *b, const char *file, uint64_t value)
{
	cleanup_free char *text = xasprintf("%" PRIu64, value);

	set(b, file, text);
}

static void set_list(struct builder *b, const char *file, const struct strv *tokens)
{
	if (tokens->nr || has(b, file))
		add_step(b->out, STEP_LIST, xstrdup(file), strv_join(tokens, "\n"));
}

static char *event_file(const char *event, const char *file)
{
	const char *colon = strchr(event, ':');

	return xasprintf("events/%.*s/%s/%s", (int)(colon - event), event, colon + 1, file);
}

/* Another's tracer, events or CPU mask at the top level would mix with ours or starve it. */
static void add_quiet(struct builder *b)
{
	const struct trace_config *config = b->config;

	set(b, "tracing_on", "0");
	set(b, "current_tracer", "nop");
	for (size_t i = 0; i < b->facts->enabled->nr; i++) {
		const char *event = b->facts->enabled->item[i];
		size_t len = strcspn(event, ":");
		cleanup_free char *system = xstrndup(event, len);

		if (!strv_has(&config->events, event) && !strv_has(&config->systems, system))
			add_step(b->out, STEP_SET, event_file(event, "enable"), xstrdup("0"));
	}
}

/* The kernel shows the mask as groups of 32 bits; all bits set is cut to the CPUs there are. */
static void add_buffer(struct builder *b)
{
	const struct trace_config *config = b->config;

	if (config->clock)
		set(b, "trace_clock", config->clock);
	if (config->buffer_kb)
		set_number(b, "buffer_size_kb", config->buffer_kb);
	if (config->cmdlines)
		add_step(b->out, STEP_SET, xstrdup("saved_cmdlines_size"),
			 xasprintf("%" PRIu64, config->cmdlines))
			->top = true;
}

static void add_options(struct builder *b)
{
	const struct trace_config *config = b->config;

	set_at_top(b, "options/record-cmd", "1");
	if (has(b, "options/record-tgid"))
		set(b, "options/record-tgid", "1");
	else
		set_at_top(b, "options/record-tgid", "1");
	if (config->instance)
		set_if_there(b, "options/copy_trace_marker", "1");
	for (size_t i = 0; i < config->options.nr; i++) {
		const char *name = config->options.item[i];
		cleanup_free char *file = xasprintf("options/%s", name);
		cleanup_free char *negated = NULL;

		if (has(b, file)) {
			set(b, file, "1");
			continue;
		}
		if (str_starts(name, "no")) {
			negated = xasprintf("options/%s", name + 2);
			if (has(b, negated)) {
				set(b, negated, "0");
				continue;
			}
		}
		/* An option of the tracer itself: its file comes with the tracer, so it is
		 * named in trace_options, after the tracer is set. */
	}
}

/* Options that exist only while their tracer is set. */
static void add_tracer_options(struct builder *b)
{
	const struct trace_config *config = b->config;

	for (size_t i = 0; i < config->options.nr; i++) {
		const char *name = config->options.item[i];
		cleanup_free char *file = xasprintf("options/%s", name);
		cleanup_free char *negated =
			str_starts(name, "no") ? xasprintf("options/%s", name + 2) : NULL;

		if (has(b, file) || (negated && has(b, negated)))
			continue;
		if (negated)
			set(b, negated, "0");
		else
			set(b, file, "1");
	}
}

static void add_functions(struct builder *b)
{
	const struct trace_config *config = b->config;

	if (!is_function_tracer(config->tracer))
		return;
	add_step(b->out, STEP_SYSCTL, xstrdup("/proc/sys/kernel/ftrace_enabled"), xstrdup("1"));
	set_list(b, "set_ftrace_filter", &config->functions);
	set_list(b, "set_ftrace_notrace", &config->notrace);
	if (!is_graph_tracer(config->tracer))
		return;
	set_list(b, "set_graph_function", &config->graph);
	set_list(b, "set_graph_notrace", &(struct strv){0});
	set_if_there(b, "max_graph_depth", "0");
	set_at_top(b, "tracing_thresh", "0");
}

static void add_pids(struct builder *b)
{
	const struct trace_config *config = b->config;
	bool follow = config->pids.nr > 0;

	if (config->systems.nr || config->events.nr) {
		if (follow)
			set(b, "options/event-fork", "1");
		set_list(b, "set_event_pid", &config->pids);
		set_list(b, "set_event_notrace_pid", &config->own_pids);
	}
	if (is_function_tracer(config->tracer)) {
		if (follow)
			set_if_there(b, "options/function-fork", "1");
		set_list(b, "set_ftrace_pid", &config->pids);
		set_list(b, "set_ftrace_notrace_pid", &config->own_pids);
	}
}

static void add_events(struct builder *b)
{
	const struct trace_config *config = b->config;

	/* A filter that somebody left on an event would hide what is asked for. A new instance has
	 * none. */
	for (size_t i = 0; !config->instance && i < config->events.nr; i++)
		add_step(b->out, STEP_FILTER, event_file(config->events.item[i], "filter"),
			 xstrdup("0"));
	for (size_t i = 0; !config->instance && i < config->systems.nr; i++)
		add_step(b->out, STEP_FILTER,
			 xasprintf("events/%s/filter", config->systems.item[i]), xstrdup("0"));
	for (size_t i = 0; i < config->systems.nr; i++)
		add_step(b->out, STEP_SYSTEM,
			 xasprintf("events/%s/enable", config->systems.item[i]), xstrdup("1"));
	for (size_t i = 0; i < config->events.nr; i++)
		add_step(b->out, STEP_SET, event_file(config->events.item[i], "enable"),
			 xstrdup("1"));
}

void steps_build(const struct trace_config *config, const struct kernel_facts *facts,
		 struct steps *out)
{
	struct builder b = {config, facts, out};

	if (config->instance) {
		add_step(out, STEP_INSTANCE, xstrdup(config->instance), xstrdup(""));
		set(&b, "tracing_on", "0");
	} else {
		add_quiet(&b);
	}
	add_buffer(&b);
	add_options(&b);
	add_functions(&b);
	add_pids(&b);
	add_events(&b);
	if (config->tracer && strcmp(config->tracer, "nop"))
		set(&b, "current_tracer", config->tracer);
	add_tracer_options(&b);
	/* What an earlier trace left must not look like ours. */
	if (!config->instance)
		add_step(out, STEP_EMPTY, xstrdup("trace"), xstrdup(""));
}

void steps_build_start(const struct trace_config *config, struct steps *out)
{
	(void)config;
	add_step(out, STEP_SET, xstrdup("tracing_on"), xstrdup("1"));
}

/* Single quotes, but for "$$", which the shell that runs the line must fill in. */
static void add_quoted(struct strbuf *out, const char *value)
{
	if (!strcmp(value, "$$")) {
		strbuf_add(out, value);
		return;
	}
	if (*value && value[strspn(value, "abcdefghijklmnopqrstuvwxyz_:ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					  "0123456789,.-")] == '\0') {
		strbuf_add(out, value);
		return;
	}
	strbuf_add(out, "'");
	for (; *value; value++) {
		if (*value == '\'')
			strbuf_add(out, "'\\''");
		else
			strbuf_add_mem(out, value, 1);
	}
	strbuf_add(out, "'");
}

static void print_list(const struct step *step, const char *path, struct strbuf *out)
{
	cleanup(strv_fini) struct strv tokens = {0};

	strbuf_addf(out, ": > %s\n", path);
	strv_split(&tokens, step->value, "\n");
	for (size_t i = 0; i < tokens.nr; i++) {
		strbuf_add(out, "echo ");
		add_quoted(out, tokens.item[i]);
		strbuf_addf(out, " >> %s\n", path);
	}
}

void steps_print(const struct steps *steps, const char *top, const char *dir, struct strbuf *out)
{
	for (size_t i = 0; i < steps->nr; i++) {
		const struct step *step = &steps->step[i];
		cleanup_free char *path =
			step->kind == STEP_SYSCTL
				? xstrdup(step->file)
				: xasprintf("%s/%s", step->top ? top : dir, step->file);

		if (step->kind == STEP_INSTANCE) {
			strbuf_addf(out, "mkdir %s/instances/%s\n", top, step->file);
		} else if (step->kind == STEP_LIST) {
			print_list(step, path, out);
		} else if (step->kind == STEP_EMPTY) {
			strbuf_addf(out, ": > %s\n", path);
		} else {
			strbuf_add(out, "echo ");
			add_quoted(out, step->value);
			strbuf_addf(out, " > %s\n", path);
		}
	}
}
