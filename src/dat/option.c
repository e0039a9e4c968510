/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of a trace.dat that mean the same in versions 6 and 7. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dat/facts.h"
#include "dat/sections.h"
#include "util/mem.h"

char *dat_keep_string(struct dat_reader *r, const void *data, size_t len)
{
	char *text = dat_arena_alloc(&r->arena, len + 1);

	if (len)
		memcpy(text, data, len);
	text[len] = '\0';
	return text;
}

static void take_string(struct dat_reader *r, const uint8_t *data, uint32_t size, const char **out)
{
	*out = dat_keep_string(r, data, size);
}

static void take_list(struct dat_reader *r, const uint8_t *data, uint32_t size,
		      struct dat_text **list, size_t *nr)
{
	char *text = dat_keep_string(r, data, size);

	*list = xrealloc(*list, (*nr + 1) * sizeof(**list));
	(*list)[(*nr)++] = (struct dat_text){text, strlen(text)};
}

static void take_tsc2nsec(struct dat_reader *r, const uint8_t *data, uint32_t size)
{
	if (size < 16) {
		dat_finding(r, "option TSC2NSEC has %" PRIu32 " bytes, 16 are needed", size);
		return;
	}
	r->tsc_mult = get_u32(data, r->big_endian);
	r->tsc_shift = get_u32(data + 4, r->big_endian);
	r->tsc_offset = get_u64(data + 8, r->big_endian);
	r->has_tsc2nsec = r->tsc_mult && r->tsc_shift < 64;
	if (!r->has_tsc2nsec)
		dat_finding(r,
			    "option TSC2NSEC holds mult %" PRIu32 " shift %" PRIu32
			    ", times stay as they are",
			    r->tsc_mult, r->tsc_shift);
}

static void take_number(struct dat_reader *r, const uint8_t *data, uint32_t size, int64_t *out)
{
	*out = (int64_t)strtoll(dat_keep_string(r, data, size), NULL, 0);
}

static void take_cpu_count(struct dat_reader *r, const uint8_t *data, uint32_t size)
{
	uint32_t count = size >= 4 ? get_u32(data, r->big_endian) : 0;

	if (count && count <= DAT_CPUS_MOST)
		r->cpu_count = count;
	else
		dat_finding(r, "option CPUCOUNT is damaged");
}

static void take_facts(struct dat_reader *r, const uint8_t *data, uint32_t size)
{
	char *text = dat_keep_string(r, data, size);

	/* They are printed as they are. */
	for (char *c = text; *c; c++)
		if ((*c < ' ' && *c != '\n') || *c == 0x7f)
			*c = '?';
	strv_split(&r->facts, text, "\n");
}

bool option_common(struct dat_reader *r, unsigned int id, const uint8_t *data, uint32_t size)
{
	switch (id) {
	case DAT_DATE:
		take_number(r, data, size, &r->date_offset_us);
		r->has_date = true;
		return true;
	case DAT_OFFSET:
		take_number(r, data, size, &r->offset);
		return true;
	case DAT_FACTS:
		take_facts(r, data, size);
		return true;
	case DAT_CPUSTAT:
		take_list(r, data, size, &r->cpustat, &r->nr_cpustats);
		return true;
	case DAT_HOOK:
		take_list(r, data, size, &r->hook, &r->nr_hooks);
		return true;
	case DAT_TRACECLOCK:
		take_string(r, data, size, &r->trace_clock);
		return true;
	case DAT_UNAME:
		take_string(r, data, size, &r->uname);
		return true;
	case DAT_VERSION:
		take_string(r, data, size, &r->recorder);
		return true;
	case DAT_CPUCOUNT:
		take_cpu_count(r, data, size);
		return true;
	case DAT_PROCMAPS:
		r->procmaps.text = dat_keep_string(r, data, size);
		r->procmaps.len = size;
		return true;
	case DAT_TRACEID:
		if (size >= 8)
			r->trace_id = get_u64(data, r->big_endian);
		return true;
	case DAT_TSC2NSEC:
		take_tsc2nsec(r, data, size);
		return true;
	default:
		/* TIME_SHIFT and GUEST pair host and guest files; all else is from a newer writer. */
		return false;
	}
}
