// SPDX-License-Identifier: GPL-3.0-or-later
// --bench comparators: speed and memory of tiles and of the papers' other structures on one
// geometry, on one driver and with one collision code.
#pragma once

#include <optional>
#include <string>

#include "solver/bench/bench.hpp"

namespace tessera::solver::bench {

// closed: without openings, three dimensions. CSV with a header, a line for each structure, order
// of nodes, collision and precision (all, or the one named): MFLUPS over fluid nodes as median,
// least and most; bytes that a step moves per fluid node as the structure counts them, whole
// memory sectors of 32 bytes, indices and masks included; bytes held per fluid node; the copy
// bandwidth, the speed that both allow, and the fraction of it reached. Structures that do not fit
// the geometry or the memory are left out with a warning. Throws StageError(Usage) where none is
// left, (NoResource) for cuda without a device. effort: by default shorter on a GPU, where there
// are many lines and their times vary little.
std::string benchComparators(const tiler::file::TilesFile& closed, const std::string& backend,
                             const std::optional<std::string>& precision,
                             const std::optional<BenchEffort>& effort = std::nullopt);

}  // namespace tessera::solver::bench
