/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How deep ftrace:function lines are indented: a guess from the names of callers, as trace-cmd makes it. Each CPU has a
 * list of names; a function stands behind its caller where that is in the list. Nothing is ever taken off, so the
 * guess depends on all that came before. */
#pragma once

#include <stdint.h>

struct indent;

struct indent *indent_new(void);
void indent_free(struct indent *indent);

/* A number for @name, the same for equal names and never 0, and a copy of the name, fit for put_padded(), that lives as
 * long as @indent. May be called by several threads. */
const char *indent_name(struct indent *indent, const char *name, uint32_t *id);
/* The copy of the name that has this number. May be called by several threads. */
const char *indent_name_of(struct indent *indent, uint32_t id);

/* The level of a function; 0 for @child stands for a function without name. */
unsigned int indent_level(struct indent *indent, uint32_t cpu, uint32_t parent, uint32_t child);
