// SPDX-License-Identifier: GPL-3.0-or-later
// Choice of the lattice for a surface: nodes are the centres of cells that cover its bounding box,
// with the remainder split evenly on both sides; on a periodic axis the box is the surface's
// extent.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "preprocess/geometry/finer_spacing.hpp"
#include "preprocess/geometry/frame.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::lattice {

// Exactly one of the numbers is set.
struct SpacingRequest {
  std::optional<double> spacing;        // m
  std::optional<std::int64_t> longest;  // nodes on the longest side of the box
  std::optional<std::int64_t> across;   // nodes across an opening
  std::string opening{};                // id or name of that opening; empty: the smallest
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

// radius: m, of the opening that --across refers to; absent without openings. Throws
// StageError(Usage) when --across is given without openings, or when a periodic extent is not a
// whole number of spacings within 1e-3.
LatticeChoice chooseLattice(const geometry::Bounds& bounds, const SpacingRequest& request,
                            std::optional<double> radius, const std::array<bool, 3>& periodic);

// Whether all periodic extents are whole numbers of spacings.
bool dividesPeriods(const Double3& extent, double spacing, const std::array<bool, 3>& periodic);

using geometry::finerSpacing;
using geometry::roundedSpacing;

// Spacings of an image's voxels. Headers in single precision (NIfTI, TIFF) hold 0.878906 mm as
// 0.87890601158 mm, so a spacing within half a unit of single precision of a voxel's side is that
// side, of several the longest: otherwise the lattice of an image would gain a layer and shift by
// half a voxel.
SpacingRequest snappedTo(const Double3& voxel, SpacingRequest request);
// The fewest digits that --spacing takes for that side of a voxel: "0.878906mm".
std::string spacingOfVoxel(double side);

}  // namespace tessera::preprocess::lattice
