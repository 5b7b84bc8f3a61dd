// SPDX-License-Identifier: GPL-3.0-or-later
// Command line of tessera-postprocess: its own options as text, and the requests they stand for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipelines/stage/cli/command_line.hpp"
#include "postprocess/export/export_fields.hpp"
#include "postprocess/quantity/compute_results.hpp"

namespace tessera::postprocess {

// Options as given; empty: not given.
struct PostprocessOptions {
  std::vector<std::string> planes, lines, bodies, with, forchheimer;
  std::optional<std::int64_t> stations;
  std::string centreline;
  std::string geometryReport, solverReport, lengthUnit;
  bool noPictures = false;
  std::string exports, fields, region;
  std::vector<std::string> slices;
  std::optional<std::int64_t> every;
  std::string pressureAt, referenceVelocity, referenceArea, referenceLength, flowDirection,
      liftDirection, momentsAbout;
};

void addOptions(stage::CommandLine& line, PostprocessOptions& options);

// Throws StageError(Usage) for invalid options, (BadInput) for an unreadable polyline.
quantity::Request requestOf(const PostprocessOptions& options);

// Throws StageError(Usage) for invalid options.
exports::ExportRequest exportOf(const PostprocessOptions& options);

// Options that were given, for the provenance.
std::vector<std::pair<std::string, std::string>> givenOptions(const PostprocessOptions& options);

}  // namespace tessera::postprocess
