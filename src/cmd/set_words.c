/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of ft set: what each is called, and the steps that it comes to. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/names.h"
#include "cmd/set.h"
#include "util/mem.h"

static const char *const snapshot_choices[] = {"take", "clear", "free", NULL};
static const char *const cpus_choices[] = {"all", NULL};

const struct word set_word_rows[] = {
	{"tracer=", "TRACER", "function, function_graph, nop, ...", HINT_TRACER, NULL},
	{"events+=", "EVENT,...", "turn events on: system:event, system, event, globs", HINT_EVENT,
	 NULL},
	{"events-=", "EVENT,...", "turn events off", HINT_EVENT, NULL},
	{"events=", "EVENT,...", "these on, all others off", HINT_EVENT, NULL},
	{"options+=", "OPTION,...", "turn trace options on", HINT_OPTION_NAME, NULL},
	{"options-=", "OPTION,...", "turn trace options off", HINT_OPTION_NAME, NULL},
	{"buffer=", "SIZE", "size of each CPU's buffer: 8M, 512k; a bare number is KiB", HINT_NONE,
	 NULL},
	{"subbuf=", "SIZE", "size of the buffer's pages", HINT_NONE, NULL},
	{"buffer-percent=", "N", "how full the buffer is when sleeping readers wake", HINT_NONE,
	 NULL},
	{"cmdlines=", "N", "how many commands' names the kernel remembers", HINT_NONE, NULL},
	{"clock=", "CLOCK", "clock of the time stamps; changing it empties the buffer", HINT_CLOCK,
	 NULL},
	{"cpus=", "LIST", "trace only these CPUs: 0-3,7, or all", HINT_CHOICE, cpus_choices},
	{"max-depth=", "N", "levels of calls that function_graph shows, 0 for all", HINT_NONE,
	 NULL},
	{"thresh=", "TIME", "record only what takes longer: 100us, 0 for all", HINT_NONE, NULL},
	{"instances+=", "NAME,...", "make instances", HINT_NONE, NULL},
	{"instances-=", "NAME,...", "remove instances", HINT_INSTANCE, NULL},
	{"clear", NULL, "empty the buffer", HINT_NONE, NULL},
	{"snapshot", NULL, "keep what the buffer holds, in the file snapshot", HINT_NONE, NULL},
	{"snapshot=", "take|clear|free", "the same; empty it; give its memory back", HINT_CHOICE,
	 snapshot_choices},
	{"on", NULL, "turn tracing on", HINT_NONE, NULL},
	{"off", NULL, "turn tracing off; events and tracer stay set", HINT_NONE, NULL},
	{0},
};

static void word_fini(struct set_word *word)
{
	free(word->name);
	free(word->value);
}

static struct set_word take_apart(const char *text)
{
	size_t len = strcspn(text, "=");
	char op = '=';

	if (!text[len])
		return (struct set_word){xstrdup(text), 0, NULL};
	if (len && (text[len - 1] == '+' || text[len - 1] == '-'))
		op = text[len - 1];
	return (struct set_word){xstrndup(text, op == '=' ? len : len - 1), op,
				 xstrdup(text + len + 1)};
}

/* "events+=": as it stands in the table. */
static char *form_of(const struct set_word *word)
{
	return xasprintf("%s%s%s", word->name,
			 word->op == '+'   ? "+"
			 : word->op == '-' ? "-"
					   : "",
			 word->op ? "=" : "");
}

static bool is_row(const char *form)
{
	for (size_t i = 0; set_word_rows[i].form; i++)
		if (!strcmp(set_word_rows[i].form, form))
			return true;
	return false;
}

static int unknown_word(const struct set_word *word, const char *form, struct err *err)
{
	cleanup(strv_fini) struct strv forms = {0};
	cleanup(strv_fini) struct strv same = {0};
	cleanup_free char *near = NULL;

	for (size_t i = 0; set_word_rows[i].form; i++) {
		const char *row = set_word_rows[i].form;
		size_t len = strlen(word->name);

		strv_add(&forms, row);
		if (!strncmp(row, word->name, len) && strchr("+-=", row[len]))
			strv_add(&same, row);
	}
	if (same.nr) {
		near = strv_join(&same, " or ");
		return err_set(err, EINVAL, "'%s' is no setting: write %s", form, near);
	}
	near = near_names(form, &forms);
	return err_set(err, EINVAL, "no setting '%s'%s", form, near);
}

