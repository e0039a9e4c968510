/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening the files of a report. */
#include "report/input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/choice.h"
#include "report/comms.h"
#include "report/follow.h"
#include "util/mem.h"

/* Below this the start of a thread costs more than it gains. */
#define BYTES_FOR_THREADS (24u << 20)
#define THREADS_MOST 8
#define THREADS_LIMIT 64

const char *input_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static struct decode_text to_decode_text(struct dat_text text)
{
	return (struct decode_text){text.text, text.len};
}

/* Symbols are most of a small file and often not needed, so they are read at the first look-up. */
static struct decode_buffer load_kallsyms(void *ctx)
{
	struct decode_buffer out;

	out.text = dat_reader_kallsyms(ctx, &out.len);
	return out;
}

static int open_decoder(struct input_file *file, const struct report_live *live, struct err *err)
{
	struct dat_reader *r = file->r;
	struct decode_format *format = xcalloc(r->nr_formats, sizeof(*format));
	struct decode_input in = {
		.big_endian = r->big_endian,
		.long_size = r->long_size,
		.format = format,
		.nr_formats = r->nr_formats,
		.header_page = to_decode_text(r->header_page),
		.printk = to_decode_text(r->printk),
		.cmdlines = to_decode_text(r->cmdlines),
		.ctx = r,
		.load_kallsyms = load_kallsyms,
	};

	if (live && live->load_kallsyms) {
		in.ctx = live->ctx;
		in.load_kallsyms = live->load_kallsyms;
		in.load_format = live->load_format;
	}
	file->format = format;
	for (size_t i = 0; i < r->nr_formats; i++)
		format[i] = (struct decode_format){r->format[i].system,
						   to_decode_text(r->format[i].text)};
	file->dec = decode_new(&in, err);
	if (!file->dec)
		return err_wrap(err, "%s", file->name);
	file->comms = report_comms_new(file->dec);
	return 0;
}

static bool wanted_instance(const struct report_config *config, const char *name)
{
	if (!config->instances.nr)
		return true;
	return strv_has(&config->instances, name) ||
	       (!*name && strv_has(&config->instances, "top"));
}

static bool wanted_cpu(const struct report_config *config, uint32_t cpu)
{
	for (size_t i = 0; i < config->nr_cpus; i++)
		if (config->cpus[i] == cpu)
			return true;
	return !config->cpus;
}

static struct time_rule make_time_rule(const struct dat_reader *r,
				       const struct report_config *config)
{
	struct time_rule rule = {0};

	if (config->raw_time)
		return rule;
	if (r->has_tsc2nsec) {
		rule.mult = r->tsc_mult;
		rule.shift = r->tsc_shift;
	}
	rule.offset = r->offset;
	if (r->has_date && !config->no_date)
		rule.offset += r->date_offset_us * 1000;
	return rule;
}

static struct page_source *open_source(const struct report_config *config, struct dat_reader *r,
				       const struct dat_buffer *buffer, const struct dat_cpu *cpu)
{
	const struct report_live *live = config->live;

	if (!live || (!live->read && !live->source))
		return source_new_file(r, buffer, cpu);
	return live->read ? follow_source_new(buffer->page_size)
			  : live->source(live->ctx, cpu->cpu);
}

static void add_source(struct input *in, struct input_file *file, const struct dat_buffer *buffer,
		       const struct report_config *config)
{
	struct input_source *source = &in->source[in->nr_sources++];
	struct dat_reader *r = file->r;

	*source = (struct input_source){
		.file = file,
		.buffer = buffer,
		.layout = {r->big_endian, r->long_size, r->page_data},
		.time = make_time_rule(r, config),
		.cpu = xcalloc(buffer->nr_cpus, sizeof(*source->cpu)),
	};
	in->has_text |= buffer->is_text;
	for (size_t i = 0; i < buffer->nr_cpus; i++) {
		const struct dat_cpu *cpu = &buffer->cpu[i];

		if (!wanted_cpu(config, cpu->cpu))
			continue;
		source->cpu[source->nr_cpus++] =
			(struct input_cpu){cpu->cpu, open_source(config, r, buffer, cpu)};
		if (!config->live || !config->live->read)
			in->nr_bytes += source->cpu[source->nr_cpus - 1].src->nr_pages *
					buffer->page_size;
	}
	in->nr_cpus += source->nr_cpus;
}

/* Which name a source has in front of its lines: its instance's, or with several files the file's. */
static const char *prefix_name(const struct input *in, const struct input_source *source)
{
	if (*source->buffer->name)
		return source->buffer->name;
	return in->nr_files > 1 ? input_base_name(source->file->name) : "";
}

void input_put_cpus(const struct input *in, const struct input_file *file, struct outbuf *out)
{
	/* Of a single file the layout does not know yet that it has instances. */
	if (in->nr_files > 1)
		outbuf_addf(out, "%*s: ", in->prefix_width, input_base_name(file->name));
	outbuf_addf(out, "cpus=%" PRIu32 "\n", file->r->cpu_count);
}

