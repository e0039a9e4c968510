/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compiles a print format into the flat list of operations that prints a record. */
#include <ctype.h>
#include <string.h>

#include "decode/internal.h"
#include "decode/load.h"
#include "decode/put.h"
#include "util/mem.h"

/* Quotes tried as the end of a format that has bare quotes in it. */
#define CANDIDATES_MOST 64
#define ARGUMENTS_MOST 256
#define OPS_MOST 512

struct argument {
	size_t first; /* tokens */
	size_t end;
	struct node *expr; /* NULL: cannot be evaluated */
	bool wants_plugin;
};

/* A print format in its parts. */
struct parts {
	const char *format; /* unescaped */
	size_t format_len;
	struct tokens tokens; /* of the arguments */
	struct argument argument[ARGUMENTS_MOST];
	size_t nr_arguments;
};

struct compiler {
	struct event_full *full;
	struct parser parser;
	struct parts parts;
	size_t next;   /* argument */
	char *literal; /* room for all literals of the format */
	bool missing;  /* a conversion has no argument, or an unknown one */
	size_t known;  /* conversions that have a value */
};

static bool is_comma(const struct token *token)
{
	return token->kind == TOKEN_OP && token->op == OP1(',');
}

/* Cuts the tokens from @at on at the commas outside of all brackets. */
static bool split_arguments(struct parts *parts, size_t at)
{
	const struct tokens *tokens = &parts->tokens;
	size_t first = at;

	parts->nr_arguments = 0;
	for (; at <= tokens->nr; at++) {
		const struct token *token = &tokens->token[at];

		if (at < tokens->nr && !is_comma(token)) {
			if (token->kind == TOKEN_OP && token->match > at)
				at = token->match;
			continue;
		}
		if (at == first && at == tokens->nr)
			break;
		if (parts->nr_arguments == ARGUMENTS_MOST)
			return false;
		parts->argument[parts->nr_arguments++] =
			(struct argument){.first = first, .end = at};
		first = at + 1;
	}
	return true;
}

static void parse_arguments(struct compiler *cc)
{
	for (size_t i = 0; i < cc->parts.nr_arguments; i++) {
		struct argument *argument = &cc->parts.argument[i];

		cc->parser.token = cc->parts.tokens.token;
		argument->expr = expr_parse(&cc->parser, argument->first, argument->end);
		argument->wants_plugin = cc->parser.wants_plugin;
	}
}

/* How many arguments the format takes. */
static size_t count_conversions(const char *at, size_t len, unsigned int long_size)
{
	const char *end = at + len;
	size_t nr = 0;

	while (at < end) {
		struct spec spec;

		if (*at++ != '%')
			continue;
		if (at < end && *at == '%') {
			at++;
			continue;
		}
		at += spec_parse(at, (size_t)(end - at), long_size, &spec);
		if (spec.conv)
			nr += (spec.conv != '%') + spec.star_width + spec.star_precision;
	}
	return nr;
}

static void take_format(struct compiler *cc, const char *text, size_t len)
{
	char *copy = arena_alloc(&cc->full->arena, len + 1);

	cc->parts.format = copy;
	cc->parts.format_len = token_unescape(text, len, copy);
}

/* Old kernels do not escape the quotes inside of a format: tries each quote that a comma or the end
 * follows as the last one, until all arguments make sense. */
static bool split_at_some_quote(struct compiler *cc, struct decode_text print)
{
	const char *end = print.text + print.len;
	const char *at = print.text + 1;

	for (size_t tries = 0; tries < CANDIDATES_MOST; tries++) {
		const char *rest;
		bool all = true;

		at = memchr(at, '"', (size_t)(end - at));
		if (!at)
			return false;
		rest = ++at;
		while (rest < end && isspace((unsigned char)*rest))
			rest++;
		if (rest < end && *rest != ',')
			continue;
		if (rest < end)
			rest++;
		take_format(cc, print.text + 1, (size_t)(at - 1 - (print.text + 1)));
		tokens_cut((struct decode_text){rest, (size_t)(end - rest)}, &cc->full->arena,
			   &cc->parts.tokens);
		if (!split_arguments(&cc->parts, 0) ||
		    cc->parts.nr_arguments != count_conversions(cc->parts.format,
								cc->parts.format_len,
								cc->parser.long_size))
			continue;
		parse_arguments(cc);
		for (size_t i = 0; i < cc->parts.nr_arguments; i++)
			all = all && cc->parts.argument[i].expr;
		if (all)
			return true;
	}
	return false;
}