static int check_word(const char *text, struct strv *seen, struct err *err)
{
	cleanup(word_fini) struct set_word word = take_apart(text);
	cleanup_free char *form = form_of(&word);

	if (!is_row(form))
		return unknown_word(&word, form, err);
	if (word.op && !*word.value)
		return err_set(err, EINVAL, "%s needs a value", form);
	if (word.op == '=' && strv_has(seen, form))
		return err_set(err, EINVAL, "%s is given twice", form);
	strv_add(seen, form);
	return 0;
}

int set_words_check(const struct strv *words, struct err *err)
{
	cleanup(strv_fini) struct strv seen = {0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < words->nr; i++)
		r = check_word(words->item[i], &seen, err);
	if (r == 0 && strv_has(&seen, "on") && strv_has(&seen, "off"))
		return err_set(err, EINVAL, "tracing cannot be both on and off");
	if (r == 0 && strv_has(&seen, "events=") &&
	    (strv_has(&seen, "events+=") || strv_has(&seen, "events-=")))
		return err_set(err, EINVAL, "events= leaves nothing for events+= and events-=");
	return r;
}

/* The builder's view. */
struct build {
	const struct tfs *tfs;
	struct steps *out;
};

typedef int (*build_fn)(struct build *b, const struct set_word *word, struct err *err);

/* A file that not every kernel or instance has. */
static int need_file(const struct build *b, const char *file, const char *name, struct err *err)
{
	if (tfs_has(b->tfs, file))
		return 0;
	if (tfs_instance_name(b->tfs))
		return err_set(err, ENOENT,
			       "%s cannot be set for instance %s: there is no %s/%s (leave "
			       "--instance out to set it for the top level)",
			       name, tfs_instance_name(b->tfs), tfs_dir(b->tfs), file);
	return err_set(err, ENOENT, "%s cannot be set on this kernel: there is no %s/%s", name,
		       tfs_dir(b->tfs), file);
}

static int add_set(struct build *b, const struct set_word *word, const char *file,
		   const char *value, struct err *err)
{
	int r = need_file(b, file, word->name, err);

	if (r == 0)
		steps_add(b->out, STEP_SET, xstrdup(file), xstrdup(value));
	return r;
}

static int build_off(struct build *b, const struct set_word *word, struct err *err)
{
	return add_set(b, word, "tracing_on", "0", err);
}

static int build_on(struct build *b, const struct set_word *word, struct err *err)
{
	return add_set(b, word, "tracing_on", "1", err);
}

static int build_tracer(struct build *b, const struct set_word *word, struct err *err)
{
	int r = name_check_tracer(b->tfs, word->value, err);

	return r < 0 ? r : add_set(b, word, "current_tracer", word->value, err);
}

static int build_clock(struct build *b, const struct set_word *word, struct err *err)
{
	int r = name_check_clock(b->tfs, word->value, err);

	return r < 0 ? r : add_set(b, word, "trace_clock", word->value, err);
}

static int build_size(struct build *b, const struct set_word *word, const char *file,
		      struct err *err)
{
	cleanup_free char *kb = NULL;
	uint64_t bytes;

	if (parse_size(word->value, true, &bytes, err) < 0)
		return err_wrap(err, "%s", word->name);
	if (!bytes)
		return err_set(err, EINVAL, "%s cannot be 0", word->name);
	if (bytes > UINT64_MAX - 1023)
		return err_set(err, EINVAL, "%s=%s is too large", word->name, word->value);
	kb = xasprintf("%" PRIu64, (bytes + 1023) / 1024);
	return add_set(b, word, file, kb, err);
}

static int build_buffer(struct build *b, const struct set_word *word, struct err *err)
{
	uint64_t bytes = 0;
	int r = parse_size(word->value, true, &bytes, NULL);

	r = r == 0 ? name_check_buffer(b->tfs, bytes, err) : 0;
	return r < 0 ? r : build_size(b, word, "buffer_size_kb", err);
}

static int build_subbuf(struct build *b, const struct set_word *word, struct err *err)
{
	return build_size(b, word, "buffer_subbuf_size_kb", err);
}

