/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the names of C and kernel types say about size and sign. */
#include "decode/ctype.h"

#include <ctype.h>
#include <string.h>

#include "util/mem.h"

/* Sizes: LONG is the recorded kernel's; SKIP says nothing; TAG is followed by a name. */
enum { LONG = 100, SKIP, TAG, VOID, LONG_WORD, SIGNED_WORD, UNSIGNED_WORD, BOOL };

struct type_word {
	const char *name;
	uint8_t size;
	bool is_signed;
};

static const struct type_word words[] = {
	{"char", 1, true},
	{"short", 2, true},
	{"int", 4, true},
	{"long", LONG_WORD, true},
	{"signed", SIGNED_WORD, true},
	{"unsigned", UNSIGNED_WORD, false},
	{"void", VOID, false},
	{"bool", BOOL, false},
	{"_Bool", BOOL, false},
	{"const", SKIP, false},
	{"volatile", SKIP, false},
	{"static", SKIP, false},
	{"register", SKIP, false},
	{"__user", SKIP, false},
	{"__iomem", SKIP, false},
	{"__percpu", SKIP, false},
	{"__kernel", SKIP, false},
	{"__rcu", SKIP, false},
	{"__force", SKIP, false},
	{"__seg_gs", SKIP, false},
	{"__seg_fs", SKIP, false},
	{"__bitwise", SKIP, false},
	{"__attribute__", SKIP, false},
	{"struct", TAG, false},
	{"union", TAG, false},
	{"enum", TAG, false},
	{"u8", 1, false},
	{"u16", 2, false},
	{"u32", 4, false},
	{"u64", 8, false},
	{"s8", 1, true},
	{"s16", 2, true},
	{"s32", 4, true},
	{"s64", 8, true},
	{"__u8", 1, false},
	{"__u16", 2, false},
	{"__u32", 4, false},
	{"__u64", 8, false},
	{"__s8", 1, true},
	{"__s16", 2, true},
	{"__s32", 4, true},
	{"__s64", 8, true},
	{"__le16", 2, false},
	{"__le32", 4, false},
	{"__le64", 8, false},
	{"__be16", 2, false},
	{"__be32", 4, false},
	{"__be64", 8, false},
	{"__sum16", 2, false},
	{"__wsum", 4, false},
	{"uint8_t", 1, false},
	{"uint16_t", 2, false},
	{"uint32_t", 4, false},
	{"uint64_t", 8, false},
	{"int8_t", 1, true},
	{"int16_t", 2, true},
	{"int32_t", 4, true},
	{"int64_t", 8, true},
	{"u_char", 1, false},
	{"unchar", 1, false},
	{"uchar", 1, false},
	{"u_short", 2, false},
	{"ushort", 2, false},
	{"u_int", 4, false},
	{"uint", 4, false},
	{"u_long", LONG, false},
	{"ulong", LONG, false},
	{"size_t", LONG, false},
	{"ssize_t", LONG, true},
	{"ptrdiff_t", LONG, true},
	{"uintptr_t", LONG, false},
	{"intptr_t", LONG, true},
	{"pgoff_t", LONG, false},
	{"ino_t", LONG, false},
	{"off_t", LONG, true},
	{"loff_t", 8, true},
	{"sector_t", 8, false},
	{"blkcnt_t", 8, false},
	{"ktime_t", 8, true},
	{"time64_t", 8, true},
	{"time_t", LONG, true},
	{"pid_t", 4, true},
	{"uid_t", 4, false},
	{"gid_t", 4, false},
	{"dev_t", 4, false},
	{"key_t", 4, true},
	{"mode_t", 4, false},
	{"umode_t", 2, false},
	{"gfp_t", 4, false},
	{"fmode_t", 4, false},
	{"blk_opf_t", 4, false},
	{"slab_flags_t", 4, false},
	{"vm_fault_t", 4, false},
	{"isolate_mode_t", 4, false},
	{"__kernel_rwf_t", 4, true},
	{"rwf_t", 4, true},
	{"__poll_t", 4, false},
	{"clockid_t", 4, true},
	{"clock_t", LONG, true},
	{"nid_t", 4, false},
	{"block_t", 4, false},
	{"tid_t", 4, false},
	{"lsn_t", 8, true},
	{"dma_addr_t", 8, false},
	{"phys_addr_t", 8, false},
	{"resource_size_t", 8, false},
	{"gpa_t", 8, false},
	{"gva_t", LONG, false},
	{"gfn_t", 8, false},
	{"hpa_t", 8, false},
	{"cycle_t", 8, false},
	{"netdev_features_t", 8, false},
};

