// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/geometry/lattice_geometry.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tessera::preprocess::geometry {

namespace {
double signNotZero(double value) {
  return value < 0.0 ? -1.0 : 1.0;
}

std::uint32_t quantise(double value) {
  return static_cast<std::uint32_t>(std::lround(std::clamp(value, -1.0, 1.0) * 32767.0) + 32767);
}
}  // namespace

std::uint32_t codeFromNormal(const Double3& normal) {
  const double sum = std::abs(normal[0]) + std::abs(normal[1]) + std::abs(normal[2]);
  double u = normal[0] / sum;
  double v = normal[1] / sum;
  if (normal[2] < 0.0) {
    const double folded = (1.0 - std::abs(v)) * signNotZero(u);
    v = (1.0 - std::abs(u)) * signNotZero(v);
    u = folded;
  }
  return quantise(u) | (quantise(v) << 16U);
}

Double3 normalFromCode(std::uint32_t code) {
  double u = (static_cast<double>(code & 0xffffU) - 32767.0) / 32767.0;
  double v = (static_cast<double>(code >> 16U) - 32767.0) / 32767.0;
  const double w = 1.0 - std::abs(u) - std::abs(v);
  if (w < 0.0) {
    const double folded = (1.0 - std::abs(v)) * signNotZero(u);
    v = (1.0 - std::abs(u)) * signNotZero(v);
    u = folded;
  }
  const double length = std::sqrt(u * u + v * v + w * w);
  return {u / length, v / length, w / length};
}

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
    if (mask == 0 || (mask & ~linkBits) != 0) return "a link mask has invalid bits";
    links += static_cast<std::uint64_t>(std::popcount(mask));
  }
  return links == boundary.patch.size() ? "" : "the number of links does not match their masks";
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
      if (vertex >= surface.vertex.size()) return "a triangle refers to a missing vertex";
  if (surface.sheetTriangles > surface.triangle.size())
    return "the surface has fewer triangles than its sheets";
  return "";
}

}  // namespace

std::uint64_t countWallLinks(const BoundaryNodes& boundary) {
  return static_cast<std::uint64_t>(std::count_if(boundary.patch.begin(), boundary.patch.end(),
                                                  [](Patch patch) { return !isOpening(patch); }));
}

std::string defectOf(const LatticeGeometry& geometry) {
  for (const std::string& defect :
       {defectOfNodes(geometry), defectOfPatches(geometry), defectOfSurface(geometry.surface)})
    if (!defect.empty()) return defect;
  return "";
}

}  // namespace tessera::preprocess::geometry
