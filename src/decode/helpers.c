/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions that print formats call, one row each. */
#include <string.h>

#include "decode/ctype.h"
#include "decode/helper.h"
#include "decode/load.h"
#include "util/mem.h"

int helper_arguments(struct parser *parser, struct node **arg, int most)
{
	int nr = 0;

	if (parser_is(parser, OP1(')')))
		return 0;
	do {
		if (nr == most)
			return -1;
		arg[nr] = parse_assignment(parser);
		if (!arg[nr])
			return -1;
		nr++;
	} while (parser_take(parser, OP1(',')));
	return nr;
}

static struct node *one_argument(struct parser *parser)
{
	struct node *arg;

	return helper_arguments(parser, &arg, 1) == 1 ? arg : NULL;
}

/* A field by its bare name, as the __get_ functions take it. */
static const struct decode_field *field_argument(struct parser *parser)
{
	const struct decode_field *field = parser_field(parser, parser_peek(parser));

	if (field)
		parser->at++;
	return field;
}

/* A probe's array of texts is a row of locations: __get_str(names[1]). */
static struct node *get_element(struct parser *parser, struct node *node)
{
	const struct node *index = parse_assignment(parser);

	if (!node_is_constant(index) || !parser_take(parser, OP1(']')) || node->op != NODE_DYNAMIC)
		return NULL;
	if (index->number >= node->field->size / 4)
		return NULL;
	node->offset += (uint32_t)index->number * 4;
	node->end += (uint32_t)index->number * 4;
	return node;
}

static struct node *build_get(struct parser *parser, const struct helper *helper)
{
	const struct decode_field *field = field_argument(parser);
	struct node *node = field ? node_memory(parser, field) : NULL;

	(void)helper;
	return node && parser_take(parser, OP1('[')) ? get_element(parser, node) : node;
}

static struct node *build_length(struct parser *parser, const struct helper *helper)
{
	struct node *memory = build_get(parser, helper);
	struct node *node = node_with(parser, NODE_LENGTH, VALUE_INT, 1, &memory);

	/* As wide and unsigned as the word it is taken from. */
	if (node)
		node->size = 4;
	return node;
}

/* Memory given by name or by expression, printed in one way. */
static struct node *build_mask(struct parser *parser, const struct helper *helper)
{
	struct node *memory = build_get(parser, helper);

	return node_with(parser, (enum node_op)helper->op, VALUE_TEXT, 1, &memory);
}

static struct node *build_choice(struct parser *parser, const struct helper *helper)
{
	struct node *condition = one_argument(parser);

	return node_choose(parser, condition, node_text(parser, helper->yes, strlen(helper->yes)),
			   node_text(parser, helper->no, strlen(helper->no)));
}

static struct node *build_plural(struct parser *parser, const struct helper *helper)
{
	struct node *n = one_argument(parser);

	return node_choose(parser,
			   node_binary(parser, NODE_EQUAL, n, node_number(parser, 1, 4, true)),
			   node_text(parser, helper->yes, strlen(helper->yes)),
			   node_text(parser, helper->no, strlen(helper->no)));
}

/* Byte order of the recorded kernel against what the function takes: ->flag for big endian. */
static struct node *build_order(struct parser *parser, const struct helper *helper)
{
	struct node *arg = one_argument(parser);

	if (parser->big_endian == helper->flag)
		return node_cast(parser, arg, helper->size, false);
	return node_swap(parser, arg, helper->size);
}

/* The same through a pointer. */
static struct node *build_order_pointed(struct parser *parser, const struct helper *helper)
{
	struct node *arg = one_argument(parser);
	struct node *memory;

	if (!arg || arg->kind != VALUE_MEM)
		return NULL;
	memory = node_new(parser, NODE_ARRAY, VALUE_MEM);
	if (!memory)
		return NULL;
	*memory = *arg;
	memory->elem_size = helper->size;
	memory->elem_signed = false;
	arg = node_index(parser, memory, node_number(parser, 0, 4, true));
	if (parser->big_endian == helper->flag)
		return arg;
	return node_swap(parser, arg, helper->size);
}

static struct node *build_swap(struct parser *parser, const struct helper *helper)
{
	return node_swap(parser, one_argument(parser), helper->size);
}

