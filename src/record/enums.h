/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts numbers in the place of the enumerators' names that the kernel leaves in print formats, so
 * that a reader, who has no header files, can compare them. */
#pragma once

#include <stddef.h>

#include "util/str.h"

struct enums_entry;

/* The names that are asked for, and what they are. All zero is an empty one. */
struct enums {
	struct enums_entry *entry; /* a hash table; room is a power of two */
	size_t nr;
	size_t room;
	size_t longest; /* of the names */
};

void enums_fini(struct enums *enums);
/* Notes each name in the print format of @format that may be an enumerator. */
void enums_want(struct enums *enums, const char *format);
/* Looks all noted names up in the files of @dir: BTF of the kernel ("vmlinux") and of its modules.
 * Nothing is read when no name is noted. What cannot be read is left out. */
void enums_load(struct enums *enums, const char *dir);
/* @format with the numbers in its print format; caller frees. NULL when nothing changes. A name that
 * has no value, or several, stays. */
char *enums_put(const struct enums *enums, const char *format);
