/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft marker --user-event: an event with typed fields. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cmd/marker.h"
#include "cmd/marker_fields.h"
#include "tracefs/user_event.h"
#include "util/mem.h"

#define NAME_MOST 64

static int check_event_name(const char *name, struct err *err)
{
	bool good = isalpha((unsigned char)*name) || *name == '_';

	for (const char *c = name; *c; c++)
		good &= isalnum((unsigned char)*c) || *c == '_';
	if (good && strlen(name) < NAME_MOST)
		return 0;
	return err_set(err, EINVAL,
		       "'%.80s' cannot be the name of an event: letters, digits and '_', at most "
		       "%d",
		       name, NAME_MOST - 1);
}

static int keep_event(struct user_event *event, const char *name, const char *text, struct err *err)
{
	int r = user_event_register(event, text, true, err);

	if (r < 0)
		return r;
	printf("user_events:%s is there until the next boot or --remove; to record it: ft record "
	       "-e user_events:%s\n",
	       name, name);
	return 0;
}

static int write_event(struct user_event *event, const char *name, const char *text,
		       const struct strbuf *data, struct err *err)
{
	int r = user_event_register(event, text, false, err);

	if (r < 0)
		return r;
	if (!user_event_is_on(event))
		return err_set(err, ECANCELED,
			       "nobody records user_events:%s, nothing was written (make it with "
			       "--keep, then: ft record -e user_events:%s)",
			       name, name);
	return user_event_write(event, data->text, data->len, err);
}

/* What can be said without the kernel: the name, the fields, and their values as bytes. */
static int build_event(const struct marker_args *args, struct marker_fields *fields,
		       struct strbuf *data, struct err *err)
{
	const struct strv *words = &args->common.words;
	int r = check_event_name(args->user_event, err);

	if (r < 0)
		return r;
	if (args->remove)
		return words->nr ? err_set(err, EINVAL, "--remove takes no fields") : 0;
	r = marker_fields_parse(words->nr ? words->item[0] : "", fields, err);
	if (r < 0 || !args->keep)
		return r < 0 ? r : marker_fields_pack(fields, words, 1, data, err);
	if (words->nr > 1)
		return err_set(err, EINVAL, "--keep takes no values, but there is '%.40s'",
			       words->item[1]);
	return 0;
}

int marker_event_check(const struct marker_args *args, struct err *err)
{
	cleanup(marker_fields_fini) struct marker_fields fields = {0};
	cleanup(strbuf_fini) struct strbuf data = {0};

	return build_event(args, &fields, &data, err);
}

int marker_user_event(const struct marker_args *args, struct err *err)
{
	cleanup(marker_fields_fini) struct marker_fields fields = {0};
	cleanup(user_event_close) struct user_event event = {.fd = -1};
	cleanup(tfs_freep) struct tfs *tfs = NULL;
	cleanup(strbuf_fini) struct strbuf data = {0};
	cleanup_free char *text = NULL;
	int r = build_event(args, &fields, &data, err);

	if (r < 0)
		return r;
	tfs = tfs_open(args->tracefs, err);
	if (!tfs)
		return -err->code;
	r = user_event_open(tfs, &event, err);
	if (r < 0)
		return r;
	if (args->remove)
		return user_event_remove(&event, args->user_event, err);
	text = marker_fields_text(args->user_event, &fields);
	if (args->keep)
		return keep_event(&event, args->user_event, text, err);
	return write_event(&event, args->user_event, text, &data, err);
}
