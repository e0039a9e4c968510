/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pager behind the output, on a terminal only. */
#include "cmd/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *find_pager(void)
{
	const char *name = getenv("FT_PAGER");

	if (!name)
		name = getenv("PAGER");
	if (!name)
		name = "less";
	return name[0] && strcmp(name, "cat") ? name : NULL;
}

void pager_start(struct pager *pager, bool wanted)
{
	const char *name = wanted && isatty(STDOUT_FILENO) ? find_pager() : NULL;
	int ends[2];

	*pager = (struct pager){.fd = STDOUT_FILENO};
	if (!name || pipe2(ends, O_CLOEXEC) < 0)
		return;
	pager->pid = fork();
	if (pager->pid == 0) {
		dup2(ends[0], STDIN_FILENO);
		/* Ends at once when all fits on the screen, and keeps colours. */
		setenv("LESS", "FRX", 0);
		execl("/bin/sh", "sh", "-c", name, (char *)NULL);
		_exit(127);
	}
	close(ends[0]);
	if (pager->pid < 0) {
		pager->pid = 0;
		close(ends[1]);
		return;
	}
	pager->fd = ends[1];
	/* Ctrl-C is for the pager while it shows. */
	signal(SIGINT, SIG_IGN);
}

void pager_end(struct pager *pager)
{
	if (!pager->pid)
		return;
	close(pager->fd);
	while (waitpid(pager->pid, NULL, 0) < 0 && errno == EINTR)
		;
	signal(SIGINT, SIG_DFL);
}
