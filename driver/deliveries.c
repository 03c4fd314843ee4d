/* Owns the form of the result file: comma-separated values with a heading, one row for each
 * delivery that was committed, in the order in which each worker carried them out. */
#include "driver/deliveries.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"

static void
put_heading(FILE *file)
{
    fputs("queued,warehouse,carrier,completed", file);
    for (int district = 1; district <= DISTRICTS_PER_WAREHOUSE; district++)
        fprintf(file, ",order_of_district_%d", district);
    fputc('\n', file);
}

static void
note_failure(struct deliveries *deliveries)
{
    if (deliveries->failure == 0 && ferror(deliveries->file))
        deliveries->failure = errno;
}

static bool
failed(const struct deliveries *deliveries, int number, struct err *err)
{
    return err_set(err, ERR_LOCAL, "cannot write the deliveries to \"%s\": %s", deliveries->path,
                   strerror(number));
}

bool
deliveries_open(struct deliveries *deliveries, const char *path, struct err *err)
{
    deliveries->path = path;
    if (!path)
        return true;
    int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0640);
    if (descriptor < 0)
        return failed(deliveries, errno, err);
    deliveries->file = fdopen(descriptor, "w");
    if (!deliveries->file) {
        int number = errno;
        close(descriptor);
        return failed(deliveries, number, err);
    }
    return true;
}

void
deliveries_begin(struct deliveries *deliveries)
{
    struct stat status;

    if (!deliveries->file)
        return;
    deliveries->begun = true;
    bool is_file = fstat(fileno(deliveries->file), &status) == 0 && S_ISREG(status.st_mode);
    if (is_file && ftruncate(fileno(deliveries->file), 0) != 0)
        deliveries->failure = errno;
    put_heading(deliveries->file);
}

static void
remove_empty(const struct deliveries *deliveries)
{
    struct stat status;

    if (fstat(fileno(deliveries->file), &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_size == 0)
        (void)unlink(deliveries->path);
}

/* With milliseconds. */
static void
put_time(const struct deliveries *deliveries, int64_t at_us)
{
    char text[CLOCK_TEXT_SIZE];
    int64_t wall_us = at_us + deliveries->wall_offset_us;

    clock_iso(text, wall_us);
    fprintf(deliveries->file, "%.19s.%03dZ", text, (int)(wall_us / 1000 % 1000));
}

static void
put_row(struct deliveries *deliveries, const struct deferred_record *record)
{
    FILE *file = deliveries->file;

    put_time(deliveries, record->queued_us);
    fprintf(file, ",%d,%d,", record->warehouse, record->carrier);
    put_time(deliveries, record->done_us);
    for (int i = 0; i < DISTRICTS_PER_WAREHOUSE; i++) {
        if (record->orders[i] > 0)
            fprintf(file, ",%d", record->orders[i]);
        else
            fputs(",skipped", file);
    }
    fputc('\n', file);
    note_failure(deliveries);
}

void
deliveries_put(struct deliveries *deliveries, const struct deferred_record *record)
{
    struct deferred_stats *stats = deliveries->stats;
    int64_t latency_us = record->done_us - record->queued_us;

    if (deliveries->file && record->outcome == OUTCOME_COMMITTED)
        put_row(deliveries, record);
    if (record->queued_us < deliveries->since_us)
        return;
    switch (record->outcome) {
    case OUTCOME_COMMITTED:
        stats->done++;
        stats->in_time += latency_us <= DELIVERY_LIMIT_US;
        hist_record(&stats->latency, latency_us);
        break;
    case OUTCOME_LOST: stats->lost++; break;
    default: stats->failed++; break;
    }
}

bool
deliveries_close(struct deliveries *deliveries, struct err *err)
{
    if (!deliveries->file)
        return true;
    if (!deliveries->begun)
        remove_empty(deliveries);
    if (fflush(deliveries->file) != 0 || fsync(fileno(deliveries->file)) != 0) {
        /* What cannot be synchronized, such as a pipe, is not damaged for it. */
        if (deliveries->failure == 0 && errno != EINVAL && errno != EROFS)
            deliveries->failure = errno;
    }
    if (fclose(deliveries->file) != 0 && deliveries->failure == 0)
        deliveries->failure = errno;
    deliveries->file = NULL;
    return deliveries->failure == 0 || failed(deliveries, deliveries->failure, err);
}
