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

/* A line: name, path, and uid, gid and mode before and after. */
struct note {
	char who[128];
	char path[512];
	struct grant grant;
};

static char *memory_path(struct err *err)
{
	cleanup_free char *dir = rundir_open();

	if (dir)
		return xasprintf("%s/" MEMORY, dir);
	err_sys(err, errno, "cannot use /run/ft, where what is changed is noted");
	return NULL;
}

static bool parse_note(const char *line, struct note *note)
{
	struct grant *g = &note->grant;

	return sscanf(line, "%127s %511s %u %u %o %u %u %o", note->who, note->path, &g->before.uid,
		      &g->before.gid, &g->before.mode, &g->after.uid, &g->after.gid,
		      &g->after.mode) == 8;
}

static char *format_note(const char *who, const struct grant *g)
{
	return xasprintf("%s %s %u %u %o %u %u %o\n", who, g->path, g->before.uid, g->before.gid,
			 g->before.mode, g->after.uid, g->after.gid, g->after.mode);
}

static int save(const char *path, const char *text, struct err *err)
{
	cleanup_free char *fresh = xasprintf("%s.new", path);
	cleanup_close int fd = -1;
	int r;

	if (!*text) {
		r = unlink(path);
		return r < 0 && errno != ENOENT ? err_sys(err, errno, "cannot remove %s", path) : 0;
	}
	fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_sys(err, errno, "cannot write %s", fresh);
	r = io_write_all(fd, text, strlen(text));
	if (r == 0 && rename(fresh, path) < 0)
		r = -errno;
	return r < 0 ? err_sys(err, -r, "cannot write %s", path) : 0;
}

static void load(const char *path, struct strv *lines)
{
	cleanup(strbuf_fini) struct strbuf text = {0};

	if (io_read_file(path, &text, NULL) == 0)
		strv_split(lines, strbuf_str(&text), "\n");
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
	cleanup(strv_fini) struct strv lines = {0};
	cleanup(strbuf_fini) struct strbuf text = {0};
	int r;

	load(memory, &lines);
	for (size_t i = 0; i < lines.nr; i++)
		strbuf_addf(&text, "%s\n", lines.item[i]);
	for (size_t i = 0; i < grants->nr; i++) {
		cleanup_free char *line = format_note(who, &grants->item[i]);

		strbuf_add(&text, line);
	}
	r = save(memory, strbuf_str(&text), err);
	for (size_t i = 0; r == 0 && i < grants->nr; i++)
		r = grant_apply(grants->item[i].path, &grants->item[i].after, err);
	return r;
}

/* Puts one file back, unless somebody has given it away since. */
static int undo_note(const struct note *note, struct err *err)
{
	const struct grant *g = &note->grant;
	struct access_mode now;

	/* An instance may have gone. */
	if (access(note->path, F_OK) < 0 && errno == ENOENT)
		return 0;
	if (grant_read(note->path, &now, err) < 0)
		return -err->code;
	/* An owner may have changed the mode, which must not keep the right alive. */
	if ((now.uid != g->after.uid || now.gid != g->after.gid) &&
	    memcmp(&now, &g->before, sizeof(now))) {
		cleanup_free char *shown = describe(&now);

		marker_say("%s is %s by now, which is not what ft made of it: left alone",
			   note->path, shown);
		return 0;
	}
	if (grant_apply(note->path, &g->before, err) < 0)
		return -err->code;
	print_change(note->path, &now, &g->before);
	return 0;
}

static int undo_all(const char *who, const char *memory, struct err *err)
{
	cleanup(strv_fini) struct strv lines = {0};
	cleanup(strbuf_fini) struct strbuf rest = {0};
	size_t nr = 0;

	load(memory, &lines);
	for (size_t i = lines.nr; i-- > 0;) {
		struct note note;

		if (!parse_note(lines.item[i], &note) || strcmp(note.who, who))
			continue;
		nr++;
		if (undo_note(&note, err) < 0)
			return -err->code;
		lines.item[i][0] = '\0';
	}
	if (!nr)
		return err_set(err, ENOENT, "ft has allowed nothing to '%s'", who);
	for (size_t i = 0; i < lines.nr; i++)
		if (lines.item[i][0])
			strbuf_addf(&rest, "%s\n", lines.item[i]);
	return save(memory, strbuf_str(&rest), err);
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
		r = err_set(err, EACCES,
			    "%s cannot write %s/trace_marker even so: a directory above it or a "
			    "security module forbids it; all was put back",
			    who->name, tfs_dir(tfs));
		undo_all(who->name, memory, NULL);
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
	cleanup(strv_fini) struct strv lines = {0};

	load("/run/ft/" MEMORY, &lines);
	for (size_t i = 0; i < lines.nr; i++) {
		struct note note;

		if (parse_note(lines.item[i], &note) && str_ends(note.path, "/trace_marker"))
			printf("allowed by ft: %s writes %s\n", note.who, note.path);
	}
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
