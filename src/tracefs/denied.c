/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why the kernel refuses a file: lockdown, the directory's mode, a container, a mount option. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracefs/kconfig.h"
#include "tracefs/tracefs.h"
#include "util/io.h"
#include "util/mem.h"

static const char *const modes[] = {"none", "integrity", "confidentiality"};

/* "none [integrity] confidentiality": the one in brackets holds. */
static char *bracketed(const char *text)
{
	const char *open = strchr(text, '[');
	const char *close = open ? strchr(open, ']') : NULL;

	return close ? xstrndup(open + 1, (size_t)(close - open - 1)) : NULL;
}

/* The kernel was told on its command line, or built so: it can only have become stricter since. */
static char *lockdown_of_boot(void)
{
	cleanup(strbuf_fini) struct strbuf cmdline = {0};
	cleanup(strv_fini) struct strv words = {0};
	cleanup(kconfig_fini) struct kconfig kc = {0};

	if (io_read_file("/proc/cmdline", &cmdline, NULL) == 0)
		strv_split(&words, cmdline.text, " \n");
	for (size_t i = 0; i < words.nr; i++)
		for (size_t m = 1; m < array_size(modes); m++)
			if (str_starts(words.item[i], "lockdown=") &&
			    !strcmp(words.item[i] + strlen("lockdown="), modes[m]))
				return xstrdup(modes[m]);
	kconfig_load(&kc);
	if (kconfig_get(&kc, "LOCK_DOWN_KERNEL_FORCE_CONFIDENTIALITY") == KCONFIG_YES)
		return xstrdup("confidentiality");
	if (kconfig_get(&kc, "LOCK_DOWN_KERNEL_FORCE_INTEGRITY") == KCONFIG_YES)
		return xstrdup("integrity");
	if (kconfig_get(&kc, "SECURITY_LOCKDOWN_LSM") == KCONFIG_NO)
		return xstrdup("none");
	return xstrdup("unknown");
}

char *tfs_lockdown(void)
{
	cleanup(strbuf_fini) struct strbuf text = {0};
	char *mode = NULL;

	/* Needs a mounted securityfs, which containers and small systems lack. */
	if (io_read_file("/sys/kernel/security/lockdown", &text, NULL) == 0)
		mode = bracketed(strbuf_str(&text));
	return mode ? mode : lockdown_of_boot();
}

static bool is_locked_down(const char *mode)
{
	return !strcmp(mode, "integrity") || !strcmp(mode, "confidentiality");
}

/* The first directory on the way to @path, or @path itself, that this process may not pass. */
static char *find_barrier(const char *path)
{
	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		cleanup_free char *part = xstrndup(path, (size_t)(slash - path));

		if (faccessat(AT_FDCWD, part, X_OK, AT_EACCESS) < 0 && errno == EACCES)
			return take_ptr(part);
	}
	return xstrdup(path);
}

static char *owner_name(const struct stat *st)
{
	const struct passwd *pw = getpwuid(st->st_uid);
	const struct group *gr = getgrgid(st->st_gid);
	cleanup_free char *user = pw ? xstrdup(pw->pw_name) : xasprintf("%u", st->st_uid);

	return gr ? xasprintf("%s:%s", user, gr->gr_name) : xasprintf("%s:%u", user, st->st_gid);
}

/* A user namespace whose root is somebody else outside of it. */
static bool is_mapped_root(void)
{
	cleanup(strbuf_fini) struct strbuf map = {0};
	cleanup(strv_fini) struct strv words = {0};

	if (io_read_file("/proc/self/uid_map", &map, NULL) < 0)
		return false;
	strv_split(&words, strbuf_str(&map), " \n");
	return words.nr < 3 || strcmp(words.item[0], "0") || strcmp(words.item[1], "0");
}

static bool selinux_enforces(void)
{
	cleanup(strbuf_fini) struct strbuf text = {0};

	return io_read_file("/sys/fs/selinux/enforce", &text, NULL) == 0 &&
	       str_starts(strbuf_str(&text), "1");
}

static char *explain_user(const char *path)
{
	cleanup_free char *barrier = find_barrier(path);
	cleanup_free char *owner = NULL;
	struct stat st;

	if (stat(barrier, &st) < 0)
		return xstrdup("you are not root (use sudo)");
	owner = owner_name(&st);
	return xasprintf(
		"you are not root, and %s is %s with mode %04o (use sudo; or let a group in, "
		"as root: mount -o remount,gid=GROUP,mode=750 /sys/kernel/tracing)",
		strcmp(barrier, path) ? barrier : "the file", owner, st.st_mode & 07777);
}

static char *explain_root(int code)
{
	cleanup_free char *mode = tfs_lockdown();

	if (is_mapped_root())
		return xstrdup("root of a container or user namespace has no right to trace the "
			       "kernel (run ft outside of it)");
	if (code == EPERM && is_locked_down(mode))
		return xasprintf(
			"the kernel refuses it even to root: lockdown is in force (%s; see "
			"kernel_lockdown(7); remedy: boot without lockdown= and Secure Boot)",
			mode);
	if (selinux_enforces())
		return xstrdup("SELinux or another security module forbids it (see the audit log: "
			       "ausearch -m avc)");
	return xstrdup("the kernel refuses it even to root: a security module or lockdown "
		       "(see dmesg; kernel_lockdown(7))");
}

char *tfs_explain_denied(const char *path, int code)
{
	if (geteuid() == 0)
		return explain_root(code);
	/* Lockdown answers EPERM, file modes answer EACCES. */
	if (code == EPERM) {
		cleanup_free char *mode = tfs_lockdown();

		if (is_locked_down(mode))
			return xasprintf("lockdown is in force (%s; see kernel_lockdown(7))", mode);
	}
	return explain_user(path);
}
