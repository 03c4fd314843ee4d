/* Many sends at once, with a ring where this machine has one, and without: the same results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/ring.h"

enum { PAIRS = RING_SENDS_MAX };

static struct {
    int ours, theirs;
} pairs[PAIRS];

static void
open_pairs(void)
{
    int both[2];

    for (int i = 0; i < PAIRS; i++) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, both),
                         0);
        pairs[i].ours = both[0];
        pairs[i].theirs = both[1];
    }
}

static void
close_pairs(void)
{
    for (int i = 0; i < PAIRS; i++) {
        close(pairs[i].ours);
        close(pairs[i].theirs);
    }
}

static struct ring_send
send_to(int i, const void *bytes, size_t size)
{
    return (struct ring_send){.fd = pairs[i].ours, .bytes = bytes, .size = size, .result = -12345};
}

static void
expect(int i, const char *text)
{
    char got[64];
    ssize_t size = recv(pairs[i].theirs, got, sizeof got, 0);

    if (!*text) {
        assert_int_equal(size, -1);
        assert_int_equal(errno, EAGAIN);
        return;
    }
    assert_int_equal(size, (ssize_t)strlen(text));
    assert_memory_equal(got, text, strlen(text));
}

static void
every_receiver_gets_its_own(struct ring *ring)
{
    static const char letters[PAIRS] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-";
    struct ring_send sends[PAIRS];

    for (int round = 0; round < 3; round++) { /* round the ring */
        for (int i = 0; i < PAIRS; i++)
            sends[i] = send_to(i, letters + i, 1);
        ring_send_all(ring, sends, PAIRS);
        for (int i = 0; i < PAIRS; i++) {
            assert_int_equal(sends[i].result, 1);
            expect(i, (char[]){letters[i], '\0'});
        }
    }
    ring_send_all(ring, sends, 0);
    expect(0, "");
}

static void
one_receiver_gets_all_in_order(struct ring *ring)
{
    struct ring_send sends[] = {send_to(0, "a", 1), send_to(0, "bcd", 3), send_to(1, "x", 1),
                                send_to(0, "ef", 2)};

    ring_send_all(ring, sends, 4);
    assert_int_equal(sends[1].result, 3);
    expect(0, "abcdef");
    expect(1, "x");
}

/* Neither one that is gone nor one that does not read keeps back the others. */
static void
who_fails_fails_alone(struct ring *ring)
{
    static char much[1 << 20];
    struct ring_send sends[] = {send_to(0, "a", 1),
                                send_to(1, "b", 1),
                                send_to(2, "c", 1),
                                send_to(3, "d", 1),
                                {.fd = -1, .bytes = "e", .size = 1}};

    close(pairs[1].theirs);
    while (send(pairs[2].ours, much, sizeof much, MSG_DONTWAIT) > 0)
        ;
    ring_send_all(ring, sends, 5);
    assert_int_equal(sends[0].result, 1);
    assert_int_equal(sends[1].result, -EPIPE); /* and no SIGPIPE */
    assert_int_equal(sends[2].result, -EAGAIN);
    assert_int_equal(sends[3].result, 1);
    assert_int_equal(sends[4].result, -EBADF);
    expect(0, "a");
    expect(3, "d");
}

static void
what_does_not_fit_is_sent_in_part(struct ring *ring)
{
    static char much[1 << 20];
    struct ring_send sends[] = {send_to(0, much, sizeof much), send_to(1, "b", 1)};

    ring_send_all(ring, sends, 2);
    assert_in_range(sends[0].result, 1, sizeof much - 1);
    expect(1, "b");
}

static void (*const behaviours[])(struct ring *ring) = {
    every_receiver_gets_its_own, one_receiver_gets_all_in_order, who_fails_fails_alone,
    what_does_not_fit_is_sent_in_part};

static void
check_all(struct ring *ring)
{
    for (size_t i = 0; i < sizeof behaviours / sizeof *behaviours; i++) {
        open_pairs();
        behaviours[i](ring);
        close_pairs();
    }
}

static void
with_a_ring(void **state)
{
    struct ring *ring = ring_new();
    (void)state;

    if (!ring)
        skip(); /* this kernel does not let us */
    check_all(ring);
    ring_free(ring);
}

static void
without_one(void **state)
{
    (void)state;
    check_all(NULL);
    ring_free(NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_a_ring),
        cmocka_unit_test(without_one),
    };

    return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
