/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scratch instance and the features that a file or a line of README stands for. */
#include "cmd/list_probe.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/mem.h"

#define SCRATCH "ft-support-"

/* Instances of runs that were killed before they could tidy up. */
static void remove_stale(const struct tfs *tfs)
{
	cleanup(strv_fini) struct strv names = {0};

	tfs_instances(tfs, &names, NULL);
	for (size_t i = 0; i < names.nr; i++) {
		uint64_t pid;

		if (str_starts(names.item[i], SCRATCH) &&
		    parse_u64(names.item[i] + strlen(SCRATCH), &pid) && pid > 0 &&
		    pid <= INT32_MAX && kill((pid_t)pid, 0) < 0 && errno == ESRCH)
			tfs_instance_remove(tfs, names.item[i], NULL);
	}
}

/* Between making the instance and removing it the process must not end. */
static void hold_signals(int how)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < array_size(ends); i++)
		sigaddset(&set, ends[i]);
	sigprocmask(how, &set, NULL);
}

void probe_init(struct probe *p, const char *tracefs_dir)
{
	*p = (struct probe){0};
	hold_signals(SIG_BLOCK);
	kconfig_load(&p->kc);
	p->lockdown = tfs_lockdown();
	p->tfs = tfs_open(tracefs_dir, &p->why);
	if (!p->tfs)
		return;
	tfs_read(p->tfs, "README", &p->readme, NULL);
	tfs_tracers(p->tfs, &p->tracers, NULL);
	remove_stale(p->tfs);
	p->inst_name = xasprintf(SCRATCH "%d", (int)getpid());
	if (tfs_instance_create(p->tfs, p->inst_name, &p->inst_why) == 0)
		p->inst = tfs_open_instance(p->tfs, p->inst_name, &p->inst_why);
}

void probe_fini(struct probe *p)
{
	/* Also when it could be made but not opened. */
	if (p->inst || (p->inst_name && !p->inst_why.code))
		tfs_instance_remove(p->tfs, p->inst_name, NULL);
	tfs_free(p->inst);
	tfs_free(p->tfs);
	free(p->inst_name);
	free(p->lockdown);
	free(p->readme);
	strv_fini(&p->tracers);
	kconfig_fini(&p->kc);
	*p = (struct probe){0};
	hold_signals(SIG_UNBLOCK);
}

void verdict_set(struct verdict *v, enum support_state state, char *detail, char *remedy)
{
	free(v->detail);
	free(v->remedy);
	*v = (struct verdict){state, detail, remedy};
}

void verdict_lacks(const struct probe *p, const struct feature *f, struct verdict *v)
{
	enum kconfig_state state = kconfig_get(&p->kc, f->config);

	if (state == KCONFIG_NO)
		verdict_set(v, SUPPORT_NO,
			    xasprintf("this kernel was built without CONFIG_%s", f->config),
			    xasprintf("boot a kernel with CONFIG_%s=y", f->config));
	else if (state == KCONFIG_UNKNOWN)
		verdict_set(v, SUPPORT_NO,
			    xasprintf("this kernel does not have it: too old, or without CONFIG_%s",
				      f->config),
			    xasprintf("boot a kernel with CONFIG_%s=y", f->config));
	else
		verdict_set(
			v, SUPPORT_NO,
			xasprintf("this kernel has CONFIG_%s but does not offer it: too old, or "
				  "switched off at boot",
				  f->config),
			NULL);
}

bool verdict_blind(const struct probe *p, const struct feature *f, struct verdict *v)
{
	enum kconfig_state state = kconfig_get(&p->kc, f->config);

	if (p->tfs)
		return false;
	if (state == KCONFIG_NO)
		verdict_lacks(p, f, v);
	else if (state == KCONFIG_UNKNOWN)
		verdict_set(v, SUPPORT_UNKNOWN, xstrdup("cannot be told without tracefs"), NULL);
	else
		verdict_set(
			v, SUPPORT_UNKNOWN,
			xasprintf("built in (CONFIG_%s), but tracefs is out of reach", f->config),
			NULL);
	return true;
}

bool can_open(const struct tfs *tfs, const char *file, int flags, struct err *err)
{
	cleanup_close int fd = tfs_open_file(tfs, file, flags, err);

	return fd >= 0;
}

static bool is_locked_down(const struct probe *p)
{
	return strcmp(p->lockdown, "none") != 0 && strcmp(p->lockdown, "unknown") != 0;
}

