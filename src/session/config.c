/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Life time of a trace_config, and what kind of tracer a name stands for. */
#include "session/config.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

void trace_config_fini(struct trace_config *config)
{
	free(config->instance);
	free(config->tracer);
	free(config->clock);
	strv_fini(&config->systems);
	strv_fini(&config->events);
	strv_fini(&config->functions);
	strv_fini(&config->notrace);
	strv_fini(&config->graph);
	strv_fini(&config->options);
	strv_fini(&config->filters);
	strv_fini(&config->triggers);
	strv_fini(&config->pids);
	strv_fini(&config->own_pids);
	*config = (struct trace_config){0};
}

/* The latency tracers record functions too while options/function-trace is on. */
bool is_function_tracer(const char *tracer)
{
	static const char *const names[] = {
		"function",  "function_graph", "wakeup",     "wakeup_rt",
		"wakeup_dl", "irqsoff",	       "preemptoff", "preemptirqsoff",
	};

	for (size_t i = 0; tracer && i < array_size(names); i++)
		if (!strcmp(tracer, names[i]))
			return true;
	return false;
}

bool is_latency_tracer(const char *tracer)
{
	static const char *const names[] = {
		"wakeup", "wakeup_rt", "wakeup_dl", "irqsoff", "preemptoff", "preemptirqsoff",
	};

	for (size_t i = 0; tracer && i < array_size(names); i++)
		if (!strcmp(tracer, names[i]))
			return true;
	return false;
}

bool is_graph_tracer(const char *tracer)
{
	return tracer && !strcmp(tracer, "function_graph");
}