/* Takes the format and its arguments apart. */
static bool split_print(struct compiler *cc, struct decode_text print)
{
	struct tokens *tokens = &cc->parts.tokens;
	struct node *text;

	if (!print.text || !print.len || *print.text != '"')
		return false;
	tokens_cut(print, &cc->full->arena, tokens);
	cc->parser.token = tokens->token;
	cc->parser.at = 0;
	cc->parser.end = tokens->nr;
	text = parse_strings(&cc->parser);
	if (!text)
		return false;
	if (cc->parser.at < tokens->nr && !is_comma(&tokens->token[cc->parser.at]))
		return split_at_some_quote(cc, print);
	cc->parts.format = text->text;
	cc->parts.format_len = text->len;
	if (!split_arguments(&cc->parts,
			     cc->parser.at < tokens->nr ? cc->parser.at + 1 : tokens->nr))
		return false;
	parse_arguments(cc);
	return true;
}

static struct argument *next_argument(struct compiler *cc)
{
	if (cc->next >= cc->parts.nr_arguments)
		return NULL;
	return &cc->parts.argument[cc->next++];
}

/* A '*': its argument must be an integer. */
static const struct node *take_star(struct compiler *cc, bool given, bool *failed)
{
	const struct argument *argument = given ? next_argument(cc) : NULL;

	if (!given)
		return NULL;
	if (!argument || !argument->expr || argument->expr->kind != VALUE_INT) {
		*failed = true;
		return NULL;
	}
	return argument->expr;
}

static bool is_plain(const struct spec *spec)
{
	return !spec->left && !spec->plus && !spec->space && !spec->alternate && !spec->zero &&
	       !spec->has_width && !spec->has_precision && !spec->star_width &&
	       !spec->star_precision;
}

static bool set_number(struct op *op, const struct node *expr)
{
	if (expr->kind != VALUE_INT)
		return false;
	op->kind = OP_NUMBER;
	if (op->spec.conv == 'c')
		op->kind = OP_CHAR;
	else if (is_plain(&op->spec) && (op->spec.conv == 'd' || op->spec.conv == 'u'))
		op->kind = OP_DECIMAL;
	else if (is_plain(&op->spec) && op->spec.conv == 'x')
		op->kind = OP_HEX;
	return true;
}

static bool set_pointer(struct op *op, const struct node *expr)
{
	char letter = op->spec.letters[0];

	if (expr->kind == VALUE_TEXT)
		return false;
	/* What is no pointer into the record is printed as the number it is. */
	op->kind = OP_POINTER;
	if (expr->kind == VALUE_MEM)
		return pointer_takes_memory(&op->spec);
	if (pointer_needs_kernel(&op->spec))
		return false;
	if (letter && strchr("sSfFB", letter) && op->spec.letters[1] != 'w') {
		op->with_offset = letter != 's' && letter != 'f';
		op->is_padded = !is_plain(&op->spec);
		op->kind = OP_SYMBOL;
	}
	return true;
}

/* A field that is read the way it is printed needs nothing but its digits. */
static void set_direct(struct op *op, const struct node *field, bool big_endian)
{
	bool is_signed = op->spec.conv == 'd';

	if (field->size == op->spec.size)
		op->load = load_for(field->size, is_signed, big_endian);
	else if (field->size > op->spec.size || (field->is_signed && !is_signed))
		return;
	if (op->kind == OP_HEX)
		op->kind = OP_HEXADECIMAL;
	else
		op->kind = is_signed ? OP_SIGNED : OP_UNSIGNED;
}

