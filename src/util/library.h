/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared libraries that are loaded at their first use: most runs need none of them, and loading them all takes longer than
 * reading a small recording. Call them through a pointer of the header's own type, so that the compiler checks it. */
#pragma once

#include "util/err.h"

/* Loads a library once, with its symbols for the plugins that come after it, and returns its handle for dlsym(). Where it
 * is not installed the program ends with a message, as the loader would have ended it at the start. */
void *library_load(const char *soname);
/* Whether it can be loaded, where that can still be an ordinary error. */
int library_check(const char *soname, struct err *err);
/* A function that must be there, else the program ends as above. */
void *library_function(const char *soname, const char *name);

#define LIBRARY_FUNCTION(soname, function) \
	((typeof(&(function)))library_function(soname, #function))

/* The place of a function in a struct of all that is used of a library. */
#define LIBRARY_MEMBER(function) typeof(function) *function;
