/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding the command, and the gate that holds it until the trace is ready. */
#include "record/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/test.h"
#include "util/io.h"
#include "util/mem.h"

struct bed {
	char dir[32];
	char *path; /* the PATH that was there */
	char *go;   /* stands for tracing_on */
	struct workload work;
	struct err err;
	int status;
};

static char *in_dir(const struct bed *bed, const char *name)
{
	return xasprintf("%s/%s", bed->dir, name);
}

static void put(const struct bed *bed, const char *name, const char *text, mode_t mode)
{
	cleanup_free char *path = in_dir(bed, name);
	cleanup_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(io_write_all(fd, text, strlen(text)), 0);
	assert_int_equal(fchmod(fd, mode), 0);
}

static void check_text(const struct bed *bed, const char *name, const char *want)
{
	cleanup_free char *path = in_dir(bed, name);
	cleanup(strbuf_fini) struct strbuf got = {0};

	assert_int_equal(io_read_file(path, &got, NULL), 0);
	assert_string_equal(strbuf_str(&got), want);
}

static int setup(void **state)
{
	struct bed *bed = xzalloc(sizeof(*bed));

	strcpy(bed->dir, "/tmp/ft-work.XXXXXX");
	assert_non_null(mkdtemp(bed->dir));
	bed->path = xstrdup(getenv("PATH") ? getenv("PATH") : "");
	bed->go = in_dir(bed, "go");
	put(bed, "go", "", 0600);
	*state = bed;
	return 0;
}

static int teardown(void **state)
{
	struct bed *bed = *state;
	cleanup_free char *remove = xasprintf("rm -rf %s", bed->dir);

	workload_fini(&bed->work);
	setenv("PATH", bed->path, 1);
	assert_int_equal(system(remove), 0);
	free(bed->path);
	free(bed->go);
	free(bed);
	return 0;
}

static void check_found(struct bed *bed, const char *name, const char *want)
{
	cleanup_free char *got = workload_find(name, &bed->status, &bed->err);

	if (!got)
		fail_msg("%s: %s", name, bed->err.text);
	assert_string_equal(got, want);
}

static void check_refused(struct bed *bed, const char *name, int status, const char *text)
{
	cleanup_free char *got = workload_find(name, &bed->status, &bed->err);

	assert_null(got);
	assert_int_equal(bed->status, status);
	assert_string_equal(bed->err.text, text);
}

static void test_find_by_path(void **state)
{
	struct bed *bed = *state;
	cleanup_free char *tool = in_dir(bed, "tool");
	cleanup_free char *plain = in_dir(bed, "plain");
	cleanup_free char *under = in_dir(bed, "plain/tool");
	cleanup_free char *denied = xasprintf("cannot execute '%s': Permission denied", plain);
	cleanup_free char *folder = xasprintf("cannot execute '%s': Permission denied", bed->dir);
	cleanup_free char *missing = xasprintf("command '%s' not found", under);

	put(bed, "tool", "", 0755);
	put(bed, "plain", "", 0644);
	check_found(bed, tool, tool);
	check_refused(bed, plain, 126, denied);
	check_refused(bed, bed->dir, 126, folder);
	check_refused(bed, "/nonexistent/tool", 127, "command '/nonexistent/tool' not found");
	check_refused(bed, under, 127, missing);
}

static void test_find_in_path(void **state)
{
	struct bed *bed = *state;
	cleanup_free char *tool = in_dir(bed, "tool");
	cleanup_free char *path = xasprintf("/nonexistent:%s:/usr/bin:/bin", bed->dir);

	put(bed, "tool", "", 0755);
	put(bed, "plain", "", 0644);
	setenv("PATH", path, 1);
	check_found(bed, "tool", tool);
	check_refused(bed, "plain", 126, "cannot execute 'plain': Permission denied");
	check_refused(bed, "nosuchprog", 127, "command 'nosuchprog' not found");
	check_refused(bed, "", 127, "command '' not found");
	unsetenv("PATH");
	check_found(bed, "sh", "/usr/bin/sh");
}

