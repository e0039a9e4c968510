#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The header for programs under threads, signals and forks: every marker whole, none missing, errno as it was.
. "$(dirname "$0")/../lib.sh"
cd "$T_TMP" || exit 1
command -v cc >/dev/null || t_skip_all "there is no compiler"
threads=6 rounds=4000 children=20

cat >threads.c <<'END'
#include <ft/marker.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

static int rounds, handled;
static volatile sig_atomic_t spoilt;

static void handler(int sig)
{
	int n = __atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
	int saved = errno;

	(void)sig;
	errno = 4711;
	ft_mark("signal %d end\n", n);
	ft_mark_begin("in a handler\n");
	ft_mark_end();
	if (errno != 4711)
		spoilt = 1;
	errno = saved;
}

static void *work(void *arg)
{
	int me = *(int *)arg;

	ft_marker_init_at("markers");
	for (int i = 0; i < rounds; i++) {
		errno = me;
		ft_mark("thread %d round %*d end\n", me, 1 + i % 7, i);
		if (errno != me)
			spoilt = 1;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int nr = atoi(argv[1]), children = atoi(argv[3]), sent = 0;
	pthread_t thread[64];
	int id[64];

	(void)argc;
	rounds = atoi(argv[2]);
	signal(SIGUSR1, handler);
	for (int i = 0; i < nr; i++) {
		id[i] = i;
		pthread_create(&thread[i], NULL, work, &id[i]);
	}
	ft_marker_init_at("markers");
	for (int i = 0; i < children; i++) {
		pid_t pid;

		for (int s = 0; s < nr; s++)
			sent += pthread_kill(thread[s], SIGUSR1) == 0;
		pid = fork();
		if (pid == 0) {
			ft_mark_begin("child");
			ft_mark("child %d end\n", (int)getpid());
			_exit(ft_marker_enabled() ? 0 : 1);
		}
		printf("child %d\n", (int)pid);
		fflush(stdout);
		waitpid(pid, &id[63], 0);
		spoilt |= id[63];
	}
	for (int i = 0; i < nr; i++)
		pthread_join(thread[i], NULL);
	ft_marker_fini();
	printf("handled %d\nspoilt %d\nfiles %d\n", handled, spoilt, fcntl(500, F_GETFD) == -1);
	return sent < 0;
}
END

# whole DESC: what the last run wrote, against what it says it did.
whole() {
	local n

	t_is "$(grep -E '^(spoilt|files)' <<<"$out")" "spoilt 0"$'\n'"files 1" "$1: errno stays, and the file is closed"
	# Sections have no newline of their own.
	sed -E 's/[BE]\|[0-9]+(\|(child|in a handler_))?//g' markers >texts
	t_is "$(grep -cvE '^(thread [0-9]+ round +[0-9]+ end|signal [0-9]+ end|child [0-9]+ end)$' texts)" 0 "$1: each marker is whole"
	t_is "$(grep -c '^thread' texts)" $((threads * rounds)) "$1: none is missing"
	for ((n = 0; n < threads; n++)); do
		grep "^thread $n " texts | awk '{ print $4 }' | cmp -s - <(seq 0 $((rounds - 1))) || break
	done
	t_is $n $threads "$1: those of a thread come in their order"
	t_is "$(grep -c '^signal' texts) $(grep -o 'in a handler_' markers | wc -l)" \
		"$(sed -n 's/^handled //p' <<<"$out") $(sed -n 's/^handled //p' <<<"$out")" "$1: each signal has its own"
	t_is "$(sed -n 's/^child \([0-9]*\) end$/\1/p' texts | sort)" "$(sed -n 's/^child //p' <<<"$out" | sort)" \
		"$1: children write"
	t_is "$(grep -aoE 'B\|[0-9]+\|child' markers | cut -d '|' -f 2 | sort)" "$(sed -n 's/^child //p' <<<"$out" | sort)" \
		"$1: ... under their own process id"
}

for flags in "-O2" "-O1 -g -fsanitize=thread" "-O1 -g -fsanitize=address,undefined"; do
	# shellcheck disable=SC2086 # words
	if ! cc -std=gnu11 -Wall -Wextra -Werror $flags -pthread -I "$T_TOP/include" -o threads threads.c 2>why; then
		grep -q 'cannot find' why || t_fail "cc $flags: $(head -3 why)"
		t_skip "no libraries for $flags"
		continue
	fi
	: >markers
	t_ok "cc $flags" env TSAN_OPTIONS=exitcode=66:report_thread_leaks=0 timeout 120 ./threads $threads $rounds $children
	t_is "$err" "" "... without a word"
	whole "$flags"
done
t_done
