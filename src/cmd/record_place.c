/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a recording takes place: in an instance of its own, in one that the user names, or in the
 * kernel's top-level buffer. */
#include <string.h>
#include <unistd.h>

#include "cmd/record.h"
#include "session/steps.h"
#include "util/mem.h"

void record_config_systems(const struct trace_config *config, struct strv *out)
{
	strv_copy(out, &config->systems);
	for (size_t i = 0; i < config->events.nr; i++)
		strv_add_take(out, xstrndup(config->events.item[i],
					    strcspn(config->events.item[i], ":")));
	strv_sort(out);
	strv_uniq(out);
}

/* Somebody else's tracer or events at the top level. */
static int is_top_in_use(const struct tfs *tfs, bool *in_use, struct err *err)
{
	cleanup_free char *tracer = NULL;
	cleanup_free char *events = NULL;
	int r = tfs_read_line(tfs, "current_tracer", &tracer, err);

	if (r == 0)
		r = tfs_read_line(tfs, "set_event", &events, err);
	if (r == 0)
		*in_use = strcmp(tracer, "nop") || events[0];
	return r;
}

/* Synthetic events are written to the top level only. */
static bool needs_top(const struct trace_config *config)
{
	cleanup(strv_fini) struct strv systems = {0};

	record_config_systems(config, &systems);
	return strv_has(&systems, "synthetic");
}

/* Name of the instance that gets what trace_printk() writes, "" for the top level; NULL when nobody
 * can tell. Caller frees. */
static char *printk_holder(const struct tfs *tfs)
{
	cleanup(strv_fini) struct strv names = {0};
	long on;

	if (tfs_read_number(tfs, STEPS_PRINTK, &on, NULL) < 0)
		return NULL;
	if (on)
		return xstrdup("");
	if (tfs_instances(tfs, &names, NULL) < 0)
		return NULL;
	for (size_t i = 0; i < names.nr; i++) {
		cleanup_free char *file = xasprintf("instances/%s/" STEPS_PRINTK, names.item[i]);

		if (tfs_read_number(tfs, file, &on, NULL) == 0 && on)
			return xstrdup(names.item[i]);
	}
	return NULL;
}

int record_config_printk(const struct tfs *tfs, struct trace_config *config, struct err *err)
{
	cleanup_free char *holder = NULL;
	bool in_use = false;
	int r;

	if (strv_has(&config->options, "trace_printk_dest")) {
		holder = printk_holder(tfs);
		if (holder && holder[0] && (!config->instance || strcmp(holder, config->instance)))
			return err_set(err, EBUSY,
				       "-O trace_printk_dest: the instance %s has the output of "
				       "trace_printk(), only one can have it",
				       holder);
		config->printk = config->instance != NULL;
		return 0;
	}
	/* It is moved, not copied: only where nobody would miss it. */
	if (!config->instance || config->is_there ||
	    strv_has(&config->options, "notrace_printk_dest"))
		return 0;
	r = is_top_in_use(tfs, &in_use, err);
	if (r < 0 || in_use)
		return r;
	holder = printk_holder(tfs);
	config->printk = holder && !holder[0];
	return 0;
}

int record_config_place(const struct tfs *tfs, struct trace_config *config, const char **why,
			struct strv *notes, struct err *err)
{
	bool marker_comes = tfs_has(tfs, "options/copy_trace_marker");
	bool plain = !config->tracer || !strcmp(config->tracer, "function") ||
		     !strcmp(config->tracer, "nop");
	bool in_use = false;
	int r = is_top_in_use(tfs, &in_use, err);

	if (r < 0)
		return r;
	*why = "the top-level buffer: this kernel copies no markers into instances";
	if (!tfs_has(tfs, "instances") || needs_top(config)) {
		*why = "the top-level buffer: what is recorded is not to be had in an instance";
		return 0;
	}
	/* function_graph works in instances since before copy_trace_marker came. */
	if (marker_comes && (plain || is_graph_tracer(config->tracer))) {
		*why = "a private instance, programs' markers are copied into it";
	} else if (in_use && plain) {
		*why = "a private instance: somebody else traces at the top level";
		strv_add(notes, "somebody else traces at the top level: this recording has its own "
				"instance, without programs' markers");
	} else {
		return 0;
	}
	config->instance = xasprintf("ft-%d", (int)getpid());
	return 0;
}

int record_config_instance(const struct tfs *tfs, const struct buffer_args *want,
			   struct trace_config *config, struct err *err)
{
	cleanup_free char *file = xasprintf("instances/%s", want->instance);
	cleanup(strv_fini) struct strv tracers = {0};
	struct tfs *instance;
	int r;

	if (!want->instance[0] || strchr(want->instance, '/') || want->instance[0] == '.' ||
	    strlen(want->instance) > 200)
		return err_set(err, EINVAL, "'%.220s' cannot be the name of an instance",
			       want->instance);
	if (!tfs_has(tfs, "instances"))
		return err_set(err, EOPNOTSUPP,
			       "--instance %s: this kernel has no instances (since 3.10)",
			       want->instance);
	if (needs_top(config))
		return err_set(err, EINVAL,
			       "--instance %s: synthetic events are written to the top level only",
			       want->instance);
	config->instance = xstrdup(want->instance);
	config->is_there = tfs_has(tfs, file);
	if (!config->is_there || !config->tracer)
		return 0;
	/* An instance that is there tells which tracers it takes. */
	instance = tfs_open_instance(tfs, want->instance, err);
	if (!instance)
		return -err->code;
	r = tfs_tracers(instance, &tracers, err);
	tfs_free(instance);
	if (r < 0 || strv_has(&tracers, config->tracer))
		return r;
	return err_set(err, EINVAL, "instance %s does not take the tracer %s on this kernel",
		       want->instance, config->tracer);
}
