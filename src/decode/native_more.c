/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Printers of timer, TLB, futex and ftrace's own events. */
#include <linux/futex.h>
#include <string.h>

#include "decode/internal.h"
#include "decode/load.h"
#include "decode/native.h"
#include "decode/put.h"
#include "util/mem.h"

static char *put_text(char *at, const char *text)
{
	size_t len = strlen(text);

	memcpy(at, text, len);
	return at + len;
}

static char *put_address(char *at, uint64_t value)
{
	at = put_text(at, "0x");
	return put_hex(at, value);
}

static char *put_padded_hex(char *at, uint64_t value)
{
	at = put_text(at, "0x");
	return value >> 32 ? put_hex(at, value) : put_hex_fixed(at, value, 8);
}

/* "name/0x0", or the address alone. */
static void add_function(struct eval *ev, uint64_t addr, struct outbuf *out)
{
	const struct cached_symbol *symbol = thread_symbol(ev->thread, addr);
	char *at = outbuf_reserve(out, symbol->name_len + 64);

	at = put_text(at, " function=");
	if (!symbol->name) {
		native_add(out, put_padded_hex(at, addr));
		return;
	}
	memcpy(at, symbol->name, symbol->name_len);
	at = put_text(at + symbol->name_len, "/0x");
	native_add(out, put_hex(at, 0 - symbol->offset));
}

static void add_decimal(struct outbuf *out, const char *name, uint64_t value)
{
	native_add(out, put_dec(put_text(outbuf_reserve(out, 64), name), value));
}

static void add_hrtimer(struct eval *ev, const struct plan *plan, struct outbuf *out)
{
	char *at = put_text(outbuf_reserve(out, 64), "hrtimer=");

	native_add(out, put_address(at, native_number(ev, plan, 0)));
}

void native_hrtimer_start(struct eval *ev, const struct plan *plan, const struct raw_event *raw,
			  struct outbuf *out)
{
	(void)raw;
	add_hrtimer(ev, plan, out);
	add_function(ev, native_number(ev, plan, 1), out);
	add_decimal(out, " expires=", native_number(ev, plan, 2));
	if (plan->field[3])
		add_decimal(out, " softexpires=", native_number(ev, plan, 3));
}

void native_hrtimer_expire(struct eval *ev, const struct plan *plan, const struct raw_event *raw,
			   struct outbuf *out)
{
	(void)raw;
	add_hrtimer(ev, plan, out);
	add_decimal(out, " now=", native_number(ev, plan, 1));
	if (plan->field[2])
		add_function(ev, native_number(ev, plan, 2), out);
}

void native_tlb_flush(struct eval *ev, const struct plan *plan, const struct raw_event *raw,
		      struct outbuf *out)
{
	static const char *const reasons[] = {"flush on task switch", "remote shootdown",
					      "local shootdown", "local mm shootdown"};
	uint64_t reason = native_number(ev, plan, 1);
	char *at = outbuf_reserve(out, 128);

	(void)raw;
	at = put_text(at, "pages=");
	at = put_signed(at, (int64_t)native_number(ev, plan, 0));
	at = put_text(at, " reason=");
	if (reason < array_size(reasons))
		at = put_text(at, reasons[reason]);
	at = put_text(at, " (");
	at = put_signed(at, (int64_t)reason);
	*at++ = ')';
	native_add(out, at);
}

enum { FUTEX_UADDR, FUTEX_OP, FUTEX_VAL, FUTEX_UTIME, FUTEX_UADDR2, FUTEX_VAL3 };

/* How an argument of one futex operation is shown. */
enum futex_form { FORM_NONE, FORM_HEX, FORM_DECIMAL, FORM_VAL2 };

static const struct futex_call {
	const char *name;
	uint8_t val;
	uint8_t utime;
	uint8_t uaddr2;
	uint8_t val3;
} futex_calls[] = {
	{"FUTEX_WAIT", FORM_HEX, FORM_HEX, FORM_NONE, FORM_NONE},
	{"FUTEX_WAKE", FORM_DECIMAL, FORM_NONE, FORM_NONE, FORM_NONE},
	{"FUTEX_FD", FORM_DECIMAL, FORM_NONE, FORM_NONE, FORM_NONE},
	{"FUTEX_REQUEUE", FORM_DECIMAL, FORM_VAL2, FORM_HEX, FORM_NONE},
	{"FUTEX_CMP_REQUEUE", FORM_DECIMAL, FORM_VAL2, FORM_HEX, FORM_HEX},
	{"FUTEX_WAKE_OP", FORM_DECIMAL, FORM_VAL2, FORM_HEX, FORM_HEX},
	{"FUTEX_LOCK_PI", FORM_NONE, FORM_HEX, FORM_NONE, FORM_NONE},
	{"FUTEX_UNLOCK_PI", FORM_NONE, FORM_NONE, FORM_NONE, FORM_NONE},
	{"FUTEX_TRYLOCK_PI", FORM_NONE, FORM_NONE, FORM_NONE, FORM_NONE},
	{"FUTEX_WAIT_BITSET", FORM_HEX, FORM_HEX, FORM_NONE, FORM_HEX},
	{"FUTEX_WAKE_BITSET", FORM_DECIMAL, FORM_NONE, FORM_NONE, FORM_HEX},
	{"FUTEX_WAIT_REQUEUE_PI", FORM_HEX, FORM_HEX, FORM_HEX, FORM_HEX},
	{"FUTEX_CMP_REQUEUE_PI", FORM_DECIMAL, FORM_VAL2, FORM_HEX, FORM_HEX},
};

