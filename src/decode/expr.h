/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The expressions of a print format as a tree, with C's types worked out. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "decode/arena.h"
#include "decode/ctype.h"
#include "decode/format.h"
#include "decode/token.h"

/* What an expression stands for. */
enum value_kind {
	VALUE_INT,  /* an integer, or a pointer of the recorded kernel */
	VALUE_MEM,  /* bytes that lie in the record */
	VALUE_TEXT, /* something that can only be printed */
	VALUE_LIST, /* elements, of which an index chooses one */
};

enum node_op {
	NODE_NUMBER,  /* ->number */
	NODE_FIELD,   /* an integer in the record */
	NODE_SYMBOL,  /* the address of kernel symbol ->text */
	NODE_UNKNOWN, /* has no value; of any kind */
	NODE_NEGATE,
	NODE_COMPLEMENT,
	NODE_LOGIC_NOT,
	NODE_MULTIPLY,
	NODE_DIVIDE,
	NODE_MODULO,
	NODE_ADD,
	NODE_SUBTRACT,
	NODE_SHIFT_LEFT,
	NODE_SHIFT_RIGHT,
	NODE_LESS,
	NODE_GREATER,
	NODE_LESS_EQUAL,
	NODE_GREATER_EQUAL,
	NODE_EQUAL,
	NODE_NOT_EQUAL,
	NODE_AND,
	NODE_XOR,
	NODE_OR,
	NODE_LOGIC_AND,
	NODE_LOGIC_OR,
	NODE_CHOOSE, /* a ? b : c */
	NODE_ELVIS,  /* a ?: b */
	NODE_CAST,
	NODE_BOOL,
	NODE_SWAP,	 /* bytes turned around */
	NODE_LOWEST_BIT, /* the place of the lowest bit of a that is set; -1: none is */
	NODE_HIGHEST_BIT,
	NODE_COUNT_ONES,
	NODE_INDEX,	   /* element b of memory a */
	NODE_LENGTH,	   /* bytes of dynamic array a */
	NODE_COMPARE_TEXT, /* strcmp(a, b) */
	/* VALUE_MEM */
	NODE_ARRAY,   /* at a fixed place */
	NODE_DYNAMIC, /* __data_loc and __rel_loc */
	NODE_SKIP,    /* memory a from element b on */
	/* VALUE_TEXT */
	NODE_TEXT, /* ->text, ->len */
	NODE_FLAGS,
	NODE_SYMBOLIC,
	NODE_HEX,     /* memory a, length b */
	NODE_HEX_STR, /* the same without blanks */
	NODE_HEX_DUMP,
	NODE_NUMBERS, /* memory a, count b, element size c */
	NODE_BITMASK,
	NODE_CPUMASK,
	NODE_STACK,    /* addresses in memory a as symbols */
	NODE_DEV_NAME, /* major:minor of a */
	/* VALUE_LIST */
	NODE_LIST, /* ->len of ->element */
};

/* One line of a __print_flags() or __print_symbolic() table. */
struct name_entry {
	uint64_t value;
	const char *text;
	uint32_t len;
	bool known; /* false: its key is a name nobody can resolve, so it never matches */
};

struct names {
	const struct name_entry *entry;
	size_t nr;
	const char *delimiter; /* of flags */
	uint64_t mask;	       /* of the kernel's unsigned long, or all bits */
};

/* The kernel's enum of what stands in front of each row of a dump. */
enum { DUMP_PREFIX_NONE, DUMP_PREFIX_ADDRESS, DUMP_PREFIX_OFFSET };

/* How __print_hex_dump() lays out its bytes. */
struct hex_dump {
	const char *prefix; /* of each row */
	bool places;	    /* each row says where in the bytes it starts */
	uint8_t row;	    /* bytes in a row: 16 or 32 */
	uint8_t group;	    /* bytes printed as one number: 1, 2, 4 or 8 */
	bool ascii;	    /* the bytes as characters at the end of each row */
};

/* What a kernel symbol's name stands for, looked up at first use by whichever thread comes first. */
struct symbol_cell {
	_Atomic(uint8_t) state;
	uint64_t addr;
};

/* Immutable once built. An integer is always kept extended to 64 bits by its own sign. */
struct node {
	uint8_t op;
	uint8_t kind;
	uint8_t size; /* of an integer in bytes */
	bool is_signed;
	uint8_t elem_size; /* of memory's elements */
	bool elem_signed;
	uint8_t load;	     /* how to read a field or an element */
	uint8_t common_size; /* of a binary operator's operands */
	bool common_signed;
	bool to_record_end; /* an array without size */
	bool is_pointer;    /* of an integer */
	uint8_t pointee;    /* size of what that points to, 0 where that is not known */
	bool uses_symbol;   /* has no value where the recording does not know one */
	uint16_t depth;
	uint32_t
		cost; /* nodes that are evaluated for it at most, those that are shared each time */
	uint32_t offset; /* in the record */
	uint32_t len;
	uint32_t end; /* the record must reach this far for it to have a value */
	uint64_t number;
	const struct node *a;
	const struct node *b;
	const struct node *c;
	const char *text;
	const struct node *const *element;
	const struct names *names;
	const struct hex_dump *dump;
	struct symbol_cell *cell;
	const struct decode_field *field; /* that it reads, NULL when none */
};

