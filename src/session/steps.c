/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what is wanted to the ordered list of writes that brings it about. Touches nothing. */
#include "session/steps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/shown.h"
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

struct step *steps_add(struct steps *steps, enum step_kind kind, char *file, char *value)
{
	struct step *step;

	steps->step = xrealloc(steps->step, (steps->nr + 1) * sizeof(*steps->step));
	step = &steps->step[steps->nr++];
	*step = (struct step){.kind = kind, .file = file, .value = value};
	return step;
}

static struct step *set(struct builder *b, const char *file, const char *value)
{
	return steps_add(b->out, STEP_SET, xstrdup(file), xstrdup(value));
}

/* A file that not every kernel or instance has. */
static void set_if_there(struct builder *b, const char *file, const char *value)
{
	set(b, file, value)->optional = true;
}

/* A file that belongs to the top level in some kernels and to each instance in others. */
static void set_or_top(struct builder *b, const char *file, const char *value)
{
	struct step *step = set(b, file, value);

	step->or_top = true;
	step->optional = true;
}

static void set_number(struct builder *b, const char *file, uint64_t value)
{
	cleanup_free char *text = xasprintf("%" PRIu64, value);

	set(b, file, text);
}

/* An empty list needs no file: kernels without it have nothing to clear. */
static void set_list(struct builder *b, const char *file, const struct strv *tokens)
{
	struct step *step = steps_add(b->out, STEP_LIST, xstrdup(file), strv_join(tokens, "\n"));

	step->optional = tokens->nr == 0;
}

static char *event_file(const char *event, const char *file)
{
	const char *colon = strchr(event, ':');

	return xasprintf("events/%.*s/%s/%s", (int)(colon - event), event, colon + 1, file);
}

/* A new instance has nothing of anybody else's in it. */
static bool is_new(const struct trace_config *config)
{
	return config->instance && !config->is_there;
}

/* Another's tracer, events or CPU mask at the top level would mix with ours or starve it. */
static void add_quiet(struct builder *b)
{
	const struct trace_config *config = b->config;

	set(b, "tracing_on", "0");
	set(b, "current_tracer", "nop");
	set(b, "tracing_cpumask", b->facts->all_cpus);
	for (size_t i = 0; i < b->facts->enabled->nr; i++) {
		const char *event = b->facts->enabled->item[i];
		size_t len = strcspn(event, ":");
		cleanup_free char *system = xstrndup(event, len);

		if (!strv_has(&config->events, event) && !strv_has(&config->systems, system))
			steps_add(b->out, STEP_SET, event_file(event, "enable"), xstrdup("0"));
	}
}

static void add_buffer(struct builder *b)
{
	const struct trace_config *config = b->config;

	if (config->clock)
		set(b, "trace_clock", config->clock);
	/* First: the number of sub-buffers follows from both. */
	if (config->subbuf_kb)
		set_number(b, "buffer_subbuf_size_kb", config->subbuf_kb);
	if (config->buffer_kb)
		set_number(b, "buffer_size_kb", config->buffer_kb);
	if (config->cmdlines) {
		cleanup_free char *text = xasprintf("%" PRIu64, config->cmdlines);

		set_or_top(b, "saved_cmdlines_size", text);
	}
}

/* "noNAME" turns NAME off, unless there is an option of that very name. */
static void add_option(struct builder *b, const char *name)
{
	bool off = str_starts(name, "no") && !strv_has(b->facts->options, name);
	cleanup_free char *file = xasprintf("options/%s", off ? name + 2 : name);

	set(b, file, off ? "0" : "1")->or_top = true;
}

static void add_options(struct builder *b)
{
	const struct trace_config *config = b->config;

	set_or_top(b, "options/record-cmd", "1");
	set_or_top(b, "options/record-tgid", "1");
	if (config->ring)
		set(b, "options/overwrite", "1");
	/* New instances inherit what somebody has turned on at the top level. */
	if (is_function_tracer(config->tracer))
		set_if_there(b, "options/func_stack_trace", config->stack ? "1" : "0");
	if (config->systems.nr || config->events.nr)
		set_or_top(b, "options/stacktrace", config->stack ? "1" : "0");
	for (size_t i = 0; i < config->options.nr; i++)
		if (!config->printk || strcmp(config->options.item[i], "trace_printk_dest"))
			add_option(b, config->options.item[i]);
}

