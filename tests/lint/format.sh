#!/bin/sh
# Every C source is as clang-format would write it.
set -u
found=$(find main.c common loader driver profiles reports server tests -name '*.[ch]' 2>/dev/null |
    xargs -P 2 -n 24 clang-format --dry-run -Werror 2>&1 |
    sed -n 's/^\([^ :]*:[0-9]*\):[0-9]*: error: .*/\1: not as clang-format -i writes it/p' | uniq)
[ -z "$found" ] || { echo "$found"; exit 1; }
