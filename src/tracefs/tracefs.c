/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tracing directory and its files: find, open, read, write. */
#include "tracefs/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tracefs.h>

#include "tracefs/private.h"
#include "util/io.h"
#include "util/library.h"
#include "util/mem.h"

#define TRACEFS_SONAME "libtracefs.so.1"
#define TRACEFS(function) LIBRARY_FUNCTION(TRACEFS_SONAME, function)

/* What an errno of a certain file means, where strerror() misleads. */
struct hint {
	const char *file; /* end of the name */
	int code;
	const char *text;
};

static const struct hint write_hints[] = {
	{"current_tracer", EBUSY, "a reader has trace_pipe or trace_pipe_raw open"},
	{"current_tracer", EINVAL, "there is no such tracer, or not in an instance"},
	{"current_tracer", ENODEV, "there is no such tracer, or not in an instance"},
	{"buffer_size_kb", ENOMEM, "not enough memory for buffers of that size"},
	{"buffer_size_kb", EBUSY, "the buffer is in use"},
	{"buffer_subbuf_size_kb", EBUSY, "the buffer is in use"},
	{"trace_marker", EBADF, "tracing is off"},
	{"trace_marker_raw", EBADF, "tracing is off"},
	{"set_ftrace_filter", EINVAL, "no such function or command"},
	{"set_ftrace_notrace", EINVAL, "no such function or command"},
	{"set_graph_function", EINVAL, "no function has that name"},
	{"set_graph_notrace", EINVAL, "no function has that name"},
	{"trace_clock", EINVAL, "there is no such clock"},
	{"kprobe_events", ENOENT, "no such symbol"},
	{"enable", EBUSY, "the event is in use"},
};

static const struct hint open_hints[] = {
	{"trace_pipe", EBUSY, "another reader has it open"},
	{"set_ftrace_filter", ENODEV, "ftrace has switched itself off after a fault; see dmesg"},
};

static const char *find_hint(const struct hint *hints, size_t nr, const char *file, int code)
{
	for (size_t i = 0; i < nr; i++)
		if (hints[i].code == code && str_ends(file, hints[i].file))
			return hints[i].text;
	return NULL;
}

/* What is there at @dir: 0 when it is a tracing directory or an instance in one. */
static int check_dir(const char *dir, struct err *err)
{
	cleanup_free char *trace = xasprintf("%s/current_tracer", dir);
	cleanup_free char *why = NULL;
	struct stat st;
	int code;

	if (stat(trace, &st) == 0)
		return 0;
	code = errno;
	if (code == EACCES || code == EPERM) {
		why = tfs_explain_denied(trace, code);
		return err_set(err, code, "cannot use %s: %s", dir, why);
	}
	if (stat(dir, &st) < 0)
		return err_sys(err, errno, "no tracing directory %s", dir);
	why = tfs_lockdown();
	if (!strcmp(why, "confidentiality"))
		return err_set(err, EPERM,
			       "%s is mounted but empty: lockdown (confidentiality) forbids all "
			       "tracing (see kernel_lockdown(7))",
			       dir);
	return err_set(err, ENODEV,
		       "%s is not a tracing directory: there is no current_tracer in it", dir);
}

static bool kernel_has_tracefs(void)
{
	cleanup(strbuf_fini) struct strbuf text = {0};

	/* When it cannot be read, mounting is the better guess. */
	return io_read_file("/proc/filesystems", &text, NULL) < 0 ||
	       strstr(text.text, "\ttracefs\n");
}

/* The mounted tracefs; NULL with the way to mount it. */
static char *find_mounted(struct err *err)
{
	cleanup(strbuf_fini) struct strbuf text = {0};
	char *dir;

	if (io_read_file("/proc/self/mountinfo", &text, err) < 0)
		return NULL;
	dir = mounts_find_tracing(strbuf_str(&text));
	if (dir)
		return dir;
	if (kernel_has_tracefs())
		err_set(err, ENOENT,
			"tracefs is not mounted (as root: mount -t tracefs nodev "
			"/sys/kernel/tracing; or name its place with --tracefs DIR)");
	else
		err_set(err, ENODEV,
			"this kernel has no tracefs: it was built without CONFIG_TRACING");
	return NULL;
}

struct tfs *tfs_open(const char *dir, struct err *err)
{
	cleanup(tfs_freep) struct tfs *tfs = xzalloc(sizeof(*tfs));