/* A name that a statement expression or a table of texts gave a value. */
struct variable {
	const struct token *name;
	struct node *value;
};

#define VARIABLES_MOST 16
#define DEPTH_MOST 400
#define NODES_MOST 20000

/* The state of parsing one event's arguments. */
struct parser {
	struct arena *arena;
	const struct format *format;
	unsigned int long_size;
	bool big_endian;
	const struct token *token;
	size_t first;
	size_t at;
	size_t end;
	unsigned int depth;
	unsigned int nodes;
	bool wants_plugin; /* the argument is a call that only libtraceevent's plugins know */
	struct variable variable[VARIABLES_MOST];
	size_t nr_variables;
};

/* Parses the tokens from @at to @end as one argument; NULL when they are no expression that can be
 * evaluated. */
struct node *expr_parse(struct parser *parser, size_t at, size_t end);

/* For the parser's own files. */

struct node *parse_assignment(struct parser *parser);
bool parser_is(const struct parser *parser, uint32_t op);
bool parser_take(struct parser *parser, uint32_t op);
const struct token *parser_peek(const struct parser *parser);
const struct token *parser_peek_at(const struct parser *parser, size_t ahead);
bool token_is(const struct token *token, const char *name);
bool token_is_op(const struct token *token, uint32_t op);
struct node *parse_unary(struct parser *parser);
/* What stands in the brackets that begin here. */
struct node *parse_brackets(struct parser *parser);
/* The same of "({ ... })". */
struct node *parse_statements(struct parser *parser, size_t close);
/* The type that the tokens from @at to @end name, of an expression in typeof() too. */
bool parse_type(struct parser *parser, size_t at, size_t end, struct ctype *type);
/* Whether the bracket at the parser's place holds a type. A name nobody knows is one when an
 * operand follows, as in "(xfs_ino_t)REC->ino". */
bool parser_is_type(struct parser *parser, size_t close, struct ctype *type);
/* "(type)value", of which the type in the brackets is known. */
struct node *parse_cast(struct parser *parser, size_t close, const struct ctype *type);
/* Behind "sizeof". */
struct node *parse_sizeof(struct parser *parser);
/* The literals at this place joined and unescaped; NULL when there are none. */
struct node *parse_strings(struct parser *parser);
/* A call of @name whose '(' is the next token; NULL when it is unknown or cannot be done. */
struct node *parse_call(struct parser *parser, const struct token *name);
const struct decode_field *parser_field(const struct parser *parser, const struct token *name);

/* Builders. Each returns NULL when an operand is NULL or of the wrong kind. */
struct node *node_new(struct parser *parser, enum node_op op, enum value_kind kind);
struct node *node_number(struct parser *parser, uint64_t value, uint8_t size, bool is_signed);
struct node *node_text(struct parser *parser, const char *text, size_t len);
struct node *node_field(struct parser *parser, const struct decode_field *field);
/* The bytes of a field, whatever its type. */
struct node *node_memory(struct parser *parser, const struct decode_field *field);
struct node *node_unary(struct parser *parser, enum node_op op, struct node *a);
struct node *node_binary(struct parser *parser, enum node_op op, struct node *a, struct node *b);
struct node *node_choose(struct parser *parser, struct node *a, struct node *b, struct node *c);
struct node *node_elvis(struct parser *parser, struct node *a, struct node *b);
struct node *node_cast(struct parser *parser, struct node *a, uint8_t size, bool is_signed);
/* The cast that turns @a into @type; one of size 0 leaves it as it is. */
struct node *node_of_type(struct parser *parser, struct node *a, const struct ctype *type);
/* The same number as a pointer to something of that size, 0 when that is not known. */
struct node *node_pointer(struct parser *parser, const struct node *a, uint8_t pointee);
/* Something of the kind and type of @like that has no value. */
struct node *node_unknown(struct parser *parser, const struct node *like);
struct node *node_cast_memory(struct parser *parser, const struct node *a,
			      const struct ctype *type);
struct node *node_bool(struct parser *parser, struct node *a);
/* The elements of a literal, in order. */
struct node *node_list(struct parser *parser, struct node *const element[], size_t nr);
struct node *node_index(struct parser *parser, struct node *a, struct node *b);
struct node *node_swap(struct parser *parser, struct node *a, uint8_t size);
/* A node with up to three operands that must not be NULL when given in @nr. */
struct node *node_with(struct parser *parser, enum node_op op, enum value_kind kind, size_t nr,
		       struct node *const operand[]);
/* Replaces a node whose operands are all constants by its value. */
struct node *node_fold(struct parser *parser, struct node *node);
bool node_is_constant(const struct node *node);
