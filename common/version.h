/* The version of the kit, as --version prints it and every result states it. */
#ifndef ORDERMILL_COMMON_VERSION_H
#define ORDERMILL_COMMON_VERSION_H

#define KIT_VERSION "0.1.0"

#endif
