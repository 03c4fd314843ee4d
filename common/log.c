/* Owns stderr: whole lines only, one writer at a time, and the progress line that other lines must
 * not run into. Does not own stdout. */
#include "common/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/buf.h"
#include "common/clock.h"

#define REDRAW_US  100000
#define PLAIN_US   10000000
#define CLEAR_LINE "\r\033[K"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static enum log_level current_level = LOG_NORMAL;
static bool progress_shown; /* a progress line stands on the terminal */
static bool progress_begun; /* progress_last_us is set */
static int64_t progress_last_us;

void
log_init(enum log_level level)
{
    pthread_mutex_lock(&mutex);
    current_level = level;
    pthread_mutex_unlock(&mutex);
}

enum log_level
log_level(void)
{
    pthread_mutex_lock(&mutex);
    enum log_level level = current_level;
    pthread_mutex_unlock(&mutex);
    return level;
}

bool
log_is_terminal(void)
{
    const char *term = getenv("TERM");

    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

/* One write per line: lines of other processes on the same terminal stay whole as well. */
static void
emit(const struct buf *text)
{
    fwrite(text->data, 1, text->length, stderr);
    fflush(stderr);
}

static void
scrub(struct buf *line)
{
    buf_reserve(line, 64); /* a mask may be longer than what it hides */
    err_scrub(line->data, line->capacity);
    line->length = strlen(line->data);
}

/* Called with the mutex held. The cleared progress line comes back with its next call. */
static void
write_line(const struct buf *line)
{
    struct buf out = {0};

    if (progress_shown) {
        buf_puts(&out, CLEAR_LINE);
        progress_shown = progress_begun = false;
    }
    buf_append(&out, line->data, line->length);
    buf_putc(&out, '\n');
    emit(&out);
    buf_free(&out);
}

static void
log_line(enum log_level needed, const char *prefix, const char *format, va_list ap)
{
    struct buf line = {0};

    if (log_level() < needed)
        return;
    buf_puts(&line, prefix);
    buf_printfv(&line, format, ap);
    scrub(&line);
    pthread_mutex_lock(&mutex);
    write_line(&line);
    pthread_mutex_unlock(&mutex);
    buf_free(&line);
}

void
log_detail(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    log_line(LOG_VERBOSE, "", format, ap);
    va_end(ap);
}

void
log_info(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    log_line(LOG_NORMAL, "", format, ap);
    va_end(ap);
}

void
log_warning(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    log_line(LOG_QUIET, "ordermill: warning: ", format, ap);
    va_end(ap);
}

int
log_error(const struct err *err)
{
    struct buf line = {0};

    must(err->code != ERR_NONE);
    bool state = err->sqlstate[0] && log_level() == LOG_VERBOSE;
    buf_printf(&line, "ordermill: %s", err->message);
    if (state)
        buf_printf(&line, "\nsqlstate: %s", err->sqlstate);
    if (err->hint[0])
        buf_printf(&line, "\nhint: %s", err->hint);
    scrub(&line);
    pthread_mutex_lock(&mutex);
    write_line(&line);
    pthread_mutex_unlock(&mutex);
    buf_free(&line);
    return (int)err->code;
}

static size_t
terminal_width(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

/* Cuts the line to the terminal's width less one: a line that wraps cannot be redrawn. Counts a
 * UTF-8 sequence as one column. */
static void
cut_to_width(struct buf *line, size_t width)
{
    size_t columns = 0;

    for (size_t i = 0; i < line->length; i++) {
        bool begins_character = ((unsigned char)line->data[i] & 0xC0) != 0x80;
        if (begins_character && ++columns == width) {
            line->length = i;
            line->data[i] = '\0';
            return;
        }
    }
}

/* Called with the mutex held. */
static void
draw_progress(const char *format, va_list ap, bool terminal)
{
    struct buf line = {0};
    struct buf out = {0};

    buf_printfv(&line, format, ap);
    scrub(&line);
    if (terminal) {
        cut_to_width(&line, terminal_width());
        buf_printf(&out, "\r%s\033[K", line.data);
        emit(&out);
        progress_shown = true;
    } else {
        write_line(&line);
    }
    buf_free(&line);
    buf_free(&out);
}

void
log_progress(const char *format, ...)
{
    bool terminal = log_is_terminal();
    int64_t now_us = clock_monotonic_us();
    va_list ap;

    pthread_mutex_lock(&mutex);
    int64_t interval_us = terminal ? REDRAW_US : PLAIN_US;
    bool due = !progress_begun || now_us - progress_last_us >= interval_us;
    if (current_level != LOG_QUIET && due) {
        va_start(ap, format);
        draw_progress(format, ap, terminal);
        va_end(ap);
        progress_begun = true;
        progress_last_us = now_us;
    }
    pthread_mutex_unlock(&mutex);
}

void
log_progress_end(void)
{
    pthread_mutex_lock(&mutex);
    if (progress_shown) {
        fputs(CLEAR_LINE, stderr);
        fflush(stderr);
    }
    progress_shown = progress_begun = false;
    pthread_mutex_unlock(&mutex);
}
