/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds a symbol in an ELF file: where its code lies in the file. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* The offset in the file at @path at which @symbol begins, out of its symbol tables. Of this
 * machine's byte order, 32 or 64 bits. -ENOENT with near names when it is not there, -ENOEXEC for no
 * ELF file or one without symbols. */
int elf_find_symbol(const char *path, const char *symbol, uint64_t *offset, struct err *err);
/* The same for @len bytes in memory. */
int elf_find_symbol_in(const uint8_t *data, size_t len, const char *path, const char *symbol,
		       uint64_t *offset, struct err *err);
