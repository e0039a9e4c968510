/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps that have to do with events: systems, filters, triggers, dynamic events. */
#include <string.h>

#include "session/private.h"
#include "session/shown.h"
#include "util/mem.h"

/* A system that is on in part is put back event by event. Undo runs backwards: the single events
 * are remembered first, so that they come after the system as a whole is off. */
static int remember_system(struct session *session, const struct tfs *tfs, const char *file,
			   struct err *err)
{
	const char *system = file + strlen("events/");
	cleanup_free char *pattern = xasprintf("%.*s:*", (int)strcspn(system, "/"), system);
	cleanup(strv_fini) struct strv events = {0};
	int r = tfs_match_events(tfs, pattern, &events, err);

	for (size_t i = 0; r >= 0 && i < events.nr; i++) {
		const char *name = strchr(events.item[i], ':') + 1;
		cleanup_free char *event_file =
			xasprintf("events/%.*s/%s/enable", (int)strcspn(system, "/"), system, name);
		cleanup_free char *shown = NULL;

		r = tfs_read_line(tfs, event_file, &shown, err);
		if (r >= 0 && shown[0] == '1')
			r = session_remember(session, tfs, UNDO_WRITE, event_file, "1", err);
	}
	return r < 0 ? r : session_remember(session, tfs, UNDO_WRITE, file, "0", err);
}

int apply_system(struct session *session, const struct tfs *tfs, const struct step *step,
		 struct err *err)
{
	cleanup_free char *shown = NULL;
	cleanup_free char *now = NULL;
	int r = tfs_read_line(tfs, step->file, &shown, err);

	if (r < 0)
		return r;
	if (shown[0] == step->value[0])
		return 0;
	if (shown[0] == 'X')
		r = remember_system(session, tfs, step->file, err);
	else
		r = session_remember(session, tfs, UNDO_WRITE, step->file,
				     shown[0] == '1' ? "1" : "0", err);
	if (r == 0)
		r = tfs_write(tfs, step->file, step->value, 0, err);
	if (r == 0)
		r = tfs_read_line(tfs, step->file, &now, err);
	/* "X": one that another user of the tracer holds, or has let go since. */
	if (r < 0 || now[0] == step->value[0] || now[0] == 'X')
		return r;
	return err_set(err, EIO,
		       "%s is '%s' after '%s' was written to it: the kernel did not take it",
		       step->file, now, step->value);
}

static int set_filter(struct session *session, const struct tfs *tfs, const char *file,
		      const char *filter, struct err *err)
{
	cleanup_free char *old = NULL;
	bool clear = !strcmp(filter, "0");
	bool had_none;
	int r;

	/* Events of the ftrace system and a few others have no filter. */
	if (clear && !tfs_has(tfs, file))
		return 0;
	r = tfs_read_line(tfs, file, &old, err);
	if (r < 0)
		return r;
	/* A filter that the kernel refused is shown above its error; it hides nothing, and could
	 * not be written back. */
	had_none = !strcmp(old, "none") || strchr(old, '\n');
	if ((clear && had_none) || !strcmp(old, filter))
		return 0;
	r = session_remember(session, tfs, UNDO_WRITE, file, had_none ? "0" : old, err);
	return r < 0 ? r : tfs_write(tfs, file, filter, 0, err);
}

/* "events/SYSTEM/filter" stands for the filters of all its events. */
int apply_filter(struct session *session, const struct tfs *tfs, const struct step *step,
		 struct err *err)
{
	cleanup(strv_fini) struct strv parts = {0};
	cleanup(strv_fini) struct strv events = {0};
	cleanup_free char *pattern = NULL;
	int r;

	strv_split(&parts, step->file, "/");
	if (parts.nr == 4)
		return set_filter(session, tfs, step->file, step->value, err);
	pattern = xasprintf("%s:*", parts.item[1]);
	r = tfs_match_events(tfs, pattern, &events, err);
	for (size_t i = 0; r >= 0 && i < events.nr; i++) {
		cleanup_free char *file = xasprintf("events/%s/%s/filter", parts.item[1],
						    strchr(events.item[i], ':') + 1);

		r = set_filter(session, tfs, file, step->value, err);
	}
	return r < 0 ? r : 0;
}

