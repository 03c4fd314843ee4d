/* Owns the handling of signals. What a command does about one is its own business. */
#include "common/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/clock.h"

static volatile sig_atomic_t received;
static atomic_int_least64_t received_us; /* lock-free: the handler may write it */
static const char *_Atomic last_words;
static int descriptor = -1;

static void
on_signal(int number)
{
    int saved = errno;
    uint64_t one = 1;

    if (received) {
        const char *text = atomic_load(&last_words);
        ssize_t said = text ? write(STDERR_FILENO, text, strlen(text)) : 0;
        (void)said;
        _exit(128 + number);
    }
    atomic_store(&received_us, clock_monotonic_us()); /* clock_gettime is safe here */
    received = number;
    /* Cannot fail: the counter is far from full, and the descriptor is ours. */
    ssize_t written = write(descriptor, &one, sizeof one);
    (void)written;
    errno = saved;
}

void
interrupt_install(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    struct sigaction ignore = {.sa_handler = SIG_IGN};

    if (descriptor < 0)
        descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    must(descriptor >= 0);
    /* No SA_RESTART: a wait that is interrupted lets its caller look at interrupt_signal(). */
    sigemptyset(&action.sa_mask);
    must(sigaction(SIGINT, &action, NULL) == 0);
    must(sigaction(SIGTERM, &action, NULL) == 0);
    must(sigaction(SIGPIPE, &ignore, NULL) == 0);
}

int
interrupt_signal(void)
{
    return received;
}

void
interrupt_last_words(const char *text)
{
    atomic_store(&last_words, text);
}

int64_t
interrupt_at_us(void)
{
    return atomic_load(&received_us);
}

int
interrupt_descriptor(void)
{
    must(descriptor >= 0);
    return descriptor;
}

bool
interrupt_check(struct err *err)
{
    if (!received)
        return false;
    if (received == SIGINT)
        err_set(err, ERR_INTERRUPTED, "interrupted");
    else
        err_set(err, ERR_TERMINATED, "terminated");
    return true;
}