/* Bits of an unsigned field, which are what an expression comes to. */
struct bits {
	const struct node *field;
	unsigned int shift;
	uint64_t mask; /* behind the shift */
};

static uint64_t all_bits(unsigned int bytes)
{
	return bytes >= 8 ? UINT64_MAX : (1ull << bytes * 8) - 1;
}

/* Whether an integer of that type holds every number that @mask lets through. */
static bool holds(uint8_t size, bool is_signed, uint64_t mask)
{
	return mask <= all_bits(size) >> is_signed;
}

/* Whether @node is nothing but bits of one field; no value that C would extend by a sign is. */
static bool find_bits(const struct node *node, struct bits *bits)
{
	const struct node *number = node->b;
	const struct node *other = node->a;

	if (node->kind != VALUE_INT)
		return false;
	if (node->op == NODE_FIELD) {
		*bits = (struct bits){.field = node, .mask = all_bits(node->size)};
		return node->load != LOAD_NONE && !node->is_signed;
	}
	if (node->op == NODE_CAST) {
		if (!find_bits(node->a, bits))
			return false;
		if (!node->is_signed)
			bits->mask &= all_bits(node->size);
		return holds(node->size, node->is_signed, bits->mask);
	}
	if (node->op != NODE_SHIFT_RIGHT && node->op != NODE_AND)
		return false;
	if (node->op == NODE_AND && other->op == NODE_NUMBER) {
		number = node->a;
		other = node->b;
	}
	if (number->op != NODE_NUMBER || !find_bits(other, bits) ||
	    !holds(node->common_size, node->common_signed, bits->mask))
		return false;
	if (node->op == NODE_AND) {
		bits->mask &= fit_number(number->number, node->common_size, false);
	} else {
		if (number->number >= node->common_size * 8u)
			return false;
		bits->shift += (unsigned int)number->number;
		bits->mask >>= number->number;
	}
	return bits->shift < 64 && holds(node->size, node->is_signed, bits->mask);
}

/* Bits need no evaluation either. */
static void set_bits(struct op *op)
{
	struct bits bits;

	if (!find_bits(op->expr, &bits) || !holds(op->spec.size, op->spec.conv == 'd', bits.mask))
		return;
	op->kind = op->kind == OP_HEX ? OP_BITS_HEX : OP_BITS;
	op->load = bits.field->load;
	op->offset = bits.field->offset;
	op->shift = (uint8_t)bits.shift;
	op->mask = bits.mask;
}

/* Decides how to print @expr; false when the conversion cannot take such a value. */
static bool set_kind(struct op *op, const struct node *expr, bool big_endian)
{
	if (expr->kind == VALUE_LIST)
		return false;
	op->expr = expr;
	op->end = expr->end;
	if (op->width && op->width->end > op->end)
		op->end = op->width->end;
	if (op->precision && op->precision->end > op->end)
		op->end = op->precision->end;
	op->load = LOAD_NONE;
	if (expr->op == NODE_FIELD) {
		op->load = expr->load;
		op->offset = expr->offset;
	}
	if (op->spec.conv == 's') {
		op->kind = is_plain(&op->spec) ? OP_TEXT : OP_TEXT_PADDED;
		if (op->kind == OP_TEXT && expr->op == NODE_ARRAY && !expr->to_record_end) {
			op->kind = OP_FIXED_TEXT;
			op->offset = expr->offset;
		}
		return true;
	}
	if (op->spec.conv == 'p') {
		if (op->load != LOAD_NONE && expr->kind == VALUE_INT && is_plain(&op->spec) &&
		    (!op->spec.letters[0] || op->spec.letters[0] == 'K')) {
			op->kind = OP_ADDRESS;
			return true;
		}
		return set_pointer(op, expr);
	}
	if (!set_number(op, expr))
		return false;
	if (op->load != LOAD_NONE && (op->kind == OP_DECIMAL || op->kind == OP_HEX))
		set_direct(op, expr, big_endian);
	if (op->kind == OP_DECIMAL || op->kind == OP_HEX)
		set_bits(op);
	return true;
}

