// SPDX-License-Identifier: GPL-3.0-or-later
// Ghost tiles that the solver adds: tiles without a fluid node that store boundary populations of
// openings, or copies across a periodic side where tiles do not match.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "preprocess/lattice/connectivity/components.hpp"

namespace tessera::preprocess::plan {

// Directions of D3Q19, in 2D of D2Q9.
class GhostTiles {
 public:
  // offset: of the tiling.
  GhostTiles(const geometry::BitLattice& fluid, int dimensions, const std::array<bool, 3>& periodic,
             const Int3& offset);

  // Adds links that leave the fluid through triangles labelled as openings; mesh in lattice
  // coordinates.
  void addOpenings(const geometry::TriangleMesh& mesh);
  // Adds links that leave the box through these sides.
  void addOpenings(std::span<const lattice::BoxFace> faces);
  void addPeriodicFaces();

  [[nodiscard]] std::uint64_t openingLinks() const { return link_.size(); }
  [[nodiscard]] std::uint64_t copies() const { return copies_; }
  [[nodiscard]] std::uint64_t tiles() const { return tiles_; }

 private:
  [[nodiscard]] bool isVelocity(int direction) const;
  [[nodiscard]] bool isFluid(Int3 node) const;
  [[nodiscard]] bool hasFluid(const Int3& tile) const;
  void addTileOf(const Int3& node);
  void addLink(const Int3& from, int direction);
  void dropRepeatedLinks();
  void addCopiesTo(const Int3& node);

  const geometry::BitLattice& fluid_;
  std::array<bool, 3> periodic_;
  Int3 tileSize_, offset_;
  std::array<bool, 3> aligned_{};           // periodic axes filled by whole tiles
  std::uint32_t velocities_;                // bit n: direction n is a velocity
  std::vector<std::uint64_t> link_;         // 27 node + direction, ascending
  std::unordered_set<std::uint64_t> seen_;  // tiles
  std::uint64_t copies_ = 0, tiles_ = 0;
};

}  // namespace tessera::preprocess::plan
