/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions in BTF: the names and kinds of their arguments. */
#include <stdlib.h>
#include <string.h>

#include "record/btf.h"
#include "record/btf_walk.h"
#include "util/mem.h"

enum {
	KIND_INT = 1,
	KIND_POINTER = 2,
	KIND_STRUCT = 4,
	KIND_UNION = 5,
	KIND_ENUM = 6,
	KIND_TYPEDEF = 8,
	KIND_RESTRICT = 11,
	KIND_FUNCTION = 12,
	KIND_PROTOTYPE = 13,
	KIND_TYPE_TAG = 18,
	KIND_ENUM64 = 19,
};

#define INT_SIGNED (1u << 24)
#define INT_CHAR 1 /* bytes */
/* Typedefs of typedefs end; a damaged file could make a ring of them. */
#define CHAIN_MOST 32

/* Where each type begins; ids count from 1, those of a module go on behind its base's. */
struct index {
	const struct btf *btf;
	const uint8_t **type;
	uint32_t nr;
};

static void index_fini(struct index *index)
{
	free(index->type);
}

static int index_build(const struct btf *btf, struct index *out, struct err *err)
{
	struct btf_type t = {0};
	const uint8_t *at = NULL;
	uint32_t room = 0;
	int r;

	*out = (struct index){.btf = btf};
	while ((r = btf_next(btf, &at, &t, err)) > 0) {
		if (out->nr == room) {
			room = room ? room * 2 : 4096;
			out->type = xrealloc(out->type, room * sizeof(*out->type));
		}
		out->type[out->nr++] = t.at;
	}
	return r;
}

/* Both levels: the module's own, and the kernel's below it. */
struct indices {
	struct index base;
	struct index own;
};

static void indices_fini(struct indices *x)
{
	index_fini(&x->base);
	index_fini(&x->own);
}

static bool type_of(const struct indices *x, uint32_t id, struct btf_type *out)
{
	const struct index *index = &x->own;

	if (!id)
		return false;
	id--;
	if (x->own.btf->base) {
		if (id < x->base.nr)
			index = &x->base;
		else
			id -= x->base.nr;
	}
	if (id >= index->nr)
		return false;
	btf_read_type(index->type[id], out);
	return true;
}

/* Through typedefs and qualifiers. */
static bool resolve(const struct indices *x, uint32_t id, struct btf_type *out)
{
	for (int i = 0; i < CHAIN_MOST; i++) {
		if (!type_of(x, id, out))
			return false;
		if ((out->kind < KIND_TYPEDEF || out->kind > KIND_RESTRICT) &&
		    out->kind != KIND_TYPE_TAG)
			return true;
		id = out->size;
	}
	return false;
}

static uint32_t int_bits(const struct btf_type *t)
{
	uint32_t bits;

	memcpy(&bits, t->at + 12, sizeof(bits));
	return bits;
}

static void describe(const struct indices *x, uint32_t id, struct btf_argument *out)
{
	struct btf_type t;
	struct btf_type to;

	out->kind = BTF_ARGUMENT_OTHER;
	if (!id) {
		out->kind = BTF_ARGUMENT_NONE;
		return;
	}
	if (!resolve(x, id, &t))
		return;
	out->size = t.size;
	if (t.kind == KIND_INT) {
		out->kind = int_bits(&t) & INT_SIGNED ? BTF_ARGUMENT_SIGNED : BTF_ARGUMENT_UNSIGNED;
	} else if (t.kind == KIND_ENUM || t.kind == KIND_ENUM64) {
		out->kind = BTF_ARGUMENT_SIGNED;
	} else if (t.kind == KIND_POINTER) {
		out->size = sizeof(void *);
		out->kind = BTF_ARGUMENT_POINTER;
		if (resolve(x, t.size, &to) && to.kind == KIND_INT && to.size == INT_CHAR)
			out->kind = BTF_ARGUMENT_TEXT;
	}
}

static int read_arguments(const struct indices *x, const struct btf_type *function,
			  struct btf_function *out)
{
	struct btf_type proto;

	if (!type_of(x, function->size, &proto) || proto.kind != KIND_PROTOTYPE)
		return -ENOENT;
	describe(x, proto.size, &out->result);
	for (uint32_t i = 0; i < proto.nr && out->nr < BTF_ARGUMENTS_MOST; i++) {
		uint32_t pair[2];

		memcpy(pair, proto.at + 12 + (size_t)i * sizeof(pair), sizeof(pair));
		out->argument[out->nr].name = btf_string(x->own.btf, pair[0]);
		if (!out->argument[out->nr].name)
			return -EPROTO;
		describe(x, pair[1], &out->argument[out->nr++]);
	}
	return 0;
}

int btf_find_function(const struct btf *btf, const char *name, struct btf_function *out,
		      struct err *err)
{
	cleanup(indices_fini) struct indices x = {{0}, {0}};
	int r = btf->base ? index_build(btf->base, &x.base, err) : 0;

	*out = (struct btf_function){0};
	if (r == 0)
		r = index_build(btf, &x.own, err);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < x.own.nr; i++) {
		struct btf_type t;
		const char *own;

		btf_read_type(x.own.type[i], &t);
		if (t.kind != KIND_FUNCTION)
			continue;
		own = btf_string(btf, t.name_off);
		if (own && !strcmp(own, name))
			return read_arguments(&x, &t, out);
	}
	return -ENOENT;
}
