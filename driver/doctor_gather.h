/* Gathering the facts that the doctor judges: of a host through whatever reads its files, of a
 * server through a connection, of this program from its own build. What cannot be found out stays
 * unknown. */
#ifndef ORDERMILL_DRIVER_DOCTOR_GATHER_H
#define ORDERMILL_DRIVER_DOCTOR_GATHER_H

#include "common/buf.h"
#include "common/pg.h"
#include "driver/doctor.h"

/* Puts the whole file into text, which is empty; false where there is none. */
typedef bool doctor_read_fn(void *context, const char *path, struct buf *text);

/* From /proc and /sys, at most `cores_max` processors one by one. */
void doctor_read_host(struct host_facts *host, doctor_read_fn *read, void *context, int cores_max);
/* How many processors a list such as "0-3,8" names; -1 when it is none. Pure. */
int doctor_parse_list(const char *text);

/* The type of the filesystem that holds the path, by the text of /proc/mounts; "" where none does.
 * Pure. */
void doctor_filesystem_of(const char *mounts, const char *path, char text[DOCTOR_TEXT]);

/* Best and spread of several rounds, which it sorts. Pure. */
void doctor_judge_speed(struct host_facts *host, double *speeds, int count);

/* The files of this machine, below a root: "" or that of a test. */
bool doctor_read_local(void *root, const char *path, struct buf *text);
/* Also how busy it is, and how fast: takes most of a second. */
void doctor_look_here(struct doctor_facts *facts);

/* Through the session, which may be anybody's; `schema` need not exist. */
void doctor_look_there(struct doctor_facts *facts, struct pg *pg, const char *schema);

#endif
