# SPDX-License-Identifier: GPL-3.0-or-later
# Make rules of the chain: one pattern rule per step. Include it in your own Makefile.
#
#   %.stl and the other formats --> %.vdb --> %.tiles --(%.toml)--> %.fields --> %.out/summary.json
#
# Options go through PREPROCESS_FLAGS, TILER_FLAGS, SOLVER_FLAGS and POSTPROCESS_FLAGS, for one
# target by  vessel.vdb: PREPROCESS_FLAGS = --unit mm --across 40 ; a target is rebuilt when its
# options change, or a file that its case names. OUT=FOLDER: folder of the results; case files are
# searched in the Makefile's folder. Options are words of the shell, as in any Makefile; the name of a
# file is one literal word, or is refused where make cannot hold it.
# THREADS=N is passed to every program and does not change results; RESUME=--resume continues from
# checkpoints. Every program writes to a temporary name and renames, so an interrupted make leaves no
# incomplete file. TESSERA_BIN: folder of the programs (default: those built here, or those installed with
# this file in PREFIX/bin).

# The first target of a Makefile that includes this file is its own.
tessera-goal := $(.DEFAULT_GOAL)

# --- names of files ------------------------------------------------------------------------------
# A text as one word of the shell; the name of a file likewise, which is never taken for an option.
tessera-word = '$(subst ','\'',$(1))'
tessera-file = $(call tessera-word,$(if $(filter -%,$(1)),./)$(1))
# Empty, or an error if a name has a character that make treats as its own.
tessera-named = $(if $(findstring $(tessera-newline),$(1)),$(tessera-refused))$(if $(filter 0,$(shell \
  printf %s $(call tessera-word,$(1)) | LC_ALL=C tr -d "a-zA-Z0-9._+,@/=^~'\200-\377-" | wc -c)),,$(tessera-refused))
tessera-refused = $(error "$(1)" has a space or another character that make cannot hold in the name of a file; $\
  use letters, digits and . _ - + = , @ ^ ~)
define tessera-newline


endef
# Names on the command line or in the environment: their $ would be expanded, so they are checked first.
tessera-given := STL CASE OUT CSV TEMPLATE IMAGE
$(foreach given,$(tessera-given),$(if $(findstring $$,$(if $(filter command environment,$(firstword \
  $(origin $(given)))),$(value $(given)))),$(error $(given) has a $$, which make would expand; rename the file)))
$(foreach given,$(tessera-given),$(call tessera-named,$($(given))))

# --- programs ------------------------------------------------------------------------------------
TESSERA_RULES := $(dir $(lastword $(MAKEFILE_LIST)))
tessera-build := $(TESSERA_RULES)../build/release/bin
TESSERA_BIN ?= $(abspath $(firstword $(patsubst %/tessera-solver,%,$(wildcard \
  $(tessera-build)/tessera-solver $(TESSERA_RULES)../../bin/tessera-solver)) $(tessera-build)))
tessera-remedy = $(if $(wildcard $(TESSERA_RULES)setup.sh),run make -C $(TESSERA_RULES) build,install it again)

# A program with its common options; a missing one is reported with a remedy.
tessera-program = $(if $(shell test -x $(call tessera-word,$(TESSERA_BIN)/tessera-$(1)) || echo missing),$(error \
  tessera-$(1) is not in $(TESSERA_BIN): $(tessera-remedy), or set TESSERA_BIN))$\
  $(call tessera-word,$(TESSERA_BIN)/tessera-$(1))$(if $(THREADS), --threads $(THREADS))

# Surfaces and images that tessera-preprocess reads, as listed by "tessera-info --formats": from the
# list compiled into the programs, which is installed with this file.
tessera-formats := $(firstword $(wildcard \
  $(TESSERA_RULES)formats.def $(TESSERA_RULES)../preprocess/read/formats.def))
TESSERA_FORMATS := $(shell sed -n 's/^[A-Z]*_FORMAT."\([^"]*\)".*/\1/p' $(call tessera-file,$(tessera-formats)))
ifeq ($(TESSERA_FORMATS),)
$(error $(TESSERA_RULES)formats.def is missing: $(tessera-remedy))
endif
TESSERA_FORMATS += $(TESSERA_FORMATS:=.gz)

.DELETE_ON_ERROR:
.SECONDARY:
# Fields appear completely or not at all, and stay if only the solver's report could not be written.
.PRECIOUS: %.fields

# --- recipes -------------------------------------------------------------------------------------
# By name for your own rules, such as several cases on one geometry:
#   rest.fields exercise.fields: %.fields: vessel.tiles %.toml $$(tessera-options) ; $(tessera-solve)
# $$(tessera-options) rebuilds a target whose options have changed, $$(call tessera-inputs,CASE) one whose
# case names a file that has.
define tessera-preprocess
@$(tessera-keep-options)
$(call tessera-program,preprocess) $(PREPROCESS_FLAGS) $(call tessera-file,$<) $\
  --report $(call tessera-file,$(basename $@).preprocess.json) -o $(call tessera-file,$@)
endef
define tessera-tile
@$(tessera-keep-options)
$(call tessera-program,tiler) $(TILER_FLAGS) $(call tessera-file,$(filter %.vdb,$^)) $\
  --report $(call tessera-file,$(basename $@).tiler.json) -o $(call tessera-file,$@)
