/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A copy of the list of functions: the kernel looks up each module's symbols anew at every read,
 * which takes a second where many are loaded. The copy holds for one boot and one set of modules. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tracefs/private.h"
#include "util/io.h"
#include "util/mem.h"

#define TRACEFS_TYPE 0x74726163

/* The folder for what holds until the next boot; NULL when there is none. Caller frees. */
static char *run_dir(void)
{
	const char *user = secure_getenv("XDG_RUNTIME_DIR");

	if (geteuid() == 0)
		return xstrdup("/run/ft");
	return user && *user == '/' ? xasprintf("%s/ft", user) : NULL;
}

static void mix(uint64_t *hash, const char *text)
{
	/* FNV-1a; the terminating zero keeps "ab","c" and "a","bc" apart. */
	do {
		*hash = (*hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
	} while (*text++);
}

/* Name, size, state and address of each module; not the use count, which changes all the time. */
static void mix_modules(uint64_t *hash)
{
	static const bool counts[] = {true, true, false, false, true, true};
	cleanup(strbuf_fini) struct strbuf text = {0};
	char *at;
	char *line;

	if (io_read_file("/proc/modules", &text, NULL) < 0)
		return;
	at = text.text;
	while ((line = str_next_line(&at))) {
		char *save = NULL;
		char *word = strtok_r(line, " ", &save);

		for (size_t i = 0; word && i < array_size(counts); i++) {
			if (counts[i])
				mix(hash, word);
			word = strtok_r(NULL, " ", &save);
		}
	}
}

/* The kernel counts what it can trace: modules' init code goes from the list after they are live. */
static void mix_total(uint64_t *hash, const struct tfs *tfs)
{
	cleanup_free char *total = NULL;

	if (tfs_read(tfs, "dyn_ftrace_total_info", &total, NULL) < 0)
		return;
	total[strcspn(total, "\n")] = '\0';
	mix(hash, total);
}

/* The first line of a copy that holds now; NULL when it cannot be told. Caller frees. */
static char *current_key(const struct tfs *tfs)
{
	cleanup(strbuf_fini) struct strbuf boot = {0};
	uint64_t hash = UINT64_C(14695981039346656037);
	struct utsname uts;

	if (uname(&uts) < 0 || io_read_file("/proc/sys/kernel/random/boot_id", &boot, NULL) < 0)
		return NULL;
	mix(&hash, uts.release);
	mix(&hash, uts.version);
	mix_modules(&hash);
	mix_total(&hash, tfs);
	return xasprintf("ft functions 2 %.36s %016" PRIx64, strbuf_str(&boot), hash);
}

/* A directory that only looks like tracefs has a list of its own. */
static bool is_kernels(const struct tfs *tfs)
{
	struct statfs fs;

	return statfs(tfs->top, &fs) == 0 && fs.f_type == TRACEFS_TYPE;
}

/* Nobody else may have written it. */
static bool is_trusted(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & 022);
}

/* "name [module]\tnumber" */
static bool parse_function(char *line, struct function *out)
{
	char *tab = strchr(line, '\t');

	if (!tab)
		return false;
	*tab = '\0';
	*out = (struct function){line, strtoul(tab + 1, NULL, 10)};
	return out->number > 0;
}

static bool parse_copy(const struct tfs *tfs, char *text, struct function_table *out)
{
	cleanup_free char *key = current_key(tfs);
	char *at = text;
	char *line = str_next_line(&at);
	size_t nr = 0;

	if (!key || !line || strcmp(line, key))
		return false;
	for (const char *end = at; end && (end = strchr(end, '\n')); end++)
		nr++;
	out->function = xcalloc(nr + 1, sizeof(*out->function));
	while ((line = str_next_line(&at)) && out->nr < nr)
		if (!parse_function(line, &out->function[out->nr++]))
			return false;
	return true;
}

bool fncache_load(const struct tfs *tfs, struct function_table *out)
{
	cleanup_free char *dir = run_dir();
	cleanup_free char *path = xasprintf("%s/functions", dir ? dir : "");
	cleanup_close int fd = dir ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	cleanup(strbuf_fini) struct strbuf text = {0};

	if (fd < 0 || !is_kernels(tfs) || !is_trusted(fd) || io_read_fd(fd, &text) < 0)
		return false;
	out->text = strbuf_take(&text);
	if (parse_copy(tfs, out->text, out))
		return true;
	function_table_fini(out);
	return false;
}

void fncache_save(const struct tfs *tfs, const struct function_table *table)
{
	cleanup_free char *key = is_kernels(tfs) ? current_key(tfs) : NULL;
	cleanup_free char *dir = run_dir();
	cleanup_free char *path = xasprintf("%s/functions", dir ? dir : "");
	cleanup_free char *fresh = xasprintf("%s.%d", path, (int)getpid());
	cleanup(strbuf_fini) struct strbuf text = {0};
	cleanup_close int fd = -1;

	/* Without the right to write there it just stays slow. */
	if (!key || !dir || (mkdir(dir, 0755) < 0 && errno != EEXIST))
		return;
	fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	strbuf_addf(&text, "%s\n", key);
	for (size_t i = 0; i < table->nr; i++)
		strbuf_addf(&text, "%s\t%zu\n", table->function[i].line, table->function[i].number);
	if (io_write_all(fd, text.text, text.len) < 0 || rename(fresh, path) < 0)
		unlink(fresh);
}
