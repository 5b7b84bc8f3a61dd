// SPDX-License-Identifier: GPL-3.0-or-later
// Choice of the lattice for a surface: nodes are the centres of cells that cover its bounding box,
// with the remainder split evenly on both sides; on a periodic axis the box is the surface's
// extent.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "preprocess/geometry/frame.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::lattice {

// Exactly one is set.
struct SpacingRequest {
  std::optional<double> spacing;        // m
  std::optional<std::int64_t> longest;  // nodes on the longest side of the box
  std::optional<std::int64_t> across;   // nodes across the smallest opening
  [[nodiscard]] bool any() const { return spacing || longest || across; }
};

struct LatticeChoice {
  geometry::Frame frame;
  Double3 nodes{};         // whole numbers, as double since they may not fit an int
  double requested = 0.0;  // m, spacing before adaptation to periodic axes
  [[nodiscard]] double count() const { return nodes[0] * nodes[1] * nodes[2]; }
  [[nodiscard]] Int3 size() const {
    return {static_cast<int>(nodes[0]), static_cast<int>(nodes[1]), static_cast<int>(nodes[2])};
  }
};

// smallestRadius: m, of the openings; absent without openings. Throws StageError(Usage) when
// --across is given without openings, or when a periodic extent is not a whole number of spacings
// within 1e-3.
LatticeChoice chooseLattice(const geometry::Bounds& bounds, const SpacingRequest& request,
                            std::optional<double> smallestRadius,
                            const std::array<bool, 3>& periodic);

}  // namespace tessera::preprocess::lattice
