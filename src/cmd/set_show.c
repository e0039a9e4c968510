/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft set without settings: what is not at its default, how full the buffer is, who uses it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/set.h"
#include "session/changes.h"
#include "session/rundir.h"
#include "util/json.h"
#include "util/mem.h"

/* More values of one file are counted, not shown. */
#define SHOW_MOST 6
/* So many of the latest changes are shown. */
#define CHANGES_SHOWN 3

struct cpu_fill {
	unsigned int cpu;
	struct tfs_cpu_stats stats;
	long size_kb;
};

/* All that is shown. */
struct state {
	const struct tfs *tfs;
	struct setup setup;
	struct cpu_fill *cpu;
	size_t nr_cpus;
	struct tracing_users users;
	struct strv instances; /* "name: tracer nop, 3 events on" */
	struct strv changes;
	struct strv errors; /* lines of the error log */
};

static void state_fini(struct state *s)
{
	setup_fini(&s->setup);
	free(s->cpu);
	tracing_users_fini(&s->users);
	strv_fini(&s->instances);
	strv_fini(&s->changes);
	strv_fini(&s->errors);
}

static int read_fill(struct state *s, struct err *err)
{
	cleanup_free unsigned int *cpus = NULL;
	int r = tfs_cpus(s->tfs, &cpus, &s->nr_cpus, err);

	if (r < 0)
		return r;
	s->cpu = xcalloc(s->nr_cpus, sizeof(*s->cpu));
	for (size_t i = 0; r == 0 && i < s->nr_cpus; i++) {
		cleanup_free char *file = xasprintf("per_cpu/cpu%u/buffer_size_kb", cpus[i]);

		s->cpu[i].cpu = cpus[i];
		r = tfs_cpu_stats(s->tfs, cpus[i], &s->cpu[i].stats, err);
		tfs_read_number(s->tfs, file, &s->cpu[i].size_kb, NULL);
	}
	return r;
}

static void read_instance(struct state *s, const char *name, bool recording)
{
	cleanup(tfs_freep) struct tfs *tfs = tfs_open_instance(s->tfs, name, NULL);
	cleanup(strv_fini) struct strv events = {0};
	cleanup_free char *tracer = NULL;
	cleanup_free char *text = NULL;

	if (!tfs || tfs_read_line(tfs, "current_tracer", &tracer, NULL) < 0 ||
	    tfs_read(tfs, "set_event", &text, NULL) < 0) {
		strv_add_take(&s->instances, xasprintf("%s: it cannot be read", name));
		return;
	}
	strv_split(&events, text, "\n");
	strv_add_take(&s->instances, xasprintf("%s: tracer %s, %zu event%s on%s", name, tracer,
					       events.nr, events.nr == 1 ? "" : "s",
					       recording ? ", a recording of ft runs in it" : ""));
}

static int read_state(struct state *s, struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	cleanup(strv_fini) struct strv recordings = {0};
	cleanup_free char *dir = rundir_open();
	cleanup_free char *log = NULL;
	int r = setup_read(s->tfs, &s->setup, err);

	if (r == 0)
		r = read_fill(s, err);
	if (r < 0)
		return r;
	tracing_users_find(s->tfs, &s->users);
	if (!tfs_instance_name(s->tfs))
		tracing_others_find(s->tfs, &s->users);
	rundir_recordings(&recordings);
	if (!tfs_instance_name(s->tfs) && tfs_instances(s->tfs, &names, NULL) == 0)
		for (size_t i = 0; i < names.nr; i++)
			read_instance(s, names.item[i], strv_has(&recordings, names.item[i]));
	changes_list(dir, &s->changes);
	if (tfs_has(s->tfs, "error_log") && tfs_read(s->tfs, "error_log", &log, NULL) == 0)
		strv_split(&s->errors, log, "\n");
	return 0;
}

/* What ft set calls a file, and how the kernel does where ft has no word. */
static const char *word_for(const char *file)
{
	static const struct {
		const char *file;
		const char *word;
	} words[] = {
		{"current_tracer", "tracer"},	      {"trace_clock", "clock"},
		{"buffer_size_kb", "buffer"},	      {"buffer_subbuf_size_kb", "subbuf"},
		{"buffer_percent", "buffer-percent"}, {"saved_cmdlines_size", "cmdlines"},
		{"tracing_cpumask", "cpus"},	      {"max_graph_depth", "max-depth"},
		{"tracing_thresh", "thresh"},
	};

	for (size_t i = 0; i < array_size(words); i++)
		if (!strcmp(words[i].file, file))
			return words[i].word;
	return file;
}

static const char *unit_of(const char *file)
{
	if (str_ends(file, "size_kb"))
		return "k";
	if (!strcmp(file, "tracing_thresh"))
		return "us";
	return "";
}

