/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which exit belongs to which enter: a thread is in one system call at a time. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/syscall_names.h"
#include "report/syscalls.h"
#include "util/mem.h"

/* What an event type is for this; found at its first event. */
struct call_event {
	bool is_enter;
	bool is_exit;
	const char *name; /* of the call; NULL for raw_syscalls */
	const struct decode_field *number;
	const struct decode_field *result;
};

/* Calls recorded as syscalls:* and as raw_syscalls:* are kept apart. */
struct open_call {
	struct call *call; /* NULL: none */
	uint64_t start;
};

struct open_calls {
	struct open_call raw;
	struct open_call named;
	bool seen; /* an event of it was there before */
};

/* In front of a name; no padding. */
struct call_key {
	uint32_t source;
	int32_t tid;
	int64_t number;
};

static struct call_event *make_event(const struct event *event)
{
	struct call_event *made = xzalloc(sizeof(*made));
	bool is_raw = !strcmp(event->system, "raw_syscalls");

	if (!is_raw && strcmp(event->system, "syscalls") != 0)
		return made;
	made->is_enter = str_starts(event->name, "sys_enter");
	made->is_exit = str_starts(event->name, "sys_exit");
	if (!is_raw && made->is_enter)
		made->name = event->name + strlen("sys_enter_");
	else if (!is_raw && made->is_exit)
		made->name = event->name + strlen("sys_exit_");
	made->number = event_field(event, is_raw ? "id" : "__syscall_nr");
	if (!made->number)
		made->number = event_field(event, "nr");
	made->result = event_field(event, "ret");
	if (is_raw && !made->number)
		made->is_enter = made->is_exit = false;
	return made;
}

static struct call_event *get_event(struct call_pairing *p, const struct event *event)
{
	void **slot = keymap_at(&p->events, &event, sizeof(struct event *));

	if (!*slot)
		*slot = make_event(event);
	return *slot;
}

static struct call *get_call(struct call_pairing *p, const struct sink_event *event,
			     const struct call_event *type, int64_t number)
{
	struct {
		struct call_key head;
		char name[64];
	} key = {.head = {event->source, event->common.pid, type->name ? -1 : number}};
	size_t len = type->name ? strnlen(type->name, sizeof(key.name)) : 0;
	struct call *call;
	void **slot;

	memcpy(key.name, type->name ? type->name : "", len);
	slot = keymap_at(&p->calls, &key, sizeof(key.head) + len);
	if (*slot)
		return *slot;
	call = *slot = xzalloc(sizeof(*call));
	call->name = type->name ? xstrdup(type->name) : NULL;
	call->number = key.head.number;
	call->source = event->source;
	call->tid = event->common.pid;
	call->comm = event->comm;
	return call;
}

static struct open_calls *get_open(struct call_pairing *p, const struct sink_event *event)
{
	struct call_key key = {.source = event->source, .tid = event->common.pid};
	void **slot = keymap_at(&p->threads, &key, sizeof(key));

	if (!*slot)
		*slot = xzalloc(sizeof(struct open_calls));
	return *slot;
}

/* A new task's first steps: it returns with 0 from the call that its parent made. */
static bool is_birth(const struct call_pairing *p, const struct call *call,
		     const struct open_calls *thread, int64_t result)
{
	static const char *const births[] = {"clone", "clone3", "fork", "vfork"};
	const char *name = call->name
				   ? call->name
				   : syscall_name(p->machine[call->source], (uint64_t)call->number);

	for (size_t i = 0; name && !thread->seen && !result && i < array_size(births); i++)
		if (!strcmp(name, births[i]))
			return true;
	return false;
}

static void **learnt_name(struct call_pairing *p, unsigned int source, int64_t number)
{
	struct call_key key = {.source = source, .number = number};

	return keymap_at(&p->learnt, &key, sizeof(key));
}

/* Its exit has no number, and the value of the call that a signal had come into. */
static void end_sigreturn(struct call_pairing *p, const struct sink_event *event)
{
	struct open_call *open = &get_open(p, event)->raw;

	if (!open->call)
		return;
	pairs_add(&open->call->pairs, open->start, event->raw->ts, 0);
	open->call = NULL;
}

void call_pairing_event(struct call_pairing *p, const struct sink_event *event)
{
	const struct decode *dec = p->source[event->source].dec;
	const struct call_event *type;
	struct open_calls *thread;
	struct open_call *open;
	int64_t number = -1;
	int64_t result;
	struct call *call;

	if (!event->event)
		return;
	type = get_event(p, event->event);
	if (!type->is_enter && !type->is_exit)
		return;
	if (type->number)
		number = field_number(dec, type->number, event->raw);
	if (type->name && type->number)
		*learnt_name(p, event->source, number) = (void *)type->name;
	if (!type->name && number < 0) {
		/* No call at all is entered, which programs that look for seccomp do. */
		if (type->is_exit)
			end_sigreturn(p, event);
		return;
	}
	call = get_call(p, event, type, number);
	thread = get_open(p, event);
	open = type->name ? &thread->named : &thread->raw;
	result = type->result ? field_number(dec, type->result, event->raw) : 0;
	if (type->is_exit && open->call == call) {
		pairs_add(&call->pairs, open->start, event->raw->ts, result);
		open->call = NULL;
		return;
	}
	if (open->call)
		open->call->nr_unfinished++;
	call->nr_unopened += type->is_exit && !is_birth(p, call, thread, result);
	thread->seen = true;
	*open = (struct open_call){type->is_enter ? call : NULL, event->raw->ts};
}

static char *name_number(struct call_pairing *p, const struct call *call)
{
	const char *name = *learnt_name(p, call->source, call->number);

	if (!name)
		name = syscall_name(p->machine[call->source], (uint64_t)call->number);
	return name ? xstrdup(name) : NULL;
}

static bool is_known_by_name(struct call_pairing *p, const struct call *call)
{
	for (size_t i = 0; i < p->calls.nr; i++) {
		const struct call *other = p->calls.entry[i]->value;

		if (other->number < 0 && other->tid == call->tid && other->source == call->source &&
		    !strcmp(other->name, call->name))
			return true;
	}
	return false;
}

void call_pairing_finish(struct call_pairing *p)
{
	bool has_names = false;

	for (size_t i = 0; i < p->threads.nr; i++) {
		struct open_calls *open = p->threads.entry[i]->value;

		if (open->raw.call)
			open->raw.call->nr_unfinished++;
		if (open->named.call)
			open->named.call->nr_unfinished++;
	}
	for (size_t i = 0; i < p->calls.nr; i++)
		has_names |= ((struct call *)p->calls.entry[i]->value)->number < 0;
	for (size_t i = 0; i < p->calls.nr; i++) {
		struct call *call = p->calls.entry[i]->value;

		if (call->number < 0)
			continue;
		call->name = name_number(p, call);
		if (!has_names || !call->name || !is_known_by_name(p, call))
			continue;
		call->pairs.nr = 0;
		call->nr_unfinished = call->nr_unopened = 0;
	}
}

static void free_values(struct keymap *map)
{
	for (size_t i = 0; i < map->nr; i++)
		free(map->entry[i]->value);
	keymap_fini(map);
}

void call_pairing_fini(struct call_pairing *p)
{
	for (size_t i = 0; i < p->calls.nr; i++) {
		struct call *call = p->calls.entry[i]->value;

		free(call->name);
		pairs_fini(&call->pairs);
	}
	free_values(&p->calls);
	free_values(&p->threads);
	free_values(&p->events);
	keymap_fini(&p->learnt);
}
