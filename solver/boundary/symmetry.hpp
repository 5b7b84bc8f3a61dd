// SPDX-License-Identifier: GPL-3.0-or-later
// Symmetry planes: flat, along two axes, halfway between nodes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "solver/boundary/plan_walls.hpp"

namespace tessera::solver::boundary {

// True for wall labels that are symmetry planes.
std::vector<bool> symmetryLabels(std::span<const WallCondition> conditions,
                                 const tiler::TiledGeometry& geometry);

// Throws StageError(Usage) for a label whose links do not end halfway between nodes on an axis.
void checkSymmetryPlanes(const std::vector<bool>& symmetric, const tiler::TiledGeometry& geometry);

// Links that end on a symmetry plane and that, seen in it, leave through an opening or a wall which
// meets the plane there, become links of that opening or wall: the fluid goes on beyond the plane
// with its mirror image, where such a link meets nothing but them. Bounced back from the plane,
// they would hold the fluid at its rim. geometry: whole, or a rank's part; files keep theirs.
void continueBeyondPlanes(std::span<const WallCondition> conditions,
                          tiler::TiledGeometry& geometry);

// Population gathered along the opposite of link i of a node at a symmetry plane; nullopt:
// its own i, as from a wall (links along the normal, and at edges of two planes).
class SymmetryPlanes {
 public:
  SymmetryPlanes(const tiles::TileOrder& order, const tiler::TiledGeometry& geometry,
                 std::vector<bool> symmetric, const model::LatticeInfo& info);
  // symmetryLabels().
  [[nodiscard]] const std::vector<bool>& labels() const { return symmetric_; }
  [[nodiscard]] std::optional<tiles::PopulationLocation> partner(std::size_t tile, int local,
                                                                 int i) const;

 private:
  // The links of a node that end on symmetry planes, by the 26 directions.
  [[nodiscard]] std::uint32_t linksAt(std::size_t tile, int local) const;
  const tiles::TileOrder& order_;
  const tiler::TiledGeometry& geometry_;
  std::vector<bool> symmetric_;
  const model::LatticeInfo& info_;
};

}  // namespace tessera::solver::boundary
