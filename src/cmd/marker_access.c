/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft marker --allow, --deny and --check: who may write, and the way back. */
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/marker.h"
#include "session/rundir.h"
#include "tracefs/grant.h"
#include "util/io.h"
#include "util/mem.h"

/* What was changed for whom: it lasts until the next boot, as tracefs itself. */
#define MEMORY "marker-grants"

/* One file that was changed for somebody. */
struct note {
	char *who;
	struct grant grant;
};

struct notes {
	struct note *item;
	size_t nr;
};

static void notes_fini(struct notes *notes)
{
	for (size_t i = 0; i < notes->nr; i++) {
		free(notes->item[i].who);
		free(notes->item[i].grant.path);
	}
	free(notes->item);
	*notes = (struct notes){0};
}

static void add_note(struct notes *notes, const char *who, const struct grant *grant)
{
	struct note note = {xstrdup(who), *grant};

	note.grant.path = xstrdup(grant->path);
	notes->item = xrealloc(notes->item, (notes->nr + 1) * sizeof(*notes->item));
	notes->item[notes->nr++] = note;
}

static char *memory_path(struct err *err)
{
	cleanup_free char *dir = rundir_open();

	if (dir)
		return xasprintf("%s/" MEMORY, dir);
	err_sys(err, errno, "cannot use /run/ft, where what is changed is noted");
	return NULL;
}

/* A line: name, path, and uid, gid and mode before and after. Names of instances hold blanks, but no
 * TABs. */
static void parse_note(const char *line, struct notes *out)
{
	cleanup(strv_fini) struct strv field = {0};
	struct grant g = {0};

	strv_split(&field, line, "\t");
	if (field.nr != 3 ||
	    sscanf(field.item[2], "%u %u %o %u %u %o", &g.before.uid, &g.before.gid, &g.before.mode,
		   &g.after.uid, &g.after.gid, &g.after.mode) != 6)
		return;
	g.path = field.item[1];
	add_note(out, field.item[0], &g);
}

static void format_note(const struct note *note, struct strbuf *out)
{
	const struct grant *g = &note->grant;

	strbuf_addf(out, "%s\t%s\t%u %u %o %u %u %o\n", note->who, g->path, g->before.uid,
		    g->before.gid, g->before.mode, g->after.uid, g->after.gid, g->after.mode);
}

static int save(const char *path, const struct notes *notes, struct err *err)
{
	cleanup_free char *fresh = xasprintf("%s.new", path);
	cleanup(strbuf_fini) struct strbuf text = {0};
	cleanup_close int fd = -1;
	int r;

	if (!notes->nr) {
		r = unlink(path);
		return r < 0 && errno != ENOENT ? err_sys(err, errno, "cannot remove %s", path) : 0;
	}
	fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_sys(err, errno, "cannot write %s", fresh);
	for (size_t i = 0; i < notes->nr; i++)
		format_note(&notes->item[i], &text);
	r = io_write_all(fd, text.text, text.len);
	if (r == 0 && rename(fresh, path) < 0)
		r = -errno;
	return r < 0 ? err_sys(err, -r, "cannot write %s", path) : 0;
}

static void load(const char *path, struct notes *out)
{
	cleanup(strbuf_fini) struct strbuf text = {0};
	cleanup(strv_fini) struct strv lines = {0};

	if (io_read_file(path, &text, NULL) < 0)
		return;
	strv_split(&lines, strbuf_str(&text), "\n");
	for (size_t i = 0; i < lines.nr; i++)
		parse_note(lines.item[i], out);
}

/* Owner, group and mode as ls shows them. */
static char *describe(const struct access_mode *mode)
{
	const struct passwd *pw = getpwuid(mode->uid);
	cleanup_free char *user = pw ? xstrdup(pw->pw_name) : xasprintf("%u", mode->uid);
	const struct group *gr = getgrgid(mode->gid);

	return gr ? xasprintf("%s:%s %04o", user, gr->gr_name, mode->mode)
		  : xasprintf("%s:%u %04o", user, mode->gid, mode->mode);
}

