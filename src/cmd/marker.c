/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft marker: its options, what they mean together, and single markers. */
#include "cmd/marker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/verbs.h"
#include "util/mem.h"

enum { STATUS_FAILED = 1, STATUS_USAGE = 2, STATUS_FT_FAILED = 125 };

static const struct option options[] = {
	OPT_GROUP("What to write, instead of TEXT"),
	OPT_STRING(0, "begin", struct marker_args, begin, "NAME", HINT_NONE,
		   "the beginning of a section"),
	OPT_STRING(0, "end", struct marker_args, end, "NAME", HINT_NONE,
		   "the end of the section that --begin NAME began"),
	OPT_STRING(0, "async-begin", struct marker_args, async_begin, "NAME", HINT_NONE,
		   "the beginning of one of several sections of that name; with --id"),
	OPT_STRING(0, "async-end", struct marker_args, async_end, "NAME", HINT_NONE,
		   "its end; with --id"),
	OPT_STRING(0, "id", struct marker_args, id, "N", HINT_NONE,
		   "which of them: a number from 0 to 2147483647"),
	OPT_STRING(0, "counter", struct marker_args, counter, "NAME=VALUE", HINT_NONE,
		   "the value of a counter from now on, an integer"),
	OPT_STRING(0, "instant", struct marker_args, instant, "NAME", HINT_NONE, "a point in time"),
	OPT_FLAG(0, "stdin", struct marker_args, from_stdin,
		 "a marker for each line of standard input"),
	OPT_STRING(0, "user-event", struct marker_args, user_event, "EVENT", HINT_NONE,
		   "an event of its own, with fields: 'u32 id; char what[16]' VALUE..."),
	OPT_FLAG(0, "keep", struct marker_args, keep,
		 "with --user-event: only make the event, and let it stay"),
	OPT_FLAG(0, "remove", struct marker_args, remove, "with --user-event: remove the event"),
	OPT_GROUP("How to write"),
	OPT_STRING(0, "pid", struct marker_args, pid, "PID", HINT_PID,
		   "for this process; the parent by default: the shell that calls ft"),
	OPT_STRING(0, "instance", struct marker_args, instance, "NAME", HINT_INSTANCE,
		   "into this instance, not to the recordings that run"),
	OPT_FLAG(0, "strict", struct marker_args, strict,
		 "refuse what is too long or no UTF-8, rather than warn"),
	OPT_STRING(0, "tracefs", struct marker_args, tracefs, "DIR", HINT_DIR,
		   "where tracefs is mounted"),
	OPT_GROUP("Who may write"),
	OPT_FLAG(0, "check", struct marker_args, check, "can this user write, and if not, why"),
	OPT_STRING(0, "allow", struct marker_args, allow, "USER|:GROUP", HINT_USER,
		   "let a user or a group write markers, and nothing else"),
	OPT_STRING(0, "deny", struct marker_args, deny, "USER|:GROUP", HINT_USER, "take that back"),
	OPT_END,
};

static const struct example examples[] = {
	{"ft marker deploy begins", "a line of text in the trace"},
	{"ft marker run build -- make", "a section around a command"},
	{"ft marker --begin upload; upload; ft marker --end upload", "a section of a script"},
	{"ft marker --counter queue=17", "a value over time"},
	{"tail -f app.log | ft marker --stdin", "a log on the kernel's time line"},
	{NULL, NULL},
};

void marker_say(const char *fmt, ...)
{
	cleanup_free char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	fprintf(stderr, "ft marker: %s\n", text);
}

static bool is_run(const struct marker_args *args)
{
	return args->common.words.nr && !strcmp(args->common.words.item[0], "run");
}

/* Each way to use the verb, and whether it takes plain words. */
struct way {
	const char *name;
	bool given;
	bool takes_words;
};

#define NR_WAYS 12

static void list_ways(const struct marker_args *args, struct way ways[NR_WAYS])
{
	const struct way all[NR_WAYS] = {
		{"--begin", args->begin, false},
		{"--end", args->end, false},
		{"--async-begin", args->async_begin, false},
		{"--async-end", args->async_end, false},
		{"--counter", args->counter, false},
		{"--instant", args->instant, false},
		{"--stdin", args->from_stdin, false},
		{"--check", args->check, false},
		{"--allow", args->allow, false},
		{"--deny", args->deny, false},
		{"--user-event", args->user_event, true},
		{"run", is_run(args) && !args->user_event, true},
	};

	memcpy(ways, all, sizeof(all));
}

