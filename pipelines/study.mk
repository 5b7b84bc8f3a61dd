# SPDX-License-Identifier: GPL-3.0-or-later
# A parameter study: one row of a CSV per case. Included by Makefile for
#
#   make -C pipelines -j2 study CSV=cases.csv [TEMPLATE=case.toml] [OUT=FOLDER]
#
# or, after rules.mk, in your own Makefile that sets CSV. Columns:
#   name        case name: its files are STUDY/NAME.toml, NAME.fields, NAME.out
#   geometry    surface or image, from the CSV's folder; rows with the same geometry and flags share
#               one .tiles
#   preprocess  flags of tessera-preprocess; solver: flags of tessera-solver (both may be left out)
#   any other   replaces @column@ in the template; @here@ is the template's folder
# Only added or changed rows are run. STUDY/study.cmp compares all cases. Each case is one job with one
# thread (THREADS).

ifeq ($(CSV),)
$(error a study needs its cases: make -C pipelines -j2 study CSV=cases.csv TEMPLATE=case.toml)
endif
STUDY_HERE ?= $(CURDIR)
STUDY_CSV := $(if $(filter /%,$(CSV)),$(CSV),$(STUDY_HERE)/$(CSV))
TEMPLATE ?= $(basename $(CSV)).toml
STUDY_TEMPLATE := $(if $(filter /%,$(TEMPLATE)),$(TEMPLATE),$(STUDY_HERE)/$(TEMPLATE))
STUDY ?= $(or $(OUT),out)/$(basename $(notdir $(CSV)))
THREADS ?= 1
$(foreach given,STUDY_CSV STUDY_TEMPLATE STUDY,$(call tessera-named,$($(given))))
STUDY_AWK := LC_ALL=C awk -f $(call tessera-word,$(TESSERA_RULES)study.awk)
study-rules = $(STUDY_AWK) -v folder=$(call tessera-word,$(STUDY)) \
  -v here=$(call tessera-word,$(abspath $(dir $(STUDY_CSV)))) $(call tessera-file,$(STUDY_CSV))
study-case = $(STUDY_AWK) -v row=$(STUDY_ROW) -v template=$(call tessera-word,$(STUDY_TEMPLATE)) \
  -v here=$(call tessera-word,$(abspath $(dir $(STUDY_TEMPLATE)))) $(call tessera-file,$(STUDY_CSV))
# A generated file is replaced only if its content differs. Concurrent batch jobs use different temporary
# names (host and process).
study-if-changed = mkdir -p '$(@D)' && new='$@'.new.$$(hostname).$$$$ && $(1) > "$$new" && \
  { cmp -s "$$new" '$@' && rm "$$new" || mv "$$new" '$@'; } || { rm -f "$$new"; exit 2; }
# Its prerequisite: tessera-always if the content would differ, or cannot be made.
study-differs = $(if $(shell { $(1) || echo failed; } 2> /dev/null | cmp -s - '$@' || echo yes),tessera-always)

ifeq ($(.DEFAULT_GOAL),)
.DEFAULT_GOAL := study
endif
$(STUDY)/.study.mk: $$(call study-differs,$$(study-rules))
	@$(call study-if-changed,$(study-rules))
include $(STUDY)/.study.mk
$(STUDY_RUNS:=.toml): $$(call study-differs,$$(study-case))
	@$(call study-if-changed,$(study-case))

# For batch/study.sh: with SOLVE=no cases without fields are reported, not run; ROWS, from 1, selects the
# compared cases.
ifeq ($(SOLVE),no)
tessera-solve = @echo "study: $(basename $(@F)) has no fields: its run failed or was stopped; see its messages." >&2; exit 1
endif
STUDY_BESIDE := $(if $(ROWS),$(foreach row,$(ROWS),$(word $(row),$(STUDY_RUNS))),$(STUDY_RUNS))
$(STUDY)/study.cmp/summary.json: OPTIONS_NOTE := $(STUDY_BESIDE)
$(STUDY)/study.cmp/summary.json: $(STUDY_BESIDE:=.out/summary.json) $$(tessera-options)
	$(tessera-beside)
.PHONY: study study-geometries study-case
# Parts for batch/study.sh: all geometries; the case of row ROW, from 1.
study-geometries: $(STUDY_GEOMETRIES:=.tiles)
study-case: $(word $(or $(ROW),1),$(STUDY_RUNS)).out/summary.json
# Said by make itself, since a recipe with a command would be work to do for make -q.
study: $(STUDY)/study.cmp/summary.json
	$(info $(if $(ROWS),$(words $(ROWS)) of $(words $(STUDY_RUNS)),All) cases are in $(STUDY)/study.cmp: values.csv has one row per case and number.)
