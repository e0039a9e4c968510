/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared libraries that are loaded at their first use. */
#include "util/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* Not 127, which a shell knows it by: of ft record, that is the status of a command that was not found. */
#define CANNOT_LOAD 1

/* The other exception to "only main exits": a program without its libraries is not installed. */
__attribute__((noreturn)) static void die(const char *why)
{
	static const char message[] = "ft: cannot load a library: ";

	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0 ||
	    write(STDERR_FILENO, why, strlen(why)) < 0 || write(STDERR_FILENO, "\n", 1) < 0)
		_exit(CANNOT_LOAD);
	_exit(CANNOT_LOAD);
}

void *library_load(const char *soname)
{
	void *library = dlopen(soname, RTLD_LAZY | RTLD_GLOBAL);

	if (!library)
		die(dlerror());
	return library;
}

int library_check(const char *soname, struct err *err)
{
	if (dlopen(soname, RTLD_LAZY | RTLD_GLOBAL))
		return 0;
	return err_set(err, ELIBACC, "cannot load a library: %s", dlerror());
}

void *library_function(const char *soname, const char *name)
{
	void *function = dlsym(library_load(soname), name);

	if (!function)
		die(dlerror());
	return function;
}
