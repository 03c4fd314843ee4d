/* What the files of the verdicts share, and nobody else uses. */
#ifndef ORDERMILL_COMMON_VERDICT_PARTS_H
#define ORDERMILL_COMMON_VERDICT_PARTS_H

#include "common/verdict.h"

extern const char *const verdict_rules[VERDICTS];

void __attribute__((format(printf, 3, 4)))
verdict_say(struct verdict *verdict, enum verdict_outcome outcome, const char *format, ...);
enum verdict_outcome verdict_pass_if(bool holds);
bool verdict_is_standard_mix(const struct step *step);
void verdict_mix(const struct step *step, struct verdict *verdict);

/* Over the complete steps of a run. */
void verdict_repeatable(const struct run *run, struct verdict *verdict);
void verdict_comparable(const struct run *run, struct verdict *verdict);

#endif
