/* Owns which variables are libpq's: all of PG*, since newer versions add to them. */
#include "server/libpq_environment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"

#define NAME_SIZE 64 /* no variable of libpq's is as long */

void
libpq_environment_forget(void)
{
    for (size_t i = 0; environ[i];) {
        char name[NAME_SIZE];
        size_t length = strcspn(environ[i], "=");

        if (strncmp(environ[i], "PG", 2) != 0 || length >= sizeof name) {
            i++;
            continue;
        }
        memcpy(name, environ[i], length);
        name[length] = '\0';
        must(unsetenv(name) == 0); /* the rest moves down */
    }
}
