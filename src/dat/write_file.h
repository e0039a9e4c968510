/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file that a writer writes to, and what was there before. Of no use outside of dat/. */
#pragma once

#include "util/err.h"

/* It grows under another name until it can be read: a kill before that leaves no half a file in the
 * place of a whole one. */
struct output_file {
	int fd;	    /* -1: not open */
	char *path; /* symbolic links resolved, as far as the file was there */
	char *part; /* the name until it is published, NULL from then on */
	char *old;  /* where the earlier file has gone, NULL when there was none */
};

/* Makes the file, as PATH.PID.part. */
int output_file_open(struct output_file *file, const char *path, struct err *err);
/* Gives it its name. A regular file with contents that is there already is kept as PATH.old, in the
 * place of an earlier one of that name; so a program that has it open goes on with its own. */
int output_file_publish(struct output_file *file, struct err *err);
/* Removes the file again, and puts back what was there before. Then as output_file_fini(). */
void output_file_discard(struct output_file *file);
/* Frees the names; the descriptor is the caller's to close. */
void output_file_fini(struct output_file *file);
