/* SPDX-License-Identifier: MIT */
/* Markers of a program in the kernel's trace. One header, nothing to link; C99 and C++11, gcc and
 * clang, Linux.
 *
 *	ft_marker_init();
 *	ft_mark("frame %d is late", n);
 *	{
 *		FT_MARK_SCOPE("decode");
 *		...
 *	}
 *
 * Every call is one write(2) to trace_marker, in the words that `ft report`, Perfetto and Android's
 * tools know. Before ft_marker_init(), after ft_marker_enable(0), and where the file cannot be opened
 * a call costs a load and a branch, evaluates none of its arguments but those of FT_MARK_SCOPE, and
 * says nothing. With FT_MARKER_DISABLED defined before the header is included no code is left.
 *
 * Threads and signal handlers may call all of it: no locks, no allocation, errno stays. The calls
 * use up to 5 KiB of stack. Children of fork() go on with their own process id; exec() closes the
 * file. The exception is a format of ft_mark() with floating point, wide characters or %n: it goes
 * through vsnprintf(), which POSIX does not promise to signal handlers.
 *
 * The functions return 0, or a negative errno value that may be ignored: -EBADF while tracing is
 * off. Texts longer than the kernel takes (1024 bytes, 4054 since Linux 6.8) are cut between
 * characters. In names '|', newlines and other control characters become '_'; an empty name is "?".
 */
