// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-preprocess's options as they were given, before anything is made of them.
#pragma once

#include "preprocess/preprocess_options.hpp"

namespace tessera::preprocess {

struct GivenOptions {
  std::optional<std::string> unit, spacing, voxel, dims, type, pore, threshold, keep, periodic,
      faces, weld, mirror;
  std::optional<std::int64_t> longest, across;
  std::vector<std::string> cut, extend, name, wall;
  bool smooth = false;
};

// Throws StageError(Usage) when an option was given that has no effect on this kind of input.
void rejectGiven(bool isGiven, const std::string& name, const std::string& why);

// At most one of --spacing, --longest and --across; absent when none was given.
void readSpacing(const GivenOptions& given, PreprocessOptions& options);

void readSurfaceOptions(const GivenOptions& given, PreprocessOptions& options);
void readImageOptions(const GivenOptions& given, PreprocessOptions& options);

}  // namespace tessera::preprocess