/* The name and the value under which a setting is shown. */
static void describe(const struct setting *one, char **name, char **value)
{
	cleanup(strv_fini) struct strv parts = {0};

	strv_split(&parts, one->file, "/");
	if (!strcmp(one->file, "tracing_on")) {
		*name = xstrdup("tracing");
		*value = xstrdup("off");
	} else if (parts.nr == 4 && !strcmp(parts.item[3], "enable")) {
		*name = xstrdup("events");
		*value = xasprintf("%s:%s", parts.item[1], parts.item[2]);
	} else if (parts.nr == 4) {
		*name = xasprintf("%s of %s:%s", parts.item[3], parts.item[1], parts.item[2]);
		*value = xstrdup(one->value);
	} else if (str_starts(one->file, "options/")) {
		*name = xasprintf("options %s", one->value[0] == '1' ? "on" : "off");
		*value = xstrdup(parts.item[1]);
	} else {
		*name = xstrdup(word_for(one->file));
		*value = xasprintf("%s%s", one->value, unit_of(one->file));
	}
}

static void print_group(const char *name, const struct strv *values, bool all)
{
	printf("  %-20s", name);
	for (size_t i = 0; i < values->nr; i++) {
		if (!all && i == SHOW_MOST && values->nr > SHOW_MOST + 1) {
			printf(", and %zu more", values->nr - i);
			break;
		}
		printf("%s%s", i ? ", " : " ", values->item[i]);
	}
	putchar('\n');
}

static void print_setup(const struct state *s, bool all)
{
	cleanup(strv_fini) struct strv done = {0};

	if (!s->setup.nr) {
		puts("everything is at the kernel's defaults");
		return;
	}
	puts("not at the kernel's default:");
	for (size_t i = 0; i < s->setup.nr; i++) {
		cleanup(strv_fini) struct strv values = {0};
		cleanup_free char *name = NULL;
		cleanup_free char *value = NULL;

		describe(&s->setup.setting[i], &name, &value);
		if (strv_has(&done, name))
			continue;
		strv_add(&done, name);
		for (size_t n = i; n < s->setup.nr; n++) {
			cleanup_free char *other = NULL;
			char *more = NULL;

			describe(&s->setup.setting[n], &other, &more);
			if (!strcmp(other, name))
				strv_add_take(&values, more);
			else
				free(more);
		}
		print_group(name, &values, all);
	}
}

static void print_fill(const struct state *s)
{
	char bytes[32];
	char events[32];
	char lost[32];

	puts("buffer:");
	for (size_t i = 0; i < s->nr_cpus; i++) {
		const struct cpu_fill *c = &s->cpu[i];
		uint64_t gone = c->stats.overrun + c->stats.dropped_events;

		printf("  CPU %-3u %s of %ld KiB, %s events", c->cpu,
		       format_bytes(c->stats.bytes, bytes, sizeof(bytes)), c->size_kb,
		       format_count(c->stats.entries, events, sizeof(events)));
		if (gone)
			printf(", %s lost", format_count(gone, lost, sizeof(lost)));
		putchar('\n');
	}
}

/* An entry begins with its time in brackets. */
static size_t last_error(const struct strv *lines)
{
	size_t at = lines->nr;

	while (at > 0 && lines->item[--at][0] != '[')
		;
	return at;
}

/* How many of the kind of number @at come before it. */
static size_t same_before(const struct tracing_users *users, size_t at)
{
	size_t nr = 0;

	for (size_t i = 0; i < at; i++)
		nr += !strcmp(users->other[i].kind, users->other[at].kind);
	return nr;
}

/* What belongs to no process can be much: of each kind only the first are shown. */
static void print_others(const struct tracing_users *users, bool all)
{
	size_t left_out = 0;

	for (size_t i = 0; i < users->nr_others; i++) {
		const struct tracing_other *one = &users->other[i];
		cleanup_free char *text = tracing_other_text(one);

		if (all || one->pid || same_before(users, i) < SHOW_MOST)
			printf("  %s\n", text);
		else
			left_out++;
	}
	if (left_out)
		printf("  and %zu more, which -v shows\n", left_out);
}

