# rf-tools: GNU make, one file, no recursion; what is made lies in $(BUILD).
#
#	make			the tools, librf.a and librf.so
#	make check		all tests; TESTS="tests/rf-score.bats" only some
#	make demo		a forest on a shipped data set, end to end
#	make install		PREFIX=/usr/local DESTDIR=
#
# Yours: CC NVCC CFLAGS CPPFLAGS LDFLAGS PREFIX DESTDIR BUILD, and
#	NVCC=			builds without CUDA even where nvcc is found
#	CUDA_ARCHS="80 90"	GPU code for these compute capabilities
#	WERROR=1		warnings are errors
#	SAN=address,undefined	sanitizers
#	V=1			whole commands are shown

VERSION	= 0.1.0
SOVERSION = 0

# make fuzz and make coverage are builds of their own, by clang and by gcc.
ifneq ($(filter fuzz,$(MAKECMDGOALS)),)
CC	= clang
NVCC	=
SAN	= address,undefined,fuzzer-no-link
BUILD	= build-fuzz
endif
ifneq ($(filter coverage,$(MAKECMDGOALS)),)
NVCC	=
BUILD	= build-coverage
COVERAGE = --coverage -fprofile-update=atomic -O1
endif

BUILD	?= build
PREFIX	?= /usr/local
BINDIR	?= $(PREFIX)/bin
LIBDIR	?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR	?= $(PREFIX)/share/man
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
INSTALL	?= install
# Python of the tests: what `make venv` made, where it did.
RF_PYTHON ?= $(firstword $(wildcard $(CURDIR)/build/venv/bin/python) python3)
NVCC	?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc))
# Without a card: Turing, A100, other Ampere, Ada, H100, B200, RTX 50; those
# that this nvcc knows.  The last one is also given as PTX, for later cards.
DEFAULT_ARCHS = 75 80 86 89 90 100 120
CUDA_ARCHS ?=

ifeq ($(origin CC),default)
CC	= cc
endif

# say WORD: the line shown for a command, unless all of it is (V=1).
say	= $(if $(V),,@printf '  %-5s %s\n' $(1) $@;)

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all demo check check-gpu check-splits check-tables check-san accuracy \
	bench bench-gpu soak fuzz coverage lint venv install uninstall clean FORCE
all:

# What this machine has, found by use and kept until a word of it changes.
ifeq ($(filter-out clean uninstall lint venv,$(or $(MAKECMDGOALS),all)),)
NO_PROBE = 1
endif
CARDS	:= $(wildcard /dev/nvidia[0-9]*)
PROBE_KEY := $(shell printf '%s|' '$(CC)' '$(NVCC)' '$(CUDA_ARCHS)' '$(CARDS)' \
	'$(CPPFLAGS)' '$(LDFLAGS)' | cksum | cut -d' ' -f1)
PROBE	= $(BUILD)/probe-$(PROBE_KEY).mk
ifndef NO_PROBE
include $(PROBE)
endif
$(PROBE): cmd/probe.sh
	@mkdir -p $(@D)
	@CC='$(CC)' NVCC='$(NVCC)' CUDA_ARCHS='$(CUDA_ARCHS)' \
	    DEFAULT_ARCHS='$(DEFAULT_ARCHS)' CPPFLAGS='$(CPPFLAGS)' \
	    LDFLAGS='$(LDFLAGS)' sh cmd/probe.sh $@

# Flags: ours first, the user's last.
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual \
	-Wcast-align -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes \
	-Wold-style-definition -Wwrite-strings -Wvla -Wundef -Wformat=2 \
	-Wdouble-promotion
RF_CPPFLAGS = -Ilib -D_POSIX_C_SOURCE=200809L
RF_CFLAGS = -std=c11 -O3 -g -fopenmp -fPIC -fvisibility=hidden -fno-common \
	-ffp-contract=off $(WARNINGS)
RF_LDFLAGS = -fopenmp
RF_LIBS	= -lxxhash -llz4 -lzstd -ljansson -lz -lm -lpthread
RF_NVFLAGS = -std=c++17 -O3 -lineinfo --fmad=false -Ilib -Icuda $(GENCODE) \
	-Xcompiler=-ffp-contract=off,-fopenmp,-fPIC,-fvisibility=hidden,-Wall,-Wextra
ifdef WERROR
RF_CFLAGS += -Werror
RF_NVFLAGS += -Werror all-warnings
endif
RF_CFLAGS += $(COVERAGE)
RF_LDFLAGS += $(COVERAGE)
ifdef SAN
COMMA	:= ,
RF_CFLAGS += -fsanitize=$(SAN) -fno-sanitize-recover=all \
	-fno-omit-frame-pointer -DRF_SANITIZED
RF_LDFLAGS += -fsanitize=$(SAN)
RF_NVFLAGS += -Xcompiler=$(subst $(COMMA),\$(COMMA),-fsanitize=$(SAN))
endif
ifdef HAVE_CUDA
RF_CPPFLAGS += -DRF_HAVE_CUDA
RF_LIBS	+= -L$(CUDA_LIB) -lcudart_static -lstdc++ -ldl -lrt
endif

