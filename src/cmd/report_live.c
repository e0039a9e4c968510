/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The running kernel as the input of a report. */
#include "cmd/report_live.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "dat/memory.h"
#include "dat/ring.h"
#include "record/metadata.h"
#include "tracefs/tracefs.h"
#include "util/io.h"
#include "util/mem.h"

struct live_cpu {
	unsigned int cpu;
	int raw; /* trace_pipe_raw, when it is followed */
	/* What was in the buffer, else; the report takes it. */
	uint8_t *pages;
	size_t size;
};

struct live {
	struct tfs *top;
	struct tfs *tfs;
	bool follow;
	char *name;
	struct live_cpu *cpu;
	size_t nr_cpus;
	uint32_t page_size;
	struct dat_meta meta;
	struct dat_reader *reader; /* until the report takes it */
	char *kallsyms;
	char *cmdlines;
	struct strv late; /* texts of formats that came later */
	struct report_live ops;
	const struct report_config *config;
	int signals;
	struct pollfd *fds; /* of wait_events(): signals, output, and the CPUs */
	bool was_empty;	    /* nothing has been read since the last wait */
};

void live_freep(struct live **livep)
{
	struct live *live = *livep;

	if (!live)
		return;
	for (size_t i = 0; i < live->nr_cpus; i++) {
		if (live->cpu[i].raw >= 0)
			close(live->cpu[i].raw);
		free(live->cpu[i].pages);
	}
	dat_reader_close(live->reader);
	dat_meta_fini(&live->meta);
	strv_fini(&live->late);
	if (live->signals >= 0)
		close(live->signals);
	tfs_free(live->tfs);
	tfs_free(live->top);
	free(live->name);
	free(live->cpu);
	free(live->kallsyms);
	free(live->cmdlines);
	free(live->fds);
	free(live);
}

struct live *live_open(const char *instance, bool follow, struct err *err)
{
	cleanup(live_freep) struct live *live = xzalloc(sizeof(*live));
	cleanup_free unsigned int *cpus = NULL;
	size_t nr;

	live->signals = -1;
	live->follow = follow;
	if (instance && (!*instance || !strcmp(instance, "top")))
		instance = NULL;
	live->name = instance ? xasprintf("instance %s", instance) : xstrdup("the kernel");
	live->top = tfs_open(NULL, err);
	if (!live->top)
		return NULL;
	live->tfs = instance ? tfs_open_instance(live->top, instance, err) : tfs_open(NULL, err);
	if (!live->tfs || tfs_cpus(live->tfs, &cpus, &nr, err) < 0)
		return NULL;
	live->cpu = xcalloc(nr, sizeof(*live->cpu));
	for (size_t i = 0; i < nr; i++)
		live->cpu[i] = (struct live_cpu){.cpu = cpus[i], .raw = -1};
	live->nr_cpus = nr;
	live->page_size = metadata_subbuf_size(live->tfs);
	return take_ptr(live);
}

bool live_can_look(struct live *live, char **why)
{
	struct err err = {0};

	*why = NULL;
	for (size_t i = 0; i < live->nr_cpus; i++) {
		struct tfs_mapping map;
		int r = tfs_mapping_open(live->tfs, live->cpu[i].cpu, &map, &err);

		if (r == 0)
			tfs_mapping_close(&map);
		/* Other errors are told where it is read. A CPU that was never there cannot be mapped. */
		if (r != -EOPNOTSUPP)
			return true;
	}
	*why = xstrdup(err.text);
	return false;
}

int live_copy_text(struct live *live, int out_fd, struct err *err)
{
	cleanup_close int fd = tfs_open_file(live->tfs, "trace", O_RDONLY, err);
	char buf[16384];
	ssize_t n;

	if (fd < 0)
		return fd;
	while ((n = read(fd, buf, sizeof(buf))) != 0) {
		int r;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, errno, "cannot read %s/trace", tfs_dir(live->tfs));
		r = io_write_all(out_fd, buf, (size_t)n);
		if (r == -EPIPE)
			return 0;
		if (r < 0)
			return err_sys(err, -r, "cannot write the report");
	}
	return 0;
}

static bool is_wanted(const struct report_config *config, unsigned int cpu)
{
	for (size_t i = 0; i < config->nr_cpus; i++)
		if (config->cpus[i] == cpu)
			return true;
	return !config->cpus;
}

static struct live_cpu *find_cpu(struct live *live, uint32_t cpu)
{
	for (size_t i = 0; i < live->nr_cpus; i++)
		if (live->cpu[i].cpu == cpu)
			return &live->cpu[i];
	return NULL;
}

/* What struct report_live asks for. */

static struct dat_reader *hand_reader(void *ctx, struct err *err)
{
	struct live *live = ctx;

	if (!live->reader)
		err_set(err, EINVAL, "%s can be read once only", live->name);
	return take_ptr(live->reader);
}

