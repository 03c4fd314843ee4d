/* All workers of a run together: started, asked for flips, collected, ended. Used by the thread
 * that runs the step. */
#ifndef ORDERMILL_DRIVER_CREW_H
#define ORDERMILL_DRIVER_CREW_H

#include "driver/worker.h"

struct crew {
    struct worker **workers;
    int count;
    bool joined;
};

/* Starts `threads` workers. After a failure nothing runs. */
MUST_CHECK bool crew_start(struct crew *crew, const struct worker_rules *rules, int threads,
                           struct err *err);
struct worker_state crew_look(const struct crew *crew);
bool crew_first_error(const struct crew *crew, struct err *err);

/* Asks all meters for a flip at that moment, which should lie a little ahead; answers come by
 * waking the rules' loop. */
void crew_ask(struct crew *crew, int64_t at_us, bool last);
bool crew_answered(const struct crew *crew);
/* Sums up what the last flip closed. Once per flip. */
void crew_collect(struct crew *crew, struct meter_half *sum);

/* Hands over the records of deferred deliveries that ended before that moment. */
typedef void crew_record_fn(void *context, const struct deferred_record *record);
void crew_take_records(struct crew *crew, int64_t before_us, crew_record_fn *take, void *context);
/* After the join: how many deferred deliveries never began that were queued then or later. */
uint64_t crew_deliveries_left(const struct crew *crew, int64_t since_us);

void crew_cancel(struct crew *crew);
void crew_abandon(struct crew *crew);

/* Ends the threads; then sums up what was counted since the last flip, and since the beginning. */
void crew_join(struct crew *crew);
void crew_collect_rest(const struct crew *crew, struct meter_half *sum);
/* As in the meters, of all workers. */
void crew_growth(const struct crew *crew, int64_t counted[GROWTHS], int64_t uncertain[GROWTHS]);
/* Committed new-orders since the beginning, by home warehouse, in rising order. */
void crew_home_new_orders(const struct crew *crew, int warehouses, uint64_t *sums);
void crew_free(struct crew *crew);

#endif