	if (!dir)
		dir = secure_getenv("FT_TRACEFS");
	tfs->top = dir && *dir ? xstrdup(dir) : find_mounted(err);
	if (!tfs->top)
		return NULL;
	/* Paths in messages and comparisons read better without a slash at the end. */
	while (strlen(tfs->top) > 1 && str_ends(tfs->top, "/"))
		tfs->top[strlen(tfs->top) - 1] = '\0';
	if (check_dir(tfs->top, err) < 0 || library_check(TRACEFS_SONAME, err) < 0)
		return NULL;
	tfs->dir = xstrdup(tfs->top);
	tfs->handle = TRACEFS(tracefs_instance_alloc)(tfs->top, NULL);
	if (!tfs->handle) {
		err_sys(err, errno, "cannot use %s", tfs->top);
		return NULL;
	}
	return take_ptr(tfs);
}

static char *explain_no_instance(const struct tfs *top, const char *name)
{
	cleanup(strv_fini) struct strv names = {0};

	tfs_instances(top, &names, NULL);
	return near_names(name, &names);
}

struct tfs *tfs_open_instance(const struct tfs *top, const char *name, struct err *err)
{
	cleanup(tfs_freep) struct tfs *tfs = xzalloc(sizeof(*tfs));
	cleanup_free char *hint = NULL;

	if (tfs_check_instance_name(name, err) < 0)
		return NULL;
	tfs->top = xstrdup(top->top);
	tfs->name = xstrdup(name);
	tfs->handle = TRACEFS(tracefs_instance_alloc)(top->top, name);
	if (!tfs->handle) {
		hint = explain_no_instance(top, name);
		err_set(err, ENOENT, "no instance '%s'%s", name, hint);
		return NULL;
	}
	tfs->dir = xasprintf("%s/instances/%s", top->top, name);
	if (check_dir(tfs->dir, err) == 0)
		return take_ptr(tfs);
	if (err && err->code == ENOENT) {
		hint = explain_no_instance(top, name);
		err_set(err, ENOENT, "no instance '%s'%s", name, hint);
	}
	return NULL;
}

void tfs_free(struct tfs *tfs)
{
	if (!tfs)
		return;
	if (tfs->handle)
		TRACEFS(tracefs_instance_free)(tfs->handle);
	free(tfs->top);
	free(tfs->dir);
	free(tfs->name);
	free(tfs);
}

void tfs_freep(struct tfs **tfs)
{
	tfs_free(*tfs);
}

const char *tfs_dir(const struct tfs *tfs)
{
	return tfs->dir;
}

const char *tfs_instance_name(const struct tfs *tfs)
{
	return tfs->name;
}

char *tfs_path(const struct tfs *tfs, const char *file)
{
	return xasprintf("%s/%s", tfs->dir, file);
}

struct tfs tfs_as_top(const struct tfs *tfs)
{
	return (struct tfs){.top = tfs->top, .dir = tfs->top};
}

bool tfs_has(const struct tfs *tfs, const char *file)
{
	cleanup_free char *path = tfs_path(tfs, file);

	return faccessat(AT_FDCWD, path, F_OK, 0) == 0;
}

bool tfs_is_writable(const struct tfs *tfs, const char *file)
{
	cleanup_free char *path = tfs_path(tfs, file);
	struct stat st;

	return stat(path, &st) == 0 && st.st_mode & 0222;
}