static void print_users(const struct state *s, bool all)
{
	size_t shown = s->changes.nr < CHANGES_SHOWN ? s->changes.nr : CHANGES_SHOWN;

	if (s->users.nr || s->users.nr_others || s->instances.nr)
		puts("in use by:");
	for (size_t i = 0; i < s->users.nr; i++)
		printf("  process %d (%s): has %s open\n", s->users.user[i].pid,
		       s->users.user[i].comm, s->users.user[i].file);
	print_others(&s->users, all);
	for (size_t i = 0; i < s->instances.nr; i++)
		printf("  instance %s\n", s->instances.item[i]);
	if (shown)
		puts("changes that ft set --undo takes back, the newest first:");
	for (size_t i = 0; i < shown; i++)
		printf("  %s\n", s->changes.item[i]);
	if (s->changes.nr > shown)
		printf("  and %zu more\n", s->changes.nr - shown);
	if (s->errors.nr)
		puts(all ? "the kernel's error log:" : "the last of the kernel's error log:");
	for (size_t i = all ? 0 : last_error(&s->errors); i < s->errors.nr; i++)
		printf("  %s\n", s->errors.item[i]);
}

static void add_list(struct strbuf *sb, const char *name, const struct strv *lines)
{
	strbuf_addf(sb, ",\n\"%s\":[", name);
	for (size_t i = 0; i < lines->nr; i++) {
		strbuf_add(sb, i ? "," : "");
		json_add_string(sb, lines->item[i]);
	}
	strbuf_add(sb, "]");
}

static void add_settings(struct strbuf *sb, const struct setup *setup)
{
	strbuf_add(sb, ",\n\"settings\":[");
	for (size_t i = 0; i < setup->nr; i++) {
		strbuf_add(sb, i ? ",\n{" : "\n{");
		json_add_member(sb, "file", setup->setting[i].file);
		json_add_member(sb, "value", setup->setting[i].value);
		strbuf_add(sb, "}");
	}
	strbuf_add(sb, "]");
}

static void add_fill(struct strbuf *sb, const struct state *s)
{
	strbuf_add(sb, ",\n\"buffer\":[");
	for (size_t i = 0; i < s->nr_cpus; i++) {
		const struct cpu_fill *c = &s->cpu[i];

		strbuf_addf(sb,
			    "%s{\"cpu\":%u,\"size_kb\":%ld,\"bytes\":%" PRIu64
			    ",\"events\":%" PRIu64 ",\"overrun\":%" PRIu64 ",\"dropped\":%" PRIu64
			    "}",
			    i ? ",\n" : "\n", c->cpu, c->size_kb, c->stats.bytes, c->stats.entries,
			    c->stats.overrun, c->stats.dropped_events);
	}
	strbuf_add(sb, "]");
}

static void add_users(struct strbuf *sb, const struct tracing_users *users)
{
	strbuf_add(sb, ",\n\"open\":[");
	for (size_t i = 0; i < users->nr; i++) {
		strbuf_addf(sb, "%s{\"pid\":%d", i ? ",\n" : "\n", users->user[i].pid);
		json_add_member(sb, "comm", users->user[i].comm);
		json_add_member(sb, "file", users->user[i].file);
		strbuf_add(sb, "}");
	}
	strbuf_add(sb, "]");
}

static void add_others(struct strbuf *sb, const struct tracing_users *users)
{
	strbuf_add(sb, ",\n\"others\":[");
	for (size_t i = 0; i < users->nr_others; i++) {
		const struct tracing_other *one = &users->other[i];

		strbuf_add(sb, i ? ",\n{" : "\n{");
		json_add_member(sb, "kind", one->kind);
		if (one->pid)
			strbuf_addf(sb, ",\"pid\":%d", one->pid);
		if (one->pid)
			json_add_member(sb, "comm", one->comm);
		json_add_member(sb, "name", one->name);
		strbuf_addf(sb, ",\"count\":%zu}", one->nr);
	}
	strbuf_add(sb, "]");
}

static void print_json(const struct state *s)
{
	cleanup(strbuf_fini) struct strbuf sb = {0};

	strbuf_add(&sb, "{");
	json_add_member(&sb, "directory", tfs_dir(s->tfs));
	json_add_member(&sb, "instance", tfs_instance_name(s->tfs));
	add_settings(&sb, &s->setup);
	add_fill(&sb, s);
	add_users(&sb, &s->users);
	add_others(&sb, &s->users);
	add_list(&sb, "instances", &s->instances);
	add_list(&sb, "changes", &s->changes);
	add_list(&sb, "error_log", &s->errors);
	strbuf_add(&sb, "}\n");
	fwrite(sb.text, 1, sb.len, stdout);
}

int set_show(const struct set_args *args, const struct tfs *tfs, struct err *err)
{
	cleanup(state_fini) struct state s = {.tfs = tfs};
	int r = read_state(&s, err);

	if (r < 0)
		return r;
	if (args->json) {
		print_json(&s);
		return 0;
	}
	printf("%s\n", tfs_dir(tfs));
	print_setup(&s, args->verbose);
	print_fill(&s);
	print_users(&s, args->verbose);
	return 0;
}
