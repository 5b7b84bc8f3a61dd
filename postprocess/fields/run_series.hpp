// SPDX-License-Identifier: GPL-3.0-or-later
// Several fields of one run as a series in time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "postprocess/fields/run_files.hpp"

namespace tessera::postprocess::fields {

struct SeriesMember {
  std::filesystem::path path;
  std::uint64_t step = 0;
  double time = 0.0;  // s
};

struct RunSeries {
  std::filesystem::path tilesPath;    // empty: next to the fields
  std::vector<SeriesMember> members;  // by time, each moment once
};

// Whether the inputs name several fields.
bool isSeries(const std::vector<std::filesystem::path>& inputs);

// Reads what the files say of themselves; of two of the same moment the one with means stays.
// Throws StageError(Usage) for several tiles or other files, (BadInput) for files of other runs: of
// another geometry or case than the first.
RunSeries findSeries(const std::vector<std::filesystem::path>& inputs);

// Tiles, and the fields of the first member.
RunFiles readFirst(const RunSeries& series);
// Replaces the fields by those of another member.
void readMember(const SeriesMember& member, RunFiles& run);

}  // namespace tessera::postprocess::fields
