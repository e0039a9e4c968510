/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Learns processes from what ft record has noted, from the events that make a task, and from those of exec, which only a
 * process survives. */
#include "report/processes.h"

#include <stdlib.h>

#include "dat/facts.h"
#include "report/input.h"
#include "report/scan.h"
#include "util/keymap.h"
#include "util/mem.h"

/* The same on all machines. */
#define CLONE_THREAD_FLAG 0x10000

/* What the first event about a thread told. */
struct task {
	uint64_t ts;
	int creator; /* is in the same process; 0 for a process of its own */
};

/* Events about a task. */
struct birth {
	int id; /* -1: the file has none */
	const struct decode_field *pid;
	const struct decode_field *flags; /* NULL: always a process */
};

struct processes {
	const struct input *in;
	const struct input_file *file;
	struct dat_tgids tgids;
	bool has_all;	     /* threads that are not in ->tgids are processes */
	struct keymap tasks; /* of struct task, by tid */
	struct birth newtask;
	struct birth exec;
	bool scanned;
};

struct processes *processes_new(const struct input *in, const struct input_file *file)
{
	struct processes *p = xzalloc(sizeof(*p));

	p->in = in;
	p->file = file;
	return p;
}

void processes_free(struct processes *p)
{
	if (!p)
		return;
	dat_tgids_fini(&p->tgids);
	for (size_t i = 0; i < p->tasks.nr; i++)
		free(p->tasks.entry[i]->value);
	keymap_fini(&p->tasks);
	free(p);
}

static void find_birth(const struct processes *p, struct birth *birth, struct scan *scan,
		       const char *system, const char *name, const char *flags)
{
	const struct event *event;

	*birth = (struct birth){.id = -1};
	if (!decode_find(p->file->dec, system, name, &event, 1) || event->id < 0 ||
	    event->id > UINT16_MAX)
		return;
	birth->pid = event_field(event, "pid");
	birth->flags = flags ? event_field(event, flags) : NULL;
	if (!birth->pid || (flags && !birth->flags))
		return;
	birth->id = event->id;
	scan_want(scan, event->id);
}

static void see_birth(void *ctx, int id, const struct raw_event *raw)
{
	struct processes *p = ctx;
	const struct birth *birth = id == p->exec.id ? &p->exec : &p->newtask;
	struct decode *dec = p->file->dec;
	int tid = (int)field_number(dec, birth->pid, raw);
	struct decode_common common;
	struct task *task;
	void **slot;

	if (tid <= 0 || !decode_common(dec, raw, &common))
		return;
	slot = keymap_at(&p->tasks, &tid, sizeof(tid));
	if (!*slot)
		*slot = xzalloc(sizeof(*task));
	else if (((struct task *)*slot)->ts <= raw->ts)
		return;
	task = *slot;
	task->ts = raw->ts;
	task->creator = 0;
	if (birth->flags && field_number(dec, birth->flags, raw) & CLONE_THREAD_FLAG)
		task->creator = common.pid;
}

static void scan_all(struct processes *p)
{
	struct scan scan = {0};

	p->scanned = true;
	dat_tgids_read(p->file->r, &p->tgids);
	p->has_all = dat_has_fact(p->file->r, DAT_FACT_TGIDS);
	find_birth(p, &p->newtask, &scan, "task", "task_newtask", "clone_flags");
	find_birth(p, &p->exec, &scan, "sched", "sched_process_exec", NULL);
	if (p->newtask.id >= 0 || p->exec.id >= 0)
		scan_file(&scan, p->in, p->file, see_birth, p);
}

bool processes_find(struct processes *p, int tid, int *pid)
{
	size_t nr;

	if (!p->scanned)
		scan_all(p);
	nr = p->tasks.nr;
	*pid = tid;
	/* No chain is longer than there are tasks, or it is a ring: ids are used again. */
	for (size_t i = 0; i <= nr; i++) {
		const struct task *task = *keymap_at(&p->tasks, pid, sizeof(*pid));
		int told = dat_tgids_find(&p->tgids, *pid);

		if (told != *pid) {
			*pid = told;
			return true;
		}
		if (!task || !task->creator)
			return task || p->has_all;
		*pid = task->creator;
	}
	*pid = tid;
	return false;
}
