# Ordermill: the only build file. `make help` lists the targets.
# Everything made lies under $(BUILD); a sanitizer build is the same file with another $(BUILD).

BUILD    ?= build
SANITIZE ?=
CC       ?= cc
WERROR   ?= -Werror
OPTIMIZE ?= -O2
PREFIX   ?= /usr/local
DESTDIR  ?=

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wundef -Wvla
PACKAGES := libpq libxml-2.0 gsl sqlite3

PARTS    := common loader driver profiles reports server
SOURCES  := $(wildcard $(PARTS:%=%/*.c))
EMBEDDED := $(sort $(wildcard schemas/*.sql procedures/*.sql procedures/*/*.sql checks/*.sql \
              profiles/profile.xsd profiles/*.xml reports/report.css reports/result.xsd))
OBJECTS  := $(SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/embedded_files.o
LIBRARY  := $(BUILD)/libordermill.a
BINARY   := $(BUILD)/ordermill
SHARED   := $(patsubst %.c,$(BUILD)/%.o,$(filter-out tests/unit/test_%,$(wildcard tests/unit/*.c)))
HELPERS  := $(BUILD)/tests/helpers.a
SYSTEM   := $(wildcard tests/system/*.t)
PROGRAMS := $(patsubst tests/system/%.c,$(BUILD)/tests/%,$(wildcard tests/system/*.c))
TESTS    := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))

sanitizer := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
# Asked once, when first needed: targets that install packages come before there are any.
pkg_cflags = $(eval pkg_cflags := $(shell pkg-config --cflags $(PACKAGES)))$(pkg_cflags)
pkg_libs   = $(eval pkg_libs := $(shell pkg-config --libs $(PACKAGES)))$(pkg_libs)
compile    = $(CC) -std=c17 -D_GNU_SOURCE -I. $(pkg_cflags) -pthread $(OPTIMIZE) -g $(WARNINGS) \
               $(WERROR) $(sanitizer) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
link       = $(CC) -pthread $(sanitizer) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^)

# On a bare machine a target first installs packages and then builds in a make of its own, which
# sees them. That one uses all cores unless told otherwise.
parallel := $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))
then_make = $(MAKE) $(parallel) --no-print-directory

# What a test run needs to know. One prove runs everything, so many files at once, each beside a private
# server that it has to itself: most of them wait for most of their time.
TEST_JOBS ?= 2
tap       = CMOCKA_MESSAGE_OUTPUT=TAP
prove     = prove -j$(TEST_JOBS) $(PROVE_FLAGS)
prove_all = $(tap) ORDERMILL=$(abspath $(BUILD)/ordermill) \
            tests/system/servers.sh $(TEST_JOBS) $(prove) $(TESTS) $(SYSTEM)

# One short line per file; `make V=1` shows the commands, `make -s` nothing.
Q := $(if $(V),,@)
silent := $(findstring s,$(firstword -$(MAKEFLAGS)))
log = @$(if $(V)$(silent),:,echo "  $(1)  $(patsubst $(BUILD)/%,%,$@)")

.PHONY: all help demo test unit intervals system golden versions lint bench bench-driver bench-loader bench-load-times bench-fillfactor bench-arrival bench-procedures bench-metrics bench-reports asan tsan cover man install uninstall clean
.DELETE_ON_ERROR:
.SECONDARY:

all: $(LIBRARY) $(BINARY)

help:
	@sed -n 's/^#: //p' Makefile

# ---- the program ----
#: make              builds build/ordermill
#: make demo         from nothing to a report: private server, two warehouses, a short profile
demo:
	@scripts/dependencies.sh build demo
	@$(then_make) all
	@$(BUILD)/ordermill demo

$(BUILD)/ordermill: $(BUILD)/main.o $(LIBRARY)
	$(call log,LINK)
	$(Q)$(link) $(pkg_libs) -lm

$(LIBRARY): $(OBJECTS)
	@rm -f $@
	$(call log,AR  )
	$(Q)$(AR) rcs $@ $^

$(BUILD)/%.o: %.c Makefile | $(BUILD)/checked
	@mkdir -p $(@D)
	$(call log,CC  )
	$(Q)$(compile)

$(BUILD)/%.o: $(BUILD)/%.c Makefile | $(BUILD)/checked
	$(call log,CC  )
	$(Q)$(compile)

# The list of files is a prerequisite of its own, so that a removed file leaves the table too.
$(BUILD)/embedded_files.c: scripts/embed.pl $(EMBEDDED) $(BUILD)/embedded_files.list
	$(call log,PERL)
	$(Q)perl scripts/embed.pl $(EMBEDDED) >$@

$(BUILD)/embedded_files.list: FORCE
	@mkdir -p $(@D)
	@echo '$(EMBEDDED)' | cmp -s - $@ || echo '$(EMBEDDED)' >$@

# Once per build folder, so that a missing library is named instead of a missing header.
$(BUILD)/checked:
	@scripts/dependencies.sh --check build
	@mkdir -p $(@D)
	@touch $@

.PHONY: FORCE
FORCE:

# ---- the tests ----
#: make test         all tests, unit and system, against private servers; TEST_JOBS=2 files at once
test:
	@scripts/dependencies.sh build demo test
	@$(then_make) system

#: make unit         the unit tests alone
unit: $(TESTS)
	@$(tap) $(prove) $(TESTS)

#: make intervals    how often each interval holds, as in docs/statistics.md: by simulation
intervals: $(BUILD)/tests/test_coverage
	@$< >$(BUILD)/intervals; status=$$?; sed -n 's/^# \{0,1\}//p' $(BUILD)/intervals; exit $$status

system: all $(TESTS) $(PROGRAMS)
	@$(prove_all)

#: make golden       makes the files of tests/golden anew; read the difference
golden: all $(BUILD)/tests/make_run
	@GOLDEN=write ORDERMILL=$(abspath $(BUILD)/ordermill) prove -Q tests/system/411-report-forms.t

# What the tests share, such as made-up runs, lies beside them under any other name.
$(HELPERS): $(SHARED)
	@mkdir -p $(@D)
	@rm -f $@
	$(call log,AR  )
	$(Q)$(AR) rcs $@ $^

$(BUILD)/tests/%: $(BUILD)/tests/unit/%.o $(HELPERS) $(LIBRARY)
	@mkdir -p $(@D)
	$(call log,LINK)
	$(Q)$(link) $(pkg_libs) -lcmocka -lm

# A worker against scripted sessions, in place of the driver's own.
$(BUILD)/tests/test_worker $(BUILD)/tests/test_allocations: $(BUILD)/tests/scripted/session.o

# Counts what the kit allocates.
$(BUILD)/tests/test_allocations: LDFLAGS += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc

# What system tests run beside the kit itself.
$(PROGRAMS): $(BUILD)/tests/%: $(BUILD)/tests/system/%.o $(HELPERS) $(LIBRARY)
	@mkdir -p $(@D)
	$(call log,LINK)
	$(Q)$(link) $(pkg_libs) -lm

#: make asan, tsan   the same with the address and undefined, or the thread sanitizer
asan:
	@$(then_make) BUILD=build/asan SANITIZE=address,undefined system

tsan:
	@$(then_make) BUILD=build/tsan SANITIZE=thread system

#: make versions     the whole cycle on PostgreSQL 14 to 18, fetched through npm: needs the network
versions: all
	@scripts/versions.sh $(VERSIONS)

#: make lint         layers, lengths, banned calls, headers, format, man pages, profiles
lint:
	@scripts/dependencies.sh build lint
	@$(then_make) man
	@sh tests/lint/run.sh

#: make bench        the driver's cost per call against pgbench, the loader's against bare COPY;
#:                   bench-driver and bench-loader are the halves
bench: bench-driver bench-loader

#: make bench-procedures   the two sets of procedures, the ways to call them, and plain statements
bench-procedures:
	@scripts/dependencies.sh build bench
	@$(then_make) all
	$(BUILD)/ordermill server -q -- tests/bench/procedures.pl $(BUILD)/ordermill

#: make bench-metrics      what looking at hosts and server costs a level
bench-metrics:
	@scripts/dependencies.sh build bench
	@$(then_make) all
	$(BUILD)/ordermill server -q -- tests/bench/metrics.pl $(BUILD)/ordermill

bench-driver:
	@scripts/dependencies.sh build bench
	@$(then_make) all
	$(BUILD)/ordermill server -q -- tests/bench/run.pl $(BUILD)/ordermill

bench-loader:
	@scripts/dependencies.sh build bench
	@$(then_make) all $(BUILD)/bench/write_population $(BUILD)/bench/copy_floor
	$(BUILD)/ordermill server -q -- tests/bench/loader.pl $(BUILD)

#: make bench-reports    time, memory and size of the report of a run of sixteen hours
bench-reports:
	@scripts/dependencies.sh build demo
	@$(then_make) all $(BUILD)/tests/make_run
	tests/bench/reports.pl $(BUILD)

#: make bench-load-times
#:                   whole loads of 1, 10 and 50 warehouses, against what plan expected
bench-load-times:
	@scripts/dependencies.sh build bench
	@$(then_make) all
	$(BUILD)/ordermill server -q -- tests/bench/load_times.pl $(BUILD)

#: make bench-fillfactor
#:                   throughput, HOT updates and growth by the fillfactors of the tables
bench-fillfactor:
	@scripts/dependencies.sh build bench
	@$(then_make) all
	$(BUILD)/ordermill server -q -- tests/bench/fillfactor.pl $(BUILD)

#: make bench-arrival
#:                   the times of arrival that a real load foretells, against what happened
bench-arrival:
	@scripts/dependencies.sh build bench
	@$(then_make) all
	$(BUILD)/ordermill server -q -- tests/bench/arrival.pl $(BUILD)

#: make bench-terminals
#:                   how late terminals wake up, and the memory each takes; no server
bench-terminals:
	@scripts/dependencies.sh build bench
	@$(then_make) $(BUILD)/bench/terminals
	$(BUILD)/bench/terminals

$(BUILD)/bench/terminals: $(BUILD)/tests/scripted/session.o

$(BUILD)/bench/%: $(BUILD)/tests/bench/%.o $(LIBRARY)
	@mkdir -p $(@D)
	$(call log,LINK)
	$(Q)$(link) $(pkg_libs) -lm

# A failed test still counts. What ends by _exit, as the supervisor of the private server does,
# leaves no counts.
#: make cover        which lines the tests run, by file
cover:
	@scripts/dependencies.sh build demo test cover
	@rm -rf build/cover
	-@$(then_make) BUILD=build/cover OPTIMIZE=-O0 CFLAGS=--coverage system
	@perl scripts/cover.pl build/cover

# ---- the rest ----
#: make man          the man pages under build/man, made by the program from its own tables
man: all
	@rm -rf $(BUILD)/man
	@mkdir -p $(BUILD)/man
	@for command in $(commands); do \
	    $(BUILD)/ordermill $$command --man >$(BUILD)/man/ordermill-$$command.1 || exit 1; \
	done
	@$(BUILD)/ordermill --man >$(BUILD)/man/list
	@sed '/^\.\\" COMMANDS/r $(BUILD)/man/list' docs/man/ordermill.1 >$(BUILD)/man/ordermill.1
	@rm $(BUILD)/man/list
	@perl scripts/profile_man.pl docs/profiles.md profiles/*.xml >$(BUILD)/man/ordermill-profile.5

commands = $(shell $(BUILD)/ordermill --help | sed -n '/^Commands:/,/^$$/s/^  \([a-z]*\) .*/\1/p')

#: make install      into DESTDIR, under PREFIX (/usr/local)
install: man
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man5
	install $(BINARY) $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(BUILD)/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 $(BUILD)/man/*.5 $(DESTDIR)$(PREFIX)/share/man/man5

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/ordermill $(DESTDIR)$(PREFIX)/share/man/man1/ordermill*.1 $(DESTDIR)$(PREFIX)/share/man/man5/ordermill*.5

#: make clean        removes build/
clean:
	rm -rf build

-include $(OBJECTS:.o=.d) $(SHARED:.o=.d) $(PROGRAMS:$(BUILD)/tests/%=$(BUILD)/tests/system/%.d) $(BUILD)/main.d $(TESTS:$(BUILD)/tests/%=$(BUILD)/tests/unit/%.d)
