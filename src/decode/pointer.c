/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's %p family: addresses, MACs, IPs, UUIDs, bytes and bitmaps. */
#include "decode/pointer.h"

#include <ctype.h>
#include <string.h>

#include "decode/bitmap.h"
#include "decode/internal.h"
#include "decode/load.h"
#include "decode/put.h"
#include "util/mem.h"

/* Families as the kernel numbers them, whatever the host calls them. */
enum { FAMILY_INET = 2, FAMILY_INET6 = 10 };

bool pointer_has_letter(const struct spec *spec, size_t from, char letter)
{
	for (size_t i = from; i < POINTER_LETTERS && spec->letters[i]; i++)
		if (spec->letters[i] == letter)
			return true;
	return false;
}

bool pointer_take(const struct pointer *p, uint32_t want, struct memory *memory)
{
	*memory = eval_memory(p->ev, p->op->expr);
	if (memory->len >= want)
		return true;
	p->ev->problem = PROBLEM_PAST_END;
	return false;
}

void pointer_add(const struct pointer *p, char *end)
{
	p->out->len = (size_t)(end - p->out->buf);
}

static void print_mac(const struct pointer *p)
{
	bool reversed = pointer_has_letter(p->spec, 1, 'R');
	char separator = pointer_has_letter(p->spec, 1, 'F') ? '-' : ':';
	struct memory memory;
	char *at;

	if (!pointer_take(p, 6, &memory))
		return;
	at = outbuf_reserve(p->out, 20);
	for (unsigned int i = 0; i < 6; i++) {
		if (i && p->spec->letters[0] == 'M')
			*at++ = separator;
		at = put_hex_fixed(at, memory.at[reversed ? 5 - i : i], 2);
	}
	pointer_add(p, at);
}

static char *put_ip4(char *at, const uint8_t *ip, bool reversed, bool zeros)
{
	for (unsigned int i = 0; i < 4; i++) {
		uint8_t part = ip[reversed ? 3 - i : i];

		if (i)
			*at++ = '.';
		if (zeros && part < 100)
			*at++ = '0';
		if (zeros && part < 10)
			*at++ = '0';
		at = put_dec(at, part);
	}
	return at;
}

static bool ip4_is_reversed(const struct pointer *p, size_t from)
{
	bool little = p->ev->swap == HOST_BIG_ENDIAN;

	return pointer_has_letter(p->spec, from, 'l') ||
	       (pointer_has_letter(p->spec, from, 'h') && little);
}

static void print_ip4(const struct pointer *p)
{
	struct memory memory;

	if (pointer_take(p, 4, &memory))
		pointer_add(p, put_ip4(outbuf_reserve(p->out, 16), memory.at, ip4_is_reversed(p, 2),
				       p->spec->letters[0] == 'i'));
}

static unsigned int ip6_word(const uint8_t *ip, unsigned int i)
{
	return (unsigned int)ip[i * 2] << 8 | ip[i * 2 + 1];
}

/* The first of the longest runs of zero words that is no single one. */
static unsigned int longest_zeros(const uint8_t *ip, unsigned int words, unsigned int *start)
{
	unsigned int longest = 1;

	*start = words;
	for (unsigned int i = 0; i < words; i++) {
		unsigned int run = 0;

		while (i + run < words && !ip6_word(ip, i + run))
			run++;
		if (run > longest) {
			longest = run;
			*start = i;
		}
	}
	return longest;
}

/* Mapped and ISATAP addresses end in an IPv4 one. */
static bool ends_in_ip4(const uint8_t *ip)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	return !memcmp(ip, mapped, sizeof(mapped)) ||
	       ((ip[8] | 2) == 2 && ip[9] == 0 && ip[10] == 0x5e && ip[11] == 0xfe);
}

