/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as people type and read them: sizes, durations, CPU lists. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/mem.h"
#include "util/str.h"

/* The largest CPU number a list may name; the kernel's own limit is 8192. */
#define CPU_MOST 8192

bool parse_u64(const char *text, uint64_t *out)
{
	int base = str_starts(text, "0x") || str_starts(text, "0X") ? 16 : 10;
	unsigned long long value;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	value = strtoull(text, &end, base);
	if (errno || *end || end == text)
		return false;
	*out = value;
	return true;
}

bool parse_long(const char *text, long *out)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || *end || end == text || isspace((unsigned char)*text))
		return false;
	*out = value;
	return true;
}

struct unit {
	const char *name;
	double factor;
};

static const struct unit size_units[] = {
	{"b", 1},
	{"k", 1024},
	{"kb", 1024},
	{"kib", 1024},
	{"m", 1048576},
	{"mb", 1048576},
	{"mib", 1048576},
	{"g", 1073741824},
	{"gb", 1073741824},
	{"gib", 1073741824},
	{"t", 1099511627776},
	{"tb", 1099511627776},
	{"tib", 1099511627776},
};

static const struct unit time_units[] = {
	{"", 1e9},   {"ns", 1},	    {"us", 1e3},   {"ms", 1e6},	     {"s", 1e9},     {"sec", 1e9},
	{"m", 60e9}, {"min", 60e9}, {"h", 3600e9}, {"hour", 3600e9}, {"d", 86400e9},
};

static const struct unit *find_unit(const struct unit *units, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcasecmp(units[i].name, name))
			return &units[i];
	return NULL;
}

/* Digits, perhaps with a fraction; hex, signs, inf and nan are not what people mean here. */
static bool parse_amount(const char *text, double *amount, const char **unit)
{
	size_t digits = strspn(text, "0123456789");
	size_t part = text[digits] == '.' ? strspn(text + digits + 1, "0123456789") : 0;

	if (!digits && !part)
		return false;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return false;
	*amount = strtod(text, NULL);
	*unit = text + digits + (text[digits] == '.') + part;
	return true;
}

static bool to_u64(double value, uint64_t *out)
{
	if (!(value >= 0 && value < 9.2e18))
		return false;
	*out = (uint64_t)(value + 0.5);
	return true;
}

int parse_size(const char *text, bool bare_kb, uint64_t *bytes, struct err *err)
{
	const struct unit *unit;
	const char *name;
	double amount;
	uint64_t plain;

	if (parse_u64(text, &plain) && isdigit((unsigned char)text[strlen(text) - 1]) &&
	    !str_starts(text, "0x")) {
		if (mul_ok(plain, bare_kb ? 1024 : 1, bytes))
			return 0;
		return err_set(err, EINVAL, "size '%s' is too large", text);
	}
	if (!parse_amount(text, &amount, &name) ||
	    !(unit = find_unit(size_units, array_size(size_units), name)))
		return err_set(err, EINVAL, "'%s' is not a size (like 512k, 8M, 1.5G)", text);
	if (!to_u64(amount * unit->factor, bytes))
		return err_set(err, EINVAL, "size '%s' is too large", text);
	return 0;
}

/* No double: times of day in nanoseconds have more digits than it holds. Of a fraction twelve digits
 * count. */
static bool exact_ns(const char *text, uint64_t factor, uint64_t *ns)
{
	uint64_t whole = 0;
	uint64_t part = 0;
	uint64_t scale = 1;
	unsigned __int128 sum;

	for (; isdigit((unsigned char)*text); text++)
		if (!mul_ok(whole, 10, &whole) || !add_ok(whole, (uint64_t)(*text - '0'), &whole))
			return false;
	for (text += *text == '.'; isdigit((unsigned char)*text) && scale < 1000000000000; text++) {
		part = part * 10 + (uint64_t)(*text - '0');
		scale *= 10;
	}
	sum = (unsigned __int128)whole * factor +
	      ((unsigned __int128)part * factor + scale / 2) / scale;
	*ns = (uint64_t)sum;
	return sum <= INT64_MAX;
}

