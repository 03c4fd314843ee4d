#!/bin/sh
# Runs every lint; each prints file:line: what is wrong. Run from the root of the project.
set -u
status=0
for lint in layers.pl lengths.pl banned.pl words.pl headers.sh format.sh documents.sh; do
    case $lint in
    *.pl) perl "tests/lint/$lint" ;;
    *) sh "tests/lint/$lint" ;;
    esac || { echo "lint: $lint failed" >&2; status=1; }
done
[ $status -eq 0 ] && echo "lint: all clean" >&2
exit $status