int tfs_open_file(const struct tfs *tfs, const char *file, int flags, struct err *err)
{
	cleanup_free char *path = tfs_path(tfs, file);
	cleanup_free char *why = NULL;
	const char *hint;
	int fd;
	int code;

	do {
		fd = open(path, flags | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	if (fd >= 0)
		return fd;
	code = errno;
	hint = find_hint(open_hints, array_size(open_hints), file, code);
	if (hint)
		return err_set(err, code, "cannot open %s: %s", path, hint);
	if (code == ENOENT)
		return err_set(err, code, "this kernel has no %s", path);
	if (code == EROFS)
		return err_set(err, code, "cannot write %s: it is mounted read-only", path);
	if (code != EPERM && code != EACCES)
		return err_sys(err, code, "cannot open %s", path);
	why = tfs_explain_denied(path, code);
	return err_set(err, code, "cannot open %s: %s", path, why);
}

int tfs_read(const struct tfs *tfs, const char *file, char **text, struct err *err)
{
	cleanup_close int fd = tfs_open_file(tfs, file, O_RDONLY, err);
	cleanup(strbuf_fini) struct strbuf sb = {0};
	int r;

	if (fd < 0)
		return fd;
	r = io_read_fd(fd, &sb);
	if (r < 0)
		return err_sys(err, -r, "cannot read %s/%s", tfs->dir, file);
	*text = strbuf_take(&sb);
	return 0;
}

int tfs_read_line(const struct tfs *tfs, const char *file, char **text, struct err *err)
{
	int r = tfs_read(tfs, file, text, err);
	size_t len;

	if (r < 0)
		return r;
	len = strlen(*text);
	while (len && strchr(" \t\n", (*text)[len - 1]))
		(*text)[--len] = '\0';
	return 0;
}

int tfs_read_number(const struct tfs *tfs, const char *file, long *out, struct err *err)
{
	cleanup_free char *text = NULL;
	int r = tfs_read_line(tfs, file, &text, err);

	if (r < 0)
		return r;
	/* buffer_size_kb says "7 (expanded: 1408)" before its first use. */
	text[strcspn(text, " ")] = '\0';
	if (!parse_long(text, out))
		return err_set(err, EPROTO, "%s holds '%s', not a number", file, text);
	return 0;
}

int tfs_each_line(const struct tfs *tfs, const char *file, tfs_line_fn visit, void *ctx,
		  struct err *err)
{
	cleanup_close int fd = tfs_open_file(tfs, file, O_RDONLY, err);
	cleanup_free char *chunk = xmalloc(65537);
	size_t kept = 0;

	if (fd < 0)
		return fd;
	for (;;) {
		ssize_t n = read(fd, chunk + kept, 65536 - kept);
		char *line = chunk;
		char *end;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, errno, "cannot read %s/%s", tfs->dir, file);
		/* The last line may lack its newline; one that fills the chunk is cut there. */
		if (n == 0 || kept + (size_t)n == 65536) {
			if (n == 0 && !kept)
				return 0;
			if (!memchr(chunk, '\n', kept + (size_t)n))
				chunk[kept + (size_t)n++] = '\n';
		}
		kept += (size_t)n;
		while ((end = memchr(line, '\n', kept - (size_t)(line - chunk)))) {
			*end = '\0';
			if (visit(line, ctx))
				return 0;
			line = end + 1;
		}
		kept -= (size_t)(line - chunk);
		memmove(chunk, line, kept);
	}
}

/* The kernel's words about the last refused command of this instance; never NULL. */
static char *read_error_log(const struct tfs *tfs)
{
	char *text = NULL;

	/* Only 5.2 and newer have it. */
	if (tfs_read(tfs, "error_log", &text, NULL) < 0)
		return xstrdup("");
	return text;
}

/* Appends the newest entry, indented, if the log has changed since it was @before. */
static bool add_new_log(const struct tfs *tfs, const char *before, struct err *err)
{
	cleanup_free char *after = read_error_log(tfs);
	cleanup_free char *last = NULL;
	char *at;
	char *line;

	if (!strcmp(before, after))
		return false;
	last = TRACEFS(tracefs_error_last)(tfs->handle);
	at = last;
	while ((line = str_next_line(&at))) {
		const char *message = *line == '[' ? strstr(line, "] ") : NULL;

		err_add(err, "\n  %s", message ? message + 2 : line);
	}
	return true;
}

/* Says what a refused write means. Some parsers of the kernel answer EPERM for bad syntax, so
 * after a successful open the rights of the user are never the reason. */
static int explain_write(const struct tfs *tfs, const char *file, const char *value, int code,
			 const char *log_before, struct err *err)
{
	int len = (int)strcspn(value, "\n");
	bool is_expression = str_ends(file, "/filter") || str_ends(file, "/trigger");
	const char *hint = find_hint(write_hints, array_size(write_hints), file, code);
	cleanup_free char *mode = NULL;

	if (hint)
		err_set(err, code, "cannot write '%.*s' to %s: %s", len, value, file, hint);
	else if (is_expression)
		err_set(err, code, "the kernel does not accept '%.*s' for %s", len, value, file);
	else
		err_sys(err, code, "cannot write '%.*s' to %s", len, value, file);
	if (!err || add_new_log(tfs, log_before, err) || hint || is_expression || code != EPERM)
		return -code;
	mode = tfs_lockdown();
	if (strcmp(mode, "none"))
		err_add(err, " (lockdown: %s; see kernel_lockdown(7))", mode);
	return -code;
}

/* Writes all of @value. The files that take a list read one word a call and say so by a short
 * count. */
static int write_value(int fd, const char *value)
{
	size_t left = strlen(value);

	do {
		ssize_t n = write(fd, value, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0 && left)
			return -EIO;
		value += n;
		left -= (size_t)n;
	} while (left);
	return 0;
}

int tfs_write(const struct tfs *tfs, const char *file, const char *value, unsigned int flags,
	      struct err *err)
{
	int mode = O_WRONLY | (flags & TFS_TRUNCATE ? O_TRUNC : 0);
	cleanup_free char *log_before = read_error_log(tfs);
	cleanup_close int fd = tfs_open_file(tfs, file, mode, err);
	int r;

	if (fd < 0)
		return fd;
	r = write_value(fd, value);
	if (r < 0)
		return explain_write(tfs, file, value, -r, log_before, err);
	/* Function filters take effect here. */
	r = close(take_fd(fd));
	if (r < 0)
		return explain_write(tfs, file, value, errno, log_before, err);
	return 0;
}
