/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft list support: what works on this machine, what does not, why, and the remedy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/list.h"
#include "cmd/list_probe.h"
#include "util/json.h"
#include "util/mem.h"

static void probe_record(const struct probe *p, const struct feature *f, struct verdict *v);

static const struct feature features[] = {
	{"tracefs", probe_tracefs, NULL, "TRACING", NULL},
	{"permission", probe_permission, NULL, "TRACING", NULL},
	{"lockdown", probe_lockdown, NULL, "SECURITY_LOCKDOWN_LSM", NULL},
	{"instances", probe_instances, "instances", "TRACING", NULL},
	{"events", probe_events, "events", "EVENT_TRACING", NULL},
	{"syscalls", probe_file, "events/raw_syscalls/sys_enter/enable", "FTRACE_SYSCALLS",
	 "ft record -e syscalls"},
	{"triggers", probe_file, "events/sched/sched_switch/trigger", "EVENT_TRACING",
	 "actions set off by events"},
	{"hist", probe_file, "events/sched/sched_switch/hist", "HIST_TRIGGERS",
	 "histograms in the kernel"},
	{"function", probe_tracer, "set_ftrace_filter", "FUNCTION_TRACER", "function"},
	{"function_graph", probe_tracer, "set_ftrace_filter", "FUNCTION_GRAPH_TRACER",
	 "function_graph"},
	{"functions", probe_functions, "available_filter_functions", "DYNAMIC_FTRACE", NULL},
	{"graph-retval", probe_file, "options/funcgraph-retval", "FUNCTION_GRAPH_RETVAL",
	 "return values in the graph"},
	{"func-args", probe_file, "options/func-args", "FUNCTION_TRACE_ARGS",
	 "arguments of functions"},
	{"latency", probe_latency, NULL, "SCHED_TRACER",
	 "wakeup wakeup_rt wakeup_dl irqsoff preemptoff preemptirqsoff"},
	{"osnoise", probe_latency, NULL, "OSNOISE_TRACER", "osnoise timerlat hwlat"},
	{"kprobes", probe_kprobes, "kprobe_events", "KPROBE_EVENTS",
	 "events anywhere in the kernel"},
	{"uprobes", probe_uprobes, "uprobe_events", "UPROBE_EVENTS", "events in programs"},
	{"eprobes", probe_readme, "dynamic_events", "PROBE_EVENTS", "e[:[<group>"},
	{"fprobes", probe_readme, "dynamic_events", "FPROBE_EVENTS", "f[:[<group>"},
	{"synthetic", probe_file, "synthetic_events", "SYNTH_EVENTS",
	 "events made of other events"},
	{"user-events", probe_file, "user_events_data", "USER_EVENTS", "events of programs"},
	{"markers", probe_markers, "trace_marker", "TRACING", NULL},
	{"splice", probe_splice, NULL, "TRACING", NULL},
	{"snapshot", probe_file, "snapshot", "TRACER_SNAPSHOT", "a copy of the buffer at a moment"},
	{"clocks", probe_clocks, "trace_clock", "TRACING", NULL},
	{"notrace-pid", probe_file, "set_event_notrace_pid", "EVENT_TRACING",
	 "ft keeps itself out of the trace"},
	{"error-log", probe_file, "error_log", "TRACING",
	 "the kernel says what it does not accept"},
	{"symbols", probe_symbols, "/proc/kallsyms", "KALLSYMS", NULL},
	{"btf", probe_btf, "/sys/kernel/btf/vmlinux", "DEBUG_INFO_BTF", NULL},
	{"record", probe_record, NULL, "TRACING", NULL},
};

static const struct noun support_noun = {.name = "support", .one = "feature"};

/* The answers, in the order of features[]. */
struct answers {
	struct verdict verdict[array_size(features)];
};

static void answers_fini(struct answers *a)
{
	for (size_t i = 0; i < array_size(features); i++)
		verdict_set(&a->verdict[i], SUPPORT_NO, NULL, NULL);
}

static bool works(const struct answers *a, const char *name)
{
	for (size_t i = 0; i < array_size(features); i++)
		if (!strcmp(features[i].name, name))
			return a->verdict[i].state == SUPPORT_OK;
	return false;
}

/* Replaced when all other answers are there; see sum_up(). */
static void probe_record(const struct probe *p, const struct feature *f, struct verdict *v)
{
	(void)p;
	(void)f;
	verdict_set(v, SUPPORT_NO, xstrdup("nothing can be recorded"), NULL);
}

/* The last line: whether ft record can do anything. */
static void sum_up(struct answers *a)
{
	static const char *const sources[] = {"events", "function", "function_graph"};
	cleanup(strv_fini) struct strv found = {0};
	size_t last = array_size(features) - 1;
	cleanup_free char *all = NULL;

	if (!works(a, "tracefs") || !works(a, "permission"))
		return;
	for (size_t i = 0; i < array_size(sources); i++)
		if (works(a, sources[i]))
			strv_add(&found, sources[i]);
	if (!found.nr)
		return;
	all = strv_join(&found, ", ");
	verdict_set(&a->verdict[last], SUPPORT_OK, xasprintf("ft record works with: %s", all),
		    NULL);
}

static void ask_all(struct answers *a, const char *tracefs_dir)
{
	struct probe p;

	probe_init(&p, tracefs_dir);
	for (size_t i = 0; i < array_size(features); i++)
		features[i].probe(&p, &features[i], &a->verdict[i]);
	probe_fini(&p);
	sum_up(a);
}

static const char *const state_names[] = {
	[SUPPORT_NO] = "no",
	[SUPPORT_OK] = "ok",
	[SUPPORT_UNKNOWN] = "unknown",
};

static void print_answer(const char *name, const struct verdict *v)
{
	printf("%-15s %-8s %s\n", name, state_names[v->state], v->detail ? v->detail : "");
	if (v->remedy)
		printf("%-24s remedy: %s\n", "", v->remedy);
}

static void add_answer(struct strbuf *sb, const char *name, const struct verdict *v)
{
	strbuf_add(sb, sb->len > 1 ? ",\n{" : "\n{");
	json_add_member(sb, "name", name);
	json_add_member(sb, "state", state_names[v->state]);
	json_add_member(sb, "detail", v->detail);
	json_add_member(sb, "remedy", v->remedy);
	strbuf_add(sb, "}");
}

int list_support(const struct list_args *args, struct err *err)
{
	cleanup(answers_fini) struct answers answers = {0};
	cleanup(items_fini) struct items wanted = {0};
	cleanup(strbuf_fini) struct strbuf json = {0};
	struct list l = {.args = args};
	bool all_work = true;
	int r;

	for (size_t i = 0; i < array_size(features); i++)
		items_add(&l.items, xstrdup(features[i].name));
	r = list_select(&l, &support_noun, &args->common.words, 1, err);
	wanted = l.items;
	if (r < 0)
		return r;
	ask_all(&answers, args->tracefs);
	strbuf_add(&json, "[");
	for (size_t i = 0, at = 0; i < array_size(features) && at < wanted.nr; i++) {
		if (strcmp(features[i].name, wanted.item[at].name))
			continue;
		at++;
		if (answers.verdict[i].state != SUPPORT_OK)
			all_work = false;
		if (args->json)
			add_answer(&json, features[i].name, &answers.verdict[i]);
		else
			print_answer(features[i].name, &answers.verdict[i]);
	}
	if (args->json)
		printf("%s\n]\n", strbuf_str(&json));
	if (args->common.words.nr > 1)
		return all_work ? 0 : 1;
	return works(&answers, "record") ? 0 : 1;
}
