// SPDX-License-Identifier: GPL-3.0-or-later
// [[probe]]: points whose velocity and pressure the monitor follows.
#pragma once

#include <string>
#include <vector>

#include "pipelines/stage/case/case_file.hpp"
#include "solver/comm/ranks.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::cases {

struct Probe {
  std::string name;  // unique; letters, digits, "_", "-" and "."; by default its number from 1
  Double3 at{};      // m, world
};

// Throws StageError(Usage) with file and line.
std::vector<Probe> readProbes(const stage::CaseFile& file);

// Throws StageError(Usage) with file and line for a probe without a fluid node around it. geometry:
// of this rank; ranks: all. Collective.
void checkProbes(const stage::CaseFile& file, const tiler::TiledGeometry& geometry,
                 comm::Ranks& ranks = comm::noOthers());

}  // namespace tessera::solver::cases
