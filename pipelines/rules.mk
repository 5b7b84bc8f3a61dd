# SPDX-License-Identifier: GPL-3.0-or-later
# The chain as make sees it: one pattern rule per arrow. Include it in a Makefile of your own.
#
#   %.stl and the other formats --> %.vdb --> %.tiles --(%.toml)--> %.fields --> %.out/summary.json
#
# Options go through PREPROCESS_FLAGS, TILER_FLAGS, SOLVER_FLAGS and POSTPROCESS_FLAGS, for one
# target by  vessel.vdb: PREPROCESS_FLAGS = --unit mm --across 40 ; a target is made again when its
# options change. Every program writes under a temporary name and renames, so an interrupted make
# leaves no half file. TESSERA_BIN says where the programs are.

TESSERA_RULES := $(dir $(lastword $(MAKEFILE_LIST)))
TESSERA_BIN ?= $(abspath $(TESSERA_RULES)../build/release/bin)

# Surfaces and images that tessera-preprocess reads.
TESSERA_FORMATS := stl ply obj off vtp raw nii nii.gz nrrd mha mhd tif tiff png pgm

.DELETE_ON_ERROR:
.SECONDARY:

# The recipes by name, for rules of one's own, such as several cases on one geometry:
#   rest.fields exercise.fields: %.fields: vessel.tiles %.toml ; $(tessera-solve)
tessera-preprocess = $(TESSERA_BIN)/tessera-preprocess $(PREPROCESS_FLAGS) $< \
  --report $(basename $@).preprocess.json -o $@
tessera-tile = $(TESSERA_BIN)/tessera-tiler $(TILER_FLAGS) $(filter %.vdb,$^) \
  --report $(basename $@).tiler.json -o $@
tessera-solve = $(TESSERA_BIN)/tessera-solver $(SOLVER_FLAGS) $(filter %.tiles,$^) \
  --case $(filter %.toml,$^) --report $(basename $@).solver.json -o $@
tessera-reduce = $(TESSERA_BIN)/tessera-postprocess $(POSTPROCESS_FLAGS) $(filter %.fields,$^) \
  $(filter %.tiles,$^) -o $(@D)

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

# What a target was made with; touched only when that changes. PREPROCESS_NOTE and SOLVER_NOTE hold what
# else a target depends on, such as where its source lies.
define tessera-note
@mkdir -p $(@D); options='$(subst ','\'',$(strip $(1)))'; \
  test "$$(cat $@ 2>/dev/null; echo .)" = "$$options$$(printf '\n.')" || printf '%s\n' "$$options" > $@
endef
.%.vdb.options: tessera-always
	$(call tessera-note,$(PREPROCESS_FLAGS) $(PREPROCESS_NOTE))
.%.tiles.options: tessera-always
	$(call tessera-note,$(TILER_FLAGS))
.%.fields.options: tessera-always
	$(call tessera-note,$(SOLVER_FLAGS) $(SOLVER_NOTE))
.PHONY: tessera-always
tessera-always:
