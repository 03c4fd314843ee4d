/* The user's own server must not shine through where the private one is meant: PGHOSTADDR would
 * lead to another host, PGSERVICE to another set of settings, PGOPTIONS into the server. */
#ifndef ORDERMILL_SERVER_LIBPQ_ENVIRONMENT_H
#define ORDERMILL_SERVER_LIBPQ_ENVIRONMENT_H

/* Takes every variable whose name begins with PG out of this process's environment. Not while other
 * threads run. */
void libpq_environment_forget(void);

#endif
