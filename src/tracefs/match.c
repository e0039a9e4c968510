/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the names and patterns that a user types stand for: events. */
#include <errno.h>
#include <string.h>

#include "tracefs/private.h"
#include "util/mem.h"

/* A pattern taken apart. Without ':' both parts are the whole, and either may match. */
struct event_pattern {
	char *system;
	char *name;
	bool has_colon;
};

static void event_pattern_fini(struct event_pattern *p)
{
	mem_freep(&p->system);
	mem_freep(&p->name);
}

static struct event_pattern parse_pattern(const char *text)
{
	const char *colon = strchr(text, ':');

	if (!colon)
		return (struct event_pattern){xstrdup(text), xstrdup(text), false};
	/* As in the kernel an empty part means any: "sched:" is the whole system. */
	return (struct event_pattern){
		.system = colon == text ? xstrdup("*") : xstrndup(text, (size_t)(colon - text)),
		.name = colon[1] ? xstrdup(colon + 1) : xstrdup("*"),
		.has_colon = true,
	};
}

static bool matches(const struct event_pattern *p, const char *system, const char *name)
{
	bool in_system = glob_matches(p->system, system);
	bool has_name = glob_matches(p->name, name);

	return p->has_colon ? in_system && has_name : in_system || has_name;
}

/* A full name without globs needs no list: its directory tells. */
static bool is_known_event(const struct tfs *tfs, const struct event_pattern *p)
{
	cleanup_free char *file = NULL;

	if (!p->has_colon || is_glob(p->system) || is_glob(p->name) || strpbrk(p->system, "/.") ||
	    strpbrk(p->name, "/."))
		return false;
	file = xasprintf("events/%s/%s/enable", p->system, p->name);
	return tfs_has(tfs, file);
}

/* The systems and names of @events ("system:name"), and what would be right for @p. */
struct candidates {
	struct strv systems;
	struct strv names;     /* of the system @p names, else of all */
	struct strv same_name; /* full names whose second part is right */
};

static void candidates_fini(struct candidates *c)
{
	strv_fini(&c->systems);
	strv_fini(&c->names);
	strv_fini(&c->same_name);
}

static void collect(struct candidates *c, const struct event_pattern *p, const struct strv *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		const char *event = events->item[i];
		size_t len = strcspn(event, ":");
		const char *name = event[len] ? event + len + 1 : event;
		cleanup_free char *system = xstrndup(event, len);

		if (!p->has_colon || glob_matches(p->system, system))
			strv_add(&c->names, p->has_colon ? event : name);
		if (!strcmp(name, p->name))
			strv_add(&c->same_name, event);
		/* The list is sorted, so one system's events follow each other. */
		if (!c->systems.nr || strcmp(c->systems.item[c->systems.nr - 1], system))
			strv_add_take(&c->systems, take_ptr(system));
	}
}

static bool any_matches(const char *pattern, const struct strv *names)
{
	for (size_t i = 0; i < names->nr; i++)
		if (glob_matches(pattern, names->item[i]))
			return true;
	return false;
}

/* The right name in the wrong system says more than names that are like it. */
static char *hint_for(const char *wrong, const struct candidates *c, const struct strv *names)
{
	if (c->same_name.nr)
		return xasprintf(" (did you mean %s?)", c->same_name.item[0]);
	return near_names(wrong, names);
}

static int no_event(const char *pattern, const struct event_pattern *p, const struct strv *events,
		    struct err *err)
{
	cleanup(candidates_fini) struct candidates c = {0};
	cleanup_free char *hint = NULL;

	collect(&c, p, events);
	if (p->has_colon && !any_matches(p->system, &c.systems)) {
		hint = hint_for(p->system, &c, &c.systems);
		return err_set(err, ENOENT, "no event %s: there is no event system %s%s", pattern,
			       p->system, hint);
	}
	if (is_glob(pattern))
		return err_set(err, ENOENT, "no event matches '%s'", pattern);
	if (!p->has_colon)
		strv_copy(&c.names, &c.systems);
	hint = hint_for(pattern, &c, &c.names);
	return err_set(err, ENOENT, "no event %s%s%s", p->has_colon ? "" : "or event system ",
		       pattern, hint);
}

int tfs_match_events(const struct tfs *tfs, const char *pattern, struct strv *out, struct err *err)
{
	cleanup(event_pattern_fini) struct event_pattern p = parse_pattern(pattern);
	cleanup(strv_fini) struct strv events = {0};
	size_t before = out->nr;
	int r;

	if (!*pattern || !strcmp(pattern, ":"))
		return err_set(err, EINVAL, "the name of an event cannot be empty");
	if (is_known_event(tfs, &p)) {
		strv_add(out, pattern);
		return 0;
	}
	r = tfs_events(tfs, &events, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < events.nr; i++) {
		char *event = events.item[i];
		char *colon = strchr(event, ':');
		bool hit;

		if (!colon)
			continue;
		*colon = '\0';
		hit = matches(&p, event, colon + 1);
		*colon = ':';
		if (hit)
			strv_add(out, event);
	}
	return out->nr > before ? 0 : no_event(pattern, &p, &events, err);
}
