/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one thread keeps while it prints, and the printing itself. */
#include <stdlib.h>
#include <string.h>

#include "decode/internal.h"
#include "decode/load.h"
#include "util/mem.h"

struct decode_thread *decode_thread_new(struct decode *dec)
{
	struct decode_thread *thread = xzalloc_apart(sizeof(*thread));

	thread->dec = dec;
	return thread;
}

void decode_thread_free(struct decode_thread *thread)
{
	if (!thread)
		return;
	outbuf_fini(&thread->scratch);
	free(thread);
}

static void look_up(struct decode_thread *thread, uint64_t addr, struct cached_symbol *entry)
{
	const struct symbols *symbols = decode_symbols(thread->dec);
	const struct symbol *symbol = symbols_find(symbols, addr);

	*entry = (struct cached_symbol){.addr = addr, .used = true};
	if (!symbol)
		return;
	entry->name = symbols->text + symbol->name;
	entry->name_len = (uint32_t)strlen(entry->name);
	entry->offset = addr - symbol->addr;
}

const struct cached_symbol *thread_symbol(struct decode_thread *thread, uint64_t addr)
{
	/* Functions start at multiples of 16, so the low bits alone would crowd. */
	size_t place = (addr * 0x9e3779b97f4a7c15ull) >> 52;
	struct cached_symbol *entry = &thread->cache[place & (SYMBOL_CACHE - 1)];

	if (entry->addr != addr || !entry->used)
		look_up(thread, addr, entry);
	return entry;
}

const char *decode_symbol(struct decode_thread *thread, uint64_t addr, uint64_t *offset)
{
	const struct cached_symbol *symbol = thread_symbol(thread, addr);

	if (symbol->name)
		*offset = symbol->offset;
	return symbol->name;
}

static struct eval start_eval(struct decode_thread *thread, const struct raw_event *raw)
{
	return (struct eval){
		.thread = thread,
		.data = raw->data,
		.size = raw->size,
		.swap = thread->dec->swap,
		.long_size = (uint8_t)thread->dec->in.long_size,
	};
}

void event_print(struct decode_thread *thread, const struct event *event,
		 const struct raw_event *raw, struct outbuf *out)
{
	const struct plan *plan = event->plan;
	struct eval ev = start_eval(thread, raw);
	size_t start = out->len;

	if (plan->before)
		plan->before(&ev, plan, raw, out);
	/* Only the ordinary printers know what to do with a record that is cut. */
	if (raw->size >= event->min_size)
		plan->print(&ev, plan, raw, out);
	else if (plan->nr_ops)
		plan_run(&ev, plan, raw, out);
	else
		plan_run_fields(&ev, plan, raw, out);
	while (out->len > start && out->buf[out->len - 1] == '\n')
		out->len--;
	if (plan->needs_cleaning)
		clean_text(out, start, plan->keeps_lines);
}

void event_print_raw(struct decode_thread *thread, const struct event *event,
		     const struct raw_event *raw, struct outbuf *out)
{
	struct eval ev = start_eval(thread, raw);
	size_t start = out->len;

	fields_print(&ev, event, out);
	clean_text(out, start, false);
}

enum plan_kind event_plan_kind(const struct event *event)
{
	return event->plan->kind;
}

bool event_lacks_values(const struct event *event)
{
	const struct plan *plan = event->plan;

	return plan->kind == PLAN_FIELDS ||
	       (plan->kind == PLAN_NATIVE && plan->print == plan_run &&
		atomic_load_explicit(plan->lacks_values, memory_order_relaxed));
}

static bool lacks_symbol(struct decode *dec, const struct node *node)
{
	uint64_t addr;

	if (!node || !node->uses_symbol)
		return false;
	if (node->op == NODE_SYMBOL)
		return !symbols_address(decode_symbols(dec), node->text, &addr);
	return lacks_symbol(dec, node->a) || lacks_symbol(dec, node->b) ||
	       lacks_symbol(dec, node->c);
}

bool decode_lacks_values(struct decode *dec, const struct event *event)
{
	const struct plan *plan = event->plan;

	if (event_lacks_values(event))
		return true;
	if (plan->kind != PLAN_NATIVE || plan->print != plan_run)
		return false;
	for (size_t i = 0; i < plan->nr_ops; i++)
		if (lacks_symbol(dec, plan->op[i].expr) || lacks_symbol(dec, plan->op[i].width) ||
		    lacks_symbol(dec, plan->op[i].precision))
			return true;
	return false;
}

static bool keeps_lines(const struct event *event)
{
	return !strcmp(event->system, "ftrace") &&
	       (!strcmp(event->name, "kernel_stack") || !strcmp(event->name, "user_stack"));
}

void plan_build(struct decode *dec, struct event_full *full)
{
	struct plan *plan = &full->plan;
	bool plugin_can = false;

	plan->event = &full->event;
	plan->kind = PLAN_NATIVE;
	plan->print = plan_run;
	plan->lacks_values = arena_alloc(&full->arena, sizeof(*plan->lacks_values));
	if (!plan_compile(dec, full, &plugin_can)) {
		plan->kind = PLAN_FIELDS;
		plan->print = plan_run_fields;
		plan->nr_ops = 0;
		plan->needs_cleaning = true;
	}
	if (native_find(dec, full)) {
		plan->kind = PLAN_NATIVE;
	} else if ((plugin_can || fallback_knows(&full->event)) && fallback_prepare(dec, full)) {
		plan->kind = PLAN_FALLBACK;
		plan->print = fallback_print;
		plan->needs_cleaning = true;
	}
	plan->keeps_lines = keeps_lines(&full->event);
}
