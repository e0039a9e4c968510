/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts numbers in the place of the enumerators' names that the kernel leaves in print formats. */
#include "record/enums.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "record/btf.h"
#include "record/operand.h"
#include "util/io.h"
#include "util/mem.h"

/* More than any kernel has; its size is asked from sysfs. */
#define BTF_MOST ((off_t)256 << 20)

enum state {
	STATE_WANTED,
	STATE_FOUND,
	STATE_UNCLEAR, /* several values, or one whose sign is not known */
};

struct enums_entry {
	char *name; /* NULL: free */
	size_t len;
	enum state state;
	struct btf_value value;
};

struct btf_file {
	void *data; /* mapped; NULL: nothing */
	size_t size;
	struct btf btf;
};

static void btf_file_fini(struct btf_file *file)
{
	if (file->data)
		munmap(file->data, file->size);
}

void enums_fini(struct enums *enums)
{
	for (size_t i = 0; i < enums->room; i++)
		free(enums->entry[i].name);
	free(enums->entry);
	*enums = (struct enums){0};
}

/* FNV-1a. */
static uint64_t hash_name(const char *name, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3;
	return hash ^ hash >> 32;
}

/* Where the name is, or the free place where it belongs. The table has both. */
static struct enums_entry *find_place(const struct enums *enums, const char *name, size_t len)
{
	for (size_t i = (size_t)hash_name(name, len);; i++) {
		struct enums_entry *entry = &enums->entry[i & (enums->room - 1)];

		if (!entry->name || (entry->len == len && memcmp(entry->name, name, len) == 0))
			return entry;
	}
}

static void grow(struct enums *enums)
{
	struct enums bigger = *enums;

	bigger.room = enums->room ? enums->room * 2 : 256;
	bigger.entry = xcalloc(bigger.room, sizeof(*bigger.entry));
	for (size_t i = 0; i < enums->room; i++)
		if (enums->entry[i].name)
			*find_place(&bigger, enums->entry[i].name, enums->entry[i].len) =
				enums->entry[i];
	free(enums->entry);
	*enums = bigger;
}

static void add_name(struct enums *enums, const char *name, size_t len)
{
	struct enums_entry *entry;

	if (enums->nr * 2 >= enums->room)
		grow(enums);
	entry = find_place(enums, name, len);
	if (entry->name)
		return;
	*entry = (struct enums_entry){.name = xstrndup(name, len), .len = len};
	enums->nr++;
	if (len > enums->longest)
		enums->longest = len;
}

void enums_want(struct enums *enums, const char *format)
{
	struct operands operands;

	operands_begin(&operands, format);
	while (operands_next(&operands))
		add_name(enums, operands.name, operands.len);
}

/* The same name may stand in several enums, of modules above all. */
static void note_value(void *ctx, const char *name, const struct btf_value *value)
{
	struct enums *enums = ctx;
	size_t len = strnlen(name, enums->longest + 1);
	struct enums_entry *entry;

	if (len > enums->longest)
		return;
	entry = find_place(enums, name, len);
	if (!entry->name)
		return;
	if (value->is_unsure ||
	    (entry->state != STATE_WANTED && entry->value.bits != value->bits)) {
		entry->state = STATE_UNCLEAR;
		return;
	}
	if (entry->state == STATE_WANTED)
		entry->state = STATE_FOUND;
	entry->value = *value;
}

static void *map(size_t size, int prot, int flags, int fd)
{
	void *data = mmap(NULL, size, prot, MAP_PRIVATE | MAP_POPULATE | flags, fd, 0);

	return data == MAP_FAILED ? NULL : data;
}

/* The content is the kernel's own memory since 6.16, which takes no time; before, and for modules,
 * it is read. All pages at once: page faults would take most of the time. */
static bool fetch(int fd, struct btf_file *file)
{
	struct stat st;
	ssize_t len;

	if (fstat(fd, &st) < 0 || st.st_size <= 0 || st.st_size > BTF_MOST)
		return false;
	file->size = (size_t)st.st_size;
	file->data = map(file->size, PROT_READ, 0, fd);
	if (file->data)
		return true;
	file->data = map(file->size, PROT_READ | PROT_WRITE, MAP_ANONYMOUS, -1);
	if (!file->data)
		return false;
	len = io_pread_all(fd, file->data, file->size, 0);
	return len == (ssize_t)file->size;
}

/* Adds what the file has. False when it cannot be the base of others. */
static bool load_file(struct enums *enums, const char *dir, const char *name,
		      const struct btf *base, struct btf_file *file)
{
	cleanup_free char *path = xasprintf("%s/%s", dir, name);
	cleanup_close int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || !fetch(fd, file) ||
	    btf_open(file->data, file->size, base, &file->btf, NULL) < 0)
		return false;
	return btf_each_enumerator(&file->btf, note_value, enums, NULL) == 0;
}

void enums_load(struct enums *enums, const char *dir)
{
	cleanup(btf_file_fini) struct btf_file kernel = {0};
	struct dirent *entry;
	DIR *modules;

	if (!enums->nr || !load_file(enums, dir, "vmlinux", NULL, &kernel))
		return;
	/* All of them: an event does not tell its module, and a name that a module has another
	 * value for is no longer clear. */
	modules = opendir(dir);
	if (!modules)
		return;
	while ((entry = readdir(modules))) {
		cleanup(btf_file_fini) struct btf_file module = {0};

		if (entry->d_name[0] != '.' && strcmp(entry->d_name, "vmlinux") != 0)
			load_file(enums, dir, entry->d_name, &kernel.btf, &module);
	}
	closedir(modules);
}

static void add_value(struct strbuf *out, const struct btf_value *value)
{
	if (!value->is_signed) {
		strbuf_addf(out, "%" PRIu64 "%s", value->bits,
			    value->bits > INT64_MAX ? "ULL" : "");
		return;
	}
	/* "-" and "-1" would be the operator "--". */
	if ((int64_t)value->bits < 0 && out->len && out->text[out->len - 1] == '-')
		strbuf_add(out, " ");
	strbuf_addf(out, "%" PRId64, (int64_t)value->bits);
}

char *enums_put(const struct enums *enums, const char *format)
{
	struct operands operands;
	struct strbuf out = {0};
	const char *done = format;

	if (!enums->nr)
		return NULL;
	operands_begin(&operands, format);
	while (operands_next(&operands)) {
		const struct enums_entry *entry = find_place(enums, operands.name, operands.len);

		if (!entry->name || entry->state != STATE_FOUND)
			continue;
		strbuf_add_mem(&out, done, (size_t)(operands.name - done));
		add_value(&out, &entry->value);
		done = operands.name + operands.len;
	}
	if (done == format)
		return NULL;
	strbuf_add(&out, done);
	return strbuf_take(&out);
}
