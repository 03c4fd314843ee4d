#!/bin/sh
# servers.sh COUNT COMMAND...: runs the command beside so many private servers of the kit's; ORDERMILL
# names its binary. TEST_SERVERS holds the PGHOST of each; all else of the environment is the same for
# them all. A test takes one that no other uses (lib/Kit.pm): it may stop, crash, load and count whatever
# it likes while another runs.
set -eu
count=$1
shift
[ "$count" -gt 0 ] || exec "$@"
# shellcheck disable=SC2016 # PGHOST is the one that the server gives
exec "$ORDERMILL" server -q -- sh -c 'exec env TEST_SERVERS="${TEST_SERVERS-} $PGHOST" "$@"' \
    sh "$0" $((count - 1)) "$@"