/* One thing at a time: of two markers in one call nobody would know the order. */
static int check_ways(const struct marker_args *args, struct err *err)
{
	struct way ways[NR_WAYS];
	const struct way *first = NULL;

	list_ways(args, ways);
	for (size_t i = 0; i < NR_WAYS; i++) {
		if (!ways[i].given)
			continue;
		if (first)
			return err_set(err, EINVAL, "%s and %s do not go together", first->name,
				       ways[i].name);
		first = &ways[i];
	}
	if (!first && !args->common.words.nr)
		return err_set(err, EINVAL, "say what to write: TEXT, --begin NAME, --stdin, ...");
	if (first && !first->takes_words && args->common.words.nr)
		return err_set(err, EINVAL, "%s takes no text, but there is '%.40s'", first->name,
			       args->common.words.item[0]);
	return 0;
}

static bool has_dashes(const struct strv *words)
{
	return words->nr >= 3 && !strcmp(words->item[2], "--");
}

static int check_run(const struct marker_args *args, struct err *err)
{
	const struct strv *words = &args->common.words;

	if (!is_run(args) || args->user_event)
		return 0;
	if (!has_dashes(words) || words->nr < 4)
		return err_set(err, EINVAL,
			       "run takes a name and a command: ft marker run NAME -- COMMAND... "
			       "(for a text that begins with 'run', put it in quotes)");
	if (marker_check_name(words->item[1], err) < 0)
		return err_wrap(err, "run");
	return 0;
}

static int check_numbers(const struct marker_args *args, struct err *err)
{
	bool async = args->async_begin || args->async_end;
	uint64_t n;

	if (async && !args->id)
		return err_set(err, EINVAL, "--async-begin and --async-end need --id N");
	if (args->id && !async)
		return err_set(err, EINVAL, "--id goes with --async-begin and --async-end");
	if (args->id && (!parse_u64(args->id, &n) || n > INT32_MAX))
		return err_set(err, EINVAL, "--id takes a number from 0 to 2147483647, not '%s'",
			       args->id);
	if (args->pid && (!parse_u64(args->pid, &n) || !n || n > INT32_MAX))
		return err_set(err, EINVAL, "--pid takes a process id, not '%s'", args->pid);
	if ((args->keep || args->remove) && !args->user_event)
		return err_set(err, EINVAL, "--keep and --remove go with --user-event");
	if (args->keep && args->remove)
		return err_set(err, EINVAL, "--keep and --remove do not go together");
	return 0;
}

pid_t marker_pid(const struct marker_args *args)
{
	uint64_t pid;

	return args->pid && parse_u64(args->pid, &pid) ? (pid_t)pid : getppid();
}

/* The one marker that the options describe. */
static int build_line(const struct marker_args *args, struct marker_line *out, struct err *err)
{
	pid_t pid = marker_pid(args);
	uint64_t id = 0;

	if (args->id && !parse_u64(args->id, &id))
		return err_set(err, EINVAL, "--id takes a number, not '%s'", args->id);
	/* B and E pair within one thread, and each call of ft is another. */
	if (args->begin)
		return marker_text_async('S', pid, args->begin, marker_cookie(args->begin), out,
					 err);
	if (args->end)
		return marker_text_async('F', pid, args->end, marker_cookie(args->end), out, err);
	if (args->async_begin)
		return marker_text_async('S', pid, args->async_begin, (uint32_t)id, out, err);
	if (args->async_end)
		return marker_text_async('F', pid, args->async_end, (uint32_t)id, out, err);
	if (args->instant)
		return marker_text_instant(pid, args->instant, out, err);
	if (args->counter)
		return marker_text_counter(pid, args->counter, out, err);
	return marker_text_words(&args->common.words, 0, out, err);
}

static bool is_single(const struct marker_args *args)
{
	struct way ways[NR_WAYS];

	list_ways(args, ways);
	for (size_t i = 6; i < NR_WAYS; i++)
		if (ways[i].given)
			return false;
	return true;
}

