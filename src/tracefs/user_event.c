/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Typed events of user space. The kernel's header is younger than distributions' sets of them, so its
 * interface is written down here. */
#include "tracefs/user_event.h"

#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tracefs/kconfig.h"
#include "tracefs/private.h"
#include "util/mem.h"

struct registration {
	uint32_t size;
	uint8_t enable_bit;
	uint8_t enable_size;
	uint16_t flags;
	uint64_t enable_address;
	uint64_t text_address;
	uint32_t index; /* out */
} __attribute__((packed));

#define FLAG_PERSIST 1
#define IOCTL_REGISTER _IOWR('*', 0, struct registration *)
#define IOCTL_DELETE _IOW('*', 1, char *)

static int explain_missing(const struct tfs *tfs, struct err *err)
{
	cleanup(kconfig_fini) struct kconfig kc = {0};

	kconfig_load(&kc);
	if (kconfig_get(&kc, "USER_EVENTS") == KCONFIG_NO)
		return err_set(err, EOPNOTSUPP,
			       "this kernel has no user events: it was built without "
			       "CONFIG_USER_EVENTS");
	return err_set(err, EOPNOTSUPP,
		       "this kernel has no user events (%s/user_events_data is missing; it needs "
		       "Linux 6.4 and CONFIG_USER_EVENTS=y)",
		       tfs->top);
}

int user_event_open(const struct tfs *tfs, struct user_event *event, struct err *err)
{
	const struct tfs top = tfs_as_top(tfs);

	*event = (struct user_event){.fd = -1};
	if (!tfs_has(&top, "user_events_data"))
		return explain_missing(tfs, err);
	event->fd = tfs_open_file(&top, "user_events_data", O_RDWR, err);
	return event->fd < 0 ? event->fd : 0;
}

int user_event_register(struct user_event *event, const char *text, bool keep, struct err *err)
{
	struct registration reg = {
		.size = sizeof(reg),
		.enable_size = sizeof(event->enabled),
		.flags = keep ? FLAG_PERSIST : 0,
		.enable_address = (uintptr_t)&event->enabled,
		.text_address = (uintptr_t)text,
	};
	int len = (int)strcspn(text, " ");

	if (ioctl(event->fd, IOCTL_REGISTER, &reg) == 0) {
		event->index = reg.index;
		return 0;
	}
	if (errno == EADDRINUSE)
		return err_set(err, EADDRINUSE,
			       "there is an event user_events:%.*s with other fields (see: ft list "
			       "events -v user_events:%.*s)",
			       len, text, len, text);
	if (errno == EINVAL)
		return err_set(err, EINVAL, "the kernel does not accept the event '%s'", text);
	if (errno == EPERM && keep)
		return err_set(err, EPERM, "an event can be kept only with CAP_PERFMON (use sudo)");
	return err_sys(err, errno, "cannot register the event '%.*s'", len, text);
}

bool user_event_is_on(const struct user_event *event)
{
	return __atomic_load_n(&event->enabled, __ATOMIC_RELAXED) & 1;
}

int user_event_write(const struct user_event *event, const void *data, size_t len, struct err *err)
{
	uint32_t index = event->index;
	const struct iovec parts[] = {{&index, sizeof(index)}, {(void *)data, len}};

	if (writev(event->fd, parts, array_size(parts)) >= 0)
		return 0;
	if (errno == EBADF || errno == ENOENT)
		return err_set(err, errno, "nobody records the event any more, or tracing is off");
	return err_sys(err, errno, "the kernel does not accept the event's data");
}

int user_event_remove(const struct user_event *event, const char *name, struct err *err)
{
	if (ioctl(event->fd, IOCTL_DELETE, name) == 0)
		return 0;
	if (errno == ENOENT)
		return err_set(err, ENOENT, "no event user_events:%s", name);
	if (errno == EBUSY)
		return err_set(err, EBUSY, "user_events:%s is recorded, or a program has it open",
			       name);
	return err_sys(err, errno, "cannot remove the event user_events:%s", name);
}

void user_event_close(struct user_event *event)
{
	if (event->fd >= 0)
		close(take_fd(event->fd));
}
