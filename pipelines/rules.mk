# SPDX-License-Identifier: GPL-3.0-or-later
# Make rules of the chain: one pattern rule per step. Include it in your own Makefile.
#
#   %.stl and the other formats --> %.vdb --> %.tiles --(%.toml)--> %.fields --> %.out/summary.json
#
# Options go through PREPROCESS_FLAGS, TILER_FLAGS, SOLVER_FLAGS and POSTPROCESS_FLAGS, for one
# target by  vessel.vdb: PREPROCESS_FLAGS = --unit mm --across 40 ; a target is rebuilt when its
# options change. OUT=FOLDER: folder of the results; case files are searched in the Makefile's folder.
# THREADS=N is passed to every program and does not change results; RESUME=--resume continues from
# checkpoints. Every program writes to a temporary name and renames, so an interrupted make leaves no
# incomplete file. TESSERA_BIN: folder of the programs (default: those built here, or those installed with
# this file in PREFIX/bin).

TESSERA_RULES := $(dir $(lastword $(MAKEFILE_LIST)))
tessera-build := $(TESSERA_RULES)../build/release/bin
TESSERA_BIN ?= $(abspath $(firstword $(patsubst %/tessera-solver,%,$(wildcard \
  $(tessera-build)/tessera-solver $(TESSERA_RULES)../../bin/tessera-solver)) $(tessera-build)))
tessera-remedy = $(if $(wildcard $(TESSERA_RULES)Makefile),run make -C $(TESSERA_RULES) build,install it again)
# A program with its common options; a missing one is reported with a remedy.
tessera-program = $(if $(shell test -x $(TESSERA_BIN)/tessera-$(1) || echo missing),$(error \
  tessera-$(1) is not in $(TESSERA_BIN): $(tessera-remedy), or set TESSERA_BIN))$\
  $(TESSERA_BIN)/tessera-$(1)$(if $(THREADS), --threads $(THREADS))

# Surfaces and images that tessera-preprocess reads, as listed by "tessera-info --formats": from the
# list compiled into the programs, which is installed with this file.
tessera-formats := $(firstword $(wildcard \
  $(TESSERA_RULES)formats.def $(TESSERA_RULES)../preprocess/read/formats.def))
TESSERA_FORMATS := $(shell sed -n 's/^[A-Z]*_FORMAT."\([^"]*\)".*/\1/p' $(tessera-formats))
ifeq ($(TESSERA_FORMATS),)
$(error $(TESSERA_RULES)formats.def is missing: $(tessera-remedy))
endif
TESSERA_FORMATS += $(TESSERA_FORMATS:=.gz)

.DELETE_ON_ERROR:
.SECONDARY:
# Fields appear completely or not at all, and stay if only the solver's report could not be written.
.PRECIOUS: %.fields

# Recipes by name for your own rules, such as several cases on one geometry:
#   rest.fields exercise.fields: %.fields: vessel.tiles %.toml ; $(tessera-solve)
tessera-preprocess = $(call tessera-program,preprocess) $(PREPROCESS_FLAGS) $< \
  --report $(basename $@).preprocess.json -o $@
tessera-tile = $(call tessera-program,tiler) $(TILER_FLAGS) $(filter %.vdb,$^) \
  --report $(basename $@).tiler.json -o $@
tessera-solve = $(call tessera-program,solver) $(SOLVER_FLAGS) $(RESUME) $(filter %.tiles,$^) \
  --case $(filter %.toml,$^) --report $(basename $@).solver.json -o $@
tessera-reduce = $(call tessera-program,postprocess) $(POSTPROCESS_FLAGS) $(filter %.fields,$^) \
  $(filter %.tiles,$^) -o $(@D)
# Compares the results that are prerequisites (RUN.out/summary.json).
tessera-beside = $(call tessera-program,compare) $(COMPARE_FLAGS) $\
  $(patsubst %/summary.json,%,$(filter %.out/summary.json,$^)) -o $(@D)
# Sample geometry: kind and options.
tessera-make-sample = mkdir -p $(@D) && $(firstword $(call tessera-program,sample)) $(1) --quiet -o $@

define tessera-from
%.vdb: %.$(1) .%.vdb.options
	$$(tessera-preprocess)
endef
$(foreach format,$(TESSERA_FORMATS),$(eval $(call tessera-from,$(format))))
%.tiles: %.vdb .%.tiles.options
	$(tessera-tile)
%.fields: %.tiles %.toml .%.fields.options
	$(tessera-solve)
%.out/summary.json: %.fields %.tiles
	$(tessera-reduce)
ifneq ($(OUT),)
$(OUT)/%.fields: $(OUT)/%.tiles %.toml $(OUT)/.%.fields.options
	$(tessera-solve)
endif

# One geometry at several resolutions and the comparison STEM.cmp, with order and error bar of every
# number:  $(eval $(call tessera-resolutions,STEM,SOURCE,CASE,--spacing,2mm 1.5mm 1mm))
# The results are STEM-2mm.out and so on; make resolution builds all of them, coarsest first.
define tessera-resolutions
$(foreach value,$(5),$(call tessera-resolution,$(1)-$(value),$(2),$(3),$(4) $(value)))
$(1).cmp/summary.json: $(foreach value,$(5),$(1)-$(value).out/summary.json)
	$$(tessera-beside)
.PHONY: resolution
resolution: $(1).cmp/summary.json
endef
define tessera-resolution
$(1).vdb: override PREPROCESS_FLAGS += $(4)
$(1).vdb: $(2) $(dir $(1)).$(notdir $(1)).vdb.options
	$$(tessera-preprocess)
$(1).tiles: $(1).vdb $(dir $(1)).$(notdir $(1)).tiles.options
	$$(tessera-tile)
$(1).fields: $(1).tiles $(3) $(dir $(1)).$(notdir $(1)).fields.options
	$$(tessera-solve)
$(dir $(1)).$(notdir $(1)).vdb.options: tessera-always ; $$(tessera-note-preprocess)
$(dir $(1)).$(notdir $(1)).tiles.options: tessera-always ; $$(tessera-note-tile)
$(dir $(1)).$(notdir $(1)).fields.options: tessera-always ; $$(tessera-note-solve)
$(1).out/summary.json: $(1).fields $(1).tiles
	$$(tessera-reduce)

endef

# Options of a target, written only when they change. PREPROCESS_NOTE and SOLVER_NOTE: further
# dependencies, such as the path of the source.
define tessera-note
@mkdir -p $(@D); options='$(subst ','\'',$(strip $(1)))'; \
  test "$$(cat $@ 2>/dev/null; echo .)" = "$$options$$(printf '\n.')" || printf '%s\n' "$$options" > $@
endef
# Named recipes, because rules of generated targets (study.awk, tessera-resolutions) are explicit: GNU make
# 4.3 with -j may rebuild a target whose options an implicit rule found unchanged.
tessera-note-preprocess = $(call tessera-note,$(PREPROCESS_FLAGS) $(PREPROCESS_NOTE))
tessera-note-tile = $(call tessera-note,$(TILER_FLAGS))
tessera-note-solve = $(call tessera-note,$(SOLVER_FLAGS) $(SOLVER_NOTE))
.%.vdb.options: tessera-always
	$(tessera-note-preprocess)
.%.tiles.options: tessera-always
	$(tessera-note-tile)
.%.fields.options: tessera-always
	$(tessera-note-solve)
# Options of tessera-make-sample.
.%.options: tessera-always
	$(call tessera-note,$(SAMPLE_FLAGS))
.PHONY: tessera-always
tessera-always:
