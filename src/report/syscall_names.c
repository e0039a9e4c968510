/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables that the build made from the kernel's headers. */
#include "report/syscall_names.h"

#include <stddef.h>
#include <string.h>

#include "util/mem.h"

struct machine {
	const char *name;
	const char *const *call; /* by number; NULL where there is none */
	size_t nr;
};

#include "syscall_table.h"

static const struct machine *find_machine(const char *name)
{
	/* All 32-bit x86 have the same calls. */
	if (name[0] == 'i' && name[1] && !strcmp(name + 2, "86"))
		name = "i386";
	if (!strcmp(name, "arm64"))
		name = "aarch64";
	for (size_t i = 0; i < array_size(machines); i++)
		if (!strcmp(machines[i].name, name) && machines[i].nr > 1)
			return &machines[i];
	return NULL;
}

bool has_syscall_names(const char *machine)
{
	return find_machine(machine) != NULL;
}

const char *syscall_name(const char *machine, uint64_t number)
{
	const struct machine *found = find_machine(machine);

	return found && number < found->nr ? found->call[number] : NULL;
}

const char *errno_name(uint64_t number)
{
	return number < array_size(errors) ? errors[number] : NULL;
}