static void make_prefixes(struct input *in, const struct report_config *config)
{
	bool several = in->nr_files > 1;

	in->prefix_width = 0;
	for (size_t i = 0; i < in->nr_sources; i++) {
		int len = (int)strlen(prefix_name(in, &in->source[i]));

		several |= *in->source[i].buffer->name != '\0';
		if (len > in->prefix_width)
			in->prefix_width = len;
	}
	in->about = xcalloc(in->nr_sources, sizeof(*in->about));
	for (size_t i = 0; i < in->nr_sources; i++) {
		struct input_source *source = &in->source[i];
		/* Whoever made the instance or the file gave it any name. */
		cleanup_free char *name = clean_name(prefix_name(in, source));

		if (several)
			source->prefix =
				xasprintf("%*s%s", in->prefix_width, name, *name ? ": " : "  ");
		else
			source->prefix = xstrdup("");
		in->about[i] = (struct sink_source){
			.dec = source->file->dec,
			.prefix = source->prefix,
			.name = source->buffer->name,
			.file = source->file->name,
			.nr_cpus = source->buffer->cpu_count,
			.raw_clock = config->raw_time ||
				     dat_clock_is_raw(source->file->r, source->buffer),
			.big_endian = source->file->r->big_endian,
			.long_size = source->file->r->long_size,
		};
	}
	if (!several)
		in->prefix_width = -1;
}

static unsigned int count_threads(const struct input *in, const struct report_config *config)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (!in->nr_cpus || (in->nr_bytes < BYTES_FOR_THREADS && !config->slice_small))
		return 1;
	if (config->threads > 0)
		return config->threads < THREADS_LIMIT ? (unsigned int)config->threads
						       : THREADS_LIMIT;
	if (cpus < 2)
		return 1;
	return cpus < THREADS_MOST ? (unsigned int)cpus : THREADS_MOST;
}

static bool any_packed(const struct input *in)
{
	for (size_t i = 0; i < in->nr_sources; i++)
		for (size_t c = 0; c < in->source[i].nr_cpus; c++)
			if (in->source[i].cpu[c].src->packed)
				return true;
	return false;
}

int input_open(struct input *in, const struct report_config *config, struct err *err)
{
	const struct report_live *live = config->live;
	size_t nr_files = live ? 1 : config->files.nr;
	size_t nr_buffers = 0;

	*in = (struct input){0};
	in->file = xcalloc(nr_files, sizeof(*in->file));
	for (size_t i = 0; i < nr_files; i++) {
		struct input_file *file = &in->file[i];
		int ret;

		file->name = live ? live->name : config->files.item[i];
		file->r = live ? live->open(live->ctx, err) : dat_reader_open(file->name, err);
		if (!file->r)
			return -err->code;
		in->nr_files++;
		ret = open_decoder(file, live, err);
		if (ret < 0)
			return ret;
		if (config->bind && (ret = config->bind(config->match_ctx, file->dec, err)) < 0)
			return ret;
		nr_buffers += file->r->nr_buffers;
	}
	in->source = xcalloc(nr_buffers, sizeof(*in->source));
	for (size_t i = 0; i < in->nr_files; i++)
		for (size_t b = 0; b < in->file[i].r->nr_buffers; b++)
			if (wanted_instance(config, in->file[i].r->buffer[b].name))
				add_source(in, &in->file[i], &in->file[i].r->buffer[b], config);
	make_prefixes(in, config);
	in->nr_threads = count_threads(in, config);
	if (in->nr_threads > 1 && any_packed(in))
		in->ahead = ahead_new(in->nr_threads - 1, in->nr_cpus);
	return choice_check(in, config, err);
}

void input_close(struct input *in)
{
	ahead_free(in->ahead);
	for (size_t i = 0; i < in->nr_sources; i++) {
		for (size_t c = 0; c < in->source[i].nr_cpus; c++)
			source_free(in->source[i].cpu[c].src);
		free(in->source[i].cpu);
		free(in->source[i].prefix);
	}
	for (size_t i = 0; i < in->nr_files; i++) {
		report_comms_free(in->file[i].comms);
		decode_free(in->file[i].dec);
		free(in->file[i].format);
		dat_reader_close(in->file[i].r);
	}
	free(in->file);
	free(in->source);
	free(in->about);
	*in = (struct input){0};
}

bool input_tell(const struct input *in, const struct report_config *config)
{
	bool any = false;

	for (size_t i = 0; i < in->nr_files; i++) {
		const struct strv *findings = &in->file[i].r->findings;

		any |= findings->nr > 0;
		for (size_t f = 0; config->message && f < findings->nr; f++) {
			cleanup_free char *text =
				xasprintf("%s: %s", in->file[i].name, findings->item[f]);

			config->message(config->message_ctx, text);
		}
	}
	return any;
}

void input_take_notes(struct input_file *file, struct stream *s)
{
	for (size_t i = 0; i < s->notes.nr; i++)
		if (!strv_has(&file->r->findings, s->notes.item[i]))
			dat_finding(file->r, "%s", s->notes.item[i]);
	strv_fini(&s->notes);
}

bool input_time_span(const struct input *in, uint64_t *first, uint64_t *last)
{
	bool any = false;

	for (size_t i = 0; i < in->nr_sources; i++) {
		const struct input_source *source = &in->source[i];

		for (size_t c = 0; c < source->nr_cpus; c++) {
			const struct stream_slot *slot;
			struct stream s;
			uint64_t ts;

			stream_init(&s, source->cpu[c].src, source->cpu[c].cpu, &source->layout,
				    &source->time);
			slot = stream_head(&s);
			if (slot && (!any || slot->raw.ts < *first))
				*first = slot->raw.ts;
			if (slot && stream_last_ts(&s, &ts)) {
				if (!any || ts > *last)
					*last = ts;
				any = true;
			}
			stream_fini(&s);
		}
	}
	return any;
}

void input_tell_text(const struct input *in, const struct report_config *config, const char *what)
{
	for (size_t s = 0; config->message && s < in->nr_sources; s++) {
		cleanup_free char *text = NULL;

		if (!in->source[s].buffer->is_text)
			continue;
		text = xasprintf("%s holds the text of a latency tracer, %s",
				 in->source[s].file->name, what);
		config->message(config->message_ctx, text);
	}
}