static char *put_futex(char *at, const char *name, uint8_t form, uint64_t value)
{
	if (form == FORM_NONE)
		return at;
	*at++ = ' ';
	at = put_text(at, form == FORM_VAL2 ? "val2" : name);
	*at++ = '=';
	return form == FORM_HEX ? put_padded_hex(at, value) : put_dec(at, value);
}

void native_futex(struct eval *ev, const struct plan *plan, const struct raw_event *raw,
		  struct outbuf *out)
{
	uint64_t op = native_number(ev, plan, FUTEX_OP);
	uint64_t command = op & (uint64_t)FUTEX_CMD_MASK;
	const struct futex_call *call;
	char *at;

	if (command >= array_size(futex_calls)) {
		plan_run(ev, plan, raw, out);
		return;
	}
	call = &futex_calls[command];
	at = outbuf_reserve(out, 320);
	at = put_text(put_text(at, "op="), call->name);
	if (op & FUTEX_PRIVATE_FLAG)
		at = put_text(at, "|FUTEX_PRIVATE_FLAG");
	if (op & FUTEX_CLOCK_REALTIME)
		at = put_text(at, "|FUTEX_CLOCK_REALTIME");
	at = put_futex(at, "uaddr", FORM_HEX, native_number(ev, plan, FUTEX_UADDR));
	at = put_futex(at, "val", call->val, native_number(ev, plan, FUTEX_VAL));
	at = put_futex(at, "utime", call->utime, native_number(ev, plan, FUTEX_UTIME));
	at = put_futex(at, "uaddr2", call->uaddr2, native_number(ev, plan, FUTEX_UADDR2));
	at = put_futex(at, "val3", call->val3, native_number(ev, plan, FUTEX_VAL3));
	native_add(out, at);
}

void native_function(struct eval *ev, const struct plan *plan, const struct raw_event *raw,
		     struct outbuf *out)
{
	(void)raw;
	native_add_symbol(ev, native_number(ev, plan, 0), out);
}

/* One frame a line, up to the mark that the kernel puts behind the last one. */
void native_stack(struct eval *ev, const struct plan *plan, const struct raw_event *raw,
		  struct outbuf *out)
{
	uint8_t size = ev->long_size;
	uint8_t load = load_for(size, false, ev->swap != HOST_BIG_ENDIAN);
	uint64_t mark = size == 8 ? UINT64_MAX : UINT32_MAX;

	(void)raw;
	outbuf_add(out, "<stack trace >");
	for (uint32_t at = plan->field[0]->offset; at + size <= ev->size; at += size) {
		uint64_t addr = load_number(load, ev->data + at);
		const struct cached_symbol *symbol;
		char *text;

		if (addr == mark || (uint32_t)addr == UINT32_MAX)
			return;
		symbol = thread_symbol(ev->thread, addr);
		text = put_text(outbuf_reserve(out, symbol->name_len + 64), "\n=> ");
		if (symbol->name) {
			memcpy(text, symbol->name, symbol->name_len);
			text = put_text(text + symbol->name_len, " (");
		}
		text = put_hex(text, addr);
		if (symbol->name)
			*text++ = ')';
		native_add(out, text);
	}
}

void native_raw_data(struct eval *ev, const struct plan *plan, const struct raw_event *raw,
		     struct outbuf *out)
{
	uint32_t start = plan->field[1]->offset;
	char *at = outbuf_reserve(out, (size_t)ev->size * 3 + 32);

	(void)raw;
	at = put_hex(put_text(at, "# "), native_number(ev, plan, 0));
	for (uint32_t i = start; i < ev->size; i++) {
		*at++ = ' ';
		at = put_hex_fixed(at, ev->data[i], 2);
	}
	native_add(out, at);
}

/* Seconds and microseconds, rounded as trace-cmd rounds them. */
static char *put_time(char *at, uint64_t ts)
{
	uint64_t us = (ts + 500) / 1000;
	uint64_t seconds = us / 1000000;

	for (uint64_t width = 10000; width > seconds && width > 1; width /= 10)
		*at++ = ' ';
	at = put_dec(at, seconds);
	*at++ = '.';
	us %= 1000000;
	for (uint64_t width = 100000; width > us && width > 1; width /= 10)
		*at++ = '0';
	return put_dec(at, us);
}

void native_repeats(struct eval *ev, const struct plan *plan, const struct raw_event *raw,
		    struct outbuf *out)
{
	uint64_t delta = native_number(ev, plan, 2) << 32 | native_number(ev, plan, 3);
	char *at;

	native_add_symbol(ev, native_number(ev, plan, 0), out);
	at = put_text(outbuf_reserve(out, 128), " (count: ");
	at = put_dec(at, native_number(ev, plan, 1));
	at = put_text(at, "  last_ts: ");
	at = put_time(at, raw->ts - delta);
	*at++ = ')';
	native_add(out, at);
}
