// SPDX-License-Identifier: GPL-3.0-or-later
// Consistency of a geometry, so that later stages need not look again.
#include "preprocess/geometry/check_geometry.hpp"

#include <algorithm>
#include <bit>

namespace tessera::preprocess::geometry {

namespace {

std::string defectOfNodes(const LatticeGeometry& geometry) {
  const BoundaryNodes& boundary = geometry.boundary;
  const Int3& size = geometry.fluid.size;
  const std::uint64_t nodes = geometry.fluid.nodeIndex(0, 0, size[2]);
  std::uint64_t links = 0;
  for (std::size_t k = 0; k < boundary.node.size(); ++k) {
    const std::uint64_t node = boundary.node[k];
    if (node >= nodes || (k > 0 && node <= boundary.node[k - 1]))
      return "boundary nodes are out of order";
    const auto& [x, y, z] = geometry.fluid.nodeAt(node);
    if (!geometry.fluid.at(x, y, z)) return "a boundary node is solid";
    const std::uint32_t mask = boundary.mask[k];
    if (mask == 0 || (mask & ~linkBits) != 0) return "a link mask is not one";
    links += static_cast<std::uint64_t>(std::popcount(mask));
  }
  return links == boundary.patch.size() ? "" : "the links do not match their masks";
}

bool patchExists(const LatticeGeometry& geometry, Patch patch) {
  if (!isOpening(patch)) return patch < geometry.wallNames.size();
  return openingId(patch) >= 1 &&
         static_cast<std::size_t>(openingId(patch)) <= geometry.openings.size();
}

std::string defectOfPatches(const LatticeGeometry& geometry) {
  const auto exists = [&](Patch patch) { return patchExists(geometry, patch); };
  const std::vector<Patch>& link = geometry.boundary.patch;
  if (!std::all_of(link.begin(), link.end(), exists)) return "a link ends on an unknown patch";
  const std::vector<Patch>& label = geometry.surface.label;
  if (!std::all_of(label.begin(), label.end(), exists)) return "a triangle has an unknown label";
  for (std::size_t k = 0; k < geometry.openings.size(); ++k)
    if (geometry.openings[k].id != static_cast<int>(k) + 1)
      return "opening ids do not count from 1";
  return "";
}

std::string defectOfSurface(const Surface& surface) {
  for (const auto& triangle : surface.triangle)
    for (std::uint32_t vertex : triangle)
      if (vertex >= surface.vertex.size()) return "a triangle names a vertex that is not there";
  return "";
}

}  // namespace

std::string defectOf(const LatticeGeometry& geometry) {
  for (const std::string& defect :
       {defectOfNodes(geometry), defectOfPatches(geometry), defectOfSurface(geometry.surface)})
    if (!defect.empty()) return defect;
  return "";
}

}  // namespace tessera::preprocess::geometry
