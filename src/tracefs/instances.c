/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instances: private buffers, as directories below instances/. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracefs/private.h"
#include "util/mem.h"

int tfs_check_instance_name(const char *name, struct err *err)
{
	if (!*name)
		return err_set(err, EINVAL, "the name of an instance cannot be empty");
	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return err_set(err, EINVAL, "'%s' cannot be the name of an instance", name);
	if (strlen(name) > NAME_MAX)
		return err_set(err, ENAMETOOLONG,
			       "the name of an instance has at most %d bytes, '%.20s...' has %zu",
			       NAME_MAX, name, strlen(name));
	for (const char *c = name; *c; c++)
		if (*c == '/' || iscntrl((unsigned char)*c))
			return err_set(
				err, EINVAL,
				"the name of an instance cannot hold '/' or control characters: "
				"'%s'",
				name);
	return 0;
}

/* What an errno of mkdir and rmdir in instances/ means. */
static int explain_instance(const struct tfs *top, const char *what, const char *name, int code,
			    struct err *err)
{
	cleanup_free char *path = xasprintf("%s/instances/%s", top->top, name);
	cleanup_free char *why = NULL;

	if (code == EEXIST)
		return err_set(err, code, "there is an instance '%s' already", name);
	if (code == EBUSY)
		return err_set(
			err, code,
			"cannot %s instance '%s': something has its files open or its events "
			"in use",
			what, name);
	if (code == EROFS)
		return err_set(err, code, "cannot %s instance '%s': %s is mounted read-only", what,
			       name, top->top);
	if (code != EPERM && code != EACCES)
		return err_sys(err, code, "cannot %s instance '%s'", what, name);
	why = tfs_explain_denied(path, code);
	return err_set(err, code, "cannot %s instance '%s': %s", what, name, why);
}

int tfs_instance_create(const struct tfs *top, const char *name, struct err *err)
{
	cleanup_free char *path = xasprintf("%s/instances/%s", top->top, name);
	cleanup_free char *parent = xasprintf("%s/instances", top->top);
	int r = tfs_check_instance_name(name, err);

	if (r < 0)
		return r;
	if (mkdir(path, 0750) == 0)
		return 0;
	if (errno == ENOENT && access(parent, F_OK) < 0)
		return err_set(err, ENOENT, "this kernel has no instances (%s is missing)", parent);
	return explain_instance(top, "make", name, errno, err);
}

int tfs_instance_remove(const struct tfs *top, const char *name, struct err *err)
{
	cleanup_free char *path = xasprintf("%s/instances/%s", top->top, name);
	int r = tfs_check_instance_name(name, err);

	if (r < 0)
		return r;
	if (rmdir(path) == 0)
		return 0;
	if (errno == ENOENT)
		return err_set(err, ENOENT, "no instance '%s'", name);
	return explain_instance(top, "remove", name, errno, err);
}

static void closedirp(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

int tfs_add_entries(const char *path, bool dirs_only, struct strv *out, struct err *err)
{
	cleanup(closedirp) DIR *dir = opendir(path);
	cleanup_free char *why = NULL;
	const struct dirent *entry;
	int code = errno;

	if (!dir && (code == EACCES || code == EPERM)) {
		why = tfs_explain_denied(path, code);
		return err_set(err, code, "cannot read %s: %s", path, why);
	}
	if (!dir)
		return err_sys(err, code, "cannot read %s", path);
	for (errno = 0; (entry = readdir(dir)); errno = 0) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (dirs_only && entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN)
			continue;
		strv_add(out, entry->d_name);
	}
	if (errno)
		return err_sys(err, errno, "cannot read %s", path);
	return 0;
}

int tfs_instances(const struct tfs *tfs, struct strv *out, struct err *err)
{
	cleanup_free char *path = xasprintf("%s/instances", tfs->top);
	struct err local;
	int r;

	if (!err)
		err = &local;
	r = tfs_add_entries(path, true, out, err);
	if (r == -ENOENT)
		return err_set(err, ENOENT, "this kernel has no instances (%s is missing)", path);
	strv_sort(out);
	return r;
}
