/* Errors of the outside world, and assertions about our own.
 *
 * A function that can fail for reasons outside the program returns bool (or NULL) and fills a
 * struct err, its last parameter. The command prints it once, by log_error, and its code becomes
 * the exit status. A programmer's error ends the process through must(), in every build. */
#ifndef ORDERMILL_COMMON_ERR_H
#define ORDERMILL_COMMON_ERR_H

#include <stdbool.h>
#include <stddef.h>

#define MUST_CHECK        __attribute__((warn_unused_result))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

/* The exit status of the process, by kind of failure. */
enum err_code {
    ERR_NONE = 0,
    ERR_VERDICT = 1,      /* finished, but a verdict is FAIL */
    ERR_USAGE = 2,        /* unknown command or option, value out of range */
    ERR_PROFILE = 3,      /* profile missing, malformed or invalid */
    ERR_CONNECTION = 4,   /* the server cannot be reached or refuses us */
    ERR_SERVER = 5,       /* the server answered with an error, or is not in the needed state */
    ERR_INCONSISTENT = 6, /* the data break a consistency condition */
    ERR_LOCAL = 7,        /* this machine: a file, a folder, a program, memory */
    ERR_UNDECIDED = 8,    /* a comparison that the data do not decide */
    ERR_INTERRUPTED = 130,
    ERR_TERMINATED = 143,
};

struct err {
    enum err_code code;
    char sqlstate[6];   /* of the server's error, else "" */
    char message[1024]; /* one line, lower case, names the thing and the value; no secret */
    char hint[512];     /* one sentence, or "" */
};

/* Replaces what err held; secrets are scrubbed (see err_secret). Returns false, so that a
 * function can end with `return err_set(...)`. */
bool err_set(struct err *err, enum err_code code, const char *format, ...) PRINTF_LIKE(3, 4);

/* Adds the one-sentence hint to an error already set. */
void err_hint(struct err *err, const char *format, ...) PRINTF_LIKE(2, 3);

/* Puts "CONTEXT: " before the message of an error already set; returns false. */
bool err_prefix(struct err *err, const char *format, ...) PRINTF_LIKE(2, 3);

/* Remembers a secret (a password) for the life of the process; every message that contains it is
 * printed with *** in its place. At most 16 are kept. Secrets under 3 characters are ignored:
 * replacing them would only garble messages. Call before threads start. */
void err_secret(const char *secret);

/* Replaces in text, in place, every remembered secret, every "password=..." and the password of
 * every "://user:password@" by ***. */
void err_scrub(char *text, size_t size);
/* The same of a whole buffer, which grows where a mask is longer than what it hides. */
struct buf;
void err_scrub_buf(struct buf *text);

/* Ends the process when an assumption of ours does not hold; never compiled out. */
#define must(condition) ((condition) ? (void)0 : err_must_failed(#condition, __FILE__, __LINE__))
_Noreturn void err_must_failed(const char *condition, const char *file, int line);

/* Allocation that does not return NULL: no memory ends the process with a message. */
void *must_malloc(size_t size);
void *must_calloc(size_t count, size_t size);
void *must_realloc(void *pointer, size_t size);
char *must_strdup(const char *text);

#endif