/* What has been read of a type so far. */
struct reading {
	unsigned int longs;
	unsigned int stars;
	uint8_t base; /* size, 0 while none was named */
	bool base_signed;
	bool says_signed;
	bool says_unsigned;
	bool is_bool;
	bool is_void;
	bool after_tag; /* the next word is a tag's name */
	bool unknown;	/* a name that is not in the table */
};

static const struct type_word *find_word(const char *word, size_t len)
{
	for (size_t i = 0; i < array_size(words); i++)
		if (strlen(words[i].name) == len && !memcmp(words[i].name, word, len))
			return &words[i];
	return NULL;
}

bool ctype_is_word(const char *word, size_t len)
{
	return find_word(word, len) != NULL;
}

static bool set_base(struct reading *rd, uint8_t size, bool is_signed)
{
	/* "short int": the shorter one counts. */
	if (!rd->base || size < rd->base)
		rd->base = size;
	rd->base_signed = is_signed;
	return true;
}

static bool take_word(struct reading *rd, const char *word, size_t len, unsigned int long_size)
{
	const struct type_word *known;

	if (rd->after_tag) {
		rd->after_tag = false;
		return true;
	}
	known = find_word(word, len);
	if (!known) {
		if (rd->unknown || rd->base || rd->longs || rd->is_void)
			return false;
		rd->unknown = true;
		return true;
	}
	switch (known->size) {
	case SKIP:
		return true;
	case TAG:
		rd->after_tag = true;
		/* An enum is an int; what else has a tag is only met behind a pointer. */
		if (*word == 'e')
			set_base(rd, 4, false);
		else
			rd->unknown = true;
		return true;
	case VOID:
		rd->is_void = true;
		return true;
	case LONG_WORD:
		rd->longs++;
		return true;
	case SIGNED_WORD:
		rd->says_signed = true;
		return true;
	case UNSIGNED_WORD:
		rd->says_unsigned = true;
		return true;
	case BOOL:
		rd->is_bool = true;
		return set_base(rd, 1, false);
	case LONG:
		return set_base(rd, (uint8_t)long_size, known->is_signed);
	default:
		return set_base(rd, known->size, known->is_signed);
	}
}

static void finish(const struct reading *rd, unsigned int long_size, struct ctype *out)
{
	uint8_t size = rd->base;
	bool is_signed = rd->base_signed;

	if (rd->longs) {
		size = rd->longs > 1 ? 8 : (uint8_t)long_size;
		is_signed = true;
	} else if (!size && (rd->says_signed || rd->says_unsigned)) {
		size = 4;
		is_signed = true;
	}
	if (rd->says_unsigned)
		is_signed = false;
	if (rd->says_signed)
		is_signed = true;
	*out = (struct ctype){.size = size, .is_signed = is_signed, .is_bool = rd->is_bool};
	if (!rd->stars)
		return;
	out->is_pointer = true;
	out->is_bool = false;
	out->elem_size = rd->stars > 1 ? (uint8_t)long_size : size;
	out->elem_signed = rd->stars == 1 && is_signed;
	out->size = (uint8_t)long_size;
	out->is_signed = false;
}

bool ctype_parse(const char *text, size_t len, unsigned int long_size, struct ctype *out)
{
	struct reading rd = {0};
	size_t at = 0;
	bool any = false;

	while (at < len) {
		size_t start = at;

		if (isspace((unsigned char)text[at])) {
			at++;
			continue;
		}
		if (text[at] == '*') {
			if (!any)
				return false;
			rd.stars++;
			at++;
			continue;
		}
		while (at < len && (isalnum((unsigned char)text[at]) || text[at] == '_'))
			at++;
		if (at == start || isdigit((unsigned char)text[start]))
			return false;
		if (!take_word(&rd, text + start, at - start, long_size))
			return false;
		any = true;
	}
	if (!any || rd.after_tag)
		return false;
	finish(&rd, long_size, out);
	return true;
}
