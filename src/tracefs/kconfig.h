/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration the running kernel was built with, where it can be read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "util/str.h"

struct kconfig {
	char *path;	 /* the file it came from, NULL when there is none to read */
	struct strv set; /* "NAME=value" without CONFIG_; what is not set is not there */
};

/* Reads /proc/config.gz, else the files beside the kernel in /boot and /lib/modules. */
void kconfig_load(struct kconfig *kc);
void kconfig_fini(struct kconfig *kc);

enum kconfig_state { KCONFIG_UNKNOWN, KCONFIG_NO, KCONFIG_YES, KCONFIG_MODULE };
/* Whether @name ("KPROBES", no CONFIG_) is set. Unknown when no configuration can be read. */
enum kconfig_state kconfig_get(const struct kconfig *kc, const char *name);

/* A tracer and the configuration that brings it, without CONFIG_. */
struct kconfig_tracer {
	const char *name;
	const char *config;
};

/* Every tracer that kernels have had for long, by name. */
const struct kconfig_tracer *kconfig_tracers(size_t *nr);
