#!/bin/sh
# dependencies.sh [--check] PURPOSE...: brings in what Debian's packages must provide.
#
# PURPOSE is build, demo, test, browser, lint, cover or bench. Looks for the things themselves, not for package
# names, so that what was installed another way counts too. Says nothing when all is there.
# Otherwise prints what is missing and why, and installs it as root or by a sudo that asks
# nothing; without that right, or with --check, prints the command to run and exits 1.
set -u

has_command() { command -v "$1" >/dev/null 2>&1; }
has_library() { has_command pkg-config && pkg-config --exists "$1"; }
has_perl_module() { has_command perl && perl -M"$1" -e 1 2>/dev/null; }
has_header() { echo "#include <$1>" | cc -E - >/dev/null 2>&1; }
# The server's programs lie outside PATH on Debian.
has_server() {
    for program in /usr/lib/postgresql/*/bin/"$1"; do
        [ -x "$program" ] && return 0
    done
    has_command "$1" && return 0
    has_command pg_config && [ -x "$(pg_config --bindir)/$1" ]
}

# purpose  package  why -- test
needs() {
    cat <<'END'
build|make|runs the Makefile|has_command make
build|gcc|compiles C|has_command cc
build|libc6-dev|headers of the C library|has_header stdio.h
build|pkg-config|tells the compiler where the libraries are|has_command pkg-config
build|perl-base|embeds the SQL files into the program|has_command perl
build|libpq-dev|connects to PostgreSQL|has_library libpq
build|libxml2-dev|reads and validates profiles|has_library libxml-2.0
build|libgsl-dev|statistics|has_library gsl
build|libsqlite3-dev|stores runs|has_library sqlite3
demo|postgresql|the throw-away server|has_server initdb
demo|gnuplot-nox|draws the charts of the report|has_command gnuplot
test|libcmocka-dev|unit tests|has_library cmocka
test|perl|runs the tests (prove, Test::More)|has_command prove && has_perl_module Test::More
test|postgresql|the throw-away server of the system tests|has_server initdb
test|gnuplot-nox|draws the charts of the report|has_command gnuplot
test|pgbouncer|the pooler that one system test puts between|has_command pgbouncer || [ -x /usr/sbin/pgbouncer ]
test|sqlite3|looks into the run store|has_command sqlite3
test|libxml2-utils|checks profiles and reports (xmllint)|has_command xmllint
browser|chromium|opens the report, for one of the tests|has_command chromium
lint|perl|runs the lint scripts|has_command prove && has_perl_module File::Find
lint|clang-format|checks the format of the sources|has_command clang-format
lint|mandoc|checks the man pages|has_command mandoc
lint|libxml2-utils|checks the shipped profiles (xmllint)|has_command xmllint
bench|postgresql|the server and pgbench, which we compare with|has_server initdb && has_server pgbench
cover|perl|sums up what gcov counted|has_command prove
END
}

say() { echo "$*" >&2; }

missing_now() { # PURPOSE... -> lines "package|why", each package once
    seen=' '
    while IFS='|' read -r purpose package why test; do
        case " $* " in *" $purpose "*) ;; *) continue ;; esac
        case "$seen" in *" $package "*) continue ;; esac
        eval "$test" && continue
        seen="$seen$package "
        echo "$package|$why"
    done <<END
$(needs)
END
}

# As the superuser: installs the packages. Installing the server would also create and start a
# cluster "main" that nobody asked for: a drop-in of ours forbids that while apt-get runs.
install_script='
set -u
export DEBIAN_FRONTEND=noninteractive
folder=/etc/postgresql-common/createcluster.d
dropin=$folder/ordermill.conf
policy=/usr/sbin/policy-rc.d
made=
quiet=
forget() {
    rm -f "$dropin"
    [ -z "$quiet" ] || rm -f "$policy"
    for d in $made; do rmdir "$d" 2>/dev/null; done
}
trap forget EXIT
trap "exit 130" INT
trap "exit 143" TERM
case " $* " in *" postgresql "*)
    for d in "$folder" /etc/postgresql-common; do [ -d "$d" ] || made="$made $d"; done
    mkdir -p "$folder" && echo "create_main_cluster = false" >"$dropin" ;;
esac
# Nor is a pooler to run as a service.
case " $* " in *" pgbouncer "*)
    [ -e "$policy" ] || { quiet=yes; printf "#!/bin/sh\nexit 101\n" >"$policy"; chmod 755 "$policy"; } ;;
esac
apt-get -q -o DPkg::Lock::Timeout=300 update &&
apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends "$@"
'

check_only=
if [ "${1-}" = --check ]; then
    check_only=yes
    shift
fi
[ $# -gt 0 ] || { say "usage: dependencies.sh [--check] build|demo|test|browser|lint|cover|bench ..."; exit 2; }
for purpose in "$@"; do
    needs | grep -q "^$purpose|" || { say "dependencies: unknown purpose \"$purpose\""; exit 2; }
done

missing=$(missing_now "$@")
[ -n "$missing" ] || exit 0
say "dependencies: missing for $*:"
echo "$missing" | while IFS='|' read -r package why; do
    printf '  %-16s %s\n' "$package" "$why" >&2
done
packages=$(echo "$missing" | cut -d'|' -f1 | tr '\n' ' ')
packages=${packages% }
line="apt-get update && apt-get install --no-install-recommends $packages"

has_command apt-get || { say "dependencies: no apt-get here; install the equal of: $packages"; exit 1; }
if [ -n "$check_only" ]; then
    as_root=
elif [ "$(id -u)" -eq 0 ]; then
    as_root=env
elif has_command sudo && sudo -n true 2>/dev/null; then
    as_root='sudo -n'
else
    as_root=
fi
if [ -z "$as_root" ]; then
    say "dependencies: as root, run:"
    say "  $line"
    exit 1
fi

say "dependencies: installing $packages"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
# shellcheck disable=SC2086 # both are lists of words
if ! $as_root sh -c "$install_script" install $packages >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    say "dependencies: apt-get failed; as root, run:"
    say "  $line"
    exit 1
fi
missing=$(missing_now "$@" | cut -d'|' -f1 | tr '\n' ' ')
[ -z "$missing" ] || { say "dependencies: installed, but still not found: $missing"; exit 1; }
say "dependencies: installed"
