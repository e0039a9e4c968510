/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gathers from the kernel what a reader of the file needs beside the events. */
#include "record/metadata.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "record/enums.h"
#include "util/io.h"
#include "util/mem.h"

/* Of saved_cmdlines: how many are taken into account, and what one takes, with its process. */
#define NAMES_LEAST 1024
#define NAMES_MOST 65536
#define NAME_BYTES 56

uint32_t metadata_subbuf_size(const struct tfs *tfs)
{
	long kb;

	if (tfs_has(tfs, "buffer_subbuf_size_kb") &&
	    tfs_read_number(tfs, "buffer_subbuf_size_kb", &kb, NULL) == 0 && kb > 0 && kb <= 65536)
		return (uint32_t)kb * 1024;
	return (uint32_t)getpagesize();
}

char *metadata_clock(const struct tfs *tfs, struct err *err)
{
	cleanup(strv_fini) struct strv clocks = {0};
	char *current = NULL;

	if (tfs_clocks(tfs, &clocks, &current, err) < 0)
		return NULL;
	return current ? current : xstrdup("local");
}

/* The format texts of all events of one system, in the order of their names. */
static int add_formats(const struct tfs *tfs, const char *system, struct strv *out, struct err *err)
{
	cleanup_free char *path = xasprintf("%s/events/%s", tfs_dir(tfs), system);
	cleanup(strv_fini) struct strv names = {0};
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return err_sys(err, errno, "cannot open %s", path);
	while ((entry = readdir(dir)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			strv_add(&names, entry->d_name);
	closedir(dir);
	strv_sort(&names);
	for (size_t i = 0; i < names.nr; i++) {
		cleanup_free char *file = xasprintf("events/%s/%s/format", system, names.item[i]);
		char *text = NULL;

		/* An event that goes away meanwhile, with its module, cannot be in the trace. */
		if (tfs_read(tfs, file, &text, NULL) == 0)
			strv_add_take(out, text);
	}
	return 0;
}

static void want_enums(struct enums *enums, const struct strv *formats)
{
	for (size_t i = 0; i < formats->nr; i++)
		enums_want(enums, formats->item[i]);
}

static void put_enums(const struct enums *enums, struct strv *formats)
{
	for (size_t i = 0; i < formats->nr; i++) {
		char *text = enums_put(enums, formats->item[i]);

		if (!text)
			continue;
		free(formats->item[i]);
		formats->item[i] = text;
	}
}

/* The kernel replaces only those enumerators that its source lists (TRACE_DEFINE_ENUM). */
static void resolve_enums(struct dat_meta *meta)
{
	cleanup(enums_fini) struct enums enums = {0};

	want_enums(&enums, &meta->ftrace_formats);
	for (size_t i = 0; i < meta->nr_systems; i++)
		want_enums(&enums, &meta->system[i].formats);
	enums_load(&enums, "/sys/kernel/btf");
	put_enums(&enums, &meta->ftrace_formats);
	for (size_t i = 0; i < meta->nr_systems; i++)
		put_enums(&enums, &meta->system[i].formats);
}

void metadata_resolve_format(char **format)
{
	cleanup(enums_fini) struct enums enums = {0};
	char *text;

	enums_want(&enums, *format);
	enums_load(&enums, "/sys/kernel/btf");
	text = enums_put(&enums, *format);
	if (!text)
		return;
	free(*format);
	*format = text;
}

/* All addresses are zero for those who may not see them. */
static bool are_hidden(const char *kallsyms)
{
	return str_starts(kallsyms, "0000000000000000 ") &&
	       !strpbrk(kallsyms + strlen(kallsyms) / 2, "123456789");
}

size_t metadata_names_most(const struct tfs *top)
{
	long size;

	if (tfs_read_number(top, "saved_cmdlines_size", &size, NULL) < 0 || size < NAMES_LEAST)
		size = NAMES_LEAST;
	return (size_t)(size < NAMES_MOST ? size : NAMES_MOST) * NAME_BYTES;
}

void metadata_symbols(char **kallsyms, struct strv *notes)
{
	struct strbuf text = {0};
	struct err err = {0};

	/* Read once: its size changes when modules and BPF programs come and go. */
	if (io_read_file("/proc/kallsyms", &text, &err) < 0) {
		strv_add_take(notes, xasprintf("no function names: %s", err.text));
		strbuf_fini(&text);
		return;
	}
	*kallsyms = strbuf_take(&text);
	if (are_hidden(*kallsyms))
		strv_add(notes, "no function names: the kernel hides its addresses "
				"(/proc/sys/kernel/kptr_restrict)");
}

static char *describe_machine(void)
{
	struct utsname u;

	if (uname(&u) < 0)
		return NULL;
	return xasprintf("%s %s %s %s", u.sysname, u.nodename, u.release, u.machine);
}

static uint64_t make_trace_id(void)
{
	uint64_t id;

	if (getrandom(&id, sizeof(id), GRND_NONBLOCK) != sizeof(id))
		id = (uint64_t)time(NULL) << 32 | (uint64_t)getpid();
	return id;
}

static int read_header_texts(const struct tfs *tfs, struct dat_meta *out, struct err *err)
{
	int r = tfs_read(tfs, "events/header_page", &out->header_page, err);

	if (r == 0)
		r = tfs_read(tfs, "events/header_event", &out->header_event, err);
	if (r == 0)
		r = tfs_read(tfs, "trace_clock", &out->trace_clock, err);
	return r;
}

int metadata_gather_formats(const struct tfs *tfs, const struct tfs *top,
			    const struct strv *systems, uint32_t cpus, struct dat_meta *out,
			    struct err *err)
{
	int r = read_header_texts(tfs, out, err);

	if (r == 0)
		r = add_formats(tfs, "ftrace", &out->ftrace_formats, err);
	for (size_t i = 0; r == 0 && i < systems->nr; i++)
		r = add_formats(tfs, systems->item[i],
				&dat_meta_add_system(out, systems->item[i])->formats, err);
	if (r < 0)
		return r;
	resolve_enums(out);
	/* Optional: of kernels with trace_printk() or tracepoint strings. Instances have none of their own. */
	tfs_read(top, "printk_formats", &out->printk_formats, NULL);
	out->big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	out->long_size = sizeof(long);
	out->page_size = metadata_subbuf_size(tfs);
	out->cpu_count = cpus;
	out->trace_id = make_trace_id();
	out->uname = describe_machine();
	out->version = xstrdup("ft " FT_VERSION);
	return 0;
}

int metadata_gather(const struct tfs *tfs, const struct tfs *top, const struct strv *systems,
		    uint32_t cpus, struct dat_meta *out, struct strv *notes, struct err *err)
{
	int r = metadata_gather_formats(tfs, top, systems, cpus, out, err);

	if (r == 0)
		metadata_symbols(&out->kallsyms, notes);
	return r;
}