static void print_change(const char *path, const struct access_mode *from,
			 const struct access_mode *to)
{
	cleanup_free char *before = describe(from);
	cleanup_free char *after = describe(to);

	printf("%s: %s -> %s\n", path, before, after);
}

/* The whole top level, or the instance that was named. */
static struct tfs *open_place(const struct marker_args *args, struct err *err)
{
	cleanup(tfs_freep) struct tfs *top = tfs_open(args->tracefs, err);

	if (!top || !args->instance)
		return take_ptr(top);
	return tfs_open_instance(top, args->instance, err);
}

/* Noted first, then done: what is not noted cannot be undone. */
static int apply_all(const struct grants *grants, const char *who, const char *memory,
		     struct err *err)
{
	cleanup(notes_fini) struct notes notes = {0};
	int r;

	load(memory, &notes);
	for (size_t i = 0; i < grants->nr; i++)
		add_note(&notes, who, &grants->item[i]);
	r = save(memory, &notes, err);
	for (size_t i = 0; r == 0 && i < grants->nr; i++)
		r = grant_apply(grants->item[i].path, &grants->item[i].after, err);
	return r;
}

/* Who else passes this directory by what ft has allowed, NULL for nobody. */
static const char *find_heir(const struct notes *notes, const struct note *note)
{
	cleanup_free char *below = xasprintf("%s/", note->grant.path);

	for (size_t i = 0; i < notes->nr; i++)
		if (strcmp(notes->item[i].who, note->who) != 0 &&
		    str_starts(notes->item[i].grant.path, below))
			return notes->item[i].who;
	return NULL;
}

static bool is_others(const struct note *one, const struct note *note)
{
	return strcmp(one->who, note->who) != 0 && !strcmp(one->grant.path, note->grant.path);
}

/* The bits that are there for others. */
static mode_t find_kept(const struct notes *notes, const struct note *note)
{
	mode_t kept = 0;

	for (size_t i = 0; i < notes->nr; i++)
		if (is_others(&notes->item[i], note))
			kept |= notes->item[i].grant.after.mode & ~notes->item[i].grant.before.mode;
	return kept;
}

/* Puts one file back, unless somebody has given it away since. */
static int undo_note(const struct notes *notes, const struct note *note, struct err *err)
{
	const struct grant *g = &note->grant;
	mode_t kept = find_kept(notes, note);
	struct access_mode now;
	struct access_mode then;

	/* An instance may have gone. */
	if (access(g->path, F_OK) < 0 && errno == ENOENT)
		return 0;
	if (grant_read(g->path, &now, err) < 0)
		return -err->code;
	then = now;
	if (!grant_take_back(g, kept, &then)) {
		cleanup_free char *shown = describe(&now);

		marker_say("%s is %s by now, which is not what ft made of it: left alone", g->path,
			   shown);
		return 0;
	}
	if (grant_apply(g->path, &then, err) < 0)
		return -err->code;
	print_change(g->path, &now, &then);
	/* What others got later was written down on top of this. */
	for (size_t i = 0; i < notes->nr; i++) {
		if (!is_others(&notes->item[i], note))
			continue;
		grant_take_back(g, kept, &notes->item[i].grant.before);
		grant_take_back(g, kept, &notes->item[i].grant.after);
	}
	return 0;
}

static void drop_note(struct notes *notes, size_t i)
{
	free(notes->item[i].who);
	free(notes->item[i].grant.path);
	notes->nr--;
	memmove(&notes->item[i], &notes->item[i + 1], (notes->nr - i) * sizeof(notes->item[0]));
}

