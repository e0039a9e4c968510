/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lists of function names behind the indentation. */
#include "out/indent.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "decode/put.h"
#include "util/mem.h"

struct name_slot {
	char *name;
	uint32_t id;
};

/* Where a name is in a list, so that the list need not be searched. */
struct name_place {
	uint32_t count; /* how often it is in the list */
	uint32_t last;	/* where it came last */
};

struct cpu_names {
	uint32_t *id; /* names by number */
	uint32_t nr;
	uint32_t room;
	struct name_place *place; /* by id */
	uint32_t nr_places;
};

struct indent {
	pthread_mutex_t lock; /* of the names */
	struct name_slot *slot;
	size_t nr_slots; /* a power of two */
	size_t used;
	char **name; /* by number, of nr_slots / 2 + 1 */
	struct cpu_names *cpu;
	uint32_t nr_cpus;
};

struct indent *indent_new(void)
{
	struct indent *indent = xzalloc(sizeof(*indent));

	pthread_mutex_init(&indent->lock, NULL);
	indent->nr_slots = 1024;
	indent->slot = xcalloc(indent->nr_slots, sizeof(*indent->slot));
	indent->name = xcalloc(indent->nr_slots / 2 + 1, sizeof(*indent->name));
	return indent;
}

void indent_free(struct indent *indent)
{
	if (!indent)
		return;
	for (size_t i = 0; i < indent->nr_slots; i++)
		free(indent->slot[i].name);
	for (uint32_t i = 0; i < indent->nr_cpus; i++) {
		free(indent->cpu[i].id);
		free(indent->cpu[i].place);
	}
	free(indent->slot);
	free(indent->name);
	free(indent->cpu);
	pthread_mutex_destroy(&indent->lock);
	free(indent);
}

static size_t hash_name(const char *name)
{
	size_t hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash ^ hash >> 15;
}

static struct name_slot *find_slot(struct name_slot *slot, size_t nr, const char *name)
{
	size_t at = hash_name(name) & (nr - 1);

	while (slot[at].name && strcmp(slot[at].name, name) != 0)
		at = (at + 1) & (nr - 1);
	return &slot[at];
}

static void grow(struct indent *indent)
{
	size_t nr = indent->nr_slots * 2;
	struct name_slot *slot = xcalloc(nr, sizeof(*slot));

	for (size_t i = 0; i < indent->nr_slots; i++)
		if (indent->slot[i].name)
			*find_slot(slot, nr, indent->slot[i].name) = indent->slot[i];
	free(indent->slot);
	indent->slot = slot;
	indent->nr_slots = nr;
	indent->name = xrealloc(indent->name, (nr / 2 + 1) * sizeof(*indent->name));
}

static char *padded_copy(const char *name)
{
	size_t len = strlen(name) + 1;
	char *copy = xzalloc(len + PUT_PADDING);

	memcpy(copy, name, len);
	return copy;
}

const char *indent_name(struct indent *indent, const char *name, uint32_t *id)
{
	struct name_slot *slot;
	const char *copy;

	pthread_mutex_lock(&indent->lock);
	slot = find_slot(indent->slot, indent->nr_slots, name);
	if (!slot->name) {
		slot->name = padded_copy(name);
		slot->id = (uint32_t)++indent->used;
		indent->name[slot->id] = slot->name;
	}
	copy = slot->name;
	*id = slot->id;
	if (indent->used * 2 >= indent->nr_slots)
		grow(indent);
	pthread_mutex_unlock(&indent->lock);
	return copy;
}

const char *indent_name_of(struct indent *indent, uint32_t id)
{
	const char *name;

	pthread_mutex_lock(&indent->lock);
	name = indent->name[id];
	pthread_mutex_unlock(&indent->lock);
	return name;
}

static struct name_place *get_place(struct cpu_names *cpu, uint32_t id)
{
	if (__builtin_expect(id >= cpu->nr_places, 0)) {
		uint32_t nr = id * 2 + 64;

		cpu->place = xrealloc(cpu->place, nr * sizeof(*cpu->place));
		memset(cpu->place + cpu->nr_places, 0, (nr - cpu->nr_places) * sizeof(*cpu->place));
		cpu->nr_places = nr;
	}
	return &cpu->place[id];
}

static void set_name(struct cpu_names *cpu, uint32_t at, uint32_t id)
{
	struct name_place *place = get_place(cpu, id);

	if (at < cpu->nr) {
		if (cpu->id[at] == id)
			return;
		cpu->place[cpu->id[at]].count--;
	} else {
		if (at >= cpu->room) {
			cpu->room = cpu->room ? cpu->room * 2 : 32;
			cpu->id = xrealloc(cpu->id, cpu->room * sizeof(*cpu->id));
		}
		cpu->nr = at + 1;
	}
	cpu->id[at] = id;
	place->count++;
	place->last = at;
}

/* The first place of a name that is in the list. */
static uint32_t find_first(const struct cpu_names *cpu, const struct name_place *place, uint32_t id)
{
	uint32_t i = 0;

	/* One that is there once is where it came last, unless that was overwritten and an earlier one stayed. */
	if (__builtin_expect(place->count == 1 && cpu->id[place->last] == id, 1))
		return place->last;
	while (cpu->id[i] != id)
		i++;
	return i;
}

static void add_cpus(struct indent *indent, uint32_t cpu)
{
	indent->cpu = xrealloc(indent->cpu, (cpu + 1) * sizeof(*indent->cpu));
	memset(indent->cpu + indent->nr_cpus, 0,
	       (cpu + 1 - indent->nr_cpus) * sizeof(*indent->cpu));
	indent->nr_cpus = cpu + 1;
}

unsigned int indent_level(struct indent *indent, uint32_t cpu, uint32_t parent, uint32_t child)
{
	const struct name_place *place;
	struct cpu_names *names;
	uint32_t level;

	if (__builtin_expect(cpu >= indent->nr_cpus, 0))
		add_cpus(indent, cpu);
	names = &indent->cpu[cpu];
	place = get_place(names, parent);
	if (!place->count) {
		set_name(names, 0, parent);
		if (child)
			set_name(names, 1, child);
		return 0;
	}
	level = find_first(names, place, parent);
	if (child)
		set_name(names, level + 1, child);
	return level;
}