static char *put_ip6_short(char *at, const uint8_t *ip)
{
	unsigned int words = ends_in_ip4(ip) ? 6 : 8;
	unsigned int gap;
	unsigned int run = longest_zeros(ip, words, &gap);
	bool colon = false;

	for (unsigned int i = 0; i < words; i++) {
		if (i == gap) {
			*at++ = ':';
			*at++ = ':';
			colon = false;
			i += run - 1;
			continue;
		}
		if (colon)
			*at++ = ':';
		at = put_hex(at, ip6_word(ip, i));
		colon = true;
	}
	if (words == 8)
		return at;
	if (colon)
		*at++ = ':';
	return put_ip4(at, ip + 12, false, false);
}

static char *put_ip6(char *at, const uint8_t *ip, bool colons, bool shorten)
{
	if (shorten)
		return put_ip6_short(at, ip);
	for (unsigned int i = 0; i < 8; i++) {
		if (i && colons)
			*at++ = ':';
		at = put_hex_fixed(at, ip6_word(ip, i), 4);
	}
	return at;
}

static void print_ip6(const struct pointer *p)
{
	bool colons = p->spec->letters[0] == 'I';
	struct memory memory;

	if (pointer_take(p, 16, &memory))
		pointer_add(p, put_ip6(outbuf_reserve(p->out, 64), memory.at, colons,
				       colons && pointer_has_letter(p->spec, 2, 'c')));
}

static char *put_port(char *at, const uint8_t *port)
{
	*at++ = ':';
	return put_dec(at, (uint64_t)port[0] << 8 | port[1]);
}

static void print_socket6(const struct pointer *p, const uint8_t *sa)
{
	bool with_port = pointer_has_letter(p->spec, 2, 'p');
	bool extra = with_port || pointer_has_letter(p->spec, 2, 'f') ||
		     pointer_has_letter(p->spec, 2, 's');
	bool colons = p->spec->letters[0] == 'I';
	char *at = outbuf_reserve(p->out, 128);

	if (extra)
		*at++ = '[';
	at = put_ip6(at, sa + 8, colons, colons && pointer_has_letter(p->spec, 2, 'c'));
	if (extra)
		*at++ = ']';
	if (with_port)
		at = put_port(at, sa + 2);
	if (pointer_has_letter(p->spec, 2, 'f')) {
		*at++ = '/';
		at = put_dec(at, load_u32(sa + 4, !HOST_BIG_ENDIAN) & 0xfffffff);
	}
	if (pointer_has_letter(p->spec, 2, 's')) {
		*at++ = '%';
		at = put_dec(at, load_u32(sa + 24, p->ev->swap));
	}
	pointer_add(p, at);
}

static void print_socket(const struct pointer *p)
{
	struct memory memory;
	unsigned int family;
	char *at;

	if (!pointer_take(p, 2, &memory))
		return;
	family = load_u16(memory.at, p->ev->swap);
	if (family == FAMILY_INET6) {
		if (pointer_take(p, 28, &memory))
			print_socket6(p, memory.at);
		return;
	}
	if (family != FAMILY_INET) {
		outbuf_add(p->out, "(einval)");
		return;
	}
	if (!pointer_take(p, 8, &memory))
		return;
	at = put_ip4(outbuf_reserve(p->out, 32), memory.at + 4, ip4_is_reversed(p, 2),
		     p->spec->letters[0] == 'i');
	pointer_add(p, pointer_has_letter(p->spec, 2, 'p') ? put_port(at, memory.at + 2) : at);
}

