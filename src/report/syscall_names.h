/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of system calls and errors by their numbers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* True when ft has a table for what uname -m says: x86_64, i386 to i686, aarch64, and the machine ft was built on. */
bool has_syscall_names(const char *machine);
/* NULL when it is not known. */
const char *syscall_name(const char *machine, uint64_t number);
/* ENOENT of 2; NULL when it is not known. */
const char *errno_name(uint64_t number);