static int check(void *argp, struct err *err)
{
	const struct marker_args *args = argp;
	struct marker_line line = {0};
	int r = check_ways(args, err);

	if (r == 0)
		r = check_run(args, err);
	if (r == 0)
		r = check_numbers(args, err);
	if (r == 0 && args->user_event)
		r = marker_event_check(args, err);
	if (r == 0 && is_single(args)) {
		r = build_line(args, &line, err);
		marker_line_fini(&line);
	}
	return r;
}

int marker_fit(const struct marker_args *args, const struct marker_out *out,
	       struct marker_line *line, struct err *err)
{
	size_t fixed = strlen(line->head) + strlen(line->tail);
	size_t len = strlen(line->body);
	const char *what = line->is_name ? "name" : "text";
	size_t kept;

	if (!marker_is_utf8(line->body, len)) {
		if (args->strict)
			return err_set(err, EILSEQ, "the %s is not UTF-8; nothing was written",
				       what);
		marker_say("the %s is not UTF-8; it is written as it is", what);
	}
	if (fixed + len <= out->limit)
		return 0;
	kept = marker_cut(line->body, len, out->limit - fixed);
	if (args->strict)
		return err_set(err, EMSGSIZE,
			       "the %s has %zu bytes, this kernel takes %zu in one marker; nothing "
			       "was written",
			       what, len, out->limit - fixed);
	marker_say("the %s has %zu bytes, this kernel takes %zu in one marker: it is cut to %zu",
		   what, len, out->limit - fixed, kept);
	line->body[kept] = '\0';
	return 0;
}

static int write_single(const struct marker_args *args, struct err *err)
{
	cleanup(marker_out_fini) struct marker_out out = {0};
	cleanup(marker_line_fini) struct marker_line line = {0};
	cleanup_free char *text = NULL;
	size_t took = 0;
	int r = build_line(args, &line, err);

	if (r == 0)
		r = marker_out_find(&out, args->tracefs, args->instance, err);
	if (r == 0)
		r = marker_fit(args, &out, &line, err);
	if (r < 0)
		return r;
	text = marker_line_text(&line);
	r = marker_out_once(&out, text, strlen(text), &took, err);
	if (r == -EMSGSIZE)
		return err_set(err, EMSGSIZE, "the kernel took only %zu of %zu bytes", took,
			       strlen(text));
	if (r == 0 && out.note)
		marker_say("%s", out.note);
	return r;
}

static int fail_status(const void *argp, bool usage)
{
	const struct marker_args *args = argp;

	if (args->fail_status)
		return args->fail_status;
	/* As env(1) has it: the command's own status must not be mistaken for ft's. */
	if (is_run(args) && has_dashes(&args->common.words))
		return STATUS_FT_FAILED;
	return usage ? STATUS_USAGE : STATUS_FAILED;
}

static int run_way(struct marker_args *args, struct err *err)
{
	if (args->check)
		return marker_check(args, err);
	if (args->allow)
		return marker_allow(args, err);
	if (args->deny)
		return marker_deny(args, err);
	if (args->user_event)
		return marker_user_event(args, err);
	if (args->from_stdin)
		return marker_stdin(args, err);
	if (is_run(args))
		return marker_run(args, err);
	return write_single(args, err);
}

static int run(void *argp, struct err *err)
{
	struct marker_args *args = argp;
	int r = run_way(args, err);

	if (r == -EACCES && geteuid() != 0 && !args->user_event)
		err_add(err, "; or, for markers alone, as root: ft marker --allow USER");
	return r;
}

const struct command cmd_marker = {
	.name = "marker",
	.summary = "write into the trace, and wrap a command as a section",
	.synopsis = "[OPTION...] TEXT... | run NAME -- COMMAND [ARGUMENT...]",
	.description = "Writes a marker into the trace of the kernel, where ft report shows it on\n"
		       "one time line with what the kernel did. Every running ft recording\n"
		       "receives it. Options come before TEXT. With 'run' the exit status is\n"
		       "that of COMMAND.",
	.examples = examples,
	.options = options,
	.args_size = sizeof(struct marker_args),
	.stops_at_word = true,
	.wrapper = "run",
	.check = check,
	.run = run,
	.fail_status = fail_status,
};
