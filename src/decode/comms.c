/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of tasks from saved_cmdlines, and trace_printk() formats from printk_formats. */
#include "decode/comms.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"
#include "util/str.h"

static int compare_comms(const void *a, const void *b)
{
	const struct comm *x = a;
	const struct comm *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	/* The first line of a pid counts. */
	return x->name < y->name ? -1 : x->name > y->name;
}

static size_t count_lines(const char *text)
{
	size_t nr = 1;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

void comms_parse(struct comms *comms, struct decode_text cmdlines)
{
	char *line;
	char *at;
	size_t nr = 0;

	*comms = (struct comms){.text = xstrndup(cmdlines.text ? cmdlines.text : "", cmdlines.len)};
	comms->comm = xcalloc(count_lines(comms->text), sizeof(*comms->comm));
	at = comms->text;
	while ((line = str_next_line(&at))) {
		char *name;
		long pid = strtol(line, &name, 10);

		if (name == line || *name != ' ' || !name[1])
			continue;
		comms->comm[comms->nr++] =
			(struct comm){(int)pid, (uint32_t)(name + 1 - comms->text)};
	}
	qsort(comms->comm, comms->nr, sizeof(*comms->comm), compare_comms);
	for (size_t i = 0; i < comms->nr; i++)
		if (!nr || comms->comm[nr - 1].pid != comms->comm[i].pid)
			comms->comm[nr++] = comms->comm[i];
	comms->nr = nr;
}

void comms_fini(struct comms *comms)
{
	free(comms->text);
	free(comms->comm);
	*comms = (struct comms){0};
}

const char *comms_find(const struct comms *comms, int pid)
{
	size_t low = 0;
	size_t high = comms->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (comms->comm[middle].pid == pid)
			return comms->text + comms->comm[middle].name;
		if (comms->comm[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static int compare_printks(const void *a, const void *b)
{
	const struct printk *x = a;
	const struct printk *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Cuts the quotes and the newline at the end, which the file holds as an escape. */
static char *strip_quotes(char *text)
{
	size_t len;

	if (*text == '"')
		text++;
	len = strlen(text);
	if (len && text[len - 1] == '"')
		text[--len] = '\0';
	if (len >= 2 && !strcmp(text + len - 2, "\\n"))
		text[len - 2] = '\0';
	return text;
}

void printks_parse(struct printks *printks, struct decode_text formats)
{
	char *line;
	char *at;

	*printks =
		(struct printks){.text = xstrndup(formats.text ? formats.text : "", formats.len)};
	printks->printk = xcalloc(count_lines(printks->text), sizeof(*printks->printk));
	at = printks->text;
	while ((line = str_next_line(&at))) {
		char *text;
		uint64_t addr = strtoull(line, &text, 16);

		while (*text == ' ')
			text++;
		if (text == line || *text != ':')
			continue;
		text = strip_quotes(text + (text[1] == ' ' ? 2 : 1));
		printks->printk[printks->nr++] =
			(struct printk){addr, (uint32_t)(text - printks->text)};
	}
	qsort(printks->printk, printks->nr, sizeof(*printks->printk), compare_printks);
}

void printks_fini(struct printks *printks)
{
	free(printks->text);
	free(printks->printk);
	*printks = (struct printks){0};
}

const char *printks_find(const struct printks *printks, uint64_t addr)
{
	size_t low = 0;
	size_t high = printks->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (printks->printk[middle].addr == addr)
			return printks->text + printks->printk[middle].text;
		if (printks->printk[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}
