/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The right to write trace_marker, for one user or group: which files change and how. tracefs takes
 * no access control lists, so the owner or group of the file, and who may pass the directories above
 * it, are all there is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tracefs/tracefs.h"

/* A user, with the group of the login, or a group alone. */
struct grantee {
	char *name; /* as typed: "bob", ":tracing" */
	bool is_group;
	uid_t uid;
	gid_t gid;
};

int grantee_find(const char *name, struct grantee *out, struct err *err);
void grantee_fini(struct grantee *who);

struct access_mode {
	uid_t uid;
	gid_t gid;
	mode_t mode; /* permission bits */
};

/* One file, as it was and as it is to be. */
struct grant {
	char *path;
	struct access_mode before;
	struct access_mode after;
};

struct grants {
	struct grant *item;
	size_t nr;
};

void grants_fini(struct grants *grants);
/* What has to change so that @who may write @tfs's trace_marker: the directories first, the file
 * last. Empty when nothing has. -EBUSY with text where somebody else has the place already. */
int grants_build(const struct tfs *tfs, const struct grantee *who, struct grants *out,
		 struct err *err);
int grant_read(const char *path, struct access_mode *out, struct err *err);
int grant_apply(const char *path, const struct access_mode *mode, struct err *err);
/* Takes out of @mode what @g put in, but for the bits in @kept. False when somebody has given the
 * file away since: then nothing is changed. */
bool grant_take_back(const struct grant *g, mode_t kept, struct access_mode *mode);

/* Whether @who can open the file, tried by a child with those ids. */
bool grantee_can_write(const struct grantee *who, const struct tfs *tfs);