static void print_uuid(const struct pointer *p)
{
	static const uint8_t guid[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
	char letter = p->spec->letters[1];
	bool swapped = letter == 'l' || letter == 'L';
	bool upper = letter == 'L' || letter == 'B';
	struct memory memory;
	char *start;
	char *at;

	if (!pointer_take(p, 16, &memory))
		return;
	start = outbuf_reserve(p->out, 40);
	at = start;
	for (unsigned int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*at++ = '-';
		at = put_hex_fixed(at, memory.at[swapped ? guid[i] : i], 2);
	}
	for (; upper && start < at; start++)
		*start = (char)toupper((unsigned char)*start);
	pointer_add(p, at);
}

/* As many bytes as the width says, one when it does not. */
static void print_bytes(const struct pointer *p)
{
	static const struct {
		char letter;
		char separator;
	} separators[] = {{'C', ':'}, {'D', '-'}, {'N', '\0'}};
	uint32_t count = p->spec->has_width ? (uint32_t)p->spec->width : 1;
	char separator = ' ';
	struct memory memory;
	char *at;

	/* The kernel prints 64 at most. */
	if (count > 64)
		count = 64;
	if (!pointer_take(p, count, &memory))
		return;
	for (size_t i = 0; i < array_size(separators); i++)
		if (p->spec->letters[1] == separators[i].letter)
			separator = separators[i].separator;
	at = outbuf_reserve(p->out, (size_t)count * 3 + 1);
	for (uint32_t i = 0; i < count; i++) {
		if (i && separator)
			*at++ = separator;
		at = put_hex_fixed(at, memory.at[i], 2);
	}
	pointer_add(p, at);
}

/* The width is the number of bits. */
static void print_bitmap(const struct pointer *p)
{
	uint32_t bits = p->spec->has_width ? (uint32_t)p->spec->width : 0;
	struct memory memory;

	if (!pointer_take(p, (bits + 7) / 8, &memory))
		return;
	if (p->spec->letters[1] == 'l')
		bitmap_print_list(p->ev, memory, bits, p->out);
	else
		bitmap_print_words(p->ev, memory, bits, p->out);
}

/* A physical or DMA address behind the pointer. */
static void print_physical(const struct pointer *p)
{
	struct memory memory = eval_memory(p->ev, p->op->expr);
	uint32_t size = memory.len >= 8 ? 8 : 4;
	uint8_t load = load_for(size, false, p->ev->swap != HOST_BIG_ENDIAN);
	char *at;

	if (!pointer_take(p, 4, &memory))
		return;
	at = outbuf_reserve(p->out, PUT_MOST);
	*at++ = '0';
	*at++ = 'x';
	pointer_add(p, put_hex_fixed(at, load_number(load, memory.at), size * 2));
}

/* "XR24 little-endian (0x34325258)" */
static void print_fourcc(const struct pointer *p)
{
	struct memory memory;
	uint32_t code;
	char *at;

	if (!pointer_take(p, 4, &memory))
		return;
	code = load_u32(memory.at, p->ev->swap);
	at = outbuf_reserve(p->out, 64);
	for (unsigned int i = 0; i < 4; i++) {
		char c = (char)(code >> i * 8 & (i == 3 ? 0x7f : 0xff));

		*at++ = isprint((unsigned char)c) ? c : '.';
	}
	pointer_add(p, at);
	outbuf_add(p->out, code >> 31 ? " big-endian (0x" : " little-endian (0x");
	pointer_add(p, put_hex_fixed(outbuf_reserve(p->out, PUT_MOST), code, 8));
	outbuf_add_char(p->out, ')');
}

/* A flags word behind the pointer, whose names only the kernel has. */
static void print_flags_word(const struct pointer *p)
{
	struct memory memory = eval_memory(p->ev, p->op->expr);
	uint32_t size = memory.len >= 8 ? 8 : 4;
	uint8_t load = load_for(size, false, p->ev->swap != HOST_BIG_ENDIAN);
	char *at;

	if (!pointer_take(p, 4, &memory))
		return;
	at = outbuf_reserve(p->out, PUT_MOST);
	*at++ = '0';
	*at++ = 'x';
	pointer_add(p, put_hex(at, load_number(load, memory.at)));
}

/* netdev_features_t, always with all of its digits. */
static void print_features(const struct pointer *p)
{
	uint8_t load = load_for(8, false, p->ev->swap != HOST_BIG_ENDIAN);
	struct memory memory;
	char *at;

	if (!pointer_take(p, 8, &memory))
		return;
	at = outbuf_reserve(p->out, PUT_MOST);
	*at++ = '0';
	*at++ = 'x';
	pointer_add(p, put_hex_fixed(at, load_number(load, memory.at), 16));
}

struct extension {
	char letters[4];
	bool has_width; /* false: the width counts something, or the kernel passes over it */
	void (*print)(const struct pointer *p);
};

/* Those that look at bytes of the record. */
static const struct extension extensions[] = {
	{"M", true, print_mac},
	{"m", true, print_mac},
	{"I4", true, print_ip4},
	{"i4", true, print_ip4},
	{"I6", true, print_ip6},
	{"i6", true, print_ip6},
	{"IS", true, print_socket},
	{"iS", true, print_socket},
	{"U", true, print_uuid},
	{"4cc", true, print_fourcc},
	{"h", false, print_bytes},
	{"b", false, print_bitmap},
	{"a", false, print_physical},
	{"NF", false, print_features},
	{"G", false, print_flags_word},
	{"t", false, pointer_print_time},
	{"E", false, pointer_print_escaped},
};

static const struct extension *find_extension(const struct spec *spec)
{
	for (size_t i = 0; i < array_size(extensions); i++)
		if (!strncmp(spec->letters, extensions[i].letters, strlen(extensions[i].letters)))
			return &extensions[i];
	return NULL;
}

bool pointer_needs_kernel(const struct spec *spec)
{
	/* Of the two letters: "fw" is a node of the firmware, "f" alone an old name of a function; and
	 * texts of the kernel's and of the user's memory. */
	static const char *const more[] = {"R", "r", "V", "d",	"D",  "g", "C",
					   "O", "A", "N", "fw", "ks", "us"};

	if (find_extension(spec))
		return true;
	for (size_t i = 0; i < array_size(more); i++)
		if (!strncmp(spec->letters, more[i], strlen(more[i])))
			return true;
	return false;
}

bool pointer_takes_memory(const struct spec *spec)
{
	return find_extension(spec) != NULL;
}

/* %px is bare and as wide as an address; all others print as trace-cmd does. */
static void print_address(const struct pointer *p, uint64_t addr)
{
	char *at = outbuf_reserve(p->out, PUT_MOST);

	if (p->ev->long_size == 4)
		addr = (uint32_t)addr;
	if (p->spec->letters[0] == 'x') {
		/* With a width of its own it is padded with blanks. */
		pointer_add(p, p->spec->has_width ? put_hex(at, addr)
						  : put_hex_fixed(at, addr, p->ev->long_size * 2u));
		return;
	}
	if (!addr) {
		outbuf_add(p->out, "(nil)");
		return;
	}
	*at++ = '0';
	*at++ = 'x';
	pointer_add(p, put_hex(at, addr));
}

/* Error pointers are the last page of the address space. */
static bool print_error_name(const struct pointer *p, uint64_t addr)
{
	int64_t code = p->ev->long_size == 4 ? (int32_t)addr : (int64_t)addr;
	const char *name;

	if (code >= 0 || code < -4095)
		return false;
	name = strerrorname_np((int)-code);
	outbuf_add_char(p->out, '-');
	if (name)
		outbuf_add(p->out, name);
	else
		pointer_add(p, put_dec(outbuf_reserve(p->out, PUT_MOST), (uint64_t)-code));
	return true;
}

void pointer_print(struct eval *ev, const struct op *op, const struct spec *spec,
		   struct outbuf *out)
{
	struct pointer p = {ev, op, spec, out};
	struct spec bare = *spec;
	size_t start = out->len;
	uint64_t addr;

	if (op->expr->kind == VALUE_MEM) {
		const struct extension *extension = find_extension(spec);

		extension->print(&p);
		if (extension->has_width)
			text_pad(out, start, spec);
		return;
	}
	addr = eval_number(ev, op->expr);
	if (spec->letters[0] != 'e' || !print_error_name(&p, addr))
		print_address(&p, addr);
	/* Of a number a precision cuts nothing off. */
	bare.has_precision = false;
	text_pad(out, start, &bare);
}
