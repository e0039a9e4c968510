/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events whose text is not their print format's: what libtraceevent's stock plugins print. */
#include <string.h>

#include "decode/internal.h"
#include "decode/load.h"
#include "decode/native.h"
#include "decode/put.h"
#include "util/mem.h"

void native_add(struct outbuf *out, char *end)
{
	out->len = (size_t)(end - out->buf);
}

char *native_put_comm(char *at, const struct eval *ev, const struct decode_field *field)
{
	return put_field(at, (const char *)ev->data + field->offset, field->size);
}

void native_add_symbol(struct eval *ev, uint64_t addr, struct outbuf *out)
{
	const struct cached_symbol *symbol = thread_symbol(ev->thread, addr);
	char *at;

	if (symbol->name) {
		outbuf_add_mem(out, symbol->name, symbol->name_len);
		return;
	}
	at = outbuf_reserve(out, PUT_MOST + 2);
	*at++ = '0';
	*at++ = 'x';
	native_add(out, put_hex(at, addr));
}

/* The letters of a task's state bits as trace-cmd has them; R when none is set. */
static char *put_state(char *at, uint64_t state)
{
	static const char letters[] = "SDTtZXxW";
	char *start = at;

	for (unsigned int i = 0; i < sizeof(letters) - 1; i++) {
		if (!(state >> i & 1))
			continue;
		if (at != start)
			*at++ = '|';
		*at++ = letters[i];
	}
	if (at == start)
		*at++ = 'R';
	return at;
}

enum { PREV_PID, NEXT_PID, PREV_COMM, PREV_PRIO, PREV_STATE, NEXT_COMM, NEXT_PRIO };

static char *put_prio(char *at, const struct eval *ev, const struct plan *plan, unsigned int prio)
{
	*at++ = '[';
	at = put_signed(at, (int64_t)native_number(ev, plan, prio));
	*at++ = ']';
	return at;
}

static void print_switch(struct eval *ev, const struct plan *plan, const struct raw_event *raw,
			 struct outbuf *out)
{
	const struct decode_field *const *field = plan->field;
	size_t comms = field[PREV_COMM] ? field[PREV_COMM]->size : 0;
	char *at;

	(void)raw;
	comms += field[NEXT_COMM] ? field[NEXT_COMM]->size : 0;
	at = outbuf_reserve(out, comms + 160);
	if (field[PREV_COMM]) {
		at = native_put_comm(at, ev, field[PREV_COMM]);
		*at++ = ':';
	}
	at = put_signed(at, (int64_t)native_number(ev, plan, PREV_PID));
	*at++ = ' ';
	if (field[PREV_PRIO]) {
		at = put_prio(at, ev, plan, PREV_PRIO);
		*at++ = ' ';
	}
	if (field[PREV_STATE])
		at = put_state(at, native_number(ev, plan, PREV_STATE));
	memcpy(at, " ==> ", 5);
	at += 5;
	if (field[NEXT_COMM]) {
		at = native_put_comm(at, ev, field[NEXT_COMM]);
		*at++ = ':';
	}
	at = put_signed(at, (int64_t)native_number(ev, plan, NEXT_PID));
	if (field[NEXT_PRIO]) {
		*at++ = ' ';
		at = put_prio(at, ev, plan, NEXT_PRIO);
	}
	native_add(out, at);
}

enum { WAKE_PID, WAKE_COMM, WAKE_PRIO, WAKE_SUCCESS, WAKE_CPU };

static void print_wakeup(struct eval *ev, const struct plan *plan, const struct raw_event *raw,
			 struct outbuf *out)
{
	const struct decode_field *const *field = plan->field;
	char *at = outbuf_reserve(out, (field[WAKE_COMM] ? field[WAKE_COMM]->size : 0) + 160);

	(void)raw;
	if (field[WAKE_COMM]) {
		at = native_put_comm(at, ev, field[WAKE_COMM]);
		*at++ = ':';
	}
	at = put_signed(at, (int64_t)native_number(ev, plan, WAKE_PID));
	if (field[WAKE_PRIO]) {
		*at++ = ' ';
		at = put_prio(at, ev, plan, WAKE_PRIO);
	}
	if (field[WAKE_SUCCESS]) {
		memcpy(at, " success=", 9);
		at = put_signed(at + 9, (int64_t)native_number(ev, plan, WAKE_SUCCESS));
	}
	if (field[WAKE_CPU]) {
		int64_t cpu = (int64_t)native_number(ev, plan, WAKE_CPU);

		memcpy(at, " CPU:", 5);
		at += 5;
		if (cpu >= 0 && cpu < 100)
			*at++ = '0';
		if (cpu >= 0 && cpu < 10)
			*at++ = '0';
		at = put_signed(at, cpu);
	}
	native_add(out, at);
}

/* In front of what the print format says; nothing when the symbol is not known. */
static void print_call_site(struct eval *ev, const struct plan *plan, const struct raw_event *raw,
			    struct outbuf *out)
{
	const struct decode_field *field = plan->field[0];
	const struct cached_symbol *symbol;
	char *at;

