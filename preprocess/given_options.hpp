// SPDX-License-Identifier: GPL-3.0-or-later
// Options of tessera-preprocess as given, before interpretation: the command line, supplemented by
// the case.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/stage/case/case_file.hpp"
#include "preprocess/preprocess_options.hpp"

namespace tessera::preprocess {

struct GivenOptions {
  std::optional<std::string> unit, spacing, across, maxNodes, voxel, dims, type, crop, pore,
      threshold, keep, periodic, faces, weld, wrap, sheets, mirror, picture, page;
  std::optional<std::int64_t> longest, series, openings;
  std::vector<std::string> cut, extend, name, wall, wallLabel, branch, open, close;
  std::vector<OptionOfCase> ofCase{};
  bool smooth = false;
  bool pictureOfOutput = false, pageOfOutput = false;  // of a case, which names no file to write
};

// Throws StageError(Usage) for an option that has no effect on this kind of input.
void rejectGiven(bool isGiven, const std::string& name, const std::string& why);

// Reads --spacing, --longest or --across, at most one of them.
void readSpacing(const GivenOptions& given, PreprocessOptions& options);

// Reads --openings, --open and --close. metresPerUnit: of a point.
void readOverrules(const GivenOptions& given, double metresPerUnit, PreprocessOptions& options);

void readSurfaceOptions(const GivenOptions& given, PreprocessOptions& options);
void readImageOptions(const GivenOptions& given, PreprocessOptions& options);

// Adds values of [preprocess] for options missing on the command line. Throws StageError(Usage)
// naming file and line.
void addCase(stage::CaseTable table, GivenOptions& given);

}  // namespace tessera::preprocess
