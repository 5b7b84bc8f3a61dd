// SPDX-License-Identifier: GPL-3.0-or-later
// Surface of least area between two groups of openings, of any shape and number of pieces, by a
// least cut of links (link_flow.hpp). It sees all passages that sheets leave, which the plane
// sections of throats.hpp may mix or miss.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/lattice/throats/coarse_fluid.hpp"
#include "preprocess/lattice/throats/link_flow.hpp"
#include "preprocess/lattice/throats/widest_paths.hpp"

namespace tessera::preprocess::lattice {

// A connected piece of the surface; lattice coordinates.
struct CutPiece {
  double area = 0.0;  // nodes^2
  Double3 centre{};   // centroid
  Double3 normal{};   // unit, from one group to the other; 0 where the piece is closed
};

struct LeastCut {
  std::vector<CutPiece> piece;         // the largest first
  OpeningSet one, other;               // all openings, by the side on which most of their cells lie
  [[nodiscard]] double area() const;   // nodes^2
  [[nodiscard]] double doubt() const;  // about it: a tenth, and nodes at the rims of the pieces
};

// Fluid at the centres of the coarse cells, linked where a straight line between them crosses no
// wall. In 3D.
class CutSearch {
 public:
  // cuts: of the geometry.
  CutSearch(const geometry::LatticeGeometry& geometry, std::span<const CutNode> cuts,
            const CoarseFluid& coarse);
  // Between cells of the two groups; near the surface found there by all nodes, if they are not too
  // many. Absent where no path leads from one to the other.
  [[nodiscard]] std::optional<LeastCut> between(const OpeningSet& one,
                                                const OpeningSet& other) const;

 private:
  const geometry::LatticeGeometry& geometry_;
  const CoarseFluid& coarse_;
  ThinWalls walls_;  // of all cut nodes
  LinkGraph graph_;
  std::vector<std::uint32_t> pointOf_;  // of each cell, or none
  std::vector<Int3> nodeOf_;            // of each point
};

}  // namespace tessera::preprocess::lattice
