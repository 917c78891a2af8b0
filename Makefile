# meshspec: every entry point. `make help` lists them.

MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := all
SHELL := /bin/bash

CC       ?= gcc
ifeq ($(origin CC),default)
CC       := gcc
endif
SANITIZE ?=
comma    := ,
BUILD    := build$(if $(SANITIZE),/sanitize-$(subst $(comma),-,$(SANITIZE)))

WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Werror
CFLAGS   ?= -O2 -g
ALL_CFLAGS := -std=c11 -D_GNU_SOURCE -I. $(WARNINGS) $(CFLAGS) -fno-omit-frame-pointer -pthread \
              $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all)
ALL_LDFLAGS := -pthread $(if $(SANITIZE),-fsanitize=$(SANITIZE))

PACKAGES := libwebsockets libcjson yaml-0.1 sqlite3 openssl libcurl libxml-2.0
PACKAGE_CFLAGS = $(shell pkg-config --cflags $(PACKAGES))
LIBS_websockets = $(shell pkg-config --libs libwebsockets)
LIBS_cjson      = $(shell pkg-config --libs libcjson)
LIBS_yaml       = $(shell pkg-config --libs yaml-0.1)
LIBS_sqlite     = $(shell pkg-config --libs sqlite3)
LIBS_openssl    = $(shell pkg-config --libs openssl)
LIBS_curl       = $(shell pkg-config --libs libcurl)
LIBS_xml        = $(shell pkg-config --libs libxml-2.0)
LIBS_criterion  = $(shell pkg-config --libs criterion)

# ---- what is built from what: every folder's *.c, so that no list is kept by hand ----------------

