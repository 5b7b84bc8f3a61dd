// SPDX-License-Identifier: GPL-3.0-or-later
// Symmetry planes: flat, along two axes, halfway between nodes.
#pragma once

#include <optional>

#include "solver/boundary/plan_walls.hpp"

namespace tessera::solver::boundary {

// True for wall labels that are symmetry planes.
std::vector<bool> symmetryLabels(const std::vector<WallCondition>& conditions,
                                 const tiler::TiledGeometry& geometry);

// Throws StageError(Usage) for a label whose links do not end halfway between nodes on an axis.
void checkSymmetryPlanes(const std::vector<bool>& symmetric, const tiler::TiledGeometry& geometry);

// Population gathered along the opposite of link i of a node at a symmetry plane; nullopt:
// its own i, as from a wall (links along the normal, at edges of two planes, and where the plane
// meets a wall or an opening).
class SymmetryPlanes {
 public:
  SymmetryPlanes(const tiles::TileOrder& order, const tiler::TiledGeometry& geometry,
                 const std::vector<bool>& symmetric, const model::LatticeInfo& info);
  [[nodiscard]] std::optional<tiles::PopulationLocation> partner(std::size_t tile, int local,
                                                                 int i) const;

 private:
  // The links of a node that end on symmetry planes, by the 26 directions.
  [[nodiscard]] std::uint32_t linksAt(std::size_t tile, int local) const;
  const tiles::TileOrder& order_;
  const tiler::TiledGeometry& geometry_;
  const std::vector<bool>& symmetric_;
  const model::LatticeInfo& info_;
};

}  // namespace tessera::solver::boundary