endef
define tessera-solve
@$(tessera-keep-options)
$(call tessera-program,solver) $(SOLVER_FLAGS) $(RESUME) $(call tessera-file,$(filter %.tiles,$^)) $\
  --case $(call tessera-file,$(filter %.toml,$^)) --report $(call tessera-file,$(basename $@).solver.json) $\
  -o $(call tessera-file,$@)
endef
tessera-reduce = $(call tessera-program,postprocess) $(POSTPROCESS_FLAGS) $(call tessera-file,$(filter %.fields,$^)) \
  $(call tessera-file,$(filter %.tiles,$^)) -o $(call tessera-file,$(@D))
# Compares the results that are prerequisites (RUN.out/summary.json).
define tessera-beside
@$(tessera-keep-options)
$(call tessera-program,compare) $(COMPARE_FLAGS) $\
  $(foreach run,$(filter %.out/summary.json,$^),$(call tessera-file,$(patsubst %/summary.json,%,$(run)))) $\
  -o $(call tessera-file,$(@D))
endef
# Sample geometry: kind and options.
define tessera-make-sample
@$(tessera-keep-options)
$(firstword $(call tessera-program,sample)) $(1) --quiet -o $(call tessera-file,$@)
endef

# --- options of a target -------------------------------------------------------------------------
# Kept beside it, or its folder of results, in a hidden file, which is written before the target: an older
# target is of other options, and one that is finished when make is killed stays. PREPROCESS_NOTE and
# SOLVER_NOTE: further dependencies, such as the path of the source; OPTIONS_NOTE: those of any other target.
tessera-flags.vdb = $(PREPROCESS_FLAGS) $(PREPROCESS_NOTE)
tessera-flags.tiles = $(TILER_FLAGS)
tessera-flags.fields = $(SOLVER_FLAGS) $(SOLVER_NOTE)
tessera-flags = $(strip $(if $(filter .vdb .tiles .fields,$(1)),$(tessera-flags$(1)),$(SAMPLE_FLAGS) $(OPTIONS_NOTE)))
tessera-now = $(call tessera-flags,$(suffix $@))
tessera-note = $(if $(filter summary.json,$(@F)),$(dir $(@D)).$(notdir $(@D)),$(@D)/.$(@F)).options
# Prerequisite of a target, by secondary expansion: tessera-always if its options have changed, or nothing.
tessera-options = $(call tessera-named,$@)$(if $(and $(call tessera-equal,$(file < $(tessera-note)),$(tessera-now)),$(tessera-newer)),,tessera-always)
tessera-equal = $(and $(findstring |$(1)|,|$(2)|),$(findstring |$(2)|,|$(1)|))
tessera-newer = $(if $(shell test $(call tessera-file,$(tessera-note)) -nt $(call tessera-file,$@) && echo older),,yes)
tessera-keep-options = mkdir -p $(call tessera-file,$(dir $(tessera-note)))$(if $(tessera-now)$(wildcard $(tessera-note)), && $\
  printf '%s\n' $(call tessera-word,$(tessera-now)) > $(call tessera-file,$(tessera-note)))
# Files that a case names (waveforms, tables of velocities), for make: with spaces escaped.
tessera-inputs = $(shell $(call tessera-word,$(TESSERA_BIN)/tessera-info) --inputs $(call tessera-file,$(1)) 2> /dev/null | \
  while IFS= read -r input; do [ ! -e "$$input" ] || printf '%s\n' "$$input"; done | sed 's/[^a-zA-Z0-9._+,@=^~\/-]/\\&/g')
.PHONY: tessera-always
tessera-always:

# --- rules ---------------------------------------------------------------------------------------
.SECONDEXPANSION:
define tessera-from
%.vdb: %.$(1) $$$$(tessera-options)
	$$(tessera-preprocess)
endef
$(foreach format,$(TESSERA_FORMATS),$(eval $(call tessera-from,$(format))))
%.tiles: %.vdb $$(tessera-options)
	$(tessera-tile)
%.fields: %.tiles %.toml $$(call tessera-inputs,$$*.toml) $$(tessera-options)
	$(tessera-solve)
%.out/summary.json: %.fields %.tiles $$(call tessera-named,$$@)
	$(tessera-reduce)
ifneq ($(OUT),)
$(OUT)/%.fields: $(OUT)/%.tiles %.toml $$(call tessera-inputs,$$*.toml) $$(tessera-options)
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
$(1).vdb: $(2) $$$$(tessera-options)
	$$(tessera-preprocess)
$(1).tiles: $(1).vdb $$$$(tessera-options)
	$$(tessera-tile)
$(1).fields: $(1).tiles $(3) $$$$(call tessera-inputs,$(3)) $$$$(tessera-options)
	$$(tessera-solve)
$(1).out/summary.json: $(1).fields $(1).tiles
	$$(tessera-reduce)

endef

# Makefiles of version 0.1 name the hidden file as a prerequisite, which is newer once its options change.
.%.options: tessera-always ; $(tessera-note-0.1)
tessera-note-0.1 = @mkdir -p $(call tessera-file,$(@D)); now=$(call tessera-word,$(call tessera-flags,$(suffix $(basename $@)))); \
  test "$$(cat $(call tessera-file,$@) 2> /dev/null)" = "$$now" && test -e $(call tessera-file,$@) || \
  printf '%s\n' "$$now" > $(call tessera-file,$@)
tessera-note-preprocess = $(tessera-note-0.1)
tessera-note-tile = $(tessera-note-0.1)
tessera-note-solve = $(tessera-note-0.1)
.DEFAULT_GOAL := $(tessera-goal)