static int undo_all(const char *who, const char *memory, struct err *err)
{
	cleanup(notes_fini) struct notes notes = {0};
	size_t nr = 0;

	load(memory, &notes);
	for (size_t i = notes.nr; i-- > 0;) {
		struct note *note = &notes.item[i];
		const char *heir = find_heir(&notes, note);

		if (strcmp(note->who, who) != 0)
			continue;
		nr++;
		if (heir) {
			printf("%s: stays open for %s\n", note->grant.path, heir);
			free(note->who);
			note->who = xstrdup(heir);
			continue;
		}
		if (undo_note(&notes, note, err) < 0)
			return -err->code;
		drop_note(&notes, i);
	}
	if (!nr)
		return err_set(err, ENOENT, "ft has allowed nothing to '%s'", who);
	return save(memory, &notes, err);
}

static int need_root(const char *option, struct err *err)
{
	if (geteuid() == 0)
		return 0;
	return err_set(err, EPERM,
		       "%s changes the owner and mode of the kernel's files, and you "
		       "are not root (use sudo)",
		       option);
}

static int grant(const struct tfs *tfs, const struct grantee *who, struct err *err)
{
	cleanup(grants_fini) struct grants grants = {0};
	cleanup_free char *memory = memory_path(err);
	int r = memory ? grants_build(tfs, who, &grants, err) : -err->code;

	if (r == 0)
		r = apply_all(&grants, who->name, memory, err);
	if (r == 0 && !grantee_can_write(who, tfs)) {
		struct err ignored = {0};

		r = err_set(err, EACCES,
			    "%s cannot write %s/trace_marker even so: a directory above it or a "
			    "security module forbids it; all was put back",
			    who->name, tfs_dir(tfs));
		undo_all(who->name, memory, &ignored);
	}
	for (size_t i = 0; r == 0 && i < grants.nr; i++)
		print_change(grants.item[i].path, &grants.item[i].before, &grants.item[i].after);
	return r;
}

int marker_allow(const struct marker_args *args, struct err *err)
{
	cleanup(tfs_freep) struct tfs *tfs = NULL;
	cleanup(grantee_fini) struct grantee who = {0};
	int r = need_root("--allow", err);

	if (r == 0)
		r = grantee_find(args->allow, &who, err);
	if (r < 0)
		return r;
	tfs = open_place(args, err);
	if (!tfs)
		return -err->code;
	if (grantee_can_write(&who, tfs)) {
		printf("%s can write %s/trace_marker already\n", who.name, tfs_dir(tfs));
		return 0;
	}
	r = grant(tfs, &who, err);
	if (r == 0)
		printf("%s can write %s/trace_marker until the next boot or --deny %s\n", who.name,
		       tfs_dir(tfs), who.name);
	return r;
}

int marker_deny(const struct marker_args *args, struct err *err)
{
	cleanup_free char *memory = NULL;
	int r = need_root("--deny", err);

	if (r < 0)
		return r;
	memory = memory_path(err);
	return memory ? undo_all(args->deny, memory, err) : -err->code;
}

/* Whom ft has allowed, for everybody who asks. */
static void print_allowed(void)
{
	cleanup(notes_fini) struct notes notes = {0};

	load("/run/ft/" MEMORY, &notes);
	for (size_t i = 0; i < notes.nr; i++)
		if (str_ends(notes.item[i].grant.path, "/trace_marker"))
			printf("allowed by ft: %s writes %s\n", notes.item[i].who,
			       notes.item[i].grant.path);
}

int marker_check(const struct marker_args *args, struct err *err)
{
	cleanup(tfs_freep) struct tfs *tfs = open_place(args, err);
	cleanup_close int fd = tfs ? tfs_marker_open(tfs, err) : -1;
	const struct passwd *pw = getpwuid(geteuid());
	cleanup_free char *user = pw ? xstrdup(pw->pw_name) : xasprintf("uid %u", geteuid());

	if (fd < 0)
		return -err->code;
	printf("%s can write %s/trace_marker\n", user, tfs_dir(tfs));
	print_allowed();
	if (!tfs_takes_markers(tfs))
		marker_say("but tracing or the option markers is off there: a marker would be "
			   "refused");
	return 0;
}
