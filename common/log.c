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
#include "common/interrupt.h"

#define REDRAW_US 100000
#define PLAIN_US  10000000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static enum log_level current_level = LOG_NORMAL;
static struct buf shown;    /* the progress lines that stand on the terminal; empty: none */
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

void
log_terminal_size(int *width, int *height)
{
    struct winsize size;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;

    *width = known && size.ws_col > 1 ? size.ws_col : 80;
    *height = known && size.ws_row > 1 ? size.ws_row : 24;
}

/* How many rows of the terminal what is shown takes: a line that fitted when it was drawn takes two
 * in a terminal that was made narrower since. */
static int
shown_rows(void)
{
    int width, height, rows = 0, columns = 0;

    log_terminal_size(&width, &height);
    for (size_t i = 0; i <= shown.length; i++) {
        if (i == shown.length || shown.data[i] == '\n') {
            rows += columns > 0 ? (columns + width - 1) / width : 1;
            columns = 0;
        } else {
            columns += ((unsigned char)shown.data[i] & 0xC0) != 0x80;
        }
    }
    return rows;
}

/* Called with the mutex held: moves to where what is shown begins. */
static void
go_to_begin(struct buf *out)
{
    buf_putc(out, '\r');
    for (int rows = shown.length > 0 ? shown_rows() : 1; rows > 1; rows--)
        buf_puts(out, "\033[A");
}

/* The same, and clears it. */
static void
put_clear(struct buf *out)
{
    bool one = !memchr(shown.data, '\n', shown.length);

    go_to_begin(out);
    buf_puts(out, one ? "\033[K" : "\033[J");
    buf_clear(&shown);
    interrupt_last_words(NULL);
}

/* Called with the mutex held. A cleared progress line comes back with its next call. */
static void
write_line(const struct buf *line)
{
    struct buf out = {0};

    if (shown.length > 0) {
        put_clear(&out);
        progress_begun = false;
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
    err_scrub_buf(&line);
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
    err_scrub_buf(&line);
    pthread_mutex_lock(&mutex);
    write_line(&line);
    pthread_mutex_unlock(&mutex);
    buf_free(&line);
    return (int)err->code;
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
    err_scrub_buf(&line);
    if (terminal) {
        int width, height;
        log_terminal_size(&width, &height);
        cut_to_width(&line, (size_t)width);
        buf_printf(&out, "\r%s\033[K", line.data);
        emit(&out);
        buf_clear(&shown);
        buf_append(&shown, line.data, line.length);
        interrupt_last_words("\n");
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
log_block(const char *lines)
{
    struct buf text = {0}, out = {0};

    buf_puts(&text, lines);
    err_scrub_buf(&text);
    pthread_mutex_lock(&mutex);
    if (current_level != LOG_QUIET && log_is_terminal() && text.length > 0) {
        go_to_begin(&out);
        for (const char *p = text.data; *p; p++)
            buf_puts(&out, *p == '\n' ? "\033[K\n" : (char[]){*p, '\0'});
        buf_puts(&out, "\033[J");
        emit(&out);
        buf_clear(&shown);
        buf_append(&shown, text.data, text.length);
        interrupt_last_words("\n");
    }
    pthread_mutex_unlock(&mutex);
    buf_free(&text);
    buf_free(&out);
}

void
log_progress_end(void)
{
    struct buf out = {0};

    pthread_mutex_lock(&mutex);
    if (shown.length > 0) {
        put_clear(&out);
        emit(&out);
    }
    buf_free(&shown);
    progress_begun = false;
    pthread_mutex_unlock(&mutex);
    buf_free(&out);
}
