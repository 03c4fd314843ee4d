/* Between doctor.c and the files of its checks. A check looks at facts and either says what it saw
 * or nothing; what is not known is never held against anybody. For no other file. */
#ifndef ORDERMILL_DRIVER_DOCTOR_CHECKS_H
#define ORDERMILL_DRIVER_DOCTOR_CHECKS_H

#include "driver/doctor.h"

struct doctor_look {
    const struct doctor_facts *facts;
    const struct host_facts *host; /* of the checks of hosts */
    struct arena *arena;
    struct finding *finding;
};

struct doctor_check {
    const char *name;
    bool (*function)(const struct doctor_look *look);
    const char *why, *mend;
};

/* Each ends with a NULL name. */
extern const struct doctor_check doctor_host_checks[], doctor_server_checks[];

/* Fills severity and `seen` of the finding, of a host with whose it is; returns true. */
bool doctor_saw(const struct doctor_look *look, enum severity severity, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* The command of this very server or host, in place of the check's. */
void doctor_mend(const struct doctor_look *look, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
