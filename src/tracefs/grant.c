/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The right to write trace_marker, for one user or group: which files change and how. */
#include "tracefs/grant.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracefs/private.h"
#include "util/mem.h"

#define NOBODY 65534

int grantee_find(const char *name, struct grantee *out, struct err *err)
{
	const struct group *gr = name[0] == ':' ? getgrnam(name + 1) : NULL;
	const struct passwd *pw = name[0] == ':' ? NULL : getpwnam(name);

	*out = (struct grantee){.name = xstrdup(name), .is_group = name[0] == ':'};
	if (gr) {
		out->uid = NOBODY;
		out->gid = gr->gr_gid;
		return 0;
	}
	if (pw && pw->pw_uid == 0)
		return err_set(err, EINVAL, "%s is root and needs no permission", name);
	if (pw) {
		out->uid = pw->pw_uid;
		out->gid = pw->pw_gid;
		return 0;
	}
	if (out->is_group)
		return err_set(err, ENOENT, "no group '%s'", name + 1);
	return err_set(err, ENOENT, "no user '%s'%s", name,
		       getgrnam(name) ? ", but there is a group: put ':' in front of it" : "");
}

void grantee_fini(struct grantee *who)
{
	mem_freep(&who->name);
}

void grants_fini(struct grants *grants)
{
	for (size_t i = 0; i < grants->nr; i++)
		free(grants->item[i].path);
	free(grants->item);
	*grants = (struct grants){0};
}

int grant_read(const char *path, struct access_mode *out, struct err *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_sys(err, errno, "cannot look at %s", path);
	*out = (struct access_mode){st.st_uid, st.st_gid, st.st_mode & 07777};
	return 0;
}

int grant_apply(const char *path, const struct access_mode *mode, struct err *err)
{
	/* The mode last: a new owner must not get more on the way. */
	if (chown(path, mode->uid, mode->gid) < 0 || chmod(path, mode->mode) < 0)
		return err_sys(err, errno, "cannot change the owner and mode of %s", path);
	return 0;
}

bool grant_take_back(const struct grant *g, mode_t kept, struct access_mode *mode)
{
	bool owner = g->before.uid != g->after.uid;
	bool group = g->before.gid != g->after.gid;

	if (!memcmp(mode, &g->before, sizeof(*mode)))
		return true;
	if ((owner && mode->uid != g->after.uid) || (group && mode->gid != g->after.gid))
		return false;
	/* An owner may have changed the mode, which must not keep the right alive. */
	if (!owner)
		kept |= ~(g->before.mode ^ g->after.mode);
	mode->uid = owner ? g->before.uid : mode->uid;
	mode->gid = group ? g->before.gid : mode->gid;
	mode->mode = (mode->mode & kept) | (g->before.mode & ~kept);
	return true;
}

static void add_grant(struct grants *out, const char *path, const struct access_mode *before,
		      const struct access_mode *after)
{
	if (!memcmp(before, after, sizeof(*before)))
		return;
	out->item = xrealloc(out->item, (out->nr + 1) * sizeof(*out->item));
	out->item[out->nr++] = (struct grant){xstrdup(path), *before, *after};
}

static bool is_open_to(const struct access_mode *mode, const struct grantee *who, mode_t bit)
{
	if (!who->is_group && mode->uid == who->uid)
		return mode->mode & (bit << 6);
	if (mode->gid == who->gid)
		return mode->mode & (bit << 3);
	return mode->mode & bit;
}

static int say_taken(const char *path, const struct access_mode *mode, struct err *err)
{
	const struct passwd *pw = mode->uid ? getpwuid(mode->uid) : NULL;
	const struct group *gr = mode->gid ? getgrgid(mode->gid) : NULL;

	return err_set(err, EBUSY,
		       "%s is given to %s%s already, and tracefs has room for one: allow a group "
		       "that all are in, after --deny",
		       path,
		       pw   ? "user "
		       : gr ? "group "
			    : "somebody",
		       pw   ? pw->pw_name
		       : gr ? gr->gr_name
			    : "");
}

/* Since 5.16 nothing in tracefs is open to others once they may pass its top. */
static int check_others(const struct tfs *tfs, struct err *err)
{
	cleanup_free char *path = xasprintf("%s/trace", tfs->top);
	struct stat st;

	if (stat(path, &st) < 0 || !(st.st_mode & 07))
		return 0;
	return err_set(err, EOPNOTSUPP,
		       "%s has mode %04o: who may pass %s to write markers could read the trace "
		       "too; instead, let a group in: mount -o remount,gid=GROUP,mode=750 %s",
		       path, st.st_mode & 07777, tfs->top, tfs->top);
}

/* Search for everybody, which reaches nothing else that is open to them. Not by way of the group:
 * since 6.8 all files whose own was never set have that of the top directory, and with it that
 * group would get them all. */
static int add_directory(struct grants *out, const struct tfs *tfs, const char *path,
			 const struct grantee *who, struct err *err)
{
	struct access_mode before;
	struct access_mode after;
	int r = grant_read(path, &before, err);

	if (r < 0 || is_open_to(&before, who, 1))
		return r;
	after = before;
	after.mode |= 01;
	add_grant(out, path, &before, &after);
	return check_others(tfs, err);
}

static int add_file(struct grants *out, const char *path, const struct grantee *who,
		    struct err *err)
{
	struct access_mode before;
	struct access_mode after;
	int r = grant_read(path, &before, err);

	if (r < 0 || is_open_to(&before, who, 2))
		return r;
	after = before;
	if (who->is_group ? before.gid && before.gid != who->gid
			  : before.uid && before.uid != who->uid)
		return say_taken(path, &before, err);
	if (who->is_group) {
		after.gid = who->gid;
		after.mode |= 020;
	} else {
		after.uid = who->uid;
		after.mode |= 0200;
	}
	add_grant(out, path, &before, &after);
	return 0;
}

int grants_build(const struct tfs *tfs, const struct grantee *who, struct grants *out,
		 struct err *err)
{
	cleanup_free char *file = tfs_path(tfs, "trace_marker");
	size_t top = strlen(tfs->top);
	int r = add_directory(out, tfs, tfs->top, who, err);

	for (const char *slash = strchr(file + top + 1, '/'); r == 0 && slash;
	     slash = strchr(slash + 1, '/')) {
		cleanup_free char *dir = xstrndup(file, (size_t)(slash - file));

		r = add_directory(out, tfs, dir, who, err);
	}
	return r < 0 ? r : add_file(out, file, who, err);
}

/* The child: only ids matter, nothing of the parent is kept. */
static void try_as(const struct grantee *who, const char *path)
{
	int r = who->is_group ? setgroups(0, NULL) : initgroups(who->name, who->gid);
	uid_t uid = who->uid;
	struct stat st;

	/* The file's owner would get in without the group. */
	if (who->is_group && stat(path, &st) == 0 && st.st_uid == uid)
		uid--;
	if (r < 0 || setresgid(who->gid, who->gid, who->gid) < 0 || setresuid(uid, uid, uid) < 0)
		_exit(1);
	_exit(open(path, O_WRONLY | O_CLOEXEC) < 0);
}

bool grantee_can_write(const struct grantee *who, const struct tfs *tfs)
{
	cleanup_free char *path = tfs_path(tfs, "trace_marker");
	pid_t pid = fork();
	int how = -1;

	if (pid == 0)
		try_as(who, path);
	while (pid > 0 && waitpid(pid, &how, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(how) && WEXITSTATUS(how) == 0;
}
