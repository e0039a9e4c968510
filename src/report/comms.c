/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Learns the names of tasks from events. */
#include "report/comms.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "report/input.h"
#include "report/scan.h"
#include "util/mem.h"

#define COMM_MOST 16

/* Which field of which event names the task in which other field. trace-cmd learns from the first ones, too: where they
 * tell a name it is the one to print. */
static const struct teacher {
	const char *system;
	const char *event;
	const char *comm;
	const char *pid;
	bool first;
} teachers[] = {
	{"sched", "sched_switch", "prev_comm", "prev_pid", true},
	{"sched", "sched_switch", "next_comm", "next_pid", true},
	{"sched", "sched_wakeup", "comm", "pid", true},
	{"sched", "sched_wakeup_new", "comm", "pid", true},
	{"sched", "sched_waking", "comm", "pid", false},
	{"sched", "sched_process_fork", "parent_comm", "parent_pid", false},
	{"sched", "sched_process_fork", "child_comm", "child_pid", false},
	{"sched", "sched_process_exit", "comm", "pid", false},
	{"sched", "sched_process_free", "comm", "pid", false},
	{"sched", "sched_process_exec", "filename", "pid", false},
	{"task", "task_newtask", "comm", "pid", false},
	{"task", "task_rename", "newcomm", "pid", false},
};

struct lesson {
	const struct decode_field *comm;
	const struct decode_field *pid;
	int id;
	bool first;
	bool is_path;
};

struct learned {
	int pid;
	bool first;
	uint64_t ts;
	char comm[COMM_MOST];
};

struct report_comms {
	struct decode *dec;
	pthread_mutex_t lock;
	bool scanned;
	/* A hash table; pid 0 is an empty slot, since the idle task needs no name. */
	struct learned *slot;
	size_t nr_slots;
	size_t used;
	struct lesson lesson[array_size(teachers)];
	size_t nr_lessons;
};

struct report_comms *report_comms_new(struct decode *dec)
{
	struct report_comms *comms = xzalloc(sizeof(*comms));

	comms->dec = dec;
	pthread_mutex_init(&comms->lock, NULL);
	return comms;
}

void report_comms_free(struct report_comms *comms)
{
	if (!comms)
		return;
	pthread_mutex_destroy(&comms->lock);
	free(comms->slot);
	free(comms);
}

static void find_lessons(struct report_comms *comms, struct scan *scan)
{
	for (size_t i = 0; i < array_size(teachers); i++) {
		const struct teacher *t = &teachers[i];
		struct lesson *lesson = &comms->lesson[comms->nr_lessons];
		const struct event *event;

		if (!decode_find(comms->dec, t->system, t->event, &event, 1) || event->id < 0 ||
		    event->id > UINT16_MAX)
			continue;
		lesson->id = event->id;
		lesson->comm = event_field(event, t->comm);
		lesson->pid = event_field(event, t->pid);
		lesson->first = t->first;
		lesson->is_path = !strcmp(t->comm, "filename");
		if (!lesson->comm || !lesson->pid)
			continue;
		scan_want(scan, event->id);
		comms->nr_lessons++;
	}
}

static struct learned *find_slot(struct learned *slot, size_t nr, int pid)
{
	size_t at = ((unsigned int)pid * 2654435761u >> 7) & (nr - 1);

	while (slot[at].pid && slot[at].pid != pid)
		at = (at + 1) & (nr - 1);
	return &slot[at];
}

static struct learned *add_slot(struct report_comms *comms, int pid)
{
	if (comms->used * 2 >= comms->nr_slots) {
		size_t nr = comms->nr_slots ? comms->nr_slots * 2 : 256;
		struct learned *slot = xcalloc(nr, sizeof(*slot));

		for (size_t i = 0; i < comms->nr_slots; i++)
			if (comms->slot[i].pid)
				*find_slot(slot, nr, comms->slot[i].pid) = comms->slot[i];
		free(comms->slot);
		comms->slot = slot;
		comms->nr_slots = nr;
	}
	return find_slot(comms->slot, comms->nr_slots, pid);
}

static void learn(struct report_comms *comms, const struct lesson *lesson,
		  const struct raw_event *raw)
{
	int pid = (int)field_number(comms->dec, lesson->pid, raw);
	size_t len;
	const uint8_t *comm = field_bytes(comms->dec, lesson->comm, raw, &len);
	const uint8_t *slash = lesson->is_path && comm ? memrchr(comm, '/', len) : NULL;
	struct learned *slot;

	if (pid <= 0 || !comm || !len)
		return;
	if (slash) {
		len -= (size_t)(slash + 1 - comm);
		comm = slash + 1;
	}
	slot = add_slot(comms, pid);
	if (slot->pid &&
	    (slot->first > lesson->first || (slot->first == lesson->first && slot->ts <= raw->ts)))
		return;
	comms->used += !slot->pid;
	*slot = (struct learned){.pid = pid, .first = lesson->first, .ts = raw->ts};
	memcpy(slot->comm, comm, len < COMM_MOST ? len : COMM_MOST - 1);
}

static void take_lessons(void *ctx, int id, const struct raw_event *raw)
{
	struct report_comms *comms = ctx;

	for (size_t i = 0; i < comms->nr_lessons; i++)
		if (comms->lesson[i].id == id)
			learn(comms, &comms->lesson[i], raw);
}

static void learn_all(struct report_comms *comms, const struct input *in,
		      const struct input_file *file)
{
	struct scan scan = {0};

	find_lessons(comms, &scan);
	if (comms->nr_lessons)
		scan_file(&scan, in, file, take_lessons, comms);
}

const char *report_comm(const struct input *in, struct input_file *file, int pid)
{
	struct report_comms *comms = file->comms;
	const char *known = decode_comm(file->dec, pid);
	const struct learned *slot = NULL;

	if (known)
		return known;
	pthread_mutex_lock(&comms->lock);
	if (!comms->scanned) {
		learn_all(comms, in, file);
		comms->scanned = true;
	}
	if (comms->nr_slots)
		slot = find_slot(comms->slot, comms->nr_slots, pid);
	pthread_mutex_unlock(&comms->lock);
	return slot && slot->pid == pid ? slot->comm : "<...>";
}
