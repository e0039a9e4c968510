/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A queue of pieces to be read and the threads that take from it. A walk that comes before them reads by itself, and where it
 * would have to wait, it takes from the queue too. */
#include "dat/ahead.h"

#include <pthread.h>
#include <stdlib.h>

#include "util/mem.h"

/* Pieces of all lines together, and of one. */
#define PIECES 16
#define PIECES_OF_LINE 4

enum piece_state { PIECE_ASKED, PIECE_READING, PIECE_READ };

struct piece {
	struct piece *next; /* in the queue */
	struct page_source *src;
	struct source_scratch scratch;
	enum piece_state state;
	uint64_t first; /* sub-buffer */
	size_t room;
	uint8_t *bytes;
	ssize_t got;
};

struct ahead_line {
	struct ahead *ahead;
	struct page_source *src;
	size_t room;
	struct piece piece[PIECES_OF_LINE]; /* a ring */
	unsigned int depth;
	unsigned int head;
	unsigned int nr;
	uint64_t next; /* sub-buffer behind the last piece */
};

struct ahead {
	pthread_mutex_t lock;
	pthread_cond_t asked;
	pthread_cond_t read;
	struct piece *first;
	struct piece **last; /* where the next one is hung in */
	bool stop;
	unsigned int depth;
	pthread_t *thread;
	unsigned int nr_threads;
};

static void take_out(struct ahead *ahead, struct piece *piece)
{
	struct piece **at = &ahead->first;

	while (*at != piece)
		at = &(*at)->next;
	*at = piece->next;
	if (!*at)
		ahead->last = at;
}

/* With the lock held, which is free meanwhile. */
static void read_piece(struct ahead *ahead, struct piece *piece)
{
	take_out(ahead, piece);
	piece->state = PIECE_READING;
	pthread_mutex_unlock(&ahead->lock);
	piece->got = piece->src->ops->read(piece->src, &piece->scratch, piece->first, piece->bytes,
					   piece->room);
	pthread_mutex_lock(&ahead->lock);
	piece->state = PIECE_READ;
	pthread_cond_broadcast(&ahead->read);
}

static void *work(void *arg)
{
	struct ahead *ahead = arg;

	pthread_mutex_lock(&ahead->lock);
	while (!ahead->stop) {
		if (ahead->first)
			read_piece(ahead, ahead->first);
		else
			pthread_cond_wait(&ahead->asked, &ahead->lock);
	}
	pthread_mutex_unlock(&ahead->lock);
	return NULL;
}

struct ahead *ahead_new(unsigned int nr_threads, size_t nr_lines)
{
	struct ahead *ahead = xzalloc(sizeof(*ahead));

	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->asked, NULL);
	pthread_cond_init(&ahead->read, NULL);
	ahead->last = &ahead->first;
	ahead->depth = nr_lines > PIECES ? 1 : (unsigned int)(PIECES / nr_lines);
	if (ahead->depth > PIECES_OF_LINE)
		ahead->depth = PIECES_OF_LINE;
	ahead->thread = xcalloc(nr_threads, sizeof(*ahead->thread));
	while (ahead->nr_threads < nr_threads &&
	       pthread_create(&ahead->thread[ahead->nr_threads], NULL, work, ahead) == 0)
		ahead->nr_threads++;
	if (ahead->nr_threads)
		return ahead;
	ahead_free(ahead);
	return NULL;
}

void ahead_free(struct ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->lock);
	ahead->stop = true;
	pthread_cond_broadcast(&ahead->asked);
	pthread_mutex_unlock(&ahead->lock);
	for (unsigned int i = 0; i < ahead->nr_threads; i++)
		pthread_join(ahead->thread[i], NULL);
	free(ahead->thread);
	pthread_cond_destroy(&ahead->asked);
	pthread_cond_destroy(&ahead->read);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
}

struct ahead_line *ahead_line_new(struct ahead *ahead, struct page_source *src, size_t room)
{
	struct ahead_line *line = xzalloc(sizeof(*line));

	line->ahead = ahead;
	line->src = src;
	line->room = room;
	line->depth = ahead->depth;
	return line;
}

/* With the lock held. Nobody reads the first piece any more, and it is out of the queue. */
static void wait_for_first(struct ahead_line *line)
{
	struct ahead *ahead = line->ahead;
	struct piece *piece = &line->piece[line->head];

	while (piece->state != PIECE_READ) {
		if (piece->state == PIECE_ASKED)
			read_piece(ahead, piece);
		else if (ahead->first)
			read_piece(ahead, ahead->first);
		else
			pthread_cond_wait(&ahead->read, &ahead->lock);
	}
}

static void drop_first(struct ahead_line *line)
{
	line->head = (line->head + 1) % PIECES_OF_LINE;
	line->nr--;
}

/* With the lock held. What was asked for is not wanted. */
static void drop_all(struct ahead_line *line)
{
	while (line->nr) {
		struct piece *piece = &line->piece[line->head];

		if (piece->state == PIECE_ASKED) {
			take_out(line->ahead, piece);
			piece->state = PIECE_READ;
		}
		wait_for_first(line);
		/* It is found again when the walk comes there. */
		piece->scratch.damaged = 0;
		drop_first(line);
	}
}

/* With the lock held. */
static void ask(struct ahead_line *line)
{
	struct ahead *ahead = line->ahead;
	const struct page_source *src = line->src;
	struct piece *piece = &line->piece[(line->head + line->nr) % PIECES_OF_LINE];
	size_t len = src->ops->fit(src, line->next, line->room);

	if (!piece->bytes)
		piece->bytes = xmalloc(line->room);
	piece->src = line->src;
	piece->room = len;
	piece->first = line->next;
	piece->state = PIECE_ASKED;
	piece->next = NULL;
	*ahead->last = piece;
	ahead->last = &piece->next;
	line->nr++;
	line->next += (len + src->page_size - 1) / src->page_size;
	pthread_cond_signal(&ahead->asked);
}

ssize_t ahead_line_read(struct ahead_line *line, uint64_t first, uint8_t **bytes, uint64_t *damaged)
{
	struct ahead *ahead = line->ahead;
	struct piece *piece;
	uint8_t *old = *bytes;

	pthread_mutex_lock(&ahead->lock);
	if (line->nr && line->piece[line->head].first != first)
		drop_all(line);
	if (!line->nr) {
		line->next = first;
		ask(line);
	}
	while (line->nr < line->depth && line->next < line->src->nr_pages)
		ask(line);
	wait_for_first(line);
	piece = &line->piece[line->head];
	drop_first(line);
	pthread_mutex_unlock(&ahead->lock);
	*bytes = piece->bytes;
	piece->bytes = old;
	*damaged = piece->scratch.damaged;
	piece->scratch.damaged = 0;
	return piece->got;
}

void ahead_line_free(struct ahead_line *line)
{
	if (!line)
		return;
	pthread_mutex_lock(&line->ahead->lock);
	drop_all(line);
	pthread_mutex_unlock(&line->ahead->lock);
	for (unsigned int i = 0; i < PIECES_OF_LINE; i++) {
		free(line->piece[i].bytes);
		source_scratch_fini(&line->piece[i].scratch);
	}
	free(line);
}