static void set_conversion(struct compiler *cc, struct op *op)
{
	struct argument *argument;
	bool failed = false;

	op->width = take_star(cc, op->spec.star_width, &failed);
	op->precision = take_star(cc, op->spec.star_precision, &failed);
	if (op->spec.conv == '%') {
		/* A '%' with a width, which the kernel passes over. */
		*cc->literal++ = '%';
		*op = (struct op){.kind = OP_END, .text = op->text, .len = op->len + 1};
		return;
	}
	argument = next_argument(cc);
	if (!failed && argument && argument->expr &&
	    set_kind(op, argument->expr, cc->parser.big_endian)) {
		cc->known++;
		return;
	}
	cc->missing = true;
	/* What it names is not shown. */
	if (argument)
		argument->expr = NULL;
	*op = (struct op){.kind = OP_UNKNOWN, .text = op->text, .len = op->len};
}

/* The literal from @at to the next conversion; "%%" becomes one '%' in place. Returns where the
 * conversion starts, behind its '%', or NULL when none does. */
static const char *take_literal(struct compiler *cc, const char *at, const char *end, struct op *op)
{
	unsigned int long_size = cc->parser.long_size;
	char *text = cc->literal;

	op->text = text;
	while (at < end) {
		struct spec spec;

		if (*at != '%') {
			text[op->len++] = *at++;
			continue;
		}
		at++;
		if (at < end && *at == '%') {
			text[op->len++] = *at++;
			continue;
		}
		spec_parse(at, (size_t)(end - at), long_size, &spec);
		if (spec.conv)
			break;
		/* What the kernel does not know stays as it is. */
		text[op->len++] = '%';
	}
	cc->literal += op->len;
	return at < end ? at : NULL;
}

static void compile_ops(struct compiler *cc)
{
	const char *at = cc->parts.format;
	const char *end = at + cc->parts.format_len;
	struct plan *plan = &cc->full->plan;
	size_t room = 2;

	for (const char *p = at; p < end; p++)
		room += *p == '%';
	if (room > OPS_MOST)
		room = OPS_MOST;
	plan->op = arena_alloc(&cc->full->arena, room * sizeof(*plan->op));
	cc->literal = arena_alloc(&cc->full->arena, cc->parts.format_len + PUT_PADDING);
	while (at && plan->nr_ops + 1 < room) {
		struct op *op = &plan->op[plan->nr_ops++];

		at = take_literal(cc, at, end, op);
		if (!at)
			return;
		at += spec_parse(at, (size_t)(end - at), cc->parser.long_size, &op->spec);
		set_conversion(cc, op);
	}
}

static bool names_field(const struct compiler *cc, const struct argument *argument,
			const struct decode_field *field)
{
	for (size_t at = argument->first; at < argument->end; at++)
		if (token_is(&cc->parts.tokens.token[at], field->name))
			return true;
	return false;
}

/* Whether any argument that has a value names @field; @symbols: also where it takes a symbol. */
static bool is_shown(const struct compiler *cc, const struct decode_field *field, bool symbols)
{
	for (size_t i = 0; i < cc->next; i++) {
		const struct argument *argument = &cc->parts.argument[i];

		if (argument->expr && (symbols || !argument->expr->uses_symbol) &&
		    names_field(cc, argument, field))
			return true;
	}
	return false;
}

/* Fields that only arguments with symbols show. */
static void list_symbolic(struct compiler *cc)
{
	const struct format *format = &cc->full->format;
	const struct decode_field **list;
	size_t nr = 0;
	bool any = false;

	for (size_t i = 0; i < cc->next; i++)
		any |= cc->parts.argument[i].expr && cc->parts.argument[i].expr->uses_symbol;
	if (!any)
		return;
	list = arena_alloc(&cc->full->arena, (format->nr_fields + 1) * sizeof(*list));
	for (size_t i = 0; i < format->nr_fields; i++)
		if (!format->field[i].is_common && is_shown(cc, &format->field[i], true) &&
		    !is_shown(cc, &format->field[i], false))
			list[nr++] = &format->field[i];
	cc->full->plan.symbolic = list;
}