bool is_printed_time(const char *text)
{
	size_t seconds = strspn(text, "0123456789");

	return seconds && text[seconds] == '.' && strlen(text + seconds + 1) == 6 &&
	       strspn(text + seconds + 1, "0123456789") == 6;
}

int parse_duration(const char *text, uint64_t *ns, struct err *err)
{
	const struct unit *unit;
	const char *name;
	double amount;

	if (!parse_amount(text, &amount, &name) ||
	    !(unit = find_unit(time_units, array_size(time_units), name)))
		return err_set(err, EINVAL, "'%s' is not a duration (like 10, 1.5s, 200ms, 5m)",
			       text);
	if (!exact_ns(text, (uint64_t)unit->factor, ns))
		return err_set(err, EINVAL, "duration '%s' is too long", text);
	return 0;
}

/* One "N" or "N-M" of a CPU list into the bits of @set. */
static bool mark_range(char *range, bool *set)
{
	char *dash = strchr(range, '-');
	uint64_t first;
	uint64_t last;

	if (dash)
		*dash++ = '\0';
	if (!parse_u64(range, &first))
		return false;
	last = first;
	if (dash && !parse_u64(dash, &last))
		return false;
	if (last < first || last >= CPU_MOST)
		return false;
	for (uint64_t cpu = first; cpu <= last; cpu++)
		set[cpu] = true;
	return true;
}

int parse_cpulist(const char *text, unsigned int **cpus, size_t *nr, struct err *err)
{
	cleanup_free bool *set = xcalloc(CPU_MOST, sizeof(*set));
	cleanup(strv_fini) struct strv ranges = {0};
	size_t found = 0;

	strv_split(&ranges, text, ",");
	for (size_t i = 0; i < ranges.nr; i++)
		if (!mark_range(ranges.item[i], set))
			return err_set(err, EINVAL, "'%s' is not a list of CPUs (like 0-3,7)",
				       text);
	if (!ranges.nr)
		return err_set(err, EINVAL, "the list of CPUs is empty");
	for (size_t cpu = 0; cpu < CPU_MOST; cpu++)
		found += set[cpu];
	*cpus = xcalloc(found, sizeof(**cpus));
	*nr = 0;
	for (unsigned int cpu = 0; cpu < CPU_MOST; cpu++)
		if (set[cpu])
			(*cpus)[(*nr)++] = cpu;
	return 0;
}

const char *format_bytes(uint64_t bytes, char *buf, size_t room)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
	double value = (double)bytes;
	size_t unit = 0;

	while (value >= 1024 && unit + 1 < array_size(units)) {
		value /= 1024;
		unit++;
	}
	if (unit == 0)
		snprintf(buf, room, "%" PRIu64 " B", bytes);
	else
		snprintf(buf, room, "%.1f %s", value, units[unit]);
	return buf;
}

const char *format_count(uint64_t n, char *buf, size_t room)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);
	size_t at = 0;

	for (int i = 0; i < len && at + 2 < room; i++) {
		if (i && (len - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = '\0';
	return buf;
}

char *format_cpumask(const unsigned int *cpus, size_t nr)
{
	unsigned int most = 0;
	cleanup_free uint32_t *group = NULL;
	struct strbuf sb = {0};

	for (size_t i = 0; i < nr; i++)
		most = cpus[i] > most ? cpus[i] : most;
	group = xcalloc(most / 32 + 1, sizeof(*group));
	for (size_t i = 0; i < nr; i++)
		group[cpus[i] / 32] |= UINT32_C(1) << cpus[i] % 32;
	for (size_t i = most / 32 + 1; i-- > 0;)
		strbuf_addf(&sb, sb.len ? ",%08" PRIx32 : "%" PRIx32, group[i]);
	return strbuf_take(&sb);
}

char *format_full_cpumask(size_t nr)
{
	cleanup_free unsigned int *cpus = xcalloc(nr, sizeof(*cpus));

	for (size_t i = 0; i < nr; i++)
		cpus[i] = (unsigned int)i;
	return format_cpumask(cpus, nr);
}
