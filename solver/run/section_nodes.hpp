// SPDX-License-Identifier: GPL-3.0-or-later
// Sections of the stations by weights of lattice nodes, for means that are taken during the run.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/case/probes.hpp"
#include "solver/comm/ranks.hpp"
#include "solver/tiles/rank_part.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::run {

// A node of this rank and its part of a mean.
struct WeightedNode {
  std::uint32_t tile = 0;   // of the geometry
  std::uint32_t local = 0;  // 0 .. 63
  double pressure = 0.0;
  double velocity = 0.0;
};

struct SectionNodes {
  std::vector<WeightedNode> nodes;  // owned by this rank
  double area = 0.0;                // m2; in 2D the width times one spacing
};

// Means over the section of tiler::PlaneSection, the same on any number of ranks. Throws
// StageError(Usage) where no raster point counts. Collective.
SectionNodes sectionNodes(const cases::Station& station, const tiler::TiledGeometry& geometry,
                          const tiles::RankPart& part, comm::Ranks& ranks);

}  // namespace tessera::solver::run