relay_sources    := $(wildcard relay-ref/json/*.c relay-ref/core/*.c)
adapter_sources  := $(wildcard relay-ref/adapters/*.c)
harness_sources  := $(wildcard $(foreach room,base json match scenario run target replay history report diff compare matrix command,harness/$(room)/*.c))
# The pages of the HTML reports lie in files of their own; each is built in as an array of its bytes, named after it.
page_files       := $(wildcard harness/report/page/* harness/matrix/page/*)
page_sources     := $(patsubst %,$(BUILD)/generated/page/%.c,$(notdir $(page_files)))
store_sources    := $(wildcard tools/sync-server/*.c)
provision_sources := $(wildcard tools/provision/*.c)

objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

programs := $(if $(wildcard harness/main.c),$(BUILD)/meshspec) \
            $(if $(wildcard relay-ref/main/meshspec_relay.c),$(BUILD)/meshspec-relay) \
            $(if $(wildcard tools/adapters/c-relay/main.c),$(BUILD)/meshspec-adapter) \
            $(if $(store_sources),$(BUILD)/meshspec-store) \
            $(if $(provision_sources),$(BUILD)/meshspec-provision)

unit_tests := $(if $(wildcard relay-ref/tests/*.c),$(BUILD)/tests/relay-tests) \
              $(if $(wildcard harness/tests/*.c),$(BUILD)/tests/harness-tests)

.PHONY: all unit-tests clean
all: $(programs) ## build the programs

$(BUILD)/librelay.a: $(call objects,$(relay_sources))
$(BUILD)/libadapters.a: $(call objects,$(adapter_sources))
$(BUILD)/libharness.a: $(call objects,$(harness_sources) $(page_sources))
# V=1 shows the whole commands.
V ?=
shown = $(if $(V),,@)
say   = $(if $(V),,@printf '  %-8s %s\n' '$(1)' '$(2)')

$(BUILD)/%.a:
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,archive,$@)
	$(shown)ar rcs $@ $^

vpath %.html harness/report/page harness/matrix/page
vpath %.css harness/report/page harness/matrix/page
vpath %.js harness/report/page harness/matrix/page
$(BUILD)/generated/page/%.c: %
	@mkdir -p $(@D)
	@{ name=page_$(subst .,_,$*); \
	   echo "#include <stddef.h>"; \
	   echo "extern const unsigned char $$name[]; extern const size_t $${name}_size;"; \
	   echo "const unsigned char $$name[] = {"; od -An -v -tu1 $< | sed 's/  *\([0-9][0-9]*\)/\1,/g'; echo "};"; \
	   echo "const size_t $${name}_size = sizeof $$name;"; } > $@

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,compile,$<)
	$(shown)$(CC) $(ALL_CFLAGS) $(PACKAGE_CFLAGS) -MMD -MP -c $< -o $@

link = @mkdir -p $(@D); $(if $(V),,echo "  link     $@";) $(if $(V),set -x;) $(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o %.a,$^) $(1)

$(BUILD)/meshspec: $(BUILD)/obj/harness/main.o $(BUILD)/libharness.a $(BUILD)/libadapters.a $(BUILD)/librelay.a
	$(call link,$(LIBS_websockets) $(LIBS_cjson) $(LIBS_yaml) $(LIBS_xml) $(LIBS_openssl) $(LIBS_curl) $(LIBS_sqlite) -lm)

$(BUILD)/meshspec-relay: $(BUILD)/obj/relay-ref/main/meshspec_relay.o $(BUILD)/libadapters.a $(BUILD)/librelay.a
	$(call link,$(LIBS_websockets) $(LIBS_cjson) $(LIBS_sqlite) $(LIBS_openssl) -lm)

$(BUILD)/meshspec-adapter: $(BUILD)/obj/tools/adapters/c-relay/main.o $(BUILD)/libadapters.a $(BUILD)/librelay.a
	$(call link,$(LIBS_websockets) $(LIBS_cjson) $(LIBS_sqlite) $(LIBS_openssl) -lm)

$(BUILD)/meshspec-store: $(call objects,$(store_sources))
	$(call link,$(LIBS_websockets) $(LIBS_cjson) $(LIBS_sqlite) $(LIBS_openssl) -lm)

$(BUILD)/meshspec-provision: $(call objects,$(provision_sources))
	$(call link,$(LIBS_curl) $(LIBS_cjson) $(LIBS_openssl) -lm)

# Criterion brings its own main. The relay's tests can make its allocations fail (relay-ref/tests/failing_memory.h).
failing_memory := $(foreach name,malloc calloc realloc free,-Wl$(comma)--wrap=$(name))
unit-tests: $(unit_tests)
$(BUILD)/tests/relay-tests: $(call objects,$(wildcard relay-ref/tests/*.c)) $(BUILD)/libadapters.a $(BUILD)/librelay.a $(BUILD)/libharness.a
	$(call link,$(failing_memory) $(LIBS_websockets) $(LIBS_cjson) $(LIBS_sqlite) $(LIBS_openssl) $(LIBS_criterion) -lm)
$(BUILD)/tests/harness-tests: $(call objects,$(wildcard harness/tests/*.c)) $(BUILD)/libharness.a $(BUILD)/libadapters.a $(BUILD)/librelay.a | $(BUILD)/meshspec-adapter
	$(call link,$(LIBS_websockets) $(LIBS_cjson) $(LIBS_yaml) $(LIBS_xml) $(LIBS_openssl) $(LIBS_curl) $(LIBS_sqlite) $(LIBS_criterion) -lm)

# A library that is preloaded into programs to make their allocations fail; for tests in Python.
failing_library := $(BUILD)/tests/failing_memory.so
unit-tests: $(failing_library)
$(failing_library): harness/tests/preload/failing_memory.c
	@mkdir -p $(@D)
	$(call say,library,$@)
	$(shown)$(CC) $(ALL_CFLAGS) -fPIC -shared -o $@ $<

# Loaded in front of a relay, it kills the process at a chosen point of its dealings with its file.
kill_point := $(BUILD)/tests/kill_point.so
unit-tests: $(kill_point)
$(kill_point): relay-ref/tests/crash/kill_point.c
	@mkdir -p $(@D)
	$(call say,library,$@)
	$(shown)$(CC) -std=c11 -D_GNU_SOURCE $(WARNINGS) -O2 -g -shared -fPIC $(PACKAGE_CFLAGS) -o $@ $< -ldl

# Benchmarks: one program a file, named after it.
benches := $(patsubst relay-ref/bench/%.c,$(BUILD)/bench/%,$(wildcard relay-ref/bench/*.c))
.PHONY: bench-programs
bench-programs: $(benches)
bench_support := $(call objects,$(wildcard relay-ref/bench/support/*.c))
$(BUILD)/bench/%: $(BUILD)/obj/relay-ref/bench/%.o $(bench_support) $(BUILD)/libadapters.a $(BUILD)/librelay.a
	$(call link,$(LIBS_websockets) $(LIBS_cjson) $(LIBS_sqlite) $(LIBS_openssl) -lm)

# Fuzzers: one libFuzzer program a file, named after its room and itself. `make fuzz` builds them with clang below build/fuzz.
fuzzers := $(patsubst relay-ref/fuzz/%.c,$(BUILD)/fuzzers/relay-%,$(wildcard relay-ref/fuzz/*.c)) \
           $(patsubst harness/fuzz/%.c,$(BUILD)/fuzzers/harness-%,$(wildcard harness/fuzz/*.c)) \
           $(patsubst tools/sync-server/fuzz/%.c,$(BUILD)/fuzzers/store-%,$(wildcard tools/sync-server/fuzz/*.c))
fuzz_support := $(call objects,$(wildcard harness/fuzz/support/*.c)) $(BUILD)/libharness.a $(BUILD)/libadapters.a $(BUILD)/librelay.a
fuzz_libraries = -fsanitize=fuzzer $(LIBS_websockets) $(LIBS_cjson) $(LIBS_yaml) $(LIBS_xml) $(LIBS_openssl) $(LIBS_curl) $(LIBS_sqlite) -lm
$(BUILD)/fuzzers/relay-%: $(BUILD)/obj/relay-ref/fuzz/%.o $(fuzz_support)
	$(call link,$(fuzz_libraries))
$(BUILD)/fuzzers/harness-%: $(BUILD)/obj/harness/fuzz/%.o $(fuzz_support)
	$(call link,$(fuzz_libraries))
$(BUILD)/fuzzers/store-%: $(BUILD)/obj/tools/sync-server/fuzz/%.o $(call objects,$(wildcard tools/sync-server/json*.c) $(addprefix tools/sync-server/,http_request.c text.c utf8.c))
	$(call link,-fsanitize=fuzzer)

# ---- the two commands of the README, and the other entries -----------------------------------------

.PHONY: help setup conformance matrix readme-matrix run-matrix test run-conformance run-test lint valgrind run-valgrind fuzz run-fuzz crash bench soak install alloc-failure run-alloc-failure

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22
	@echo
	@echo "  RELAY=ws://…         conformance: judge this relay instead of the reference relay"
	@echo "  STORE=http://… APP_ID=… ADMIN_SECRET_FILE=…   conformance: judge this sync store"
	@echo "  PROVISIONER='COMMAND'   conformance: judge this provisioner, with the local store or STORE"
	@echo "  PROFILE='0.1.1 0.2.0' ONLY='join/*'   conformance, valgrind: only these"
	@echo "  SANITIZE=address,undefined | thread   build everything so, below build/sanitize-…"
	@echo "  TIME=60              fuzz: seconds for each fuzzer (default 10); FUZZERS='relay-fold …': only these"
	@echo "  COUNT=1000 SEED=7    crash: so many points, from that seed on (default 200 from 1)"
	@echo "  V=1                  show the commands that build"
	@echo "  DEPS=skip            report missing Debian packages instead of installing them"

setup: ## install the Debian packages that are missing
	@tools/setup.sh

JOBS ?= $(shell nproc)
# What needs the packages is a make of its own, so that their flags are asked for when they are there.
conformance: setup ## judge the reference relay, the local store and the provisioners (or RELAY=, STORE=, PROVISIONER=)
	@$(MAKE) --no-print-directory -j$(JOBS) run-conformance
matrix: setup ## judge everything that lies here, side by side: build/matrix.html and build/matrix.md
	@$(MAKE) --no-print-directory -j$(JOBS) run-matrix
test: setup ## every test: units, command line, scenarios under pytest, recordings, rules of the house
	@$(MAKE) --no-print-directory -j$(JOBS) run-test
valgrind: setup ## the memory target's suite under Valgrind: no error, no leak
	@$(MAKE) --no-print-directory -j$(JOBS) run-valgrind

PROFILE ?= $(if $(RELAY),0.2.0,0.1.0 0.1.1 0.2.0 0.9)
PYTHON   = $(shell tools/python.sh)
provisioner = $(if $(PROVISIONER),--provisioner '$(PROVISIONER)')
run      = $(BUILD)/meshspec run $(foreach profile,$(1),--profile $(profile)) $(if $(ONLY),--only '$(ONLY)')
# The same random traffic for two relays that must do the same, in each profile: what differs is written down below build/.
compare  = $(foreach profile,$(3),$(BUILD)/meshspec compare --target '$(1)' --target '$(2)' --profile $(profile) $(4) --output $(BUILD)/difference.yaml &&) true

# Targets that live on npm packages; without them they are reported as not available. The stamp is one for all kinds of build, as the packages are.
npm_relay_stamp := build/npm-relay.installed
npm_relay_locks := $(addprefix tools/adapters/npm-relay/,package-lock.json package.json)
.PHONY: npm-packages always
npm-packages: $(npm_relay_stamp) ## install what the relay from npm needs, if npm can
$(npm_relay_stamp): $(npm_relay_locks) $(if $(wildcard tools/adapters/npm-relay/node_modules/.package-lock.json),,always)
	@tools/npm_packages.sh tools/adapters/npm-relay $@

# What the project's own targets speak of the profiles that are asked for: both relays of its own, and the one from npm.
of_the_reference = $(PROFILE)
of_the_second    = $(filter-out 0.9,$(PROFILE))
of_npm           = $(filter 0.9,$(PROFILE))
# One profile of each wire version, where one living server speaks one.
of_a_url         = $(lastword $(of_the_second)) $(of_npm)
known_of_npm     = --known-failing scenarios/known-failing/npm-relay.txt
# Runs $(1) on the npm relay, or says why that cannot be.
if_npm = @if test -e $(npm_relay_stamp); then set -x; $(1); else echo "not available: the npm relay: $$(cat $(npm_relay_stamp).missing)"; fi

run-conformance: all $(if $(RELAY)$(STORE)$(PROVISIONER),,$(if $(of_npm),npm-packages))
ifdef RELAY
	$(call run,$(PROFILE)) --target '$(RELAY)'
else ifdef STORE
	$(call run,store) --target '$(STORE)' --app-id '$(APP_ID)' --admin-secret-file '$(ADMIN_SECRET_FILE)' $(provisioner)
else ifdef PROVISIONER
	$(call run,store) --target store $(provisioner)
else
ifeq ($(filter store/%,$(ONLY)),)
ifneq ($(of_the_reference),)
	$(call run,$(of_the_reference)) --target memory
	$(call run,$(of_the_reference)) --target exec:$(BUILD)/meshspec-adapter
	$(call run,$(of_the_reference)) --spawn '$(BUILD)/meshspec-relay --port 0 --control 0'
# The same relay as nothing but a URL: one living server, fresh names for each case.
	$(if $(ONLY),,$(foreach profile,$(of_a_url),$(call run,$(profile)) --spawn '$(BUILD)/meshspec-relay --port 0 --protocol $(profile)' &&) true)
# With its rooms in a file, each echo on the disk before it is sent.
	$(if $(ONLY),,@rm -f $(BUILD)/rooms.db*)
	$(if $(ONLY),,$(call run,$(lastword $(of_the_reference))) --spawn '$(BUILD)/meshspec-relay --port 0 --control 0 --db $(BUILD)/rooms.db --durable')
# And over TLS, with a certificate made for this run.
	$(if $(ONLY),,@openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
	    -addext subjectAltName=IP:127.0.0.1 -keyout $(BUILD)/tls.key -out $(BUILD)/tls.pem 2>/dev/null)
	$(if $(ONLY),,$(call run,$(lastword $(of_the_reference))) --ca $(BUILD)/tls.pem --spawn \
	    '$(BUILD)/meshspec-relay --port 0 --control 0 --cert $(BUILD)/tls.pem --key $(BUILD)/tls.key')
endif
	$(if $(of_the_second),$(call run,$(of_the_second)) --target 'exec:$(PYTHON) tools/adapters/python-relay/adapter.py')
	$(if $(of_npm),$(call if_npm,$(call run,$(of_npm)) $(known_of_npm) --target 'exec:node tools/adapters/npm-relay/adapter.mjs'))
	$(if $(of_npm),$(call if_npm,$(call run,$(of_npm)) $(known_of_npm) --spawn 'node tools/adapters/npm-relay/server.mjs --control 0'))
	$(if $(ONLY),,$(call compare,memory,exec:$(PYTHON) tools/adapters/python-relay/adapter.py,$(of_the_second)))
	$(if $(of_npm),$(if $(ONLY),,$(call if_npm,$(call compare,memory,exec:node tools/adapters/npm-relay/adapter.mjs,$(of_npm),--without junk))))
endif
ifneq ($(if $(ONLY),$(filter store/%,$(ONLY)),all),)
	$(call run,store) --target store
	$(if $(shell command -v node),$(call run,store) --target store --provisioner 'node tools/adapters/node-provisioner/provisioner.mjs')
endif
endif

run-matrix: all npm-packages
	MESHSPEC_BUILD=$(BUILD) $(BUILD)/meshspec matrix fixtures/matrix.yaml $(if $(ONLY),--only '$(ONLY)') --html $(BUILD)/matrix.html --reports --markdown $(BUILD)/matrix.md
readme-matrix: ## put the summary of the last `make matrix` into README.md
	@$(PYTHON) tools/readme_matrix.py $(BUILD)/matrix.md README.md

TESTS ?= .
run-test: all unit-tests lint npm-packages
	$(foreach test,$(unit_tests),$(test) -j1 &&) true
	MESHSPEC_BUILD=$(BUILD) MESHSPEC_RELAY=$(CURDIR)/$(BUILD)/meshspec-relay MESHSPEC_STORE=$(CURDIR)/$(BUILD)/meshspec-store \
	    MESHSPEC_KILL_POINT=$(CURDIR)/$(kill_point) $(PYTHON) -m pytest -q -n auto --dist loadfile -p no:cacheprovider $(TESTS)

lint: $(BUILD)/meshspec ## rules of the house: who may include whom, scenario files, a scenario for every rule
	@$(PYTHON) tools/check_includes.py
	@$(PYTHON) tools/readme_matrix.py --check README.md
	@$(PYTHON) tools/readme_counts.py $(BUILD)/meshspec README.md
	@$(BUILD)/meshspec lint scenarios
	@$(BUILD)/meshspec clauses | tail -n 1; exit $${PIPESTATUS[0]}

VALGRIND = valgrind --quiet --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all --error-exitcode=9
run-valgrind: all
	$(VALGRIND) $(call run,$(PROFILE)) --target memory

# Fuzzers are built apart: another compiler, and code that counts its branches.
TIME ?= 10
fuzz: ## feed every reader, the relay and the matcher with made-up input for TIME seconds each
	@tools/setup.sh fuzz
	@$(MAKE) --no-print-directory -j$(JOBS) run-fuzz BUILD=build/fuzz CC=clang CFLAGS='-O1 -g' SANITIZE=address,undefined,fuzzer-no-link
chosen_fuzzers = $(if $(FUZZERS),$(addprefix $(BUILD)/fuzzers/,$(FUZZERS)),$(fuzzers))
run-fuzz: $(chosen_fuzzers)
	@$(PYTHON) tools/fuzz.py --time $(TIME) $(chosen_fuzzers)

alloc-failure: setup ## have the turn come of every allocation to fail, in the command and the servers; takes an hour or so
	@$(MAKE) --no-print-directory -j$(JOBS) run-alloc-failure
run-alloc-failure: all $(failing_library)
	MESHSPEC_BUILD=$(BUILD) MESHSPEC_RELAY=$(CURDIR)/$(BUILD)/meshspec-relay MESHSPEC_STORE=$(CURDIR)/$(BUILD)/meshspec-store \
	    MESHSPEC_EVERY_ALLOCATION=1 $(PYTHON) -m pytest -q -n auto --timeout 0 -p no:cacheprovider \
	    $(shell find harness relay-ref tools -name 'test_*memory_out.py')

COUNT ?= 200
SEED  ?= 1
crash: all $(kill_point) ## kill a durable relay at COUNT seeded points under load, start it again, check the histories
	MESHSPEC_RELAY=$(CURDIR)/$(BUILD)/meshspec-relay MESHSPEC_KILL_POINT=$(CURDIR)/$(kill_point) \
	    $(PYTHON) relay-ref/tests/crash/crash.py --count $(COUNT) --seed $(SEED)

MINUTES ?= 10
soak: all ## all that clients do, at once, for MINUTES (10) against a durable relay: histories right, memory and files flat
	MESHSPEC_RELAY=$(CURDIR)/$(BUILD)/meshspec-relay $(PYTHON) relay-ref/tests/soak.py --minutes $(MINUTES)

bench: all bench-programs npm-packages ## measure; prints ratios
	$(foreach bench,$(benches),$(bench) &&) true
	$(call if_npm,node tools/adapters/npm-relay/bench.mjs $(BUILD)/bench/register_bench)

PREFIX  ?= /usr/local
DESTDIR ?=
installed = $(DESTDIR)$(PREFIX)
VERBS   = $(shell $(BUILD)/meshspec help | sed -n 's/^  \([a-z]*\)  .*/\1/p')

install: all ## put the programs, man pages, completion and scenarios below PREFIX (default /usr/local; DESTDIR before it)
	install -d $(installed)/bin $(installed)/share/man/man1 $(installed)/share/meshspec $(installed)/share/bash-completion/completions
	install -m 755 $(programs) $(installed)/bin
	cp -r scenarios $(installed)/share/meshspec
	mkdir -p $(installed)/share/meshspec/fixtures
	cp -r fixtures/clauses fixtures/schemas fixtures/recordings fixtures/apps fixtures/permissions $(installed)/share/meshspec/fixtures
	$(BUILD)/meshspec help --man > $(installed)/share/man/man1/meshspec.1
	for verb in $(VERBS); do $(BUILD)/meshspec help --man $$verb > $(installed)/share/man/man1/meshspec-$$verb.1 || exit 1; done
	$(BUILD)/meshspec help --completion > $(installed)/share/bash-completion/completions/meshspec

clean: ## remove everything that was built
	rm -rf build

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
# What is made on the way stays; a file that a list names is made whenever it is missing, however old its source.
.PRECIOUS: $(BUILD)/obj/%.o $(BUILD)/generated/page/%.c
