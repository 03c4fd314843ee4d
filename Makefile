# Ordermill: the only build file. `make help` lists the targets.
# Everything made lies under $(BUILD); a sanitizer build is the same file with another $(BUILD).

BUILD    ?= build
SANITIZE ?=
CC       ?= cc
WERROR   ?= -Werror
OPTIMIZE ?= -O2

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wundef -Wvla
PACKAGES := libpq libxml-2.0 gsl sqlite3

PARTS    := common loader driver profiles reports server
SOURCES  := $(wildcard $(PARTS:%=%/*.c))
EMBEDDED := $(sort $(wildcard schemas/*.sql procedures/*/*.sql checks/*.sql \
              profiles/profile.xsd profiles/*.xml))
OBJECTS  := $(SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/embedded_files.o
LIBRARY  := $(BUILD)/libordermill.a
BINARY   := $(if $(wildcard main.c),$(BUILD)/ordermill)
TESTS    := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))

sanitizer := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer)
# Asked once, when first needed: a target that only installs packages must not need them.
pkg_cflags = $(eval pkg_cflags := $(shell pkg-config --cflags $(PACKAGES)))$(pkg_cflags)
pkg_libs   = $(eval pkg_libs := $(shell pkg-config --libs $(PACKAGES)))$(pkg_libs)
compile    = $(CC) -std=c17 -D_GNU_SOURCE -I. $(pkg_cflags) -pthread $(OPTIMIZE) -g $(WARNINGS) \
               $(WERROR) $(sanitizer) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
link       = $(CC) -pthread $(sanitizer) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o %.a,$^)

.PHONY: all unit asan tsan clean
.DELETE_ON_ERROR:
.SECONDARY:

all: $(LIBRARY) $(BINARY)

# ---- the program ----
$(BUILD)/ordermill: $(BUILD)/main.o $(LIBRARY)
	$(link) $(pkg_libs) -lm

$(LIBRARY): $(OBJECTS)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(compile)

$(BUILD)/%.o: $(BUILD)/%.c Makefile
	$(compile)

# The list of files is a prerequisite of its own, so that a removed file leaves the table too.
$(BUILD)/embedded_files.c: scripts/embed.pl $(EMBEDDED) $(BUILD)/embedded_files.list
	perl scripts/embed.pl $(EMBEDDED) >$@

$(BUILD)/embedded_files.list: FORCE
	@mkdir -p $(@D)
	@echo '$(EMBEDDED)' | cmp -s - $@ || echo '$(EMBEDDED)' >$@

.PHONY: FORCE
FORCE:

# ---- the tests ----
$(BUILD)/tests/%: $(BUILD)/tests/unit/%.o $(LIBRARY)
	@mkdir -p $(@D)
	$(link) $(pkg_libs) -lcmocka -lm

unit: $(TESTS)
	CMOCKA_MESSAGE_OUTPUT=TAP prove --exec '' $(TESTS)

asan:
	$(MAKE) BUILD=build/asan SANITIZE=address,undefined all unit

tsan:
	$(MAKE) BUILD=build/tsan SANITIZE=thread all unit

clean:
	rm -rf build

-include $(OBJECTS:.o=.d) $(BUILD)/main.d $(TESTS:$(BUILD)/tests/%=$(BUILD)/tests/unit/%.d)