/* What only wraps its first argument; ->size casts it when given, ->flag: signed. */
static struct node *build_first(struct parser *parser, const struct helper *helper)
{
	struct node *arg[3];

	if (helper_arguments(parser, arg, 3) < 1)
		return NULL;
	/* What a call makes of a field is not the field itself: -R prints that in its own way. */
	arg[0]->field = NULL;
	return helper->size ? node_cast(parser, arg[0], helper->size, helper->flag) : arg[0];
}

static struct node *build_second(struct parser *parser, const struct helper *helper)
{
	struct node *arg[2];

	/* The name space in front is a symbol behind an '&', which has no value. */
	while (parser_peek(parser)->kind != TOKEN_END && !parser_is(parser, OP1(',')))
		parser->at++;
	if (!parser_take(parser, OP1(',')) || helper_arguments(parser, arg, 2) != 1)
		return NULL;
	return node_cast(parser, arg[0], helper->size, false);
}

static struct node *build_bool(struct parser *parser, const struct helper *helper)
{
	struct node *arg[2];

	(void)helper;
	if (helper_arguments(parser, arg, 2) < 1)
		return NULL;
	return node_unary(parser, NODE_LOGIC_NOT, node_unary(parser, NODE_LOGIC_NOT, arg[0]));
}

/* One of two arguments by a comparison: min(), max(). */
static struct node *build_extreme(struct parser *parser, const struct helper *helper)
{
	struct node *arg[2];

	if (helper_arguments(parser, arg, 2) != 2)
		return NULL;
	return node_choose(parser, node_binary(parser, (enum node_op)helper->op, arg[0], arg[1]),
			   arg[0], arg[1]);
}

/* The kernel's takes all as signed, and gives an int at least. */
static struct node *build_absolute(struct parser *parser, const struct helper *helper)
{
	struct node *arg = one_argument(parser);
	struct node *node;

	(void)helper;
	if (!arg || arg->kind != VALUE_INT)
		return NULL;
	node = node_cast(parser, arg, arg->size, true);
	return node_choose(parser,
			   node_binary(parser, NODE_LESS, node, node_number(parser, 0, 4, true)),
			   node_unary(parser, NODE_NEGATE, node), node);
}

static struct node *build_binary(struct parser *parser, const struct helper *helper)
{
	struct node *arg[2];

	if (helper_arguments(parser, arg, 2) != 2)
		return NULL;
	if (helper->size) {
		arg[0] = node_cast(parser, arg[0], helper->size, helper->flag);
		arg[1] = node_cast(parser, arg[1], helper->size, helper->flag);
	}
	return node_binary(parser, (enum node_op)helper->op, arg[0], arg[1]);
}

/* Error pointers are the last page of the address space. */
static struct node *build_is_error(struct parser *parser, const struct helper *helper)
{
	struct node *arg = one_argument(parser);
	uint8_t size = (uint8_t)parser->long_size;

	(void)helper;
	return node_binary(parser, NODE_GREATER_EQUAL, node_cast(parser, arg, size, false),
			   node_number(parser, (uint64_t)-4095, size, false));
}

static struct node *build_long(struct parser *parser, const struct helper *helper)
{
	return node_cast(parser, one_argument(parser), (uint8_t)parser->long_size, helper->flag);
}

static struct node *build_number(struct parser *parser, const struct helper *helper)
{
	struct node *arg[4];

	if (helper_arguments(parser, arg, 4) < 0)
		return NULL;
	return node_number(parser, helper->flag, 4, true);
}

/* 20 bits of minor number, as in the kernel's own dev_t. */
static struct node *build_device_part(struct parser *parser, const struct helper *helper)
{
	struct node *dev = node_cast(parser, one_argument(parser), 4, false);

	if (helper->op == NODE_SHIFT_RIGHT)
		return node_binary(parser, NODE_SHIFT_RIGHT, dev, node_number(parser, 20, 4, true));
	return node_binary(parser, NODE_AND, dev, node_number(parser, 0xfffff, 4, false));
}

static struct node *build_device_name(struct parser *parser, const struct helper *helper)
{
	struct node *dev = node_cast(parser, one_argument(parser), 4, false);

	(void)helper;
	return node_with(parser, NODE_DEV_NAME, VALUE_TEXT, 1, &dev);
}

