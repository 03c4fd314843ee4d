/* The children of a process, as Linux lists them. For what a server leaves behind when its first
 * process dies or was stopped: nobody else would end those. */
#ifndef ORDERMILL_SERVER_OFFSPRING_H
#define ORDERMILL_SERVER_OFFSPRING_H

#include <stdint.h>
#include <sys/types.h>

/* From here on orphans among our descendants become our children. */
void offspring_adopt(void);
/* Sends the signal to each child of that process, and returns how many there are. */
int offspring_signal(pid_t parent, int signal);
/* Kills all our children, stopped ones too, until none is left or the time is over. */
void offspring_end(int64_t patience_us);

#endif
