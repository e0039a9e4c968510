/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the files have what is chosen: events, instances, CPUs. */
#include "report/choice.h"

#include <errno.h>
#include <string.h>

#include "util/mem.h"

bool choice_event_matches(const char *pattern, const char *system, const char *name)
{
	const char *colon = strpbrk(pattern, ":/");
	cleanup_free char *first = NULL;

	if (!colon)
		return glob_matches(pattern, name) || glob_matches(pattern, system);
	first = xstrndup(pattern, (size_t)(colon - pattern));
	return (!*first || glob_matches(first, system)) &&
	       (!colon[1] || glob_matches(colon + 1, name));
}

struct event_search {
	const char *pattern;
	bool found;
	struct strv *names; /* all that could have been meant; NULL while none is wanted */
};

static void visit_name(void *ctx, const char *system, const char *name)
{
	struct event_search *search = ctx;

	if (!search->names) {
		search->found = search->found ||
				choice_event_matches(search->pattern, system, name);
		return;
	}
	if (strpbrk(search->pattern, ":/")) {
		strv_add_take(search->names, xasprintf("%s:%s", system, name));
		return;
	}
	strv_add(search->names, name);
	strv_add(search->names, system);
}

/* @more: "system:name" of those that the files have no format of. */
static void search_events(const struct input *in, const struct strv *more,
			  struct event_search *search)
{
	for (size_t i = 0; i < in->nr_files; i++)
		decode_visit_names(in->file[i].dec, visit_name, search);
	for (size_t i = 0; i < more->nr; i++) {
		const char *colon = strchr(more->item[i], ':');
		cleanup_free char *system =
			colon ? xstrndup(more->item[i], (size_t)(colon - more->item[i])) : NULL;

		if (colon)
			visit_name(search, system, colon + 1);
	}
}

static int check_event(const struct input *in, const struct report_config *config,
		       const struct strv *more, const char *pattern, struct err *err)
{
	bool is_kernel = config->live && config->live->list_events;
	cleanup(strv_fini) struct strv names = {0};
	struct event_search search = {.pattern = pattern};
	cleanup_free char *near = NULL;

	search_events(in, more, &search);
	if (search.found)
		return 0;
	search.names = &names;
	search_events(in, more, &search);
	strv_sort(&names);
	strv_uniq(&names);
	near = near_names(pattern, &names);
	return err_set(err, ENOENT, "no event %s in the %s%s", pattern,
		       is_kernel ? "kernel" : "file", near);
}

static int check_instance(const struct input *in, const char *name, struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	cleanup_free char *has = NULL;

	for (size_t i = 0; i < in->nr_files; i++)
		for (size_t b = 0; b < in->file[i].r->nr_buffers; b++) {
			const char *known = in->file[i].r->buffer[b].name;

			strv_add(&names, *known ? known : "top");
		}
	if (strv_has(&names, *name ? name : "top"))
		return 0;
	strv_uniq(&names);
	has = strv_join(&names, ", ");
	return err_set(err, ENOENT, "no instance %s in the file: it has %s", name, has);
}

static bool has_cpu(const struct dat_buffer *buffer, unsigned int cpu)
{
	for (size_t i = 0; i < buffer->nr_cpus; i++)
		if (buffer->cpu[i].cpu == cpu)
			return true;
	return cpu < buffer->cpu_count;
}

/* Of a range that goes beyond the last CPU what is there can be printed. */
static int check_cpus(const struct input *in, const struct report_config *config, struct err *err)
{
	uint32_t most = 0;

	for (size_t i = 0; i < in->nr_sources; i++) {
		const struct dat_buffer *buffer = in->source[i].buffer;

		for (size_t c = 0; c < config->nr_cpus; c++)
			if (has_cpu(buffer, config->cpus[c]))
				return 0;
		if (buffer->cpu_count > most)
			most = buffer->cpu_count;
	}
	return err_set(err, ENOENT, "no CPU %u in the file: it has %u, from 0 on", config->cpus[0],
		       most);
}

int choice_check(const struct input *in, const struct report_config *config, struct err *err)
{
	const struct report_live *live = config->live;
	cleanup(strv_fini) struct strv more = {0};
	int r = 0;

	/* That of a latency tracer is printed without a choice, which is said there. */
	if (in->has_text)
		return 0;

	/* The kernel tells the formats of more events when they come. */
	if (config->events.nr && live && live->list_events)
		live->list_events(live->ctx, &more);
	for (size_t i = 0; r == 0 && i < config->events.nr; i++)
		r = check_event(in, config, &more, config->events.item[i], err);
	/* What a stream has is known at its end. */
	for (size_t i = 0; r == 0 && i < config->instances.nr && !live; i++)
		r = check_instance(in, config->instances.item[i], err);
	if (r == 0 && config->nr_cpus && in->nr_sources && !live)
		r = check_cpus(in, config, err);
	return r;
}