static int build_number(struct build *b, const struct set_word *word, const char *file,
			uint64_t least, uint64_t most, struct err *err)
{
	cleanup_free char *text = NULL;
	uint64_t n;

	if (!parse_u64(word->value, &n))
		return err_set(err, EINVAL, "%s takes a number, not '%s'", word->name, word->value);
	if (n < least || n > most)
		return err_set(err, EINVAL, "%s is from %" PRIu64 " to %" PRIu64 ", not %s",
			       word->name, least, most, word->value);
	text = xasprintf("%" PRIu64, n);
	return add_set(b, word, file, text, err);
}

static int build_percent(struct build *b, const struct set_word *word, struct err *err)
{
	return build_number(b, word, "buffer_percent", 0, 100, err);
}

static int build_cmdlines(struct build *b, const struct set_word *word, struct err *err)
{
	/* PID_MAX_LIMIT: the kernel takes no more. */
	return build_number(b, word, "saved_cmdlines_size", 1, 4194304, err);
}

static int build_depth(struct build *b, const struct set_word *word, struct err *err)
{
	return build_number(b, word, "max_graph_depth", 0, INT32_MAX, err);
}

static int build_thresh(struct build *b, const struct set_word *word, struct err *err)
{
	cleanup_free char *us = NULL;
	uint64_t ns;

	if (parse_duration(word->value, &ns, err) < 0)
		return err_wrap(err, "thresh");
	/* The kernel counts microseconds, everything else in ft seconds: neither is meant by all. */
	if (ns && strspn(word->value, "0123456789.") == strlen(word->value))
		return err_set(err, EINVAL, "thresh=%s needs a unit: %sus, %sms or %ss",
			       word->value, word->value, word->value, word->value);
	if (ns % 1000)
		return err_set(err, EINVAL, "thresh=%s is no whole number of microseconds",
			       word->value);
	us = xasprintf("%" PRIu64, ns / 1000);
	return add_set(b, word, "tracing_thresh", us, err);
}

static int build_cpus(struct build *b, const struct set_word *word, struct err *err)
{
	cleanup_free unsigned int *there = NULL;
	cleanup_free unsigned int *cpus = NULL;
	cleanup_free char *mask = NULL;
	size_t nr_there;
	size_t nr;
	int r = tfs_cpus(b->tfs, &there, &nr_there, err);

	if (r < 0)
		return r;
	if (!strcmp(word->value, "all")) {
		mask = format_full_cpumask(there[nr_there - 1] + 1);
		return add_set(b, word, "tracing_cpumask", mask, err);
	}
	if (parse_cpulist(word->value, &cpus, &nr, err) < 0)
		return err_wrap(err, "cpus");
	if (!nr)
		return err_set(err, EINVAL, "cpus= needs at least one CPU");
	if (cpus[nr - 1] > there[nr_there - 1])
		return err_set(err, EINVAL, "there is no CPU %u: the last one is %u", cpus[nr - 1],
			       there[nr_there - 1]);
	mask = format_cpumask(cpus, nr);
	return add_set(b, word, "tracing_cpumask", mask, err);
}

static int build_options(struct build *b, const struct set_word *word, struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	int r = 0;

	strv_split(&names, word->value, ",");
	for (size_t i = 0; r == 0 && i < names.nr; i++) {
		cleanup_free char *file = xasprintf("options/%s", names.item[i]);

		r = name_check_option(b->tfs, names.item[i], err);
		if (r == 0)
			r = add_set(b, word, file, word->op == '+' ? "1" : "0", err);
	}
	return r;
}

static int match_all(const struct build *b, const char *list, struct strv *out, struct err *err)
{
	cleanup(strv_fini) struct strv patterns = {0};
	int r = 0;

	strv_split(&patterns, list, ",");
	for (size_t i = 0; r == 0 && i < patterns.nr; i++)
		r = tfs_match_events(b->tfs,
				     !strcmp(patterns.item[i], "all") ? "*:*" : patterns.item[i],
				     out, err);
	strv_sort(out);
	strv_uniq(out);
	return r;
}

