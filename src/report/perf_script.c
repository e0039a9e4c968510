/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of perf as it prints them: a line each, or a line and its call chain below. */
#include "report/perf_script.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "util/io.h"
#include "util/mem.h"

/* "123.456789:" at @at: ns, and where it ends. */
static bool parse_time(char **at, uint64_t *ns, size_t *digits)
{
	char *p = *at;
	uint64_t seconds = 0;
	uint64_t fraction = 0;

	*digits = 0;
	while (*p == ' ')
		p++;
	if (!isdigit((unsigned char)*p))
		return false;
	for (; isdigit((unsigned char)*p); p++)
		if (!mul_ok(seconds, 10, &seconds) ||
		    !add_ok(seconds, (uint64_t)(*p - '0'), &seconds))
			return false;
	if (*p++ != '.')
		return false;
	for (; isdigit((unsigned char)*p) && *digits < 9; p++, ++*digits)
		fraction = fraction * 10 + (uint64_t)(*p - '0');
	for (size_t i = *digits; i < 9; i++)
		fraction *= 10;
	if (*p != ':' || !mul_ok(seconds, 1000000000, ns) || !add_ok(*ns, fraction, ns))
		return false;
	*at = p + 1;
	return true;
}

/* The thread's number in front of " [cpu]", with its process before a slash if need be. */
static bool parse_task(char *line, char *bracket, struct perf_sample *sample)
{
	char *end = bracket;
	char *start;
	uint64_t tid;

	while (end > line && end[-1] == ' ')
		end--;
	start = end;
	while (start > line && isdigit((unsigned char)start[-1]))
		start--;
	*end = '\0';
	/* perf knows no thread of some samples and says -1. */
	if (start > line && start[-1] == '-' && !strcmp(start, "1")) {
		sample->tid = -1;
		start--;
	} else if (!parse_u64(start, &tid) || tid > INT32_MAX) {
		return false;
	} else {
		sample->tid = (int)tid;
	}
	if (start > line && start[-1] == '/')
		for (start--; start > line && isdigit((unsigned char)start[-1]); start--)
			;
	if (start == line || start[-1] != ' ')
		return false;
	start[-1] = '\0';
	sample->comm = str_trim(line);
	return true;
}

/* "ffffffff81 name+0x12 (module)": the name, or the address where there is none. */
static char *symbol_of(char *text)
{
	char *address = str_trim(text);
	size_t hex = strspn(address, "0123456789abcdef");
	char *name = address + hex;

	if (!hex || (*name && *name != ' '))
		return NULL;
	name = str_trim(name);
	if (!*name || str_starts(name, "[unknown]")) {
		address[hex] = '\0';
		return address;
	}
	return name;
}

/* The first line of a sample. False when it is none. */
static bool parse_head(struct perf_script *script, char *line, struct perf_sample *sample)
{
	char *bracket = NULL;
	char *at = line;
	size_t digits;
	char *symbol;
	char *end;

	/* A comm may hold brackets, too: the one is meant that a time stands behind. */
	while ((at = strchr(at, '['))) {
		char *behind = at + 1 + strspn(at + 1, "0123456789");

		if (behind > at + 1 && *behind == ']') {
			char *time = behind + 1;

			if (parse_time(&time, &sample->ts, &digits)) {
				bracket = at;
				sample->cpu = (uint32_t)strtoul(at + 1, NULL, 10);
				at = time;
				break;
			}
		}
		at++;
	}
	if (!bracket || !parse_task(line, bracket, sample))
		return false;
	script->is_micro &= digits <= 6;
	at += strspn(at, " ");
	end = at + strcspn(at, " \t");
	if (end == at || end[-1] != ':')
		return false;
	symbol = *end ? symbol_of(end + 1) : NULL;
	end[-1] = '\0';
	sample->event = at;
	sample->symbol = symbol ? symbol : "";
	sample->nr_frames = symbol != NULL;
	return true;
}

static void add_sample(struct perf_script *script, const struct perf_sample *sample)
{
	if (script->nr == script->room) {
		script->room = script->room ? script->room * 2 : 256;
		script->sample = xrealloc(script->sample, script->room * sizeof(*script->sample));
	}
	script->sample[script->nr++] = *sample;
}

/* Frames stand one behind the other in the text, each with its NUL. */
static void add_frame(struct perf_sample *sample, const char *frame, char **room)
{
	size_t len = strlen(frame) + 1;

	/* The lines are longer than what is kept of them. */
	memmove(*room, frame, len);
	if (!sample->nr_frames++)
		sample->symbol = *room;
	*room += len;
}

static int by_time(const void *ap, const void *bp)
{
	const struct perf_sample *a = ap;
	const struct perf_sample *b = bp;

	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

int perf_script_parse(struct perf_script *script, const char *name, struct err *err)
{
	char *at = script->text.text;
	char *room = NULL; /* for frames of the last sample; NULL behind what is none */
	char *line;

	script->is_micro = true;
	while ((line = str_next_line(&at))) {
		struct perf_sample sample = {0};
		char *frame;

		if (line[strspn(line, " \t")] == '\0' || line[0] == '#') {
			room = NULL;
		} else if (parse_head(script, line, &sample)) {
			add_sample(script, &sample);
			/* A sample with its place in the same line has no frames. */
			if (!sample.nr_frames)
				room = line + (sample.event + strlen(sample.event) + 1 - line);
			else
				room = NULL;
		} else if (room && (frame = symbol_of(line))) {
			add_frame(&script->sample[script->nr - 1], frame, &room);
		} else {
			script->nr_unknown++;
			room = NULL;
		}
	}
	if (!script->nr)
		return err_set(err, EINVAL,
			       "--merge: %s holds no sample as perf script -F "
			       "comm,tid,cpu,time,event,ip,sym prints it",
			       name);
	qsort(script->sample, script->nr, sizeof(*script->sample), by_time);
	return 0;
}

int perf_script_read(struct perf_script *script, const char *path, struct err *err)
{
	int r;

	if (strcmp(path, "-") != 0) {
		r = io_read_file(path, &script->text, err);
		if (r < 0)
			return r;
	} else if ((r = io_read_fd(0, &script->text)) < 0) {
		return err_sys(err, -r, "cannot read standard input");
	}
	strbuf_add(&script->text, "");
	return perf_script_parse(script, path, err);
}

void perf_script_fini(struct perf_script *script)
{
	strbuf_fini(&script->text);
	free(script->sample);
	*script = (struct perf_script){0};
}

const char *perf_next_frame(const char *symbol)
{
	return symbol + strlen(symbol) + 1;
}