/* A depth that was asked for needs its file; it may be the top level's only. */
static void set_depth(struct builder *b)
{
	cleanup_free char *text = xasprintf("%" PRIu64, b->config->depth);
	struct step *step = set(b, "max_graph_depth", text);

	step->optional = !b->config->depth;
	step->or_top = b->config->depth;
}

static void add_functions(struct builder *b)
{
	const struct trace_config *config = b->config;

	if (!is_function_tracer(config->tracer))
		return;
	steps_add(b->out, STEP_SYSCTL, xstrdup("/proc/sys/kernel/ftrace_enabled"), xstrdup("1"));
	set_list(b, "set_ftrace_filter", &config->functions);
	set_list(b, "set_ftrace_notrace", &config->notrace);
	if (!is_graph_tracer(config->tracer))
		return;
	set_list(b, "set_graph_function", &config->graph);
	set_list(b, "set_graph_notrace", &(struct strv){0});
	set_depth(b);
	set_or_top(b, "tracing_thresh", "0");
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
	for (size_t i = 0; !is_new(config) && i < config->events.nr; i++)
		steps_add(b->out, STEP_FILTER, event_file(config->events.item[i], "filter"),
			  xstrdup("0"));
	for (size_t i = 0; !is_new(config) && i < config->systems.nr; i++)
		steps_add(b->out, STEP_FILTER,
			  xasprintf("events/%s/filter", config->systems.item[i]), xstrdup("0"));
	for (size_t i = 0; i < config->systems.nr; i++)
		steps_add(b->out, STEP_SYSTEM,
			  xasprintf("events/%s/enable", config->systems.item[i]), xstrdup("1"));
	for (size_t i = 0; i < config->events.nr; i++)
		steps_add(b->out, STEP_SET, event_file(config->events.item[i], "enable"),
			  xstrdup("1"));
}

/* The kernel keeps the names of tasks only while some event is on, or a tracer. Of markers alone nobody could say who
 * wrote them: an event that nothing matches makes it keep them. */
static void add_names(struct builder *b)
{
	const struct trace_config *config = b->config;

	if (config->systems.nr || config->events.nr ||
	    (config->tracer && strcmp(config->tracer, "nop")))
		return;
	steps_add(b->out, STEP_FILTER, xstrdup("events/sched/sched_process_exec/filter"),
		  xstrdup("pid < 0"))
		->optional = true;
	set_if_there(b, "events/sched/sched_process_exec/enable", "1");
}

/* "system:name text": the file of that event, and the text. */
static void add_rule(struct steps *out, enum step_kind kind, const char *file, const char *rule)
{
	size_t len = strcspn(rule, " ");
	cleanup_free char *event = xstrndup(rule, len);

	steps_add(out, kind, event_file(event, file), xstrdup(rule + len + 1));
}

void steps_build(const struct trace_config *config, const struct kernel_facts *facts,
		 struct steps *out)
{
	struct builder b = {config, facts, out};

	if (config->instance)
		steps_add(out, is_new(config) ? STEP_INSTANCE : STEP_ENTER,
			  xstrdup(config->instance), xstrdup(""));
	if (is_new(config))
		set(&b, "tracing_on", "0");
	else
		add_quiet(&b);
	add_buffer(&b);
	add_options(&b);
	add_functions(&b);
	add_pids(&b);
	add_events(&b);
	add_names(&b);
	for (size_t i = 0; i < config->filters.nr; i++)
		add_rule(out, STEP_FILTER, "filter", config->filters.item[i]);
	/* The tracer starts anew from there: what somebody measured before comes back. */
	if (is_latency_tracer(config->tracer))
		set(&b, "tracing_max_latency", "0");
	if (config->tracer && strcmp(config->tracer, "nop"))
		set(&b, "current_tracer", config->tracer);
	/* What an earlier trace left must not look like ours. */
	if (!is_new(config))
		steps_add(out, STEP_EMPTY, xstrdup("trace"), xstrdup(""));
}

void steps_build_last(const struct trace_config *config, struct steps *out)
{
	if (!config->triggers.nr && !config->instance)
		return;
	steps_add(out, STEP_ENTER, xstrdup(config->instance ? config->instance : ""), xstrdup(""));
	if (config->instance && !strv_has(&config->options, "nocopy_trace_marker"))
		steps_add(out, STEP_SET, xstrdup(STEPS_COPY_MARKER), xstrdup("1"))->optional = true;
	if (config->printk)
		steps_add(out, STEP_SET, xstrdup(STEPS_PRINTK), xstrdup("1"));
	for (size_t i = 0; i < config->triggers.nr; i++)
		add_rule(out, STEP_ACTION, "trigger", config->triggers.item[i]);
}

