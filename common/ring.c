/* The only file that knows the layout of the rings; by system call, since it takes four things of a
 * library that would have to be installed. One thread at a time. */
#include "common/ring.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SEND_FLAGS (MSG_DONTWAIT | MSG_NOSIGNAL)

struct ring {
    int fd;
    void *shared; /* both rings */
    size_t shared_size;
    struct io_uring_sqe *requests;
    size_t requests_size;
    unsigned *request_head, *request_tail, request_mask;
    unsigned *result_head, *result_tail, result_mask;
    const struct io_uring_cqe *results;
};

static void *
map(int fd, size_t size, off_t what)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, what);

    return memory == MAP_FAILED ? NULL : memory;
}

/* Since Linux 5.4 one mapping holds both rings. */
static bool
map_all(struct ring *ring, const struct io_uring_params *params)
{
    size_t results = params->cq_off.cqes + params->cq_entries * sizeof *ring->results;
    size_t requests = params->sq_off.array + params->sq_entries * sizeof(unsigned);

    ring->shared_size = results > requests ? results : requests;
    ring->requests_size = params->sq_entries * sizeof *ring->requests;
    ring->shared = map(ring->fd, ring->shared_size, IORING_OFF_SQ_RING);
    ring->requests = map(ring->fd, ring->requests_size, IORING_OFF_SQES);
    return ring->shared && ring->requests && (params->features & IORING_FEAT_SINGLE_MMAP);
}

static unsigned *
number_at(const struct ring *ring, uint32_t offset)
{
    return (unsigned *)(void *)((char *)ring->shared + offset);
}

static void
find_parts(struct ring *ring, const struct io_uring_params *params)
{
    unsigned *order = number_at(ring, params->sq_off.array);

    ring->request_head = number_at(ring, params->sq_off.head);
    ring->request_tail = number_at(ring, params->sq_off.tail);
    ring->request_mask = *number_at(ring, params->sq_off.ring_mask);
    ring->result_head = number_at(ring, params->cq_off.head);
    ring->result_tail = number_at(ring, params->cq_off.tail);
    ring->result_mask = *number_at(ring, params->cq_off.ring_mask);
    ring->results = (const struct io_uring_cqe *)(void *)number_at(ring, params->cq_off.cqes);
    for (unsigned i = 0; i < params->sq_entries; i++)
        order[i] = i;
}

void
ring_free(struct ring *ring)
{
    if (!ring)
        return;
    if (ring->requests)
        munmap(ring->requests, ring->requests_size);
    if (ring->shared)
        munmap(ring->shared, ring->shared_size);
    if (ring->fd >= 0)
        close(ring->fd);
    free(ring);
}

static void
send_plainly(struct ring_send *one)
{
    ssize_t sent = send(one->fd, one->bytes, one->size, SEND_FLAGS);

    one->result = sent < 0 ? -errno : sent;
}

static void
put(struct ring *ring, const struct ring_send *one, uint64_t number)
{
    unsigned tail = *ring->request_tail;
    struct io_uring_sqe *request = &ring->requests[tail & ring->request_mask];

    *request = (struct io_uring_sqe){.opcode = IORING_OP_SEND,
                                     .fd = one->fd,
                                     .addr = (uint64_t)(uintptr_t)one->bytes,
                                     .len = (uint32_t)one->size,
                                     .msg_flags = SEND_FLAGS,
                                     .user_data = number};
    __atomic_store_n(ring->request_tail, tail + 1, __ATOMIC_RELEASE);
}

static int
take(struct ring *ring, struct ring_send *sends)
{
    unsigned head = *ring->result_head;
    unsigned tail = __atomic_load_n(ring->result_tail, __ATOMIC_ACQUIRE);
    int count = (int)(tail - head);

    for (; head != tail; head++) {
        const struct io_uring_cqe *result = &ring->results[head & ring->result_mask];
        sends[result->user_data].result = result->res;
    }
    __atomic_store_n(ring->result_head, head, __ATOMIC_RELEASE);
    return count;
}

static int
enter(const struct ring *ring, int requests, int results)
{
    return (int)syscall(SYS_io_uring_enter, ring->fd, (unsigned)requests, (unsigned)results,
                        IORING_ENTER_GETEVENTS, NULL, (size_t)0);
}

/* How many of them, from the first on, the kernel took. */
static int
send_by_ring(struct ring *ring, struct ring_send *sends, int count)
{
    for (int i = 0; i < count; i++)
        put(ring, &sends[i], (uint64_t)i);
    int entered = enter(ring, count, count);
    int taken = take(ring, sends);
    while (taken < entered) { /* a signal came between */
        (void)enter(ring, 0, entered - taken);
        taken += take(ring, sends);
    }
    if (entered < count) /* what the kernel did not take stays ours */
        *ring->request_tail = *ring->request_head;
    return entered > 0 ? entered : 0;
}

void
ring_send_all(struct ring *ring, struct ring_send *sends, int count)
{
    must(count <= RING_SENDS_MAX);
    for (int i = ring && count > 1 ? send_by_ring(ring, sends, count) : 0; i < count; i++)
        send_plainly(&sends[i]);
}

/* Rings may be allowed, and entering them or sends in them not. */
static bool
works(struct ring *ring)
{
    struct ring_send sends[2];
    char got[3];
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0)
        return false;
    for (int i = 0; i < 2; i++)
        sends[i] = (struct ring_send){.fd = pair[0], .bytes = "ab" + i, .size = 1};
    bool sound = send_by_ring(ring, sends, 2) == 2 && sends[0].result == 1 &&
                 sends[1].result == 1 && recv(pair[1], got, sizeof got, 0) == 2 &&
                 memcmp(got, "ab", 2) == 0;
    close(pair[0]);
    close(pair[1]);
    return sound;
}

struct ring *
ring_new(void)
{
    /* So that one send that fails does not keep back those behind it. */
    struct io_uring_params params = {.flags = IORING_SETUP_SUBMIT_ALL};
    struct ring *ring = must_calloc(1, sizeof *ring);

    ring->fd = (int)syscall(SYS_io_uring_setup, RING_SENDS_MAX, &params);
    bool mapped = ring->fd >= 0 && map_all(ring, &params);
    if (mapped)
        find_parts(ring, &params);
    if (mapped && works(ring))
        return ring;
    ring_free(ring);
    return NULL;
}
