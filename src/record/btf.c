/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the enumerators out of BTF, the kernel's own description of its types. */
#include "record/btf.h"

#include <string.h>

#include "record/btf_walk.h"
#include "util/mem.h"

enum { BTF_MAGIC = 0xeb9f, BTF_VERSION = 1 };
enum { KIND_ENUM = 6, KIND_ENUM64 = 19 };

/* As they lie in the kernel's memory; Documentation/bpf/btf.rst. */
struct header {
	uint16_t magic;
	uint8_t version;
	uint8_t flags;
	uint32_t header_len; /* the offsets count from its end */
	uint32_t type_off;
	uint32_t type_len;
	uint32_t str_off;
	uint32_t str_len;
};

struct type {
	uint32_t name_off;
	uint32_t info; /* 16 bits of members, 5 of the kind from bit 24, and a flag on top */
	uint32_t size;
};

/* What follows a type: so many bytes, and so many for each member. */
static const struct {
	uint8_t fixed;
	uint8_t member;
	bool is_known;
} kinds[] = {
	[1] = {4, 0, true},	      /* int */
	[2] = {0, 0, true},	      /* pointer */
	[3] = {12, 0, true},	      /* array */
	[4] = {0, 12, true},	      /* struct */
	[5] = {0, 12, true},	      /* union */
	[KIND_ENUM] = {0, 8, true},   /* enum */
	[7] = {0, 0, true},	      /* forward declaration */
	[8] = {0, 0, true},	      /* typedef */
	[9] = {0, 0, true},	      /* volatile */
	[10] = {0, 0, true},	      /* const */
	[11] = {0, 0, true},	      /* restrict */
	[12] = {0, 0, true},	      /* function */
	[13] = {0, 8, true},	      /* function prototype */
	[14] = {4, 0, true},	      /* variable */
	[15] = {0, 12, true},	      /* section */
	[16] = {0, 0, true},	      /* float */
	[17] = {4, 0, true},	      /* declaration tag */
	[18] = {0, 0, true},	      /* type tag */
	[KIND_ENUM64] = {0, 12, true} /* enum of 64 bits */
};

/* The part of @len bytes at @off behind the header, NULL when it is not inside. */
static const uint8_t *section(const uint8_t *data, size_t size, const struct header *head,
			      uint32_t off, uint32_t len)
{
	uint64_t begin = (uint64_t)head->header_len + off;

	return begin <= size && len <= size - begin ? data + begin : NULL;
}

int btf_open(const void *data, size_t len, const struct btf *base, struct btf *out, struct err *err)
{
	struct header head;

	if (len < sizeof(head))
		return err_set(err, EPROTO, "BTF of %zu bytes has no header", len);
	memcpy(&head, data, sizeof(head));
	if (head.magic != BTF_MAGIC || head.version != BTF_VERSION)
		return err_set(err, EPROTO, "no BTF: magic number %#x, version %u", head.magic,
			       head.version);
	if (head.header_len < sizeof(head))
		return err_set(err, EPROTO, "BTF with a header of %u bytes", head.header_len);
	*out = (struct btf){.types_len = head.type_len, .strings_len = head.str_len, .base = base};
	out->types = section(data, len, &head, head.type_off, head.type_len);
	out->strings = (const char *)section(data, len, &head, head.str_off, head.str_len);
	if (!out->types || !out->strings)
		return err_set(err, EPROTO, "the sections of the BTF are beyond its %zu bytes",
			       len);
	if (head.str_len && out->strings[head.str_len - 1])
		return err_set(err, EPROTO, "the last string of the BTF has no end");
	return 0;
}

/* The strings of a module go on where those of the kernel end. NULL when there is none. */
const char *btf_string(const struct btf *btf, uint32_t off)
{
	size_t own = off;

	if (btf->base) {
		if (off < btf->base->strings_len)
			return btf->base->strings + off;
		own = off - btf->base->strings_len;
	}
	return own < btf->strings_len ? btf->strings + own : NULL;
}

static struct btf_value read_value(const uint8_t *at, bool is_64, bool is_signed)
{
	uint32_t low;
	uint32_t high = 0;

	memcpy(&low, at + 4, sizeof(low));
	if (is_64)
		memcpy(&high, at + 8, sizeof(high));
	else if (is_signed && low >> 31)
		high = UINT32_MAX;
	return (struct btf_value){.bits = (uint64_t)high << 32 | low,
				  .is_signed = is_signed,
				  .is_unsure = !is_64 && !is_signed && low >> 31};
}

/* @nr enumerators, which are known to be inside. */
static int tell_enum(const struct btf *btf, const uint8_t *at, uint32_t nr, bool is_64,
		     bool is_signed, btf_enumerator_fn *each, void *ctx, struct err *err)
{
	for (; nr; nr--, at += is_64 ? 12 : 8) {
		struct btf_value value = read_value(at, is_64, is_signed);
		const char *name;
		uint32_t name_off;

		memcpy(&name_off, at, sizeof(name_off));
		name = btf_string(btf, name_off);
		if (!name)
			return err_set(err, EPROTO, "the BTF has no string at %u", name_off);
		each(ctx, name, &value);
	}
	return 0;
}

void btf_read_type(const uint8_t *at, struct btf_type *out)
{
	struct type type;

	memcpy(&type, at, sizeof(type));
	*out = (struct btf_type){.at = at,
				 .name_off = type.name_off,
				 .kind = type.info >> 24 & 0x1f,
				 .nr = type.info & 0xffff,
				 .flag = type.info >> 31,
				 .size = type.size};
}

int btf_next(const struct btf *btf, const uint8_t **at, struct btf_type *out, struct err *err)
{
	const uint8_t *from = *at ? *at : btf->types;
	size_t left = btf->types_len - (size_t)(from - btf->types);
	size_t more;

	if (!left)
		return 0;
	if (left < sizeof(struct type))
		return err_set(err, EPROTO, "the last type of the BTF is cut off");
	btf_read_type(from, out);
	left -= sizeof(struct type);
	if (out->kind >= array_size(kinds) || !kinds[out->kind].is_known)
		return err_set(err, EPROTO, "the BTF has a type of unknown kind %u", out->kind);
	more = kinds[out->kind].fixed + (size_t)out->nr * kinds[out->kind].member;
	if (more > left)
		return err_set(err, EPROTO, "the last type of the BTF is cut off");
	*at = from + sizeof(struct type) + more;
	return 1;
}

int btf_each_enumerator(const struct btf *btf, btf_enumerator_fn *each, void *ctx, struct err *err)
{
	const uint8_t *at = NULL;
	struct btf_type t;
	int r;

	while ((r = btf_next(btf, &at, &t, err)) > 0) {
		/* Before ENUM64 the values of a wide enum were cut to 32 bits. */
		if (t.kind == KIND_ENUM64 || (t.kind == KIND_ENUM && t.size <= 4))
			r = tell_enum(btf, t.at + sizeof(struct type), t.nr, t.kind == KIND_ENUM64,
				      t.flag, each, ctx, err);
		if (r < 0)
			return r;
	}
	return r;
}