	(void)raw;
	if (field->offset + field->size > ev->size)
		return;
	symbol = thread_symbol(ev->thread, native_number(ev, plan, 0));
	if (!symbol->name)
		return;
	at = outbuf_reserve(out, symbol->name_len + PUT_MOST + 6);
	*at++ = '(';
	memcpy(at, symbol->name, symbol->name_len);
	at += symbol->name_len;
	memcpy(at, "+0x", 3);
	at = put_hex(at + 3, (uint32_t)symbol->offset);
	*at++ = ')';
	*at++ = ' ';
	native_add(out, at);
}

struct native {
	const char *system;
	const char *name;
	plan_print_fn *print;  /* instead of the print format */
	plan_print_fn *before; /* in front of it */
	size_t required;       /* so many of the fields must be there */
	const char *field[NATIVE_FIELDS];
};

#define KMEM(name)                                      \
	{                                               \
		"kmem", name, NULL, print_call_site, 1, \
		{                                       \
			"call_site"                     \
		}                                       \
	}

static const struct native natives[] = {
	{"sched",
	 "sched_switch",
	 print_switch,
	 NULL,
	 2,
	 {"prev_pid", "next_pid", "prev_comm", "prev_prio", "prev_state", "next_comm",
	  "next_prio"}},
	{"sched",
	 "sched_wakeup",
	 print_wakeup,
	 NULL,
	 1,
	 {"pid", "comm", "prio", "success", "target_cpu"}},
	{"sched",
	 "sched_wakeup_new",
	 print_wakeup,
	 NULL,
	 1,
	 {"pid", "comm", "prio", "success", "target_cpu"}},
	KMEM("kmalloc"),
	KMEM("kmalloc_node"),
	KMEM("kmem_cache_alloc"),
	KMEM("kmem_cache_alloc_node"),
	KMEM("kfree"),
	KMEM("kmem_cache_free"),
	{"timer",
	 "hrtimer_start",
	 native_hrtimer_start,
	 NULL,
	 3,
	 {"hrtimer", "function", "expires", "softexpires"}},
	{"timer",
	 "hrtimer_start",
	 native_hrtimer_start,
	 NULL,
	 3,
	 {"timer", "function", "expires", "softexpires"}},
	{"timer",
	 "hrtimer_expire_entry",
	 native_hrtimer_expire,
	 NULL,
	 2,
	 {"hrtimer", "now", "function"}},
	{"timer",
	 "hrtimer_expire_entry",
	 native_hrtimer_expire,
	 NULL,
	 2,
	 {"timer", "now", "function"}},
	{"tlb", "tlb_flush", native_tlb_flush, NULL, 2, {"pages", "reason"}},
	{"syscalls",
	 "sys_enter_futex",
	 native_futex,
	 NULL,
	 6,
	 {"uaddr", "op", "val", "utime", "uaddr2", "val3"}},
	{"ftrace", "function", native_function, NULL, 1, {"ip"}},
	{"ftrace", "kernel_stack", native_stack, NULL, 1, {"caller"}},
	{"ftrace", "raw_data", native_raw_data, NULL, 2, {"id", "buf"}},
	{"ftrace",
	 "func_repeats",
	 native_repeats,
	 NULL,
	 4,
	 {"ip", "count", "top_delta_ts", "bottom_delta_ts"}},
	{"ftrace", "bprint", bprint_print, NULL, 3, {"ip", "fmt", "buf"}},
};

/* Only what a number may be read from, but for texts and arrays, which are taken as bytes. */
static bool is_usable(const struct decode_field *field)
{
	return !field->is_dynamic && !field->is_relative &&
	       (field->is_array || load_for(field->size, false, false) != LOAD_NONE);
}

static bool take_fields(const struct native *native, struct event_full *full, bool big_endian)
{
	const struct decode_field *found[NATIVE_FIELDS] = {0};

	for (size_t i = 0; i < NATIVE_FIELDS && native->field[i]; i++) {
		found[i] = event_field(&full->event, native->field[i]);
		if (found[i] && !is_usable(found[i]))
			found[i] = NULL;
		if (!found[i] && i < native->required)
			return false;
		/* A text that is no array, or a number that is one, is some other event. */
		if (found[i] && strstr(native->field[i], "comm") && !found[i]->is_array)
			return false;
	}
	memcpy(full->plan.field, found, sizeof(found));
	for (size_t i = 0; i < NATIVE_FIELDS; i++)
		if (found[i])
			full->plan.load[i] =
				load_for(found[i]->size, found[i]->is_signed, big_endian);
	return true;
}

bool native_find(const struct decode *dec, struct event_full *full)
{
	const struct event *event = &full->event;

	for (size_t i = 0; i < array_size(natives); i++) {
		const struct native *native = &natives[i];

		if (strcmp(event->system, native->system) || strcmp(event->name, native->name))
			continue;
		if (!take_fields(native, full, dec->in.big_endian))
			continue;
		if (native->print)
			full->plan.print = native->print;
		/* The format tells of eight callers; the record has as many as there were. */
		if (native->print == native_stack)
			full->event.min_size = full->plan.field[0]->offset;
		full->plan.before = native->before;
		full->plan.needs_cleaning |= native->print != NULL;
		return true;
	}
	return false;
}
