/* Reading the files of hostfigures.h: this machine's from /proc and /sys, the server's through its
 * session, with pg_read_file(). What cannot be read is said to be missing, with the reason. */
#ifndef ORDERMILL_DRIVER_HOSTFILES_H
#define ORDERMILL_DRIVER_HOSTFILES_H

#include "common/buf.h"
#include "driver/hostfigures.h"
#include "driver/monitor.h"

struct hostfiles {
    enum metric_source source;
    bool tried[HOST_FILES], readable[HOST_FILES];
    struct buf stat;  /* of HOST_STAT as last read, for the processors one by one */
    struct buf texts; /* scratch */
};

/* Whether the session is one of this machine: a local address, and its process is here. */
bool hostfiles_server_is_here(struct monitor *monitor);
/* The same, where the server says that our end of the connection has this port; 0 or less: it says
 * none. */
bool hostfiles_is_here(const struct pg *pg, int client_port);

/* Reads the files, those that are costly only where `seldom` says so, and feeds what they say. */
void hostfiles_look(struct hostfiles *files, struct series_set *set, bool seldom, int64_t at_us);
/* The same of the server's. Its first look tries every file on its own. */
void hostfiles_look_remote(struct hostfiles *files, struct monitor *monitor, struct series_set *set,
                           bool seldom, int64_t at_us);
/* Of the look before: the processors one by one. */
void hostfiles_cores(struct hostfiles *files, struct series_set *set, int64_t at_us);
void hostfiles_free(struct hostfiles *files);

/* CPU time of a process of this machine, in microseconds; -1: not known. */
int64_t hostfiles_process_cpu_us(int pid);
/* The same out of the text of its stat file, with so many ticks a second. Pure. */
int64_t hostfiles_parse_cpu_us(const char *stat_text, long ticks_per_s);

#endif
