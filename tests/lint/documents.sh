#!/bin/sh
# The man pages (those in docs/man and those the build has made), the shipped profiles, the syntax of
# the scripts, and whether the map of the house has every source.
set -u
status=0
quiet() { # COMMAND...: prints what it says only if it fails
    said=$("$@" 2>&1) || { echo "$said"; status=1; }
}
for page in docs/man/*.1 build/man/*.1 build/man/*.5; do
    [ -e "$page" ] && quiet mandoc -T lint -W warning "$page"
done
for profile in profiles/*.xml; do
    [ -e "$profile" ] && quiet xmllint --nonet --noout --schema profiles/profile.xsd "$profile"
done
for script in scripts/*.sh tests/*/*.sh; do
    [ -e "$script" ] && quiet sh -n "$script"
done
quiet bash -n .ci/run
for source in common/*.c loader/*.c driver/*.c profiles/*.c reports/*.c server/*.c; do
    name=$(basename "$source" .c)
    grep -q "\`$name\`" docs/architecture.md ||
        { echo "docs/architecture.md:1: the map does not say what $source is for"; status=1; }
done
for script in scripts/*.pl tests/lint/*.p[lm] tests/system/*.t tests/system/lib/*.pm tests/bench/*.pl; do
    [ -e "$script" ] && quiet perl -Itests/system/lib -Itests/lint -c "$script"
done
exit $status
