/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds a symbol in an ELF file: where its code lies in the file. */
#include "util/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/mem.h"
#include "util/str.h"

/* The file in memory, of which nothing is believed. */
struct image {
	const uint8_t *data;
	size_t len;
	bool is_64;
	const char *path;
};

/* What both widths have in common. */
struct section {
	uint32_t type;
	uint32_t link;
	uint64_t offset;
	uint64_t size;
	uint64_t entry;
};

struct segment {
	uint32_t type;
	uint64_t offset;
	uint64_t address;
	uint64_t size;
};

struct symbol {
	uint32_t name;
	uint8_t type;
	bool is_defined;
	uint64_t value;
};

struct table {
	uint64_t offset;
	uint64_t entry;
	uint64_t nr;
};

static bool is_inside(const struct image *img, uint64_t offset, uint64_t size)
{
	return offset <= img->len && size <= img->len - offset;
}

/* The entry @i of a table, copied: nothing in a file need be aligned. */
static bool read_at(const struct image *img, const struct table *t, uint64_t i, void *out,
		    size_t size)
{
	uint64_t at;

	if (t->entry < size || !mul_ok(i, t->entry, &at) || !add_ok(at, t->offset, &at) ||
	    !is_inside(img, at, size))
		return false;
	memcpy(out, img->data + at, size);
	return true;
}

#define READ_BOTH(img, t, i, out, type, ...)                      \
	do {                                                      \
		if ((img)->is_64) {                               \
			Elf64_##type e;                           \
			if (!read_at(img, t, i, &e, sizeof(e)))   \
				return false;                     \
			*(out) = (__typeof__(*(out)))__VA_ARGS__; \
		} else {                                          \
			Elf32_##type e;                           \
			if (!read_at(img, t, i, &e, sizeof(e)))   \
				return false;                     \
			*(out) = (__typeof__(*(out)))__VA_ARGS__; \
		}                                                 \
	} while (0)

static bool read_tables(const struct image *img, struct table *sections, struct table *segments)
{
	const struct table head = {0, sizeof(Elf64_Ehdr), 1};

	READ_BOTH(img, &head, 0, sections, Ehdr, {e.e_shoff, e.e_shentsize, e.e_shnum});
	READ_BOTH(img, &head, 0, segments, Ehdr, {e.e_phoff, e.e_phentsize, e.e_phnum});
	return true;
}

static bool read_section(const struct image *img, const struct table *t, uint64_t i,
			 struct section *out)
{
	READ_BOTH(img, t, i, out, Shdr,
		  {e.sh_type, e.sh_link, e.sh_offset, e.sh_size, e.sh_entsize});
	return true;
}

static bool read_segment(const struct image *img, const struct table *t, uint64_t i,
			 struct segment *out)
{
	READ_BOTH(img, t, i, out, Phdr, {e.p_type, e.p_offset, e.p_vaddr, e.p_filesz});
	return true;
}

static bool read_symbol(const struct image *img, const struct table *t, uint64_t i,
			struct symbol *out)
{
	READ_BOTH(img, t, i, out, Sym,
		  {e.st_name, ELF64_ST_TYPE(e.st_info), e.st_shndx != SHN_UNDEF, e.st_value});
	return true;
}

/* The name inside the string section, NULL when it does not end there. */
static const char *name_at(const struct image *img, const struct section *strings, uint32_t at)
{
	const char *text;

	if (!is_inside(img, strings->offset, strings->size) || at >= strings->size)
		return NULL;
	text = (const char *)img->data + strings->offset + at;
	return memchr(text, '\0', strings->size - at) ? text : NULL;
}

/* From the address in memory to the place in the file. */
static bool place_of(const struct image *img, const struct table *segments, uint64_t address,
		     uint64_t *offset)
{
	struct segment s;

	for (uint64_t i = 0; i < segments->nr && read_segment(img, segments, i, &s); i++) {
		if (s.type != PT_LOAD || address < s.address || address - s.address >= s.size)
			continue;
		*offset = address - s.address + s.offset;
		return is_inside(img, *offset, 1);
	}
	return false;
}

