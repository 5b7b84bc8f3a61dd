// SPDX-License-Identifier: GPL-3.0-or-later
// Which voxels of an image are fluid and where they lie; mirrored, and seen by the nodes of another
// lattice.
#pragma once

#include <array>
#include <string>

#include "preprocess/geometry/bit_lattice.hpp"
#include "preprocess/geometry/mesh_measure.hpp"
#include "preprocess/read/image/image.hpp"

namespace tessera::preprocess::image {

// Image coordinates: metres along the image's axes, from the centre of voxel (0, 0, 0).
struct FluidVoxels {
  int dimensions = 3;  // 2: one voxel thick on z
  geometry::BitLattice fluid;
  Double3 voxel{};   // m, sides of a voxel
  Double3 origin{};  // m, world position of the centre of voxel (0, 0, 0)
  std::array<Double3, 3> axis{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  std::string space;  // of the world, see Image

  // The box that the voxels fill, in image coordinates; in 2D flat on z.
  [[nodiscard]] geometry::Bounds box() const;
};

// Voxels with a value in [low, high], where the image says they lie.
FluidVoxels fluidVoxels(const read::Image& image, double low, double high);

// Followed by its mirror image along each of the axes, where the last layer meets its own image.
geometry::BitLattice mirrored(const geometry::BitLattice& fluid, const std::array<bool, 3>& axes);

// The nodes of a lattice in image coordinates that lie in a fluid voxel; a node on the border of
// two voxels lies in the upper one. Parallel.
geometry::BitLattice resampled(const FluidVoxels& voxels, const geometry::Frame& lattice,
                               const Int3& nodes);

// A frame in image coordinates to the world.
geometry::Frame inWorld(const geometry::Frame& lattice, const FluidVoxels& voxels);

}  // namespace tessera::preprocess::image
