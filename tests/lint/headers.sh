#!/bin/sh
# Each header compiles alone, twice over, and its guard is named after its path.
set -u
flags="-std=c17 -D_GNU_SOURCE -I. -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags libpq libxml-2.0 gsl sqlite3)"
status=0
for header in common/*.h loader/*.h driver/*.h profiles/*.h reports/*.h server/*.h; do
    [ -e "$header" ] || continue
    guard=ORDERMILL_$(echo "${header%.h}" | tr 'a-z/' 'A-Z_')_H
    grep -q "^#ifndef $guard\$" "$header" || { echo "$header:1: its guard is not $guard"; status=1; }
    # shellcheck disable=SC2086 # a list of flags
    printf '#include "%s"\n#include "%s"\n' "$header" "$header" | ${CC:-cc} $flags -x c - 2>&1 ||
        { echo "$header:1: does not compile alone"; status=1; }
done
exit $status