void steps_build_start(const struct trace_config *config, struct steps *out)
{
	(void)config;
	steps_add(out, STEP_SET, xstrdup("tracing_on"), xstrdup("1"));
}

/* "$$" is for the shell that runs the line to fill in. */
static void add_say(const char *value, struct strbuf *out)
{
	if (!strcmp(value, "$$"))
		strbuf_add(out, "echo $$");
	else
		strbuf_add_shell_echo(out, value);
}

static void print_list(const struct step *step, const char *path, struct strbuf *out)
{
	cleanup(strv_fini) struct strv tokens = {0};

	if (step->kind == STEP_LIST) {
		strbuf_add(out, ": > ");
		strbuf_add_shell_word(out, path);
		strbuf_add(out, "\n");
	}
	strv_split(&tokens, step->value, "\n");
	for (size_t i = 0; i < tokens.nr; i++) {
		add_say(tokens.item[i], out);
		strbuf_add(out, " >> ");
		strbuf_add_shell_word(out, path);
		strbuf_add(out, "\n");
	}
}

static void add_echo(const char *value, const char *path, struct strbuf *out)
{
	add_say(value, out);
	strbuf_add(out, " > ");
	strbuf_add_shell_word(out, path);
}

/* Whether an instance has the file or only the top level, shows when the instance is made. */
static void print_either(const struct step *step, const char *top, const char *path,
			 struct strbuf *out)
{
	cleanup_free char *other = xasprintf("%s/%s", top, step->file);

	strbuf_add(out, "if [ -e ");
	strbuf_add_shell_word(out, path);
	strbuf_add(out, " ]; then ");
	add_echo(step->value, path, out);
	strbuf_add(out, "; else ");
	add_echo(step->value, other, out);
	strbuf_add(out, "; fi\n");
}

static bool is_there(const char *dir, const char *file)
{
	cleanup_free char *path = xasprintf("%s/%s", dir, file);

	return access(path, F_OK) == 0;
}

static char *step_path(const struct step *step, const char *top, const char *dir)
{
	switch (step->kind) {
	case STEP_SYSCTL:
		return xstrdup(step->file);
	case STEP_INSTANCE:
	case STEP_ENTER:
	case STEP_NO_INSTANCE:
		return xasprintf("%s/instances/%s", top, step->file);
	default:
		return xasprintf("%s/%s", step->top ? top : dir, step->file);
	}
}

/* What an addition or removal comes to in a shell; caller frees. */
static char *appended_value(const struct step *step)
{
	const char *name;

	if (step->kind == STEP_ACTION && step->value[0] == '!')
		return shown_action_removal(step->value + 1);
	if (step->kind != STEP_PROBE || step->value[0] != '-')
		return xstrdup(step->value);
	name = strchr(step->value, ':');
	name = name ? name + 1 : step->value + 1;
	return xasprintf("-:%.*s", (int)strcspn(name, " \t"), name);
}

static void print_plain(const struct step *step, const char *path, struct strbuf *out)
{
	cleanup_free char *value = appended_value(step);

	switch (step->kind) {
	case STEP_INSTANCE:
	case STEP_NO_INSTANCE:
	case STEP_EMPTY:
		strbuf_add(out, step->kind == STEP_INSTANCE ? "mkdir "
				: step->kind == STEP_EMPTY  ? ": > "
							    : "rmdir ");
		strbuf_add_shell_word(out, path);
		break;
	case STEP_ACTION:
	case STEP_PROBE:
		add_say(value, out);
		strbuf_add(out, " >> ");
		strbuf_add_shell_word(out, path);
		break;
	default:
		add_echo(step->value, path, out);
	}
	strbuf_add(out, "\n");
}

static void print_step(const struct step *step, const char *top, const char *dir,
		       struct strbuf *out)
{
	cleanup_free char *path = step_path(step, top, dir);

	if (step->kind == STEP_ENTER)
		return;
	if (step->kind == STEP_LIST || step->kind == STEP_ADD)
		print_list(step, path, out);
	else if (step->or_top && strcmp(top, dir))
		print_either(step, top, path, out);
	else
		print_plain(step, path, out);
}

void steps_print(const struct steps *steps, const char *top, const char *dir, struct strbuf *out)
{
	/* An instance that is still to be made has what the top level has. */
	for (size_t i = 0; i < steps->nr; i++)
		if (!steps->step[i].optional || is_there(top, steps->step[i].file))
			print_step(&steps->step[i], top, dir, out);
}