/* Seconds and the rest of a number of nanoseconds. */
static struct node *build_seconds(struct parser *parser, const struct helper *helper)
{
	struct node *ns = node_cast(parser, one_argument(parser), 8, false);
	struct node *node = node_binary(parser, (enum node_op)helper->op, ns,
					node_number(parser, 1000000000, 8, false));

	return helper->size ? node_cast(parser, node, helper->size, false) : node;
}

/* __print_dynamic_array(field, element size) */
static struct node *build_dynamic_numbers(struct parser *parser, const struct helper *helper)
{
	struct node *memory = build_get(parser, helper);
	struct node *size = parser_take(parser, OP1(',')) ? parse_assignment(parser) : NULL;
	struct node *length = node_with(parser, NODE_LENGTH, VALUE_INT, 1, &memory);
	struct node *operand[] = {memory, NULL, size};

	if (!length || !size || size->kind != VALUE_INT)
		return NULL;
	length->size = 4;
	operand[1] = node_binary(parser, NODE_DIVIDE, length, size);
	return node_with(parser, NODE_NUMBERS, VALUE_TEXT, 3, operand);
}

/* Memory and its length, and for arrays the size of an element. */
static struct node *build_bytes(struct parser *parser, const struct helper *helper)
{
	struct node *arg[8];
	int wanted = helper->size;
	int nr = helper_arguments(parser, arg, 8);

	if (nr < wanted || arg[0]->kind != VALUE_MEM || arg[1]->kind != VALUE_INT)
		return NULL;
	return node_with(parser, (enum node_op)helper->op, VALUE_TEXT, (size_t)wanted, arg);
}

/* (prefix text, prefix type, row size, group size, memory, length, ascii) */
static struct node *build_hex_dump(struct parser *parser, const struct helper *helper)
{
	struct hex_dump *dump = arena_alloc(parser->arena, sizeof(*dump));
	struct node *arg[7];
	struct node *node;

	if (helper_arguments(parser, arg, 7) != 7 || arg[0]->op != NODE_TEXT ||
	    arg[4]->kind != VALUE_MEM || arg[5]->kind != VALUE_INT)
		return NULL;
	if (!node_is_constant(arg[1]) || !node_is_constant(arg[2]) || !node_is_constant(arg[3]) ||
	    !node_is_constant(arg[6]))
		return NULL;
	*dump = (struct hex_dump){.prefix = arg[0]->text,
				  .places = arg[1]->number != DUMP_PREFIX_NONE,
				  .row = arg[2]->number == 32 ? 32 : 16,
				  .group = 1,
				  .ascii = arg[6]->number != 0};
	if (arg[3]->number == 2 || arg[3]->number == 4 || arg[3]->number == 8)
		dump->group = (uint8_t)arg[3]->number;
	node = node_with(parser, (enum node_op)helper->op, VALUE_TEXT, 2, &arg[4]);
	if (node)
		node->dump = dump;
	return node;
}

static struct node *build_compare_text(struct parser *parser, const struct helper *helper)
{
	struct node *arg[3];
	struct node *node;
	int nr = helper_arguments(parser, arg, 3);

	/* strncmp() has a length, strcmp() must not have one. */
	if (nr != (helper->flag ? 3 : 2) || (nr == 3 && arg[2]->kind != VALUE_INT))
		return NULL;
	node = node_with(parser, NODE_COMPARE_TEXT, VALUE_INT, (size_t)nr, arg);
	if (node) {
		node->size = 4;
		node->is_signed = true;
	}
	return node;
}

/* "{ key, "name" }"; a key that is a name nobody knows makes an entry that never matches. False at
 * what is no entry. */
static bool parse_entry(struct parser *parser, struct name_entry *entry)
{
	struct node *key;
	struct node *text;
	size_t close = parser_peek(parser)->match;

	*entry = (struct name_entry){0};
	if (!parser_is(parser, OP1('{')) || close <= parser->at || close >= parser->end)
		return false;
	parser->at++;
	key = parse_assignment(parser);
	text = parser_take(parser, OP1(',')) ? parse_assignment(parser) : NULL;
	if (node_is_constant(key) && text && text->op == NODE_TEXT && parser->at == close) {
		entry->value = key->number;
		entry->text = text->text;
		entry->len = text->len;
		entry->known = true;
	}
	parser->at = close + 1;
	return true;
}

