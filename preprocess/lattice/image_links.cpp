// SPDX-License-Identifier: GPL-3.0-or-later
// Links of a lattice without a surface, one task a layer.
#include <tbb/parallel_for.h>

#include <bit>

#include "preprocess/lattice/boundary_layer.hpp"
#include "preprocess/lattice/found_links.hpp"

namespace tessera {

namespace {

using std::size_t;

// The patch of a link out of the box: the first face listed that it leaves through.
Patch patchOutOf(const Int3& size, const Int3& target, std::span<const BoxFace> openings) {
  for (const BoxFace& face : openings) {
    const auto axis = static_cast<size_t>(face.axis);
    if (face.high ? target[axis] >= size[axis] : target[axis] < 0)
      return openingPatch(face.openingId);
  }
  return 0;
}

FoundLinks imageLayer(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                      std::span<const BoxFace> openings, int layer) {
  FoundLinks found;
  BoundaryNodes& boundary = found.boundary;
  const BoundaryLayer nodes(fluid, periodic, layer);
  boundary.mask = nodes.mask();
  for (size_t k = 0; k < boundary.mask.size(); ++k) {
    const auto& [x, y, z] = nodes.node()[k];
    const std::uint32_t mask = boundary.mask[k];
    boundary.node.push_back(fluid.nodeIndex(x, y, z));
    std::uint32_t walls = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const int n = std::countr_zero(rest);
      const Int3 step = directionStep(n);
      const Patch patch = patchOutOf(fluid.size, {x + step[0], y + step[1], z + step[2]}, openings);
      boundary.patch.push_back(patch);
      boundary.distance.push_back(codeFromDistance(0.5));
      if (!isOpening(patch)) walls |= 1U << n;
      ++(isOpening(patch) ? found.openingLinks : found.wallLinks);
    }
    boundary.normal.push_back(codeFromNormal(sumOfSteps(walls != 0 ? walls : mask)));
  }
  return found;
}

}  // namespace

FoundLinks findImageLinks(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                          std::span<const BoxFace> openings) {
  std::vector<FoundLinks> parts(static_cast<size_t>(fluid.blocks()[2]));
  tbb::parallel_for(size_t{0}, parts.size(), [&](size_t layer) {
    parts[layer] = imageLayer(fluid, periodic, openings, static_cast<int>(layer));
  });
  return joined(parts);
}

}  // namespace tessera
