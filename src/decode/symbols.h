/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's symbols, from a recording's copy of /proc/kallsyms. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/decode.h"

struct symbol {
	uint64_t addr;
	uint32_t name; /* offset in ->text */
	uint8_t is_text;
};

struct symbols {
	char *text; /* names that end in NUL */
	struct symbol *symbol;
	size_t nr;
	char *own; /* a copy of the text, where one was needed */
};

/* Names stay in @text, which must live as long and gets a NUL behind each of them. */
void symbols_parse(struct symbols *symbols, char *text, size_t len);
void symbols_fini(struct symbols *symbols);
/* The symbol that holds @addr, NULL when none does. */
const struct symbol *symbols_find(const struct symbols *symbols, uint64_t addr);
/* The address of the symbol called @name. */
bool symbols_address(const struct symbols *symbols, const char *name, uint64_t *addr);
