// SPDX-License-Identifier: GPL-3.0-or-later
// Ghost tiles that the solver will add to the tiles of a lattice: those without a fluid node that
// hold boundary populations of openings, or copies across a periodic face that tiles do not meet.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "preprocess/lattice/connectivity/components.hpp"

namespace tessera::preprocess::plan {

// Directions are those of D3Q19, in 2D of D2Q9.
class GhostTiles {
 public:
  // offset: of the tiling.
  GhostTiles(const geometry::BitLattice& fluid, int dimensions, const std::array<bool, 3>& periodic,
             const Int3& offset);

  // Links that leave the fluid through triangles labelled as openings; mesh in lattice coordinates.
  void addOpenings(const geometry::TriangleMesh& mesh);
  // Links that leave the box through these faces.
  void addOpenings(std::span<const lattice::BoxFace> faces);
  void addPeriodicFaces();

  [[nodiscard]] std::uint64_t openingLinks() const { return link_.size(); }
  [[nodiscard]] std::uint64_t copies() const { return copies_; }
  [[nodiscard]] std::uint64_t tiles() const { return tiles_; }

 private:
  [[nodiscard]] bool isVelocity(int direction) const;
  [[nodiscard]] Int3 wrapped(Int3 node) const;
  [[nodiscard]] bool isFluid(const Int3& node) const;
  [[nodiscard]] bool hasFluid(const Int3& tile) const;
  void addTileOf(const Int3& node);
  void addLink(const Int3& from, int direction);
  void dropRepeatedLinks();
  void addCopiesTo(const Int3& node);

  const geometry::BitLattice& fluid_;
  std::array<bool, 3> periodic_;
  Int3 tileSize_, offset_;
  std::array<bool, 3> aligned_{};           // periodic axes that whole tiles fill
  std::uint32_t velocities_;                // bit n: direction n is one
  std::vector<std::uint64_t> link_;         // 27 node + direction, ascending
  std::unordered_set<std::uint64_t> seen_;  // tiles
  std::uint64_t copies_ = 0, tiles_ = 0;
};

}  // namespace tessera::preprocess::plan
