/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header for programs: what it writes. */
#include "../test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ft/marker.h>

/* A FIFO stands for trace_marker. */
struct stage {
	char dir[32];
	char path[64];
	int reader;
	char text[8192];
};

static int set_up(void **state)
{
	struct stage *stage = calloc(1, sizeof(*stage));

	strcpy(stage->dir, "/tmp/ft-marker.XXXXXX");
	assert_non_null(mkdtemp(stage->dir));
	snprintf(stage->path, sizeof(stage->path), "%s/trace_marker", stage->dir);
	assert_int_equal(mkfifo(stage->path, 0600), 0);
	stage->reader = open(stage->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_int_equal(ft_marker_init_at(stage->path), 0);
	*state = stage;
	return 0;
}

static int tear_down(void **state)
{
	struct stage *stage = *state;

	ft_marker_fini();
	close(stage->reader);
	unlink(stage->path);
	rmdir(stage->dir);
	free(stage);
	return 0;
}

/* What was written since the last call; "" for nothing. */
static const char *written(struct stage *stage)
{
	ssize_t n = read(stage->reader, stage->text, sizeof(stage->text) - 1);

	stage->text[n > 0 ? n : 0] = '\0';
	return stage->text;
}

static const char *with_pid(const char *before, const char *after)
{
	static char text[256];

	snprintf(text, sizeof(text), "%s%d%s", before, (int)getpid(), after);
	return text;
}

#define same_as_printf(...)                                      \
	do {                                                     \
		char wanted_[512];                               \
		snprintf(wanted_, sizeof(wanted_), __VA_ARGS__); \
		assert_int_equal(ft_mark(__VA_ARGS__), 0);       \
		assert_string_equal(written(stage), wanted_);    \
	} while (0)

static void test_integers(void **state)
{
	struct stage *stage = *state;
	const long values[] = {0, 1, -1, 42, -4711, INT_MAX, INT_MIN, LONG_MAX, LONG_MIN};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		long v = values[i];

		same_as_printf("%ld|%5ld|%-5ld|%05ld|%+ld|% ld|%.3ld|%8.3ld|%-8.3ld|", v, v, v, v,
			       v, v, v, v, v);
		same_as_printf("%d|%i|%hd|%hhd|%lld|%zd|%jd|%td|", (int)v, (int)v, (short)v,
			       (signed char)v, (long long)v, (ssize_t)v, (intmax_t)v, (ptrdiff_t)v);
		same_as_printf("%lu|%lx|%lX|%#lx|%#lX|%lo|%#lo|%20lx|%-20lx|%020lx|%#.20lx|",
			       (unsigned long)v, (unsigned long)v, (unsigned long)v,
			       (unsigned long)v, (unsigned long)v, (unsigned long)v,
			       (unsigned long)v, (unsigned long)v, (unsigned long)v,
			       (unsigned long)v, (unsigned long)v);
		same_as_printf("%u|%hu|%hhu|%llu|%zu|%ju|", (unsigned int)v, (unsigned short)v,
			       (unsigned char)v, (unsigned long long)v, (size_t)v, (uintmax_t)v);
		same_as_printf("%*d|%-*d|%.*d|%*.*d|", 9, (int)v, 9, (int)v, 4, (int)v, -9, 4,
			       (int)v);
	}
	same_as_printf("%.0d|%5.0d|%#.0o|%#x|%.*d|", 0, 0, 0, 0, -1, 0);
}

static void test_strings(void **state)
{
	struct stage *stage = *state;
	int here = 0;

	same_as_printf("%s|%8s|%-8s|%.2s|%8.2s|%-8.2s|%.*s|%c|%3c|%%|", "abc", "abc", "abc", "abc",
		       "abc", "abc", 1, "abc", 'x', 'y');
	same_as_printf("%p|%20p|%-20p|", (void *)&here, (void *)&here, (void *)&here);
	same_as_printf("%p|", (void *)NULL);
	same_as_printf("no conversion at all");
	/* These are the C library's. */
	same_as_printf("%f %g %e %5.1f %d", 1.5, 2e30, -0.25, 3.14159, 7);
	same_as_printf("%ls", L"wide");
}

