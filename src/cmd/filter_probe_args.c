/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arguments of dynamic events: by name where the kernel's type information or the fields of an
 * event tell them, else as the kernel takes them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/filter_probe.h"
#include "record/btf.h"
#include "util/io.h"
#include "util/mem.h"

#define BTF_DIR "/sys/kernel/btf/"

/* Where a program's function finds its arguments; the kernel knows $argN for its own only. */
static const char *const argument_registers[] = {
#if defined(__x86_64__)
	"%di", "%si", "%dx", "%cx", "%r8", "%r9",
#elif defined(__aarch64__)
	"%x0", "%x1", "%x2", "%x3", "%x4", "%x5", "%x6", "%x7",
#elif defined(__riscv)
	"%a0", "%a1", "%a2", "%a3", "%a4", "%a5", "%a6", "%a7",
#endif
	NULL,
};

/* What the kernel tells of one function. */
struct prototype {
	struct strbuf kernel; /* the bytes that the rest points into */
	struct strbuf module;
	struct btf base;
	struct btf_function function;
	bool is_known;
};

static void prototype_fini(struct prototype *p)
{
	strbuf_fini(&p->kernel);
	strbuf_fini(&p->module);
}

/* The module that has the symbol, NULL for the kernel itself; caller frees. */
static char *module_of(const char *function)
{
	cleanup(strbuf_fini) struct strbuf text = {0};
	cleanup_free char *needle = xasprintf(" %s\t[", function);
	const char *at;

	if (io_read_file("/proc/kallsyms", &text, NULL) < 0)
		return NULL;
	at = strstr(strbuf_str(&text), needle);
	return at ? xstrndup(at + strlen(needle), strcspn(at + strlen(needle), "]")) : NULL;
}

static int load_module(struct prototype *p, const char *name, struct err *err)
{
	cleanup_free char *module = module_of(name);
	cleanup_free char *path = module ? xasprintf(BTF_DIR "%s", module) : NULL;
	struct btf btf;
	int r;

	if (!path || io_read_file(path, &p->module, NULL) < 0)
		return -ENOENT;
	r = btf_open(p->module.text, p->module.len, &p->base, &btf, err);
	return r < 0 ? r : btf_find_function(&btf, name, &p->function, err);
}

static int load_prototype(struct prototype *p, const char *name, struct err *err)
{
	int r;

	if (p->is_known)
		return 0;
	if (io_read_file(BTF_DIR "vmlinux", &p->kernel, NULL) < 0)
		return err_set(err, ENOENT,
			       "the kernel has no type information (" BTF_DIR
			       "vmlinux; CONFIG_DEBUG_INFO_BTF): give arguments as $arg1 or %%di");
	r = btf_open(p->kernel.text, p->kernel.len, NULL, &p->base, err);
	if (r == 0)
		r = btf_find_function(&p->base, name, &p->function, err);
	if (r == -ENOENT)
		r = load_module(p, name, err);
	if (r == -ENOENT)
		return err_set(
			err, ENOENT,
			"the kernel's type information has no function %s: give arguments as $arg1 or %%di",
			name);
	p->is_known = r == 0;
	return r;
}

/* The kernel's name of the type; "" leaves it to the kernel. */
static char *type_of(const struct btf_argument *a)
{
	switch (a->kind) {
	case BTF_ARGUMENT_SIGNED:
		return xasprintf(":s%u", a->size * 8);
	case BTF_ARGUMENT_UNSIGNED:
		return xasprintf(":u%u", a->size * 8);
	case BTF_ARGUMENT_POINTER:
		return xasprintf(":x%u", a->size * 8);
	default:
		return xstrdup("");
	}
}

static bool fits_register(const struct btf_argument *a)
{
	return a->kind != BTF_ARGUMENT_OTHER && a->size <= sizeof(void *);
}

/* One argument of the function, by its place. */
static int put_argument(const struct btf_function *f, size_t at, const char *name, const char *type,
			struct strbuf *out, struct err *err)
{
	const struct btf_argument *a = &f->argument[at];
	cleanup_free char *own = type ? xasprintf(":%s", type) : type_of(a);

	/* A structure takes several registers, and none of those behind is where its number says. */
	for (size_t i = 0; i <= at; i++)
		if (!fits_register(&f->argument[i]))
			return err_set(
				err, EINVAL,
				"argument %s cannot be found by its number: %s is a structure",
				a->name, f->argument[i].name);
	if (a->kind == BTF_ARGUMENT_TEXT && !type)
		strbuf_addf(out, " %s=+0($arg%zu):string", name, at + 1);
	else
		strbuf_addf(out, " %s=$arg%zu%s", name, at + 1, own);
	return 0;
}

static int no_argument(const struct btf_function *f, const char *function, const char *name,
		       struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	cleanup_free char *near = NULL;
	cleanup_free char *all = NULL;

	for (size_t i = 0; i < f->nr; i++)
		strv_add(&names, f->argument[i].name);
	if (!f->nr)
		return err_set(err, EINVAL, "function %s has no arguments", function);
	near = near_names(name, &names);
	all = strv_join(&names, ", ");
	return err_set(err, EINVAL, "function %s has no argument %s%s: it has %s", function, name,
		       near, all);
}

static int put_by_name(struct prototype *p, const char *function, const char *label,
		       const char *name, const char *type, struct strbuf *out, struct err *err)
{
	int r = load_prototype(p, function, err);

	for (size_t i = 0; r == 0 && i < p->function.nr; i++)
		if (!strcmp(p->function.argument[i].name, name))
			return put_argument(&p->function, i, label, type, out, err);
	return r < 0 ? r : no_argument(&p->function, function, name, err);
}

static int put_result(struct prototype *p, const char *function, const char *label,
		      const char *type, struct strbuf *out)
{
	struct err ignored;
	cleanup_free char *own = NULL;

	if (type)
		own = xasprintf(":%s", type);
	else if (function && load_prototype(p, function, &ignored) == 0)
		own = type_of(&p->function.result);
	strbuf_addf(out, " %s=$retval%s", label, own ? own : "");
	return 0;
}

/* A field of the event that an eprobe stands on. */
static int put_field(const struct strv *fields, const char *label, const char *name,
		     const char *type, struct strbuf *out, struct err *err)
{
	cleanup_free char *near = NULL;

	if (!strv_has(fields, name)) {
		near = near_names(name, fields);
		return err_set(err, EINVAL, "the event has no field %s%s", name, near);
	}
	strbuf_addf(out, " %s=$%s%s%s", label, name, type ? ":" : "", type ? type : "");
	return 0;
}

static size_t name_length(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	return isdigit((unsigned char)*text) ? 0 : n;
}

/* "$arg2" of a program is a register. */
static int put_raw(enum probe_kind kind, const char *label, const char *value, struct strbuf *out,
		   struct err *err)
{
	bool is_user = kind == PROBE_UPROBE || kind == PROBE_URETPROBE;
	const char *at = is_user ? strstr(value, "$arg") : NULL;
	unsigned long n;
	char *rest;

	strbuf_addf(out, " %s%s", label ? label : "", label ? "=" : "");
	if (!at) {
		strbuf_add(out, value);
		return 0;
	}
	n = strtoul(at + strlen("$arg"), &rest, 10);
	if (!n || n >= array_size(argument_registers))
		return err_set(err, EINVAL, "'%s': no register is known for that argument", value);
	strbuf_addf(out, "%.*s%s%s", (int)(at - value), value, argument_registers[n - 1], rest);
	return 0;
}

/* "name", "name:type", "label=name", or what the kernel alone understands. */
static int put_one(enum probe_kind kind, const char *arg, const char *function,
		   const struct strv *fields, struct prototype *p, struct strbuf *out,
		   struct err *err)
{
	size_t len = name_length(arg);
	cleanup_free char *label = len && arg[len] == '=' ? xstrndup(arg, len) : NULL;
	const char *value = label ? arg + len + 1 : arg;
	size_t n = name_length(value);
	cleanup_free char *name = n ? xstrndup(value, n) : NULL;
	const char *type = n && value[n] == ':' ? value + n + 1 : NULL;
	bool is_return = kind == PROBE_KRETPROBE || kind == PROBE_URETPROBE;

	if (!*value || (n && !type && value[n]) || (type && !*type) || !name)
		return *value ? put_raw(kind, label, value, out, err)
			      : err_set(err, EINVAL, "'%s' names no argument", arg);
	if (is_return && !strcmp(name, "ret"))
		return put_result(p, function, label ? label : name, type, out);
	if (is_return)
		return err_set(err, EINVAL,
			       "'%s': at its return a function has no arguments any more, only ret",
			       name);
	if (fields)
		return put_field(fields, label ? label : name, name, type, out, err);
	if (!function || kind == PROBE_UPROBE)
		return err_set(
			err, EINVAL,
			"'%s': arguments have names at the entry of kernel functions only: give a register or $argN",
			name);
	return put_by_name(p, function, label ? label : name, name, type, out, err);
}

int probe_arguments(enum probe_kind kind, const struct probe_spec *spec, const char *function,
		    const struct strv *fields, struct strbuf *out, struct err *err)
{
	cleanup(prototype_fini) struct prototype p = {0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < spec->args.nr; i++)
		r = put_one(kind, spec->args.item[i], function, fields, &p, out, err);
	return r;
}