/* The rows of the table that starts at the parser's place. */
static const struct names *parse_names(struct parser *parser, uint64_t mask)
{
	struct names *names = arena_alloc(parser->arena, sizeof(*names));
	struct name_entry *entry;
	size_t room = 0;

	for (size_t at = parser->at; at < parser->end; at++)
		room += parser->token[at].kind == TOKEN_OP && parser->token[at].op == OP1('{');
	entry = arena_alloc(parser->arena, (room + 1) * sizeof(*entry));
	names->mask = mask;
	names->entry = entry;
	while (parser_is(parser, OP1('{')) && names->nr < room) {
		size_t close = parser_peek(parser)->match;

		/* "{ }" ends the table, or is all of it. */
		if (close == parser->at + 1) {
			parser->at += 2;
			break;
		}
		if (!parse_entry(parser, &entry[names->nr]))
			return NULL;
		entry[names->nr].value &= mask;
		names->nr++;
		if (!parser_take(parser, OP1(',')))
			break;
	}
	return names;
}

/* ->flag: u64 on 32-bit kernels too. */
static struct node *build_names(struct parser *parser, const struct helper *helper)
{
	uint64_t mask = helper->flag || parser->long_size == 8 ? UINT64_MAX : UINT32_MAX;
	struct node *value = parse_assignment(parser);
	const char *delimiter = "";
	struct names *names;
	struct node *node;

	if (!value || value->kind != VALUE_INT)
		return NULL;
	if (helper->op == NODE_FLAGS) {
		struct node *text = parser_take(parser, OP1(',')) ? parse_assignment(parser) : NULL;

		if (!text || (text->op != NODE_TEXT && text->op != NODE_NUMBER))
			return NULL;
		delimiter = text->op == NODE_TEXT ? text->text : "";
	}
	parser_take(parser, OP1(','));
	names = (struct names *)parse_names(parser, mask);
	node = node_with(parser, (enum node_op)helper->op, VALUE_TEXT, 1, &value);
	if (!names || !node)
		return NULL;
	names->delimiter = delimiter;
	node->names = names;
	return node;
}

/* A plugin may only be asked when the call is the whole argument and its own arguments make sense:
 * libtraceevent crashes on some that do not. */
static struct node *build_plugin(struct parser *parser, const struct helper *helper)
{
	struct node *arg[4];
	bool alone = parser->at == parser->first + 2;

	(void)helper;
	if (helper_arguments(parser, arg, 4) < 1 || !parser_is(parser, OP1(')')))
		return NULL;
	if (alone && parser->at + 1 == parser->end)
		parser->wants_plugin = true;
	return NULL;
}

#define CHOICE(name, yes, no)                            \
	{                                                \
		name, build_choice, yes, no, 0, 0, false \
	}