static void test_grammar(void **state)
{
	struct stage *stage = *state;

	assert_int_equal(ft_mark_begin("read"), 0);
	assert_string_equal(written(stage), with_pid("B|", "|read"));
	assert_int_equal(ft_mark_end(), 0);
	assert_string_equal(written(stage), with_pid("E|", ""));
	assert_int_equal(ft_mark_counter("queue", INT64_MIN), 0);
	assert_string_equal(written(stage), with_pid("C|", "|queue|-9223372036854775808"));
	assert_int_equal(ft_mark_async_begin("load", 7), 0);
	assert_string_equal(written(stage), with_pid("S|", "|load|7"));
	assert_int_equal(ft_mark_async_end("load", 7), 0);
	assert_string_equal(written(stage), with_pid("F|", "|load|7"));
	assert_int_equal(ft_mark_instant("now"), 0);
	assert_string_equal(written(stage), with_pid("I|", "|now"));
	/* What would break the fields or the line. */
	assert_int_equal(ft_mark_begin("a|b\nc\td"), 0);
	assert_string_equal(written(stage), with_pid("B|", "|a_b_c_d"));
	assert_int_equal(ft_mark_begin(""), 0);
	assert_string_equal(written(stage), with_pid("B|", "|?"));
	assert_int_equal(ft_mark_begin(NULL), 0);
	assert_string_equal(written(stage), with_pid("B|", "|?"));
	assert_int_equal(ft_mark("%s", ""), -EINVAL);
	assert_string_equal(written(stage), "");
}

static int leave_early(int n)
{
	FT_MARK_SCOPE("scope");
	if (n)
		return n;
	return 2;
}

static void test_scope(void **state)
{
	struct stage *stage = *state;

	assert_int_equal(leave_early(1), 1);
	assert_true(strstr(written(stage), "|scopeE|"));
	{
		FT_MARK_SCOPE("open");
		ft_marker_enable(0);
	}
	/* It ends though the switch is off by now; one that began while it was off does not. */
	assert_true(strstr(written(stage), "|openE|"));
	{
		FT_MARK_SCOPE("closed");
		ft_marker_enable(1);
	}
	assert_string_equal(written(stage), "");
}

static void test_cut(void **state)
{
	struct stage *stage = *state;
	char text[5001];
	size_t len;

	/* No buffer_subbuf_size_kb beside it: an old kernel. Two bytes a character after one. */
	memset(text, 'x', sizeof(text) - 1);
	text[5000] = '\0';
	for (size_t i = 1; i + 1 < 5000; i += 2)
		memcpy(text + i, "\xc3\xa9", 2);
	assert_int_equal(ft_mark("%s", text), 0);
	assert_int_equal(strlen(written(stage)), FT_MARKER_MAX_OLD - 1);
	assert_int_equal(ft_mark_counter(text, -12), 0);
	len = strlen(written(stage));
	assert_in_range(len, FT_MARKER_MAX_OLD - 1, FT_MARKER_MAX_OLD);
	assert_string_equal(stage->text + len - 4, "|-12");
	assert_int_equal(stage->text[len - 5] & 0xff, 0xa9);
	assert_int_equal(ft_mark("%5000d|%f", 1, 1.0), 0);
	assert_int_equal(strlen(written(stage)), FT_MARKER_MAX_OLD);
}

static int evaluated(int *times)
{
	return ++*times;
}

static void test_switch(void **state)
{
	struct stage *stage = *state;
	int times = 0;

	ft_marker_enable(0);
	assert_int_equal(ft_marker_enabled(), 0);
	assert_int_equal(ft_mark("%d", evaluated(&times)), 0);
	assert_int_equal(ft_mark_counter("c", evaluated(&times)), 0);
	assert_int_equal(times, 0);
	assert_string_equal(written(stage), "");
	ft_marker_enable(1);
	assert_int_equal(ft_mark("%d", evaluated(&times)), 0);
	assert_string_equal(written(stage), "1");
	ft_marker_fini();
	ft_marker_enable(1);
	assert_int_equal(ft_marker_enabled(), 0);
	assert_int_equal(ft_marker_init_at("/nonexistent/trace_marker"), -ENOENT);
	assert_int_equal(ft_mark("%d", evaluated(&times)), 0);
	assert_int_equal(times, 1);
}

/* The child has its own pid in its markers; a program that it becomes has not the file. */
static void test_processes(void **state)
{
	struct stage *stage = *state;
	char wanted[64];
	int how;
	pid_t pid = fork();

	if (pid == 0) {
		ft_mark_begin("child");
		execl("/bin/sh", "sh", "-c", "ls -l /proc/$$/fd | grep -q trace_marker",
		      (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &how, 0), pid);
	snprintf(wanted, sizeof(wanted), "B|%d|child", (int)pid);
	assert_string_equal(written(stage), wanted);
	assert_int_equal(WEXITSTATUS(how), 1);
}

static void test_errno(void **state)
{
	struct stage *stage = *state;

	close(stage->reader);
	stage->reader = -1;
	signal(SIGPIPE, SIG_IGN);
	errno = 4711;
	assert_int_equal(ft_mark("nobody reads"), -EPIPE);
	assert_int_equal(ft_mark("%f", 1.0), -EPIPE);
	ft_marker_fini();
	ft_marker_init_at("/nonexistent/trace_marker");
	assert_int_equal(errno, 4711);
}

#define staged(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		staged(test_integers),	staged(test_strings), staged(test_grammar),
		staged(test_scope),	staged(test_cut),     staged(test_switch),
		staged(test_processes), staged(test_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