static bool is_code(const struct symbol *sym)
{
	return sym->is_defined &&
	       (sym->type == STT_FUNC || sym->type == STT_NOTYPE || sym->type == STT_GNU_IFUNC);
}

/* Looks through one symbol table; what it sees goes to @seen. */
static bool search(const struct image *img, const struct section *sec,
		   const struct section *strings, const char *wanted, struct symbol *out,
		   struct strv *seen)
{
	const struct table t = {sec->offset, sec->entry, sec->entry ? sec->size / sec->entry : 0};

	for (uint64_t i = 0; i < t.nr; i++) {
		struct symbol sym;
		const char *name;

		if (!read_symbol(img, &t, i, &sym))
			return false;
		name = is_code(&sym) ? name_at(img, strings, sym.name) : NULL;
		if (!name || !*name)
			continue;
		if (!strcmp(name, wanted)) {
			*out = sym;
			return true;
		}
		strv_add(seen, name);
	}
	return false;
}

static bool is_elf(const uint8_t *data, size_t len)
{
	const uint16_t one = 1;
	uint8_t order = *(const uint8_t *)&one ? ELFDATA2LSB : ELFDATA2MSB;

	return len >= sizeof(Elf32_Ehdr) && !memcmp(data, ELFMAG, SELFMAG) &&
	       data[EI_DATA] == order &&
	       (data[EI_CLASS] == ELFCLASS32 || data[EI_CLASS] == ELFCLASS64);
}

static int not_found(const struct image *img, const char *symbol, const struct strv *seen,
		     struct err *err)
{
	cleanup_free char *near = near_names(symbol, seen);

	if (!seen->nr)
		return err_set(
			err, ENOEXEC,
			"%s has no symbols (it is stripped): give the offset in the file, as %s:0xOFFSET",
			img->path, img->path);
	return err_set(err, ENOENT, "%s has no function %s%s", img->path, symbol, near);
}

int elf_find_symbol_in(const uint8_t *data, size_t len, const char *path, const char *symbol,
		       uint64_t *offset, struct err *err)
{
	struct image img = {data, len, len > EI_CLASS && data[EI_CLASS] == ELFCLASS64, path};
	cleanup(strv_fini) struct strv seen = {0};
	struct table sections = {0};
	struct table segments = {0};
	struct section sec;
	struct section strings;
	struct symbol sym;

	if (!is_elf(data, len) || !read_tables(&img, &sections, &segments))
		return err_set(err, ENOEXEC, "%s is no program or library of this machine (ELF)",
			       path);
	for (uint64_t i = 0; i < sections.nr && read_section(&img, &sections, i, &sec); i++) {
		if (sec.type != SHT_SYMTAB && sec.type != SHT_DYNSYM)
			continue;
		if (!read_section(&img, &sections, sec.link, &strings) ||
		    !search(&img, &sec, &strings, symbol, &sym, &seen))
			continue;
		if (place_of(&img, &segments, sym.value, offset))
			return 0;
		return err_set(err, ENOEXEC, "%s: the symbol %s lies outside of the file", path,
			       symbol);
	}
	return not_found(&img, symbol, &seen, err);
}

int elf_find_symbol(const char *path, const char *symbol, uint64_t *offset, struct err *err)
{
	cleanup_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *data;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, errno, "cannot open %s", path);
	if (!S_ISREG(st.st_mode) || st.st_size <= 0)
		return err_set(err, ENOEXEC, "%s is no program or library", path);
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return err_sys(err, errno, "cannot read %s", path);
	r = elf_find_symbol_in(data, (size_t)st.st_size, path, symbol, offset, err);
	munmap(data, (size_t)st.st_size);
	return r;
}
