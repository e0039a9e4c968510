/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows that describe a verb's options. Parsing, help, completion and the checks of the manual
 * read the same rows. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/str.h"

enum opt_kind {
	OPT_KIND_END,
	OPT_KIND_FLAG,	   /* bool */
	OPT_KIND_COUNT,	   /* unsigned int, one more each time */
	OPT_KIND_STRING,   /* char *, owned by the args; the last one given holds */
	OPT_KIND_LIST,	   /* struct strv, one more each time */
	OPT_KIND_NUMBER,   /* uint64_t */
	OPT_KIND_SIZE,	   /* uint64_t bytes; a bare number is KiB */
	OPT_KIND_DURATION, /* uint64_t ns; a bare number is seconds */
	OPT_KIND_CHOICE,   /* char *, one of choices */
	OPT_KIND_SECTION,  /* char *, the first of a further part of the args; see option_section */
	OPT_KIND_GROUP,	   /* no option: a heading in the help text */
};

/* What a completion offers for the argument of an option or for a plain word. */
enum hint {
	HINT_NONE,
	HINT_FILE,
	HINT_DIR,
	HINT_COMMAND,
	HINT_EVENT,
	HINT_FUNCTION,
	HINT_TRACER,
	HINT_TRACE_OPTION, /* NAME and noNAME */
	HINT_OPTION_NAME,
	HINT_CLOCK,
	HINT_INSTANCE,
	HINT_PID,
	HINT_USER,
	HINT_CHOICE,
	HINT_NOUN,
	HINT_FILTER, /* an event, a colon, and a filter on its fields */
	HINT_GATE,   /* functions with a sign, or an event and then a filter on its fields */
};

/* Parts of the args that an option such as --instance begins anew: what comes behind it on the line
 * goes into the new part. Parts are alike; the first lies in the args, the others in a list. */
struct option_parts {
	void *item; /* nr parts of equal size, one behind the other; the args own them */
	size_t nr;
};

struct option_section {
	size_t offset; /* of the first part */
	size_t size;   /* of a part */
	size_t list;   /* offset of the struct option_parts */
};

struct option {
	const char *name; /* without dashes; the heading's text for a group */
	const char *metavar;
	const char *help;
	const char *const *choices;	      /* NULL-terminated, for HINT_CHOICE */
	const struct option_section *section; /* for OPT_KIND_SECTION */
	size_t offset;
	enum opt_kind kind;
	enum hint hint;
	char letter;	   /* 0 when there is only the long name */
	bool optional_arg; /* the argument only comes as --name=VALUE */
	bool takes_two;	   /* of a list: a second argument follows the first */
};

/* offsetof() with a check at compile time that the field has the type the kind needs. */
#define OPT_FIELD(s, f, type) (offsetof(s, f) + 0 * sizeof((type *)NULL == &((s *)NULL)->f))

#define OPT_FLAG(l, n, s, f, text)                                 \
	{                                                          \
		.letter = (l), .name = (n), .kind = OPT_KIND_FLAG, \
		.offset = OPT_FIELD(s, f, bool), .help = (text)    \
	}
#define OPT_COUNT(l, n, s, f, text)                                     \
	{                                                               \
		.letter = (l), .name = (n), .kind = OPT_KIND_COUNT,     \
		.offset = OPT_FIELD(s, f, unsigned int), .help = (text) \
	}
#define OPT_STRING(l, n, s, f, meta, h, text)                                                     \
	{                                                                                         \
		.letter = (l), .name = (n), .kind = OPT_KIND_STRING,                              \
		.offset = OPT_FIELD(s, f, char *), .metavar = (meta), .hint = (h), .help = (text) \
	}
/* The argument comes as --name=VALUE only; without one the text is empty. */
#define OPT_MAYBE_STRING(n, s, f, meta, h, text)                                         \
	{                                                                                \
		.name = (n), .kind = OPT_KIND_STRING, .offset = OPT_FIELD(s, f, char *), \
		.metavar = (meta), .hint = (h), .help = (text), .optional_arg = true     \
	}
#define OPT_LIST(l, n, s, f, meta, h, text)                                             \
	{                                                                               \
		.letter = (l), .name = (n), .kind = OPT_KIND_LIST,                      \
		.offset = OPT_FIELD(s, f, struct strv), .metavar = (meta), .hint = (h), \
		.help = (text)                                                          \
	}
/* A list whose arguments the verb checks; these are what completion offers. */
#define OPT_CHOICES(l, n, s, f, meta, list, text)                                             \
	{                                                                                     \
		.letter = (l), .name = (n), .kind = OPT_KIND_LIST,                            \
		.offset = OPT_FIELD(s, f, struct strv), .metavar = (meta), .choices = (list), \
		.hint = HINT_CHOICE, .help = (text)                                           \
	}
#define OPT_NUMBER(l, n, s, f, meta, text)                                             \
	{                                                                              \
		.letter = (l), .name = (n), .kind = OPT_KIND_NUMBER,                   \
		.offset = OPT_FIELD(s, f, uint64_t), .metavar = (meta), .help = (text) \
	}
#define OPT_SIZE(l, n, s, f, meta, text)                                               \
	{                                                                              \
		.letter = (l), .name = (n), .kind = OPT_KIND_SIZE,                     \
		.offset = OPT_FIELD(s, f, uint64_t), .metavar = (meta), .help = (text) \
	}
#define OPT_DURATION(l, n, s, f, meta, text)                                           \
	{                                                                              \
		.letter = (l), .name = (n), .kind = OPT_KIND_DURATION,                 \
		.offset = OPT_FIELD(s, f, uint64_t), .metavar = (meta), .help = (text) \
	}
#define OPT_CHOICE(l, n, s, f, meta, list, text)                                         \
	{                                                                                \
		.letter = (l), .name = (n), .kind = OPT_KIND_CHOICE,                     \
		.offset = OPT_FIELD(s, f, char *), .metavar = (meta), .choices = (list), \
		.hint = HINT_CHOICE, .help = (text)                                      \
	}
#define OPT_SECTION(l, n, s, f, meta, h, sec, text)                                \
	{                                                                          \
		.letter = (l), .name = (n), .kind = OPT_KIND_SECTION,              \
		.offset = OPT_FIELD(s, f, char *), .metavar = (meta), .hint = (h), \
		.section = (sec), .help = (text)                                   \
	}
#define OPT_GROUP(text)                                \
	{                                              \
		.name = (text), .kind = OPT_KIND_GROUP \
	}
#define OPT_END                      \
	{                            \
		.kind = OPT_KIND_END \
	}

/* True when the option takes an argument. */
bool option_has_arg(const struct option *opt);
