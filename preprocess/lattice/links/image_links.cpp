// SPDX-License-Identifier: GPL-3.0-or-later
// Links of a lattice without a surface, one task a layer.
#include <tbb/parallel_for.h>

#include <bit>

#include "preprocess/lattice/links/boundary_layer.hpp"
#include "preprocess/lattice/links/found_links.hpp"

namespace tessera::preprocess::lattice {

namespace {

using std::size_t;

// Faces of the box that are not plain wall.
struct Faces {
  std::span<const BoxFace> openings;
  std::span<const WallFace> walls;
};

template <class Face>
bool leavesThrough(const Int3& size, const Int3& target, const Face& face) {
  const auto axis = static_cast<size_t>(face.axis);
  return face.high ? target[axis] >= size[axis] : target[axis] < 0;
}

// The patch of a link: of one out of the box, the first face listed that it leaves through.
geometry::Patch patchTo(const Int3& size, const Int3& target, const Faces& faces) {
  for (const BoxFace& face : faces.openings)
    if (leavesThrough(size, target, face)) return geometry::openingPatch(face.openingId);
  for (const WallFace& face : faces.walls)
    if (leavesThrough(size, target, face)) return face.label;
  return 0;
}

FoundLinks imageLayer(const geometry::BitLattice& fluid, const std::array<bool, 3>& periodic,
                      const Faces& faces, int layer) {
  FoundLinks found;
  geometry::BoundaryNodes& boundary = found.boundary;
  const BoundaryLayer nodes(fluid, periodic, layer);
  boundary.mask = nodes.mask();
  for (size_t k = 0; k < boundary.mask.size(); ++k) {
    const auto& [x, y, z] = nodes.node()[k];
    const std::uint32_t mask = boundary.mask[k];
    boundary.node.push_back(fluid.nodeIndex(x, y, z));
    std::uint32_t walls = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const int n = std::countr_zero(rest);
      const Int3 step = geometry::directionStep(n);
      const geometry::Patch patch =
          patchTo(fluid.size, {x + step[0], y + step[1], z + step[2]}, faces);
      boundary.patch.push_back(patch);
      boundary.distance.push_back(geometry::codeFromDistance(0.5));
      if (!geometry::isOpening(patch)) walls |= 1U << n;
      ++(geometry::isOpening(patch) ? found.openingLinks : found.wallLinks);
    }
    boundary.normal.push_back(geometry::codeFromNormal(sumOfSteps(walls != 0 ? walls : mask)));
  }
  return found;
}

}  // namespace

FoundLinks findImageLinks(const geometry::BitLattice& fluid, const std::array<bool, 3>& periodic,
                          std::span<const BoxFace> openings, std::span<const WallFace> walls) {
  std::vector<FoundLinks> parts(static_cast<size_t>(fluid.blocks()[2]));
  tbb::parallel_for(size_t{0}, parts.size(), [&](size_t layer) {
    parts[layer] = imageLayer(fluid, periodic, {openings, walls}, static_cast<int>(layer));
  });
  return joined(parts);
}

}  // namespace tessera::preprocess::lattice
