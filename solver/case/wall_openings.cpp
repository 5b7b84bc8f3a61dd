// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/case/wall_openings.hpp"

#include "tiler/close_openings.hpp"

namespace tessera::solver::cases {

void closeWallOpenings(SolverCase& run, tiler::TiledGeometry& geometry) {
  std::vector<int> walls;
  for (std::size_t k = 0; k < run.openings.size(); ++k)
    if (boundary::isWall(run.openings[k])) walls.push_back(geometry.openings[k].id);
  tiler::closeOpenings(walls, geometry);
  if (!run.wallConditions.empty()) run.wallConditions.resize(geometry.wallNames.size());
}

}  // namespace tessera::solver::cases
