/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tries what works on this machine and leaves nothing behind. */
#pragma once

#include <stdbool.h>

#include "tracefs/kconfig.h"
#include "tracefs/tracefs.h"
#include "util/err.h"
#include "util/str.h"

enum support_state { SUPPORT_NO, SUPPORT_OK, SUPPORT_UNKNOWN };

/* The answer about one feature. */
struct verdict {
	enum support_state state;
	char *detail; /* what there is, or why not */
	char *remedy; /* NULL when there is none or it is not needed */
};

/* What the probes look at; made once. */
struct probe {
	struct tfs *tfs; /* NULL with the reason in .why */
	struct err why;
	struct tfs *inst; /* a scratch instance, NULL with the reason in .inst_why */
	struct err inst_why;
	char *inst_name;
	struct kconfig kc;
	char *lockdown;
	char *readme; /* the kernel's own summary of what it takes, "" when there is none */
	struct strv tracers;
};

/* Opens everything and makes the scratch instance. Signals that end a process wait until
 * probe_fini() has removed it. */
void probe_init(struct probe *p, const char *tracefs_dir);
void probe_fini(struct probe *p);

/* One feature of the table. The generic probes use what they need of the other members. */
struct feature {
	const char *name;
	void (*probe)(const struct probe *p, const struct feature *f, struct verdict *v);
	const char *file;   /* that the kernel has when it has the feature */
	const char *config; /* that brings it, without CONFIG_ */
	const char *text;   /* said when it works, or searched for in README */
};

/* The configuration's word on @f: why the kernel lacks it. */
void verdict_lacks(const struct probe *p, const struct feature *f, struct verdict *v);
/* What stands in the way of @file: errors of open(2). */
void verdict_refused(const struct probe *p, const char *file, const struct err *err,
		     struct verdict *v);
void verdict_set(struct verdict *v, enum support_state state, char *detail, char *remedy);
/* Without tracefs only the configuration tells; true when @v has been set so. */
bool verdict_blind(const struct probe *p, const struct feature *f, struct verdict *v);
bool can_open(const struct tfs *tfs, const char *file, int flags, struct err *err);

void probe_tracefs(const struct probe *p, const struct feature *f, struct verdict *v);
void probe_permission(const struct probe *p, const struct feature *f, struct verdict *v);
void probe_lockdown(const struct probe *p, const struct feature *f, struct verdict *v);
void probe_file(const struct probe *p, const struct feature *f, struct verdict *v);
void probe_readme(const struct probe *p, const struct feature *f, struct verdict *v);
void probe_events(const struct probe *p, const struct feature *f, struct verdict *v);
void probe_tracer(const struct probe *p, const struct feature *f, struct verdict *v);
void probe_latency(const struct probe *p, const struct feature *f, struct verdict *v);
void probe_functions(const struct probe *p, const struct feature *f, struct verdict *v);
void probe_kprobes(const struct probe *p, const struct feature *f, struct verdict *v);
void probe_uprobes(const struct probe *p, const struct feature *f, struct verdict *v);
void probe_instances(const struct probe *p, const struct feature *f, struct verdict *v);
void probe_markers(const struct probe *p, const struct feature *f, struct verdict *v);
void probe_splice(const struct probe *p, const struct feature *f, struct verdict *v);
void probe_clocks(const struct probe *p, const struct feature *f, struct verdict *v);
void probe_symbols(const struct probe *p, const struct feature *f, struct verdict *v);
void probe_btf(const struct probe *p, const struct feature *f, struct verdict *v);
