#!/bin/sh
# What must work on every version of the server: the whole cycle on plain and on partitioned tables,
# the metrics of a level, and, where psql is there, the procedures, their plans, and a role that may
# little. Runs inside "ordermill server --".
set -eu
cd "$(dirname "$0")/../.."

cycle() { # load's options
    "$ORDERMILL" load -q -w 2 --schema cycle "$@"
    "$ORDERMILL" check -q --schema cycle
    "$ORDERMILL" run -q --schema cycle -u 2 -t 5s --ramp-up 1s
    "$ORDERMILL" check -q --schema cycle
    "$ORDERMILL" drop -q --schema cycle
}
cycle --foreign-keys --fillfactor stock=80
cycle --partitions 2 --unlogged --maintenance-memory 64MB --index-workers 1

"$ORDERMILL" load -q -w 1 --schema cycle
perl tests/versions/metrics.pl cycle
"$ORDERMILL" drop -q --schema cycle

command -v psql >/dev/null || { echo "no psql: procedures and rights are not tested"; exit 0; }
prove tests/system/030-procedures.t tests/system/035-plans.t tests/system/105-load-rights.t
