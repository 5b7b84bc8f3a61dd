// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/image/fluid_voxels.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "preprocess/image/threshold.hpp"

namespace tessera::preprocess::image {

using geometry::BitLattice;
using geometry::Frame;

namespace {

// Threads may write to a lattice by layers of so many planes (bit_lattice.hpp).
constexpr int layerPlanes = 8;

// The lattice of this size whose row (y, z) of fluid nodes is visit(y, z, set), with set(x).
template <class Visit>
BitLattice latticeOf(const Int3& size, const Visit& visit) {
  BitLattice lattice(size);
  tbb::parallel_for(0, (size[2] + layerPlanes - 1) / layerPlanes, [&](int layer) {
    const int end = std::min((layer + 1) * layerPlanes, size[2]);
    for (int z = layer * layerPlanes; z < end; ++z)
      for (int y = 0; y < size[1]; ++y) visit(y, z, [&](int x) { lattice.set(x, y, z); });
  });
  return lattice;
}

}  // namespace

geometry::Bounds FluidVoxels::box() const {
  geometry::Bounds bounds;
  for (std::size_t a = 0; a < 3; ++a) {
    if (dimensions == 2 && a == 2) continue;
    bounds.low[a] = -0.5 * voxel[a];
    bounds.high[a] = (fluid.size[a] - 0.5) * voxel[a];
  }
  return bounds;
}

FluidVoxels fluidVoxels(const read::Image& image, double low, double high) {
  return {image.dimensions, fluidOf(image, low, high), image.voxel, image.origin, image.axis,
          image.space};
}

BitLattice mirrored(const BitLattice& fluid, const std::array<bool, 3>& axes) {
  Int3 size = fluid.size;
  for (std::size_t a = 0; a < 3; ++a) size[a] *= axes[a] ? 2 : 1;
  const auto source = [&](int at, std::size_t a) {
    return at < fluid.size[a] ? at : 2 * fluid.size[a] - 1 - at;
  };
  return latticeOf(size, [&](int y, int z, const auto& set) {
    const int fromY = source(y, 1);
    const int fromZ = source(z, 2);
    for (int x = 0; x < fluid.size[0]; ++x) {
      if (!fluid.at(x, fromY, fromZ)) continue;
      set(x);
      if (axes[0]) set(size[0] - 1 - x);
    }
  });
}

BitLattice resampled(const FluidVoxels& voxels, const Frame& lattice, const Int3& nodes) {
  std::array<std::vector<int>, 3> voxelOf;
  for (std::size_t a = 0; a < 3; ++a)
    for (int i = 0; i < nodes[a]; ++i) {
      const double place = (lattice.origin[a] + i * lattice.spacing) / voxels.voxel[a];
      const int at = static_cast<int>(std::floor(place + 0.5));
      voxelOf[a].push_back(std::clamp(at, 0, voxels.fluid.size[a] - 1));
    }
  return latticeOf(nodes, [&](int y, int z, const auto& set) {
    const int fromY = voxelOf[1][static_cast<std::size_t>(y)];
    const int fromZ = voxelOf[2][static_cast<std::size_t>(z)];
    for (int x = 0; x < nodes[0]; ++x)
      if (voxels.fluid.at(voxelOf[0][static_cast<std::size_t>(x)], fromY, fromZ)) set(x);
  });
}

Frame inWorld(const Frame& lattice, const FluidVoxels& voxels) {
  Frame image;
  image.origin = voxels.origin;
  image.axis = voxels.axis;
  Frame world;
  world.spacing = lattice.spacing;
  world.origin = image.toWorld(lattice.origin);
  world.space = voxels.space;
  for (std::size_t a = 0; a < 3; ++a) world.axis[a] = image.directionToWorld(lattice.axis[a]);
  return world;
}

}  // namespace tessera::preprocess::image
