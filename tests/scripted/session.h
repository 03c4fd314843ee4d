/* A scripted server: sessions that connect at once and answer each transaction after a time that a
 * script decides. Linked in place of driver/session.c. */
#ifndef ORDERMILL_TESTS_SCRIPTED_SESSION_H
#define ORDERMILL_TESTS_SCRIPTED_SESSION_H

#include "driver/session.h"

/* Everything is committed. NULL: every call takes 1000 us. Called when a transaction is sent. */
struct session_script {
    int64_t (*service_us)(void *context, const struct session *session, int64_t now_us);
    void *context;
};
extern struct session_script session_script;

#endif
