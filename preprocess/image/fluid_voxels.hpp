// SPDX-License-Identifier: GPL-3.0-or-later
// Fluid voxels of an image and their position in the world; mirroring, and resampling to the nodes
// of another lattice.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "preprocess/geometry/bit_lattice.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/read/image/image.hpp"

namespace tessera::preprocess::image {

// Image coordinates: metres along the image's axes, from the centre of voxel (0, 0, 0).
struct FluidVoxels {
  int dimensions = 3;  // 2: one voxel thick on z
  geometry::BitLattice fluid;
  Double3 voxel{};   // m, sides of a voxel
  Double3 origin{};  // m, world position of the centre of voxel (0, 0, 0)
  std::array<Double3, 3> axis{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  std::string space;             // anatomical space, see Image
  stage::LengthUnit lengthUnit;  // the same

  // Bounding box of the voxels in image coordinates; flat on z in 2D.
  [[nodiscard]] geometry::Bounds box() const;
};

// Values from low to high, inclusive, of a layer of the image.
struct ValueRange {
  double low = 0.0;
  double high = 0.0;
  int layer = 0;
};

// Voxels with a value in one of the ranges.
FluidVoxels fluidVoxels(const read::Image& image, std::span<const ValueRange> ranges);

// Appends the mirror image along each of the axes; the last layer is duplicated.
geometry::BitLattice mirrored(const geometry::BitLattice& fluid, const std::array<bool, 3>& axes);

// Voxel of each node of a lattice in image coordinates, by axis; a node between two voxels belongs
// to the upper one.
std::array<std::vector<int>, 3> voxelsOfNodes(const FluidVoxels& voxels,
                                              const geometry::Frame& lattice, const Int3& nodes);

// Nodes whose voxel is fluid. Parallel.
geometry::BitLattice resampled(const FluidVoxels& voxels, const geometry::Frame& lattice,
                               const Int3& nodes);

// Frame in image coordinates converted to world coordinates.
geometry::Frame inWorld(const geometry::Frame& lattice, const FluidVoxels& voxels);

// Which voxels of an image are fluid.

// Voxels with a value in one of the ranges, one node per voxel; NaN is solid. Parallel,
// memory-bound.
geometry::BitLattice fluidOf(const read::Image& image, std::span<const ValueRange> ranges);
inline geometry::BitLattice fluidOf(const read::Image& image, double low, double high) {
  const ValueRange range{low, high};
  return fluidOf(image, std::span(&range, 1));
}

// Voxel values listed in the "no fluid" error.

// Up to nine significant digits, "%.9g".
std::string valueText(double value);

// "1", "5 to 8", "1, 3 and 5 to 8".
std::string rangesText(std::span<const ValueRange> ranges);

// "0, 64 and 255" for few distinct values, else "from -1024 to 3071"; NaN is ignored; "none"
// without values.
std::string valuesIn(const read::Image& image);

}  // namespace tessera::preprocess::image