/* A file that may not be run does not hide one further on that may. */
static void test_find_goes_on(void **state)
{
	struct bed *bed = *state;
	cleanup_free char *sub = in_dir(bed, "sub");
	cleanup_free char *tool = in_dir(bed, "sub/tool");
	cleanup_free char *path = xasprintf("%s:%s", bed->dir, sub);

	assert_int_equal(mkdir(sub, 0755), 0);
	put(bed, "tool", "", 0644);
	put(bed, "sub/tool", "", 0755);
	setenv("PATH", path, 1);
	check_found(bed, "tool", tool);
}

/* As for a shell and execvp(), an empty part of PATH is the directory one is in. */
static void test_find_here(void **state)
{
	struct bed *bed = *state;
	cleanup_free char *old = getcwd(NULL, 0);

	put(bed, "tool", "", 0755);
	assert_int_equal(chdir(bed->dir), 0);
	setenv("PATH", "/nonexistent:", 1);
	check_found(bed, "tool", "./tool");
	setenv("PATH", ":/nonexistent", 1);
	check_found(bed, "tool", "./tool");
	setenv("PATH", "/nonexistent::/nowhere", 1);
	check_found(bed, "tool", "./tool");
	setenv("PATH", "/nonexistent", 1);
	check_refused(bed, "tool", 127, "command 'tool' not found");
	assert_int_equal(chdir(old), 0);
}

/* @line is the command, split at '|'; @path its program, "/bin/sh" when NULL. */
static void start(struct bed *bed, const char *path, const char *line)
{
	cleanup(strv_fini) struct strv argv = {0};
	sigset_t mask;

	sigemptyset(&mask);
	strv_split(&argv, line, "|");
	if (workload_start(&bed->work, path ? path : "/bin/sh", &argv, NULL, &mask, &bed->err) < 0)
		fail_msg("%s", bed->err.text);
}

static int release(struct bed *bed, const char *tracing_on)
{
	cleanup(strv_fini) struct strv files = {0};

	strv_add(&files, tracing_on);
	return workload_release(&bed->work, &files, &bed->err);
}

static void nap(void)
{
	nanosleep(&(struct timespec){0, 20000000}, NULL);
}

static int wait_for_end(struct bed *bed)
{
	int status = -1;

	for (int i = 0; i < 1000 && !workload_reap(&bed->work, &status); i++)
		nap();
	return status;
}

/* It runs only after its release, and has then started the trace itself. */
static void test_gate(void **state)
{
	struct bed *bed = *state;
	cleanup_free char *line = xasprintf("sh|-c|cat %s > %s/ran; exit 7", bed->go, bed->dir);
	cleanup_free char *ran = in_dir(bed, "ran");
	int status;

	start(bed, NULL, line);
	nap();
	assert_false(workload_reap(&bed->work, &status));
	assert_int_equal(access(ran, F_OK), -1);
	check_text(bed, "go", "");
	assert_int_equal(release(bed, bed->go), 0);
	assert_int_equal(wait_for_end(bed), 7);
	assert_int_equal(workload_check(&bed->work, &status, &bed->err), 0);
	check_text(bed, "ran", "1");
}

static void test_signal(void **state)
{
	struct bed *bed = *state;

	start(bed, NULL, "sh|-c|kill -TERM $$");
	assert_int_equal(release(bed, bed->go), 0);
	assert_int_equal(wait_for_end(bed), 128 + SIGTERM);
}

/* Its name is the command's from the start: the kernel stores it with the first event. */
static void test_name(void **state)
{
	struct bed *bed = *state;
	cleanup(strbuf_fini) struct strbuf comm = {0};
	cleanup_free char *path = NULL;

	start(bed, NULL, "/some/where/the-command|-c|true");
	path = xasprintf("/proc/%d/comm", (int)bed->work.pid);
	for (int i = 0; i < 100 && strcmp(strbuf_str(&comm), "the-command\n"); i++) {
		strbuf_fini(&comm);
		nap();
		assert_int_equal(io_read_file(path, &comm, NULL), 0);
	}
	assert_string_equal(strbuf_str(&comm), "the-command\n");
}