/* An action that takes snapshots gets their memory at once, and leaves it when it goes. */
static int remember_snapshot(struct session *session, const struct tfs *tfs, const char *action,
			     struct err *err)
{
	static const char file[] = "snapshot";
	cleanup_free char *shown = NULL;

	if (!strstr(action, file) || !tfs_has(tfs, file) || tfs_read(tfs, file, &shown, NULL) < 0 ||
	    !strstr(shown, "* Snapshot is freed *"))
		return 0;
	return session_remember(session, tfs, UNDO_APPEND, file, "0", err);
}

/* An action that turns another event on or off leaves it so when it goes. */
static int remember_switched(struct session *session, const struct tfs *tfs, const char *action,
			     struct err *err)
{
	static const char word[] = "able_event:"; /* enable_event, disable_event */
	const char *system = strstr(action, word);
	cleanup_free char *file = NULL;
	cleanup_free char *shown = NULL;
	const char *event;

	if (!system)
		return 0;
	system += strlen(word);
	event = system + strcspn(system, ":");
	if (!*event++)
		return 0;
	file = xasprintf("events/%.*s/%.*s/enable", (int)(event - 1 - system), system,
			 (int)strcspn(event, ": \t"), event);
	if (!tfs_has(tfs, file) || tfs_read_line(tfs, file, &shown, NULL) < 0)
		return 0;
	return session_remember(session, tfs, UNDO_APPEND, file, shown[0] == '1' ? "1" : "0", err);
}

/* Writes one line that adds or takes away one thing. If the kernel refuses it, there is nothing to take
 * back: undoing what has not been done would fail, too. */
static int write_action(struct session *session, const struct tfs *tfs, const struct step *step,
			const char *text, const char *undo, struct err *err)
{
	size_t before = session->undo.nr;
	int r = session_remember(session, tfs, UNDO_APPEND, step->file, undo, err);

	if (r < 0)
		return r;
	r = tfs_write(tfs, step->file, text, 0, err);
	if (r < 0 && session->undo.nr > before)
		undo_forget_last(&session->undo);
	return r;
}

/* Triggers and function commands: one is added to those that are there, or "!..." takes one away. */
int apply_action(struct session *session, const struct tfs *tfs, const struct step *step,
		 struct err *err)
{
	bool removes = step->value[0] == '!';
	cleanup_free char *back = removes ? xstrdup(step->value + 1)
					  : shown_action_removal(step->value);
	cleanup_free char *undo = xasprintf("%s\n", back);
	cleanup_free char *text = NULL;
	cleanup_free char *line = NULL;
	int r = removes ? 0 : remember_snapshot(session, tfs, step->value, err);

	if (r >= 0 && !removes)
		r = remember_switched(session, tfs, step->value, err);
	/* For the kernel the count and the condition do not tell one from another. */
	text = removes ? shown_action_removal(back) : xstrdup(step->value);
	line = xasprintf("%s\n", text);
	return r < 0 ? r : write_action(session, tfs, step, line, undo, err);
}

/* The way back of a definition: "p:group/name place args" is taken away by "-:group/name". */
static char *probe_removal(const char *definition)
{
	const char *name = strchr(definition, ':');

	name = name ? name + 1 : definition;
	return xasprintf("-:%.*s", (int)strcspn(name, " \t"), name);
}

/* A dynamic event is made by its definition, or taken away: its "file" is where it is written, its
 * value the definition, with "-" in front when it goes. */
int apply_probe(struct session *session, const struct tfs *tfs, const struct step *step,
		struct err *err)
{
	bool removes = step->value[0] == '-';
	const char *definition = removes ? step->value + 1 : step->value;
	cleanup_free char *removal = probe_removal(definition);
	cleanup_free char *text = xasprintf("%s\n", removes ? removal : definition);
	cleanup_free char *undo = xasprintf("%s\n", removes ? definition : removal);

	return write_action(session, tfs, step, text, undo, err);
}
