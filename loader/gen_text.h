/* Random strings of the population (TPC-C 4.3.2), written straight into a COPY buffer. Pure. */
#ifndef ORDERMILL_LOADER_GEN_TEXT_H
#define ORDERMILL_LOADER_GEN_TEXT_H

#include "common/buf.h"
#include "common/rng.h"

/* The 64 characters of an a-string: . / 0-9 A-Z a-z. The standard asks for the 62 alphanumeric ones
 * at least (4.3.2.2); 64 make every character six unbiased random bits. */

/* Writes `length` random characters of an a-string at `at`, where GEN_TEXT_SLACK more bytes must be
 * writable: it works eight at a time. */
enum { GEN_TEXT_SLACK = 8 };
void gen_text_fill(struct rng *rng, char *at, size_t length);

/* Each appends one text field of COPY, its length first. */
void gen_text(struct rng *rng, struct buf *out, int shortest, int longest); /* a-string */
void gen_text_original(struct rng *rng, struct buf *out, int shortest, int longest, bool original);
void gen_text_digits(struct rng *rng, struct buf *out, int length); /* n-string, at most 18 */
void gen_text_state(struct rng *rng, struct buf *out);              /* two capital letters */
void gen_text_zip(struct rng *rng, struct buf *out);                /* n-string[4] + 11111 */

/* Chooses exactly `wanted` of `total` rows, every subset as likely, one row after the other. */
struct gen_choice {
    int wanted, total;
};
bool gen_choose(struct gen_choice *choice, struct rng *rng);

#endif