void verdict_refused(const struct probe *p, const char *file, const struct err *err,
		     struct verdict *v)
{
	if (err->code == EACCES && geteuid() != 0)
		verdict_set(v, SUPPORT_NO, xasprintf("you may not open %s", file),
			    xstrdup("use sudo"));
	else if (err->code == EPERM && is_locked_down(p))
		verdict_set(v, SUPPORT_NO,
			    xasprintf("the kernel refuses %s even to root: lockdown (%s)", file,
				      p->lockdown),
			    xstrdup("boot without lockdown; see kernel_lockdown(7)"));
	else
		verdict_set(v, SUPPORT_NO, xstrdup(err->text), NULL);
}

void probe_file(const struct probe *p, const struct feature *f, struct verdict *v)
{
	struct err err = {0};
	int flags;

	if (verdict_blind(p, f, v))
		return;
	if (!tfs_has(p->tfs, f->file)) {
		verdict_lacks(p, f, v);
		return;
	}
	/* Never O_TRUNC: it would empty the file. */
	flags = tfs_is_writable(p->tfs, f->file) ? O_WRONLY | O_APPEND : O_RDONLY;
	if (!can_open(p->tfs, f->file, flags, &err))
		verdict_refused(p, f->file, &err, v);
	else
		verdict_set(v, SUPPORT_OK, xstrdup(f->text), NULL);
}

void probe_readme(const struct probe *p, const struct feature *f, struct verdict *v)
{
	if (verdict_blind(p, f, v))
		return;
	if (!p->readme)
		verdict_set(v, SUPPORT_UNKNOWN, xstrdup("README of tracefs cannot be read"), NULL);
	else if (strstr(p->readme, f->text))
		verdict_set(v, SUPPORT_OK, xasprintf("written to %s", f->file), NULL);
	else
		verdict_lacks(p, f, v);
}

void probe_tracefs(const struct probe *p, const struct feature *f, struct verdict *v)
{
	(void)f;
	if (p->tfs) {
		verdict_set(v, SUPPORT_OK, xstrdup(tfs_dir(p->tfs)), NULL);
		return;
	}
	/* Forbidden is not missing: the next line says so. */
	if (p->why.code == EACCES)
		verdict_set(v, SUPPORT_OK, xstrdup("there, but not for you"), NULL);
	else
		verdict_set(v, SUPPORT_NO, xstrdup(p->why.text), NULL);
}

void probe_permission(const struct probe *p, const struct feature *f, struct verdict *v)
{
	struct err err = {0};

	(void)f;
	if (!p->tfs && p->why.code == EACCES)
		verdict_set(v, SUPPORT_NO, xstrdup(p->why.text), NULL);
	else if (!p->tfs)
		verdict_set(v, SUPPORT_UNKNOWN,
			    xasprintf("%s, but there is no file to try",
				      geteuid() ? "you are not root" : "you are root"),
			    NULL);
	else if (can_open(p->tfs, "tracing_on", O_WRONLY, &err))
		verdict_set(v, SUPPORT_OK,
			    xasprintf("%s may read and write", geteuid() ? "you" : "root"), NULL);
	else
		verdict_set(v, SUPPORT_NO, xstrdup(err.text), NULL);
}

/* Unmodified kernels allow tracing in integrity mode, some others do not: the list of functions
 * tells. */
static void judge_integrity(const struct probe *p, struct verdict *v)
{
	struct err err = {0};

	if (p->tfs && can_open(p->tfs, "available_filter_functions", O_RDONLY, &err))
		verdict_set(v, SUPPORT_OK, xstrdup("integrity: does not forbid tracing"), NULL);
	else if (err.code == EPERM)
		verdict_set(v, SUPPORT_NO,
			    xstrdup("integrity: this kernel forbids the tracing of functions"),
			    xstrdup("boot without lockdown; see kernel_lockdown(7)"));
	else
		verdict_set(v, SUPPORT_UNKNOWN,
			    xstrdup("integrity: may forbid the tracing of functions"), NULL);
}

void probe_lockdown(const struct probe *p, const struct feature *f, struct verdict *v)
{
	(void)f;
	if (!strcmp(p->lockdown, "none"))
		verdict_set(v, SUPPORT_OK, xstrdup("none"), NULL);
	else if (!strcmp(p->lockdown, "integrity"))
		judge_integrity(p, v);
	else if (!strcmp(p->lockdown, "confidentiality"))
		verdict_set(v, SUPPORT_NO, xstrdup("confidentiality: all tracing is forbidden"),
			    xstrdup("boot with lockdown=none or lockdown=integrity"));
	else
		verdict_set(v, SUPPORT_UNKNOWN,
			    xstrdup("cannot be told: /sys/kernel/security/lockdown is missing"),
			    xstrdup("mount -t securityfs nodev /sys/kernel/security"));
}