/* Those of @events that are on, or those that are on and not in @events. */
static int enabled_events(const struct build *b, const struct strv *events, bool among,
			  struct strv *out, struct err *err)
{
	cleanup(strv_fini) struct strv enabled = {0};
	cleanup_free char *text = NULL;
	int r = tfs_read(b->tfs, "set_event", &text, err);

	if (r < 0)
		return r;
	strv_split(&enabled, text, "\n");
	strv_sort(&enabled);
	for (size_t i = 0; i < enabled.nr; i++)
		if (enabled.item[i][0] != ':' && strv_has(events, enabled.item[i]) == among)
			strv_add(out, enabled.item[i]);
	return 0;
}

static int build_events(struct build *b, const struct set_word *word, struct err *err)
{
	cleanup(strv_fini) struct strv events = {0};
	cleanup(strv_fini) struct strv others = {0};
	cleanup(strv_fini) struct strv all = {0};
	int r = match_all(b, word->value, &events, err);

	if (r == 0)
		r = tfs_events(b->tfs, &all, err);
	if (r == 0 && word->op != '+')
		r = enabled_events(b, &events, word->op == '-', &others, err);
	if (r < 0)
		return r;
	steps_add_events(b->out, &others, &all, "0");
	if (word->op != '-')
		steps_add_events(b->out, &events, &all, "1");
	return 0;
}

static int build_instances(struct build *b, const struct set_word *word, struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	cleanup(strv_fini) struct strv there = {0};
	int r = 0;

	if (tfs_instance_name(b->tfs))
		return err_set(err, EINVAL, "an instance has no instances: leave --instance out");
	strv_split(&names, word->value, ",");
	r = tfs_instances(b->tfs, &there, err);
	for (size_t i = 0; r == 0 && i < names.nr; i++) {
		const char *name = names.item[i];

		if (word->op == '-' && !strv_has(&there, name))
			return name_unknown("instance", name, &there, "instances", err);
		if (word->op == '+' && strv_has(&there, name))
			return err_set(err, EEXIST, "there is an instance '%s' already", name);
		steps_add(b->out, word->op == '+' ? STEP_INSTANCE : STEP_NO_INSTANCE, xstrdup(name),
			  xstrdup(""));
	}
	return r;
}

static int build_clear(struct build *b, const struct set_word *word, struct err *err)
{
	int r = need_file(b, "trace", word->name, err);

	if (r == 0)
		steps_add(b->out, STEP_EMPTY, xstrdup("trace"), xstrdup(""));
	return r;
}

static int build_snapshot(struct build *b, const struct set_word *word, struct err *err)
{
	static const char *const values[] = {"1", "2", "0"};
	int r = need_file(b, "snapshot", word->name, err);

	for (size_t i = 0; r == 0 && snapshot_choices[i]; i++) {
		if (word->value && strcmp(word->value, snapshot_choices[i]))
			continue;
		steps_add(b->out, STEP_SNAPSHOT, xstrdup("snapshot"), xstrdup(values[i]));
		return 0;
	}
	return r < 0 ? r
		     : err_set(err, EINVAL, "snapshot is one of take, clear and free, not '%s'",
			       word->value);
}

/* In the order in which they are done, however they were typed: off first and on last, what empties
 * the buffer before what is to be in it. */
static const struct {
	const char *name;
	build_fn build;
} builders[] = {
	{"off", build_off},	      {"instances", build_instances},
	{"clock", build_clock},	      {"subbuf", build_subbuf},
	{"buffer", build_buffer},     {"buffer-percent", build_percent},
	{"cmdlines", build_cmdlines}, {"cpus", build_cpus},
	{"max-depth", build_depth},   {"thresh", build_thresh},
	{"options", build_options},   {"events", build_events},
	{"tracer", build_tracer},     {"snapshot", build_snapshot},
	{"clear", build_clear},	      {"on", build_on},
};

int set_words_build(const struct strv *words, const struct tfs *tfs, struct steps *out,
		    struct err *err)
{
	struct build b = {tfs, out};
	int r = 0;

	for (size_t i = 0; i < array_size(builders); i++) {
		for (size_t n = 0; r == 0 && n < words->nr; n++) {
			cleanup(word_fini) struct set_word word = take_apart(words->item[n]);

			if (!strcmp(word.name, builders[i].name))
				r = builders[i].build(&b, &word, err);
		}
	}
	return r;
}