static struct decode_buffer load_kallsyms(void *ctx)
{
	struct live *live = ctx;
	cleanup(strv_fini) struct strv notes = {0};

	metadata_symbols(&live->kallsyms, &notes);
	for (size_t i = 0; live->config->message && i < notes.nr; i++)
		live->config->message(live->config->message_ctx, notes.item[i]);
	if (!live->kallsyms)
		return (struct decode_buffer){NULL, 0};
	return (struct decode_buffer){live->kallsyms, strlen(live->kallsyms)};
}

static bool load_format(void *ctx, int id, struct decode_format *format)
{
	struct live *live = ctx;
	char *system = NULL;
	char *text = NULL;

	if (tfs_format_of(live->top, id, &system, &text) < 0)
		return false;
	metadata_resolve_format(&text);
	*format = (struct decode_format){system, {text, strlen(text)}};
	strv_add_take(&live->late, system);
	strv_add_take(&live->late, text);
	return true;
}

static void list_events(void *ctx, struct strv *names)
{
	const struct live *live = ctx;

	tfs_events(live->top, names, NULL);
}

static struct page_source *hand_pages(void *ctx, uint32_t number)
{
	struct live *live = ctx;
	struct live_cpu *cpu = find_cpu(live, number);

	return source_new_memory(take_ptr(cpu->pages), cpu->size, live->page_size);
}

/* A short read would go on in the middle of the same sub-buffer the next time: it has to ask for a whole one. */
static int read_page(void *ctx, const char *buffer, uint32_t number, uint8_t *page, struct err *err)
{
	struct live *live = ctx;
	struct live_cpu *cpu = find_cpu(live, number);
	ssize_t n;

	(void)buffer;
	do
		n = read(cpu->raw, page, live->page_size);
	while (n < 0 && errno == EINTR);
	if (n == 0 || (n < 0 && errno == EAGAIN))
		return 0;
	if (n < 0)
		return err_sys(err, errno, "cannot read the buffer of CPU %" PRIu32, number);
	memset(page + n, 0, live->page_size - (size_t)n);
	live->was_empty = false;
	return 1;
}

/* The buffers' own wake-up comes when they are half full. Some settings make them always ready, therefore they are not
 * asked when there was nothing the last time. */
static enum report_wait wait_events(void *ctx, int out_fd, int timeout_ms)
{
	struct live *live = ctx;
	nfds_t nr = live->was_empty ? 2 : 2 + live->nr_cpus;

	live->fds[1] = (struct pollfd){.fd = out_fd};
	live->was_empty = true;
	if (poll(live->fds, nr, timeout_ms) <= 0)
		return REPORT_WAIT_LOOK;
	if (live->fds[0].revents || (live->fds[1].revents & (POLLERR | POLLHUP)))
		return REPORT_WAIT_END;
	return REPORT_WAIT_LOOK;
}

static bool wait_room(void *ctx, int out_fd)
{
	struct live *live = ctx;
	struct pollfd fds[] = {live->fds[0], {.fd = out_fd, .events = POLLOUT}};

	while (poll(fds, array_size(fds), -1) < 0)
		if (errno != EINTR)
			return true;
	/* Told to end: what can be written without waiting is, still. */
	return fds[1].revents != 0;
}

static char *read_cmdlines(void *ctx)
{
	const struct live *live = ctx;
	char *text = NULL;

	tfs_read(live->top, "saved_cmdlines", &text, NULL);
	return text;
}

/* Formats of what is enabled; others are got when an event needs them. Filters want to know all names. */
static int gather(struct live *live, bool all, struct err *err)
{
	cleanup(strv_fini) struct strv systems = {0};
	cleanup(strv_fini) struct strv events = {0};
	cleanup_free char *text = NULL;
	uint32_t cpus = live->nr_cpus ? live->cpu[live->nr_cpus - 1].cpu + 1 : 0;
	int r = all ? tfs_systems(live->top, &systems, err)
		    : tfs_read(live->tfs, "set_event", &text, err);

	if (r < 0)
		return r;
	if (text)
		strv_split(&events, text, "\n");
	for (size_t i = 0; i < events.nr; i++)
		strv_add_take(&systems, xstrndup(events.item[i], strcspn(events.item[i], ":")));
	strv_sort(&systems);
	strv_uniq(&systems);
	return metadata_gather_formats(live->top, live->top, &systems, cpus, &live->meta, err);
}

static int make_reader(struct live *live, struct err *err)
{
	cleanup_free unsigned int *cpus = xcalloc(live->nr_cpus + 1, sizeof(*cpus));
	cleanup_free char *clock = metadata_clock(live->tfs, err);
	struct dat_buffer_spec spec = {
		.name = "",
		.clock = clock,
		.page_size = live->page_size,
		.cpu = cpus,
		.nr_cpus = live->nr_cpus,
	};

	if (!clock)
		return -err->code;
	for (size_t i = 0; i < live->nr_cpus; i++)
		cpus[i] = live->cpu[i].cpu;
	live->reader = dat_reader_new_memory(live->name, &live->meta, &spec, err);
	return live->reader ? 0 : -err->code;
}

static int look_at_cpu(struct live *live, struct live_cpu *cpu, uint64_t *overrun, struct err *err)
{
	struct tfs_mapping map;
	struct ring_view ring;
	int r = tfs_mapping_open(live->tfs, cpu->cpu, &map, err);

	if (r == -EOPNOTSUPP)
		return 0;
	if (r < 0)
		return r;
	ring = (struct ring_view){
		.data = map.data,
		.nr_pages = map.nr_pages,
		.page_size = map.page_size,
		.page_data = live->reader->page_data,
		.reader = map.reader,
		.reader_events = map.reader_events,
	};
	*overrun += map.overrun;
	if (map.page_size == live->page_size)
		cpu->pages = ring_copy(&ring, &cpu->size);
	tfs_mapping_close(&map);
	return 0;
}

static void __attribute__((format(printf, 2, 3))) say(const struct live *live, const char *fmt, ...)
{
	cleanup_free char *text = NULL;
	va_list ap;

	if (!live->config->message)
		return;
	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	live->config->message(live->config->message_ctx, text);
}

/* Why nothing may come. */
static void say_idle(void *ctx)
{
	struct live *live = ctx;
	cleanup_free char *tracer = NULL;
	cleanup_free char *events = NULL;
	long on = 1;

	tfs_read_number(live->tfs, "tracing_on", &on, NULL);
	if (!on)
		say(live, "tracing is off in %s: nothing new comes until it is on (tracing_on)",
		    live->name);
	if (tfs_read_line(live->tfs, "current_tracer", &tracer, NULL) == 0 &&
	    tfs_read_line(live->tfs, "set_event", &events, NULL) == 0 && !strcmp(tracer, "nop") &&
	    !*events)
		say(live, "in %s no event is enabled and no tracer is set: only markers can come",
		    live->name);
}

static int begin_look(struct live *live, struct err *err)
{
	uint64_t overrun = 0;
	char count[32];

	for (size_t i = 0; i < live->nr_cpus; i++) {
		int r = 0;

		if (is_wanted(live->config, live->cpu[i].cpu))
			r = look_at_cpu(live, &live->cpu[i], &overrun, err);
		if (r < 0)
			return r;
	}
	if (overrun)
		say(live, "%s older events have been overwritten: the buffer keeps the newest",
		    format_count(overrun, count, sizeof(count)));
	live->ops.source = hand_pages;
	live->ops.tell_idle = say_idle;
	return 0;
}

static int begin_follow(struct live *live, struct err *err)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigset_t set;

	/* A write to a closed pipe shall fail, and a signal shall end the loop and not the process. */
	sigemptyset(&set);
	for (size_t i = 0; i < array_size(ends); i++)
		sigaddset(&set, ends[i]);
	live->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (live->signals < 0)
		return err_sys(err, errno, "cannot watch for signals");
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_BLOCK, &set, NULL);
	live->fds = xcalloc(live->nr_cpus + 2, sizeof(*live->fds));
	live->fds[0] = (struct pollfd){.fd = live->signals, .events = POLLIN};
	for (size_t i = 0; i < live->nr_cpus; i++) {
		struct live_cpu *cpu = &live->cpu[i];
		cleanup_free char *file = xasprintf("per_cpu/cpu%u/trace_pipe_raw", cpu->cpu);

		live->fds[2 + i].fd = -1;
		if (!is_wanted(live->config, cpu->cpu))
			continue;
		cpu->raw = tfs_open_file(live->tfs, file, O_RDONLY | O_NONBLOCK, err);
		if (cpu->raw < 0)
			return cpu->raw;
		live->fds[2 + i] = (struct pollfd){.fd = cpu->raw, .events = POLLIN};
	}
	say_idle(live);
	live->ops.read = read_page;
	live->ops.wait = wait_events;
	live->ops.wait_room = wait_room;
	live->ops.cmdlines = read_cmdlines;
	return 0;
}

int live_begin(struct live *live, struct report_config *config, struct err *err)
{
	int r;

	live->config = config;
	live->ops = (struct report_live){
		.ctx = live,
		.name = live->name,
		.open = hand_reader,
		.load_kallsyms = load_kallsyms,
		.load_format = load_format,
		.list_events = list_events,
	};
	r = gather(live, config->bind != NULL, err);
	if (r == 0)
		r = make_reader(live, err);
	if (r == 0)
		r = live->follow ? begin_follow(live, err) : begin_look(live, err);
	if (r < 0)
		return r;
	live->cmdlines = read_cmdlines(live);
	if (live->cmdlines)
		live->reader->cmdlines = (struct dat_text){live->cmdlines, strlen(live->cmdlines)};
	config->live = &live->ops;
	return 0;
}