#ifndef FT_MARKER_H
#define FT_MARKER_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef __cplusplus
#define FT_MARKER_CAST_(type, value) static_cast<type>(value)
#define FT_MARKER_ADDRESS_(pointer) reinterpret_cast<uintptr_t>(pointer)
#define FT_MARKER_NULL_ nullptr
extern "C" {
#else
#define FT_MARKER_CAST_(type, value) ((type)(value))
#define FT_MARKER_ADDRESS_(pointer) ((uintptr_t)(pointer))
#define FT_MARKER_NULL_ NULL
#endif

/* Most bytes of a marker in any kernel so far, and in kernels before 6.8. */
#define FT_MARKER_MAX 4054
#define FT_MARKER_MAX_OLD 1024

#define FT_MARKER_COLD_ __attribute__((cold, noinline, unused))
#define FT_MARKER_INLINE_ static inline __attribute__((unused))

/* One for the whole program, whichever of its files include this one. */
struct ft_marker_state_ {
	int on;
	int file; /* descriptor + 1, so that zero is none */
	unsigned int limit;
};
extern struct ft_marker_state_ ft_marker_state_ __attribute__((weak));
struct ft_marker_state_ ft_marker_state_ __attribute__((weak)) = {0, 0, FT_MARKER_MAX_OLD};

#ifdef FT_MARKER_DISABLED
#define FT_MARKER_ON_() 0
#else
#define FT_MARKER_ON_() \
	(__builtin_expect(__atomic_load_n(&ft_marker_state_.on, __ATOMIC_RELAXED) != 0, 0) != 0)
#endif

FT_MARKER_INLINE_ int ft_marker_result_(int result)
{
	return result;
}

/* A high number: programs that close all files and open others must not find theirs under it. */
FT_MARKER_COLD_ static int ft_marker_open_(const char *path)
{
	int fd;
	int high;

#ifdef O_CLOEXEC
	fd = open(path, O_WRONLY | O_CLOEXEC);
#else
	fd = open(path, O_WRONLY);
	if (fd >= 0)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
#endif
	if (fd < 0)
		return -1;
#ifdef F_DUPFD_CLOEXEC
	high = fcntl(fd, F_DUPFD_CLOEXEC, 500);
#else
	high = fcntl(fd, F_DUPFD, 500);
	if (high >= 0)
		fcntl(high, F_SETFD, FD_CLOEXEC);
#endif
	if (high < 0)
		return fd;
	close(fd);
	return high;
}

/* Kernels that can cut their buffers into larger parts take longer markers. */
FT_MARKER_COLD_ static unsigned int ft_marker_find_limit_(const char *path)
{
	static const char sign[] = "buffer_subbuf_size_kb";
	const char *slash = strrchr(path, '/');
	char other[512];
	size_t dir = slash ? FT_MARKER_CAST_(size_t, slash + 1 - path) : 0;

	if (dir + sizeof(sign) > sizeof(other))
		return FT_MARKER_MAX_OLD;
	memcpy(other, path, dir);
	memcpy(other + dir, sign, sizeof(sign));
	return access(other, F_OK) == 0 ? FT_MARKER_MAX : FT_MARKER_MAX_OLD;
}

/* Opens the trace_marker at @path, that of an instance say, and turns the markers on. 0, also when
 * one is open already; -errno when it cannot be opened: -EACCES without the right to write it, see
 * `ft marker --check`. */
FT_MARKER_COLD_ static int ft_marker_init_at(const char *path)
{
	int saved = errno;
	int none = 0;
	int fd;
	int result = 0;

	if (!__atomic_load_n(&ft_marker_state_.file, __ATOMIC_ACQUIRE)) {
		fd = ft_marker_open_(path);
		if (fd < 0) {
			result = -errno;
			errno = saved;
			return result;
		}
		__atomic_store_n(&ft_marker_state_.limit, ft_marker_find_limit_(path),
				 __ATOMIC_RELAXED);
		/* Of two threads the second one's file is one too many. */
		if (!__atomic_compare_exchange_n(&ft_marker_state_.file, &none, fd + 1, 0,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			close(fd);
	}
	__atomic_store_n(&ft_marker_state_.on, 1, __ATOMIC_RELEASE);
	errno = saved;
	return 0;
}

/* The same for the top level of tracefs where it is usually mounted. The descriptor stays open
 * until ft_marker_fini(). */
FT_MARKER_COLD_ static int ft_marker_init(void)
{
	int result = 0;

#ifndef FT_MARKER_DISABLED
	result = ft_marker_init_at("/sys/kernel/tracing/trace_marker");
	if (result == -ENOENT)
		result = ft_marker_init_at("/sys/kernel/debug/tracing/trace_marker");
#endif
	return result;
}

/* Turns markers off (0) and on again; on only takes effect after ft_marker_init(). */
FT_MARKER_INLINE_ void ft_marker_enable(int on)
{
	int open = __atomic_load_n(&ft_marker_state_.file, __ATOMIC_ACQUIRE) != 0;

	__atomic_store_n(&ft_marker_state_.on, on && open, __ATOMIC_RELAXED);
}

/* Whether markers are written at present: for work that only they need. */
FT_MARKER_INLINE_ int ft_marker_enabled(void)
{
	return FT_MARKER_ON_();
}

/* Closes the file. No other thread may be in a call at that time. */
FT_MARKER_COLD_ static void ft_marker_fini(void)
{
	int file = __atomic_exchange_n(&ft_marker_state_.file, 0, __ATOMIC_ACQ_REL);

	__atomic_store_n(&ft_marker_state_.on, 0, __ATOMIC_RELEASE);
	if (file)
		close(file - 1);
}

/* Room for a text that is being put together. What does not fit is left out. */
struct ft_marker_text_ {
	char byte[FT_MARKER_MAX + 2];
	size_t len;
	size_t limit;
};

FT_MARKER_INLINE_ void ft_marker_text_begin_(struct ft_marker_text_ *text)
{
	text->len = 0;
	text->limit = __atomic_load_n(&ft_marker_state_.limit, __ATOMIC_RELAXED);
}

FT_MARKER_INLINE_ void ft_marker_put_(struct ft_marker_text_ *text, char c)
{
	/* One byte more than the limit says that something is missing. */
	if (text->len <= text->limit)
		text->byte[text->len++] = c;
}

/* The length without the bytes of a character that does not fit as a whole. */
FT_MARKER_INLINE_ size_t ft_marker_cut_(const char *s, size_t len, size_t limit)
{
	size_t end = limit;

	if (len <= limit)
		return len;
	while (end && limit - end < 3 && (s[end] & 0xc0) == 0x80)
		end--;
	/* Four continuation bytes in a row are no UTF-8: cut where the limit is. */
	return (s[end] & 0xc0) == 0x80 ? limit : end;
}

FT_MARKER_COLD_ static int ft_marker_write_(const char *s, size_t len)
{
	int saved = errno;
	int file = __atomic_load_n(&ft_marker_state_.file, __ATOMIC_ACQUIRE);
	int result = 0;
	ssize_t n;

	if (!file)
		return -EBADF;
	len = ft_marker_cut_(s, len, __atomic_load_n(&ft_marker_state_.limit, __ATOMIC_RELAXED));
	do {
		n = write(file - 1, s, len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		result = -errno;
	else if (n > 0 && FT_MARKER_CAST_(size_t, n) < len)
		/* A kernel that takes less than thought: the next text is cut before. */
		__atomic_store_n(&ft_marker_state_.limit, FT_MARKER_CAST_(unsigned int, n),
				 __ATOMIC_RELAXED);
	errno = saved;
	return result;
}

/* A conversion of a format: "%-08.3llx". */
struct ft_marker_spec_ {
	int left, zero, plus, blank, alternate;
	int width, precision; /* precision -1: none */
	int size;	      /* -2 hh, -1 h, 0 int, 1 l, 2 ll, 3 z, 4 j, 5 t */
	char type;
};

FT_MARKER_INLINE_ void ft_marker_fill_(struct ft_marker_text_ *text, char c, int n)
{
	for (; n > 0 && text->len <= text->limit; n--)
		ft_marker_put_(text, c);
}

FT_MARKER_INLINE_ void ft_marker_put_field_(struct ft_marker_text_ *text,
					    const struct ft_marker_spec_ *spec, const char *s,
					    int len)
{
	if (!spec->left)
		ft_marker_fill_(text, ' ', spec->width - len);
	for (int i = 0; i < len; i++)
		ft_marker_put_(text, s[i]);
	if (spec->left)
		ft_marker_fill_(text, ' ', spec->width - len);
}

FT_MARKER_INLINE_ void ft_marker_put_string_(struct ft_marker_text_ *text,
					     const struct ft_marker_spec_ *spec, const char *s)
{
	int most = spec->precision >= 0 ? spec->precision : FT_MARKER_MAX + 1;
	int len = 0;

	if (!s)
		s = "(null)";
	while (len < most && s[len])
		len++;
	ft_marker_put_field_(text, spec, s, len);
}

/* Digits of @value, the last one at @end; returns where the first is. */
FT_MARKER_INLINE_ char *ft_marker_digits_(char *end, uint64_t value, unsigned int base, int upper)
{
	const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";

	do {
		*--end = digits[value % base];
		value /= base;
	} while (value);
	return end;
}

FT_MARKER_INLINE_ void ft_marker_put_number_(struct ft_marker_text_ *text,
					     const struct ft_marker_spec_ *spec, uint64_t value,
					     int negative)
{
	int is_signed = spec->type == 'd' || spec->type == 'i';
	int is_hex = spec->type == 'x' || spec->type == 'X' || spec->type == 'p';
	char room[24];
	char *end = room + sizeof(room);
	char *at = ft_marker_digits_(end, value,
				     is_hex		 ? 16
				     : spec->type == 'o' ? 8
							 : 10,
				     spec->type == 'X');
	char lead[3];
	int nr_lead = 0;
	int nr = FT_MARKER_CAST_(int, end - at);
	int zeros;

	if (!value && !spec->precision)
		nr = 0;
	zeros = spec->precision > nr ? spec->precision - nr : 0;
	if (is_signed && (negative || spec->plus || spec->blank))
		lead[nr_lead++] = negative ? '-' : spec->plus ? '+' : ' ';
	if (is_hex && (spec->type == 'p' || (spec->alternate && value))) {
		lead[nr_lead++] = '0';
		lead[nr_lead++] = spec->type == 'X' ? 'X' : 'x';
	}
	if (spec->type == 'o' && spec->alternate && !zeros && (value || !nr))
		zeros = 1;
	if (spec->zero && !spec->left && spec->precision < 0 && spec->width > nr + zeros + nr_lead)
		zeros = spec->width - nr - nr_lead;
	if (!spec->left)
		ft_marker_fill_(text, ' ', spec->width - nr - zeros - nr_lead);
	for (int i = 0; i < nr_lead; i++)
		ft_marker_put_(text, lead[i]);
	ft_marker_fill_(text, '0', zeros);
	for (int i = 0; i < nr; i++)
		ft_marker_put_(text, at[i]);
	if (spec->left)
		ft_marker_fill_(text, ' ', spec->width - nr - zeros - nr_lead);
}

FT_MARKER_INLINE_ const char *ft_marker_parse_int_(const char *at, int *out)
{
	int n = 0;

	for (; *at >= '0' && *at <= '9'; at++)
		n = n < 100000 ? n * 10 + (*at - '0') : n;
	*out = n;
	return at;
}

FT_MARKER_INLINE_ const char *ft_marker_parse_flags_(const char *at, struct ft_marker_spec_ *spec)
{
	for (;; at++) {
		if (*at == '-')
			spec->left = 1;
		else if (*at == '0')
			spec->zero = 1;
		else if (*at == '+')
			spec->plus = 1;
		else if (*at == ' ')
			spec->blank = 1;
		else if (*at == '#')
			spec->alternate = 1;
		else
			return at;
	}
}

FT_MARKER_INLINE_ const char *ft_marker_parse_size_(const char *at, struct ft_marker_spec_ *spec)
{
	switch (*at) {
	case 'h':
		spec->size = at[1] == 'h' ? -2 : -1;
		return at + (at[1] == 'h' ? 2 : 1);
	case 'l':
		spec->size = at[1] == 'l' ? 2 : 1;
		return at + (at[1] == 'l' ? 2 : 1);
	case 'z':
		spec->size = 3;
		return at + 1;
	case 'j':
		spec->size = 4;
		return at + 1;
	case 't':
		spec->size = 5;
		return at + 1;
	default:
		return at;
	}
}

/* Why a pointer to a va_list: an array in some ABIs, a value in others. */
struct ft_marker_args_ {
	va_list list;
};

FT_MARKER_INLINE_ int64_t ft_marker_signed_(struct ft_marker_args_ *args, int size)
{
	switch (size) {
	case -2:
		return FT_MARKER_CAST_(signed char, va_arg(args->list, int));
	case -1:
		return FT_MARKER_CAST_(short, va_arg(args->list, int));
	case 1:
		return va_arg(args->list, long);
	case 2:
		return va_arg(args->list, long long);
	case 3:
		return FT_MARKER_CAST_(int64_t, va_arg(args->list, size_t));
	case 4:
		return va_arg(args->list, intmax_t);
	case 5:
		return va_arg(args->list, ptrdiff_t);
	default:
		return va_arg(args->list, int);
	}
}

FT_MARKER_INLINE_ uint64_t ft_marker_unsigned_(struct ft_marker_args_ *args, int size)
{
	switch (size) {
	case -2:
		return FT_MARKER_CAST_(unsigned char, va_arg(args->list, unsigned int));
	case -1:
		return FT_MARKER_CAST_(unsigned short, va_arg(args->list, unsigned int));
	case 1:
		return va_arg(args->list, unsigned long);
	case 2:
		return va_arg(args->list, unsigned long long);
	case 3:
		return va_arg(args->list, size_t);
	case 4:
		return va_arg(args->list, uintmax_t);
	case 5:
		return FT_MARKER_CAST_(uint64_t, va_arg(args->list, ptrdiff_t));
	default:
		return va_arg(args->list, unsigned int);
	}
}

/* Takes the argument of one conversion; 0 for one that is left to vsnprintf(). */
FT_MARKER_INLINE_ int ft_marker_convert_(struct ft_marker_text_ *text,
					 const struct ft_marker_spec_ *spec,
					 struct ft_marker_args_ *args)
{
	int64_t number;
	const void *pointer;
	char c;

	switch (spec->type) {
	case 'd':
	case 'i':
		number = ft_marker_signed_(args, spec->size);
		ft_marker_put_number_(text, spec,
				      number < 0 ? 0 - FT_MARKER_CAST_(uint64_t, number)
						 : FT_MARKER_CAST_(uint64_t, number),
				      number < 0);
		return 1;
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		ft_marker_put_number_(text, spec, ft_marker_unsigned_(args, spec->size), 0);
		return 1;
	case 'c':
		c = FT_MARKER_CAST_(char, va_arg(args->list, int));
		ft_marker_put_field_(text, spec, &c, 1);
		return !spec->size;
	case 's':
		if (spec->size)
			return 0;
		ft_marker_put_string_(text, spec, va_arg(args->list, const char *));
		return 1;
	case 'p':
		pointer = va_arg(args->list, const void *);
		if (pointer)
			ft_marker_put_number_(text, spec, FT_MARKER_ADDRESS_(pointer), 0);
		else
			ft_marker_put_field_(text, spec, "(nil)", 5);
		return 1;
	case '%':
		ft_marker_put_(text, '%');
		return 1;
	default:
		return 0;
	}
}

/* @fmt with its arguments, without the help of the C library; 0 where that is needed. */
FT_MARKER_COLD_ static int ft_marker_format_(struct ft_marker_text_ *text, const char *fmt,
					     struct ft_marker_args_ *args)
{
	while (*fmt) {
		struct ft_marker_spec_ spec = {0, 0, 0, 0, 0, 0, -1, 0, 0};

		if (*fmt != '%') {
			ft_marker_put_(text, *fmt++);
			continue;
		}
		fmt = ft_marker_parse_flags_(fmt + 1, &spec);
		if (*fmt == '*') {
			spec.width = va_arg(args->list, int);
			spec.left |= spec.width < 0;
			if (spec.width < 0)
				spec.width = spec.width < -100000 ? 100000 : -spec.width;
			fmt++;
		} else {
			fmt = ft_marker_parse_int_(fmt, &spec.width);
		}
		if (*fmt == '.' && fmt[1] == '*') {
			spec.precision = va_arg(args->list, int);
			fmt += 2;
		} else if (*fmt == '.') {
			fmt = ft_marker_parse_int_(fmt + 1, &spec.precision);
		}
		fmt = ft_marker_parse_size_(fmt, &spec);
		spec.type = *fmt;
		if (!ft_marker_convert_(text, &spec, args))
			return 0;
		fmt++;
	}
	return 1;
}

FT_MARKER_COLD_ __attribute__((format(printf, 1, 2))) static int ft_marker_printf_(const char *fmt,
										   ...)
{
	struct ft_marker_text_ text;
	struct ft_marker_args_ args;
	int saved = errno;
	int n;

	ft_marker_text_begin_(&text);
	va_start(args.list, fmt);
	if (!ft_marker_format_(&text, fmt, &args)) {
		va_end(args.list);
		va_start(args.list, fmt);
		n = vsnprintf(text.byte, text.limit + 2, fmt, args.list);
		text.len = n < 0 ? 0 : FT_MARKER_CAST_(size_t, n);
		if (text.len > text.limit)
			text.len = text.limit + 1;
	}
	va_end(args.list);
	errno = saved;
	/* The kernel would make a marker without text of it. */
	return text.len ? ft_marker_write_(text.byte, text.len) : -EINVAL;
}

/* "K|pid|name" or "K|pid|name|value". A long name is cut, not what follows it. */
FT_MARKER_COLD_ static int ft_marker_line_(char kind, const char *name, const int64_t *value)
{
	struct ft_marker_text_ text;
	char tail[24];
	char *end = tail + sizeof(tail);
	char *at = end;
	char pid[24];
	char *first =
		ft_marker_digits_(pid + sizeof(pid), FT_MARKER_CAST_(uint64_t, getpid()), 10, 0);
	size_t room;
	size_t len;

	if (value) {
		at = ft_marker_digits_(end,
				       *value < 0 ? 0 - FT_MARKER_CAST_(uint64_t, *value)
						  : FT_MARKER_CAST_(uint64_t, *value),
				       10, 0);
		if (*value < 0)
			*--at = '-';
		*--at = '|';
	}
	ft_marker_text_begin_(&text);
	ft_marker_put_(&text, kind);
	ft_marker_put_(&text, '|');
	while (first < pid + sizeof(pid))
		ft_marker_put_(&text, *first++);
	if (kind != 'E') {
		ft_marker_put_(&text, '|');
		name = name && *name ? name : "?";
		room = text.limit - text.len - FT_MARKER_CAST_(size_t, end - at);
		for (len = 0; len <= room && name[len]; len++)
			;
		len = ft_marker_cut_(name, len, room);
		for (size_t i = 0; i < len; i++) {
			int bad = name[i] == '|' || name[i] == 127 ||
				  (name[i] >= 0 && name[i] < 32);

			ft_marker_put_(&text, bad ? '_' : name[i]);
		}
	}
	while (at < end)
		ft_marker_put_(&text, *at++);
	return ft_marker_write_(text.byte, text.len);
}

FT_MARKER_INLINE_ int ft_marker_value_(char kind, const char *name, int64_t value)
{
	return ft_marker_line_(kind, name, &value);
}

/* A section that FT_MARK_SCOPE began; it ends only what it has begun, whatever the switch says by
 * then. */
#ifdef __cplusplus
}
namespace
{
struct ft_marker_scope_ {
	int begun;

	explicit ft_marker_scope_(const char *name) : begun(FT_MARKER_ON_() ? 1 : 0)
	{
		if (begun)
			ft_marker_line_('B', name, nullptr);
	}
	~ft_marker_scope_()
	{
		if (begun)
			ft_marker_line_('E', nullptr, nullptr);
	}
	ft_marker_scope_(const ft_marker_scope_ &) = delete;
	ft_marker_scope_ &operator=(const ft_marker_scope_ &) = delete;
};
} /* namespace */
#else
struct ft_marker_scope_ {
	int begun;
};

FT_MARKER_INLINE_ struct ft_marker_scope_ ft_marker_scope_begin_(const char *name)
{
	struct ft_marker_scope_ scope = {FT_MARKER_ON_() ? 1 : 0};

	if (scope.begun)
		ft_marker_line_('B', name, NULL);
	return scope;
}

FT_MARKER_INLINE_ void ft_marker_scope_end_(struct ft_marker_scope_ *scope)
{
	if (scope->begun)
		ft_marker_line_('E', NULL, NULL);
}
#endif

#define FT_MARKER_IF_(call) ft_marker_result_(FT_MARKER_ON_() ? (call) : 0)

/* A line of text, as printf() makes it: int ft_mark(const char *fmt, ...) */
#define ft_mark(...) FT_MARKER_IF_(ft_marker_printf_(__VA_ARGS__))

/* A section of this thread: int ft_mark_begin(const char *name), int ft_mark_end(void). They nest;
 * each end closes the section begun last. */
#define ft_mark_begin(name) FT_MARKER_IF_(ft_marker_line_('B', (name), FT_MARKER_NULL_))
#define ft_mark_end() FT_MARKER_IF_(ft_marker_line_('E', FT_MARKER_NULL_, FT_MARKER_NULL_))

/* A section from here to the end of the block, however that is left. */
#define FT_MARKER_PASTE2_(a, b) a##b
#define FT_MARKER_PASTE_(a, b) FT_MARKER_PASTE2_(a, b)
#ifdef __cplusplus
#define FT_MARK_SCOPE(name) ft_marker_scope_ FT_MARKER_PASTE_(ft_marker_scope_, __COUNTER__)(name)
#else
#define FT_MARK_SCOPE(name)                                                     \
	struct ft_marker_scope_ FT_MARKER_PASTE_(ft_marker_scope_, __COUNTER__) \
		__attribute__((cleanup(ft_marker_scope_end_), unused)) =        \
			ft_marker_scope_begin_(name)
#endif

/* A section that may begin and end in different threads, and overlap others of its name:
 * int ft_mark_async_begin(const char *name, int32_t cookie), int ft_mark_async_end(the same). */
#define ft_mark_async_begin(name, cookie) FT_MARKER_IF_(ft_marker_value_('S', (name), (cookie)))
#define ft_mark_async_end(name, cookie) FT_MARKER_IF_(ft_marker_value_('F', (name), (cookie)))

/* The value of something from now on: int ft_mark_counter(const char *name, int64_t value) */
#define ft_mark_counter(name, value) FT_MARKER_IF_(ft_marker_value_('C', (name), (value)))

/* A point in time: int ft_mark_instant(const char *name) */
#define ft_mark_instant(name) FT_MARKER_IF_(ft_marker_line_('I', (name), FT_MARKER_NULL_))

#endif
