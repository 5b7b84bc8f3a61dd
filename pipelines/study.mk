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
STUDY_AWK := awk -f $(TESSERA_RULES)study.awk

# A file that is generated each time and replaced only if its content differs. Concurrent batch jobs use
# different temporary names (host and process).
study-if-changed = mkdir -p $(@D) && new=$@.new.$$(hostname).$$$$ && $(1) > $$new && \
  { cmp -s $$new $@ && rm $$new || mv $$new $@; } || { rm -f $$new; exit 2; }

$(STUDY)/.study.mk: tessera-always
	@$(call study-if-changed,$(STUDY_AWK) -v folder=$(STUDY) -v here=$(abspath $(dir $(STUDY_CSV))) $(STUDY_CSV))
include $(STUDY)/.study.mk
$(STUDY_RUNS:=.toml): tessera-always
	@$(call study-if-changed,$(STUDY_AWK) -v row=$(STUDY_ROW) -v template=$(STUDY_TEMPLATE) \
	  -v here=$(abspath $(dir $(STUDY_TEMPLATE))) $(STUDY_CSV))

# For batch/study.sh: with SOLVE=no cases without fields are reported, not run; ROWS, from 1, selects the
# compared cases.
ifeq ($(SOLVE),no)
tessera-solve = @echo "study: $(basename $(@F)) has no fields: its run failed or was stopped; see its messages." >&2; exit 1
endif
STUDY_BESIDE := $(if $(ROWS),$(foreach row,$(ROWS),$(word $(row),$(STUDY_RUNS))),$(STUDY_RUNS))
$(STUDY)/study.cmp/summary.json: $(STUDY_BESIDE:=.out/summary.json) $(STUDY)/.study.cmp.options
	$(tessera-beside)
$(STUDY)/.study.cmp.options: tessera-always ; $(call tessera-note,$(STUDY_BESIDE))
.PHONY: study study-geometries study-case
# Parts for batch/study.sh: all geometries; the case of row ROW, from 1.
study-geometries: $(STUDY_GEOMETRIES:=.tiles)
study-case: $(word $(or $(ROW),1),$(STUDY_RUNS)).out/summary.json
study: $(STUDY)/study.cmp/summary.json
	@echo "$(if $(ROWS),$(words $(ROWS)) of $(words $(STUDY_RUNS)),All) cases are in $(STUDY)/study.cmp: values.csv has one row per case and number."
