/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording says at its end. */
#include "cmd/record_summary.h"

#include <inttypes.h>
#include <string.h>

#include "util/mem.h"

/* Each CPU's losses, with the name of the buffer where there are several. */
static void list_losses(const struct record_buffers *buffers, struct strbuf *out)
{
	for (size_t b = 0; b < buffers->nr; b++) {
		const struct record_buffer *buffer = &buffers->buffer[b];

		for (size_t i = 0; buffer->counts && i < buffers->nr_cpus; i++) {
			char count[32];

			if (buffer->counts[i].lost)
				strbuf_addf(
					out, "%s%s%sCPU %u %s", out->len ? ", " : "", buffer->name,
					buffer->name[0] ? " " : "", buffer->counts[i].cpu,
					format_count(buffer->counts[i].lost, count, sizeof(count)));
		}
	}
}

static void say_losses(const struct record_args *args, const struct record_buffers *buffers,
		       uint64_t events, uint64_t lost)
{
	cleanup(strbuf_fini) struct strbuf each = {0};
	uint64_t buffer_kb = 0;
	char count[32];
	char all[32];

	for (size_t b = 0; b < buffers->nr; b++)
		if (buffers->buffer[b].config.buffer_kb > buffer_kb)
			buffer_kb = buffers->buffer[b].config.buffer_kb;
	list_losses(buffers, &each);
	format_count(events + lost, all, sizeof(all));
	record_say(args,
		   "lost %s of %s events (%.1f %%): %s; a larger buffer helps: -b %" PRIu64 "M",
		   format_count(lost, count, sizeof(count)), all,
		   100.0 * (double)lost / (double)(events + lost), strbuf_str(&each),
		   buffer_kb * 4 / 1024 + 1);
}

static bool was_asked_for(const struct record_buffers *buffers)
{
	for (size_t i = 0; i < buffers->nr; i++) {
		const struct trace_config *config = &buffers->buffer[i].config;

		if (config->tracer || config->systems.nr || config->events.nr)
			return true;
	}
	return false;
}

/* "# latency: 63 us, #4/4, CPU#1 | ..." */
static void say_latency(const struct record_args *args, const struct record_buffer *buffer,
			const char *path, uint64_t file_size)
{
	static const char mark[] = "# latency: ";
	const char *at = buffer->text ? strstr(buffer->text, mark) : NULL;
	char size[32];

	format_bytes(file_size, size, sizeof(size));
	if (at)
		record_say(args, "the longest latency is %.*s, its trace is in %s (%s)",
			   (int)strcspn(at + strlen(mark), ",\n"), at + strlen(mark), path, size);
	else
		record_say(args, "%s has measured no latency; %s (%s) says only that",
			   buffer->config.tracer, path, size);
}

bool record_summary(const struct record_args *args, const struct record_buffers *buffers,
		    const char *path, uint64_t file_size)
{
	uint64_t events = 0;
	uint64_t lost = 0;
	uint64_t overwritten = 0;
	char count[32];
	char size[32];
	char older[32];

	for (size_t b = 0; b < buffers->nr; b++) {
		const struct cpu_count *counts = buffers->buffer[b].counts;

		for (size_t i = 0; counts && i < buffers->nr_cpus; i++) {
			events += counts[i].events;
			lost += counts[i].lost;
			overwritten += counts[i].overwritten;
		}
	}
	if (!buffers->buffer[0].recorder) {
		say_latency(args, &buffers->buffer[0], path, file_size);
		return false;
	}
	format_count(overwritten, older, sizeof(older));
	format_bytes(file_size, size, sizeof(size));
	record_say(args, "%s events%s%s%s%s%s, %s%s%s%s",
		   format_count(events, count, sizeof(count)), path ? " in " : "", path ? path : "",
		   path ? " (" : "", path ? size : "", path ? ")" : "",
		   lost ? "with losses" : "none lost", overwritten ? "; " : "",
		   overwritten ? older : "", overwritten ? " older ones overwritten" : "");
	if (lost)
		say_losses(args, buffers, events, lost);
	else if (!events && !args->main.events.nr && !was_asked_for(buffers))
		record_say(args,
			   "nothing was asked for: -e EVENT and -p TRACER say what to record");
	return lost > 0;
}