#define ORDER(bits, bytes)                                                                    \
	{"le" #bits "_to_cpu", build_order, NULL, NULL, bytes, 0, false},                     \
		{"__le" #bits "_to_cpu", build_order, NULL, NULL, bytes, 0, false},           \
		{"cpu_to_le" #bits, build_order, NULL, NULL, bytes, 0, false},                \
		{"__cpu_to_le" #bits, build_order, NULL, NULL, bytes, 0, false},              \
		{"be" #bits "_to_cpu", build_order, NULL, NULL, bytes, 0, true},              \
		{"__be" #bits "_to_cpu", build_order, NULL, NULL, bytes, 0, true},            \
		{"cpu_to_be" #bits, build_order, NULL, NULL, bytes, 0, true},                 \
		{"__cpu_to_be" #bits, build_order, NULL, NULL, bytes, 0, true},               \
		{"le" #bits "_to_cpup", build_order_pointed, NULL, NULL, bytes, 0, false},    \
		{"__le" #bits "_to_cpup", build_order_pointed, NULL, NULL, bytes, 0, false},  \
		{"get_unaligned_le" #bits, build_order_pointed, NULL, NULL, bytes, 0, false}, \
		{"be" #bits "_to_cpup", build_order_pointed, NULL, NULL, bytes, 0, true},     \
		{"__be" #bits "_to_cpup", build_order_pointed, NULL, NULL, bytes, 0, true},   \
		{"get_unaligned_be" #bits, build_order_pointed, NULL, NULL, bytes, 0, true},  \
		{"__builtin_bswap" #bits, build_swap, NULL, NULL, bytes, 0, false},           \
		{"__swab" #bits, build_swap, NULL, NULL, bytes, 0, false},                    \
		{"swab" #bits, build_swap, NULL, NULL, bytes, 0, false},                      \
		{"__fswab" #bits, build_swap, NULL, NULL, bytes, 0, false},                   \
	{                                                                                     \
		"___constant_swab" #bits, build_swap, NULL, NULL, bytes, 0, false             \
	}

static const struct helper helpers[] = {
	{"__get_str", build_get, NULL, NULL, 0, 0, false},
	{"__get_rel_str", build_get, NULL, NULL, 0, 0, false},
	{"__get_dynamic_array", build_get, NULL, NULL, 0, 0, false},
	{"__get_rel_dynamic_array", build_get, NULL, NULL, 0, 0, false},
	{"__get_sockaddr", build_get, NULL, NULL, 0, 0, false},
	{"__get_rel_sockaddr", build_get, NULL, NULL, 0, 0, false},
	{"__get_dynamic_array_len", build_length, NULL, NULL, 0, 0, false},
	{"__get_rel_dynamic_array_len", build_length, NULL, NULL, 0, 0, false},
	{"__get_bitmask", build_mask, NULL, NULL, 0, NODE_BITMASK, false},
	{"__get_rel_bitmask", build_mask, NULL, NULL, 0, NODE_BITMASK, false},
	{"__get_cpumask", build_mask, NULL, NULL, 0, NODE_CPUMASK, false},
	{"__get_rel_cpumask", build_mask, NULL, NULL, 0, NODE_CPUMASK, false},
	{"__get_stacktrace", build_mask, NULL, NULL, 0, NODE_STACK, false},
	{"__get_rel_stacktrace", build_mask, NULL, NULL, 0, NODE_STACK, false},
	{"__print_flags", build_names, NULL, NULL, 0, NODE_FLAGS, false},
	{"__print_flags_u64", build_names, NULL, NULL, 0, NODE_FLAGS, true},
	{"__print_symbolic", build_names, NULL, NULL, 0, NODE_SYMBOLIC, false},
	{"__print_symbolic_u64", build_names, NULL, NULL, 0, NODE_SYMBOLIC, true},
	{"__print_hex", build_bytes, NULL, NULL, 2, NODE_HEX, false},
	{"__print_hex_str", build_bytes, NULL, NULL, 2, NODE_HEX_STR, false},
	{"__print_array", build_bytes, NULL, NULL, 3, NODE_NUMBERS, false},
	{"__print_dynamic_array", build_dynamic_numbers, NULL, NULL, 0, 0, false},
	{"__print_hex_dump", build_hex_dump, NULL, NULL, 0, NODE_HEX_DUMP, false},
	{"__print_ns_to_secs", build_seconds, NULL, NULL, 0, NODE_DIVIDE, false},
	{"__print_ns_without_secs", build_seconds, NULL, NULL, 4, NODE_MODULO, false},
	{"__builtin_expect", build_first, NULL, NULL, 0, 0, false},
	{"__builtin_constant_p", build_number, NULL, NULL, 0, 0, false},
	{"likely", build_bool, NULL, NULL, 0, 0, false},
	{"unlikely", build_bool, NULL, NULL, 0, 0, false},
	{"READ_ONCE", build_first, NULL, NULL, 0, 0, false},
	{"IS_ERR_VALUE", build_is_error, NULL, NULL, 0, 0, false},
	{"IS_ERR", build_is_error, NULL, NULL, 0, 0, false},
	{"PTR_ERR", build_long, NULL, NULL, 0, 0, true},
	{"ERR_PTR", build_long, NULL, NULL, 0, 0, false},
	{"jiffies_to_msecs", build_first, NULL, NULL, 4, 0, false},
	{"ktime_to_ns", build_first, NULL, NULL, 8, 0, true},
	{"ns_to_ktime", build_first, NULL, NULL, 8, 0, true},
	{"from_kuid", build_second, NULL, NULL, 4, 0, false},
	{"from_kgid", build_second, NULL, NULL, 4, 0, false},
	{"from_kuid_munged", build_second, NULL, NULL, 4, 0, false},
	{"from_kgid_munged", build_second, NULL, NULL, 4, 0, false},
	{"MAJOR", build_device_part, NULL, NULL, 0, NODE_SHIFT_RIGHT, false},
	{"MINOR", build_device_part, NULL, NULL, 0, NODE_AND, false},
	{"jbd2_dev_to_name", build_device_name, NULL, NULL, 0, 0, false},
	{"min", build_extreme, NULL, NULL, 0, NODE_LESS, false},
	{"max", build_extreme, NULL, NULL, 0, NODE_GREATER, false},
	{"abs", build_absolute, NULL, NULL, 0, 0, false},
	{"div_u64", build_binary, NULL, NULL, 8, NODE_DIVIDE, false},
	{"div64_u64", build_binary, NULL, NULL, 8, NODE_DIVIDE, false},
	{"div_s64", build_binary, NULL, NULL, 8, NODE_DIVIDE, true},
	{"div64_s64", build_binary, NULL, NULL, 8, NODE_DIVIDE, true},
	{"strcmp", build_compare_text, NULL, NULL, 0, 0, false},
	{"strncmp", build_compare_text, NULL, NULL, 0, 0, true},
	{"scsi_trace_parse_cdb", build_plugin, NULL, NULL, 0, 0, false},
	{"xen_hypercall_name", build_plugin, NULL, NULL, 0, 0, false},
	{"ntohs", build_order, NULL, NULL, 2, 0, true},
	{"htons", build_order, NULL, NULL, 2, 0, true},
	{"ntohl", build_order, NULL, NULL, 4, 0, true},
	{"htonl", build_order, NULL, NULL, 4, 0, true},
	ORDER(16, 2),
	ORDER(32, 4),
	ORDER(64, 8),
	{"str_plural", build_plural, "", "s", 0, 0, false},
	CHOICE("yesno", "yes", "no"),
	CHOICE("onoff", "on", "off"),
	CHOICE("enableddisabled", "enabled", "disabled"),
	CHOICE("enabledisable", "enable", "disable"),
	CHOICE("str_yes_no", "yes", "no"),
	CHOICE("str_no_yes", "no", "yes"),
	CHOICE("str_on_off", "on", "off"),
	CHOICE("str_off_on", "off", "on"),
	CHOICE("str_true_false", "true", "false"),
	CHOICE("str_false_true", "false", "true"),
	CHOICE("str_up_down", "up", "down"),
	CHOICE("str_down_up", "down", "up"),
	CHOICE("str_hi_lo", "hi", "lo"),
	CHOICE("str_lo_hi", "lo", "hi"),
	CHOICE("str_high_low", "high", "low"),
	CHOICE("str_low_high", "low", "high"),
	CHOICE("str_read_write", "read", "write"),
	CHOICE("str_write_read", "write", "read"),
	CHOICE("str_input_output", "input", "output"),
	CHOICE("str_output_input", "output", "input"),
	CHOICE("str_assert_deassert", "assert", "deassert"),
	CHOICE("str_deassert_assert", "deassert", "assert"),
	CHOICE("str_connected_disconnected", "connected", "disconnected"),
	CHOICE("str_disconnected_connected", "disconnected", "connected"),
	CHOICE("str_enable_disable", "enable", "disable"),
	CHOICE("str_disable_enable", "disable", "enable"),
	CHOICE("str_enabled_disabled", "enabled", "disabled"),
	CHOICE("str_disabled_enabled", "disabled", "enabled"),
};

static const struct helper *find_helper(const struct token *name)
{
	for (size_t i = 0; i < array_size(helpers); i++)
		if (token_is(name, helpers[i].name))
			return &helpers[i];
	for (const struct helper *helper = bit_helpers; helper->name; helper++)
		if (token_is(name, helper->name))
			return helper;
	return NULL;
}

struct node *parse_call(struct parser *parser, const struct token *name)
{
	const struct helper *helper = find_helper(name);
	size_t close = parser_peek(parser)->match;
	struct node *node;

	if (!helper || close <= parser->at || close >= parser->end)
		return NULL;
	parser->at++;
	node = helper->build(parser, helper);
	if (!node || parser->at != close)
		return NULL;
	parser->at++;
	return node;
}