# Instruction sets by name; such a file guards itself where the machine is not
# an x86-64, and is called only where the processor has them.
ifeq ($(MACHINE),x86_64)
$(BUILD)/%_avx2.o: ISA = -mavx2 -mbmi -mbmi2
$(BUILD)/%_avx512.o: ISA = -mavx512f -mavx512bw -mavx512vl -mavx512vbmi \
	-mavx512vbmi2 -mbmi -mbmi2
endif
# Vectors wider than the machine's stay inside one file: no ABI to warn of.
$(BUILD)/%_plain.o: ISA = -Wno-psabi

# Sources.  A file of cmd/ that has a main is a tool: rf_fit.c is rf-fit.
LIB_C	:= $(sort $(wildcard lib/*.c lib/*/*.c))
CUDA_CU	:= $(sort $(wildcard cuda/*.cu cuda/*/*.cu))
CMD_C	:= $(sort $(wildcard cmd/*.c))
MAIN_C	:= $(if $(CMD_C),$(shell grep -lw '^main' $(CMD_C)))
BENCH_C	:= $(sort $(wildcard tests/bench/*.c tests/check-splits/*.c))
FUZZ_C	:= $(sort $(wildcard tests/fuzz/*.c))
UNIT_C	:= $(sort $(wildcard tests/unit/*.c))
MAN	:= $(sort $(wildcard man/*.[1-8]))

LIB_O	:= $(LIB_C:%.c=$(BUILD)/%.o)
ifdef HAVE_CUDA
LIB_O	+= $(CUDA_CU:%.cu=$(BUILD)/%.cu.o)
endif
CMD_O	:= $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(MAIN_C),$(CMD_C)))
TOOLS	:= $(subst _,-,$(MAIN_C:cmd/%.c=%))
BIN	:= $(TOOLS:%=$(BUILD)/bin/%)
COMPLETION := $(TOOLS:%=$(BUILD)/completion/%)
UNIT	:= $(UNIT_C:%.c=$(BUILD)/%)
BENCHES	:= $(BENCH_C:%.c=$(BUILD)/%)
FUZZ	:= $(FUZZ_C:%.c=$(BUILD)/%)
OBJECTS	:= $(LIB_O) $(CMD_O) $(MAIN_C:%.c=$(BUILD)/%.o) \
	$(UNIT_C:%.c=$(BUILD)/%.o) $(BENCH_C:%.c=$(BUILD)/%.o) $(FUZZ_C:%.c=$(BUILD)/%.o)
SO	= librf.so.$(SOVERSION)

all: $(BIN) $(COMPLETION) $(BUILD)/librf.a $(BUILD)/librf.so $(BUILD)/rf.pc

# A stamp of the words that compile: other words, all is made anew.
FLAGS	= $(CC) $(RF_CPPFLAGS) $(CPPFLAGS) $(RF_CFLAGS) $(CFLAGS) | $(NVCC) \
	$(RF_NVFLAGS) | $(RF_LDFLAGS) $(LDFLAGS) $(RF_LIBS) | $(VERSION)
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(FLAGS)' | cmp -s - $@ || printf '%s\n' '$(FLAGS)' >$@

$(BUILD)/lib/rf.o: RF_CPPFLAGS += -DRF_VERSION='"$(VERSION)"' \
	-DRF_BUILD='"$(if $(HAVE_CUDA),$(CUDA_SAYS),no CUDA)"'
$(BUILD)/tests/%.o: RF_CPPFLAGS += -Icmd

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(RF_CPPFLAGS) $(CPPFLAGS) $(RF_CFLAGS) $(ISA) $(CFLAGS) \
	    -MMD -MP -c -o $@ $<

$(BUILD)/%.cu.o: %.cu $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,NVCC)$(NVCC) $(filter -D%,$(RF_CPPFLAGS)) $(RF_NVFLAGS) $(NVCCFLAGS) \
	    -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

# An archive is made anew, so that objects of deleted files leave it.
$(BUILD)/librf.a: $(LIB_O)
	$(call say,AR)rm -f $@ && $(AR) rcs $@ $^
$(BUILD)/cmd/tool.a: $(CMD_O)
	@mkdir -p $(@D)
	$(call say,AR)rm -f $@ && $(AR) rcs $@ $^
$(BUILD)/$(SO): $(LIB_O)
	$(call say,LD)$(CC) -shared -Wl,-soname,$(SO) $(RF_LDFLAGS) $(LDFLAGS) -o $@ $^ \
	    $(RF_LIBS)
$(BUILD)/librf.so: $(BUILD)/$(SO)
	@ln -sf $(SO) $@

define tool_rule
$(BUILD)/bin/$(subst _,-,$(1)): $(BUILD)/cmd/$(1).o $(BUILD)/cmd/tool.a \
    $(BUILD)/librf.a
	@mkdir -p $$(@D)
	$$(call say,LD)$$(CC) $$(RF_LDFLAGS) $$(LDFLAGS) -o $$@ $$^ $$(RF_LIBS)
endef
$(foreach main,$(MAIN_C:cmd/%.c=%),$(eval $(call tool_rule,$(main))))

$(BUILD)/completion/%: $(BUILD)/bin/% cmd/completion.sh
	@mkdir -p $(@D)
	@sh cmd/completion.sh $< >$@

define PC
Name: rf
Description: random forests as streams
Version: $(VERSION)
Cflags: -I$(INCLUDEDIR)
Libs: -L$(LIBDIR) -lrf
Libs.private: $(RF_LDFLAGS) $(RF_LIBS)
endef
export PC
$(BUILD)/rf.pc: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' "$$PC" | cmp -s - $@ || printf '%s\n' "$$PC" >$@

# Tests.
$(UNIT) $(BENCHES): $(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/cmd/tool.a \
    $(BUILD)/librf.a
	$(call say,LD)$(CC) $(RF_LDFLAGS) $(LDFLAGS) -o $@ $^ $(RF_LIBS)

TESTS	?=
TEST_ENV = BUILD='$(BUILD)' CC='$(CC)' MAKE='$(MAKE)' NVCC='$(NVCC)' \
	RF_PYTHON='$(RF_PYTHON)' RF_HAVE_CUDA='$(HAVE_CUDA)' \
	RF_MAKE_WORDS="$(subst ",\",$(MAKEOVERRIDES))"
check: all $(UNIT)
	@$(TEST_ENV) tests/run $(TESTS)
check-gpu: all $(UNIT)
	@$(TEST_ENV) RF_STRICT=1 tests/run --gpu $(TESTS)
check-san: all tests/san/run
	@$(TEST_ENV) tests/san/run
soak: all $(UNIT)
	@$(TEST_ENV) RF_SOAK=1 tests/run $(TESTS)
bench: all $(BENCHES) tests/bench/run
	@$(TEST_ENV) tests/bench/run
accuracy bench-gpu check-splits check-tables: %: all tests/%/run
	@$(TEST_ENV) tests/$@/run
venv: build/venv/done
build/venv/done: tests/requirements.txt
	python3 -m venv build/venv
	build/venv/bin/pip install -q -r tests/requirements.txt
	touch $@
$(FUZZ): $(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o $(BUILD)/librf.a
	$(call say,LD)$(CC) $(RF_LDFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ \
	    $(RF_LIBS)
# SECONDS for each entry; ENTRIES="csv libsvm" for some.
SECONDS	?= 60
fuzz: all $(FUZZ) tests/fuzz/run
	@$(TEST_ENV) FUZZ_SECONDS='$(SECONDS)' FUZZ='$(ENTRIES)' tests/fuzz/run
coverage: all $(UNIT) tests/coverage
	@$(TEST_ENV) tests/coverage
demo: all data/demo.sh
	@BUILD='$(BUILD)' sh data/demo.sh
lint: tests/lint.sh
	@sh tests/lint.sh

install: all
	$(INSTALL) -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR)/pkgconfig \
	    $(DESTDIR)$(INCLUDEDIR) $(DESTDIR)$(COMPLETIONDIR)
	$(INSTALL) -m 755 $(BIN) $(DESTDIR)$(BINDIR)
	$(INSTALL) -m 644 lib/rf.h $(DESTDIR)$(INCLUDEDIR)
	$(INSTALL) -m 644 $(BUILD)/librf.a $(DESTDIR)$(LIBDIR)
	$(INSTALL) -m 755 $(BUILD)/$(SO) $(DESTDIR)$(LIBDIR)
	ln -sf $(SO) $(DESTDIR)$(LIBDIR)/librf.so
	$(INSTALL) -m 644 $(BUILD)/rf.pc $(DESTDIR)$(LIBDIR)/pkgconfig
	$(INSTALL) -m 644 $(COMPLETION) $(DESTDIR)$(COMPLETIONDIR)
	for page in $(MAN); do \
	    $(INSTALL) -d $(DESTDIR)$(MANDIR)/man$${page##*.} && \
	    $(INSTALL) -m 644 $$page $(DESTDIR)$(MANDIR)/man$${page##*.} || \
	    exit 1; done

uninstall:
	rm -f $(TOOLS:%=$(DESTDIR)$(BINDIR)/%)
	rm -f $(TOOLS:%=$(DESTDIR)$(COMPLETIONDIR)/%)
	rm -f $(DESTDIR)$(INCLUDEDIR)/rf.h $(DESTDIR)$(LIBDIR)/pkgconfig/rf.pc
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,librf.a librf.so $(SO))
	rm -f $(foreach page,$(MAN),$(DESTDIR)$(MANDIR)/man$(lastword \
	    $(subst ., ,$(page)))/$(notdir $(page)))

clean:
	rm -rf $(BUILD)

-include $(OBJECTS:.o=.d)