/* Where an argument is not known its fields follow the text, so that nothing is hidden. */
static void add_extra_fields(struct compiler *cc)
{
	const struct format *format = &cc->full->format;
	struct plan *plan = &cc->full->plan;
	const struct decode_field **extra =
		arena_alloc(&cc->full->arena, (format->nr_fields + 1) * sizeof(*extra));
	size_t nr = 0;

	for (size_t i = 0; i < format->nr_fields; i++)
		if (!format->field[i].is_common && !is_shown(cc, &format->field[i], true))
			extra[nr++] = &format->field[i];
	if (!nr)
		return;
	plan->extra = extra;
	plan->op[plan->nr_ops++] = (struct op){.kind = OP_FIELDS, .text = cc->literal};
}

static bool is_tame(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)text[i] < ' ' && text[i] != '\t') ||
		    (unsigned char)text[i] >= 0x7f)
			return false;
	return true;
}

static bool is_only_names(const struct node *node)
{
	if (node->op == NODE_CHOOSE && node->kind == VALUE_TEXT)
		return is_only_names(node->b) && is_only_names(node->c);
	if (node->op == NODE_TEXT)
		return is_tame(node->text, node->len);
	return node->op == NODE_SYMBOLIC || node->op == NODE_FLAGS || node->op == NODE_NUMBERS ||
	       node->op == NODE_HEX || node->op == NODE_HEX_STR || node->op == NODE_BITMASK ||
	       node->op == NODE_CPUMASK;
}

/* Whether every byte it may print is known to be harmless. */
static bool op_is_tame(const struct op *op)
{
	if (!is_tame(op->text, op->len))
		return false;
	if (op->kind == OP_CHAR || op->kind == OP_FIELDS || op->kind == OP_FIXED_TEXT)
		return false;
	/* %pE may be told to leave any byte as it is. */
	if (op->kind == OP_POINTER && op->spec.letters[0] == 'E')
		return false;
	if (op->kind == OP_TEXT || op->kind == OP_TEXT_PADDED)
		return is_only_names(op->expr);
	return true;
}

/* Whether all that is not known is calls that a plugin can do. */
static bool wants_plugin(const struct compiler *cc)
{
	bool wanted = false;

	for (size_t i = 0; i < cc->parts.nr_arguments; i++) {
		const struct argument *argument = &cc->parts.argument[i];

		if (!argument->expr && !argument->wants_plugin)
			return false;
		wanted |= argument->wants_plugin;
	}
	return wanted;
}

bool plan_compile(struct decode *dec, struct event_full *full, bool *plugin_can)
{
	cleanup_free struct compiler *cc = xzalloc(sizeof(*cc));
	struct plan *plan = &full->plan;

	cc->full = full;
	cc->parser = (struct parser){.arena = &full->arena,
				     .format = &full->format,
				     .long_size = dec->in.long_size,
				     .big_endian = dec->in.big_endian};
	if (!split_print(cc, full->format.print))
		return false;
	compile_ops(cc);
	*plugin_can = wants_plugin(cc);
	atomic_store(plan->lacks_values, cc->missing);
	if (cc->missing && !cc->known)
		return false;
	if (cc->missing)
		add_extra_fields(cc);
	list_symbolic(cc);
	plan->room = PUT_PADDING;
	for (size_t i = 0; i < plan->nr_ops; i++) {
		const struct op *op = &plan->op[i];

		plan->needs_cleaning |= !op_is_tame(op);
		plan->room += op->len + PUT_MOST;
		if (op->end > plan->end)
			plan->end = op->end;
	}
	return true;
}
