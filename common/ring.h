/* Many sends in one system call, by Linux's io_uring. What it is for is not the call that is saved
 * but the end of each call: there the kernel may give the processor to whom the message woke, and
 * with dozens of sessions it does so after every fourth. Of a batch all are sent first.
 *
 * Nothing outlives a call: each send succeeds or fails at once, as send with MSG_DONTWAIT does. */
#ifndef ORDERMILL_COMMON_RING_H
#define ORDERMILL_COMMON_RING_H

#include <sys/types.h>

#include "common/err.h"

#define RING_SENDS_MAX 64

struct ring;

struct ring_send {
    int fd;
    const void *bytes; /* fewer than 2^31 */
    size_t size;
    ssize_t result; /* what send would have returned, or -errno */
};

/* NULL where the kernel has none that will do, or does not let us: Linux before 5.18, containers
 * that forbid it. */
struct ring *ring_new(void);
void ring_free(struct ring *ring); /* NULL is fine */

/* Sends all, at most RING_SENDS_MAX, in this order, and fills in the results. Without a ring (NULL)
 * one after the other. */
void ring_send_all(struct ring *ring, struct ring_send *sends, int count);

#endif