/* Given up before its release: it never ran, and is no zombie. */
static void test_never_released(void **state)
{
	struct bed *bed = *state;
	cleanup_free char *line = xasprintf("sh|-c|echo > %s/ran", bed->dir);
	cleanup_free char *ran = in_dir(bed, "ran");
	pid_t pid;

	start(bed, NULL, line);
	pid = bed->work.pid;
	workload_fini(&bed->work);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
	assert_int_equal(access(ran, F_OK), -1);
	check_text(bed, "go", "");
}

/* A script without "#!", as a shell runs it. */
static void test_script(void **state)
{
	struct bed *bed = *state;
	cleanup_free char *script = in_dir(bed, "script");
	cleanup_free char *line = xasprintf("script|5|6");

	put(bed, "script", "exit $(($1 + $2))\n", 0755);
	start(bed, script, line);
	assert_int_equal(release(bed, bed->go), 0);
	assert_int_equal(wait_for_end(bed), 11);
}

static void check_failed(struct bed *bed, const char *path, int want, const char *text)
{
	int status = 0;

	start(bed, path, "it");
	assert_int_equal(release(bed, bed->go), 0);
	assert_int_equal(wait_for_end(bed), want);
	assert_true(workload_check(&bed->work, &status, &bed->err) < 0);
	assert_int_equal(status, want);
	assert_string_equal(bed->err.text, text);
	workload_fini(&bed->work);
}

/* What only exec finds out. */
static void test_exec_fails(void **state)
{
	struct bed *bed = *state;
	cleanup_free char *lost = in_dir(bed, "lost");
	cleanup_free char *plain = in_dir(bed, "plain");

	put(bed, "lost", "#!/nonexistent/interpreter\n", 0755);
	put(bed, "plain", "", 0644);
	check_failed(bed, lost, 127, "cannot execute the command: No such file or directory");
	check_failed(bed, plain, 126, "cannot execute the command: Permission denied");
}

/* The trace that could not be started is ft's failure: the status is not the command's. */
static void test_start_fails(void **state)
{
	struct bed *bed = *state;
	int status = 0;

	start(bed, NULL, "sh|-c|exit 0");
	assert_int_equal(release(bed, "/nonexistent/tracing_on"), 0);
	assert_int_equal(wait_for_end(bed), 126);
	assert_int_equal(workload_check(&bed->work, &status, &bed->err), -ENOENT);
	assert_int_equal(status, 0);
	assert_string_equal(bed->err.text, "cannot write '1' to /nonexistent/tracing_on: "
					   "No such file or directory");
}

static void test_long_path(void **state)
{
	struct bed *bed = *state;
	cleanup_free char *path = xzalloc(8192);

	memset(path, 'x', 8191);
	start(bed, NULL, "sh|-c|true");
	assert_int_equal(release(bed, path), -ENAMETOOLONG);
}

/* Without a process all of it does nothing. */
static void test_none(void **state)
{
	struct workload none = {0};
	int status = 5;

	(void)state;
	assert_false(workload_reap(&none, &status));
	assert_int_equal(workload_check(&none, &status, NULL), 0);
	assert_int_equal(status, 5);
	workload_fini(&none);
	workload_fini(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_find_by_path, setup, teardown),
		cmocka_unit_test_setup_teardown(test_find_in_path, setup, teardown),
		cmocka_unit_test_setup_teardown(test_find_goes_on, setup, teardown),
		cmocka_unit_test_setup_teardown(test_find_here, setup, teardown),
		cmocka_unit_test_setup_teardown(test_gate, setup, teardown),
		cmocka_unit_test_setup_teardown(test_signal, setup, teardown),
		cmocka_unit_test_setup_teardown(test_name, setup, teardown),
		cmocka_unit_test_setup_teardown(test_never_released, setup, teardown),
		cmocka_unit_test_setup_teardown(test_script, setup, teardown),
		cmocka_unit_test_setup_teardown(test_exec_fails, setup, teardown),
		cmocka_unit_test_setup_teardown(test_start_fails, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long_path, setup, teardown),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests_name("workload", tests, NULL, NULL);
}
