/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of names and sizes against the running kernel, before anything is written to it. */
#pragma once

#include "tracefs/tracefs.h"
#include "util/err.h"
#include "util/str.h"

/* -ENOENT: no @what called @name, with near ones of @names; 'ft list @list' shows all. */
int name_unknown(const char *what, const char *name, const struct strv *names, const char *list,
		 struct err *err);

/* The same for a tracer; says when the kernel was built without it. */
int name_missing_tracer(const char *name, const struct strv *names, struct err *err);

/* 0, or negative with text when this kernel has none of that name. */
int name_check_tracer(const struct tfs *tfs, const char *name, struct err *err);
int name_check_clock(const struct tfs *tfs, const char *name, struct err *err);
int name_check_option(const struct tfs *tfs, const char *name, struct err *err);

/* Memory that is free or can be freed, in KiB; 0 when it is not known. */
uint64_t name_available_kb(void);
/* -ENOMEM when a buffer of @bytes on each CPU is more than that. */
int name_check_buffer(const struct tfs *tfs, uint64_t bytes, struct err *err);
