// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/links/links.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>

#include "preprocess/lattice/links/boundary_layer.hpp"

namespace tessera::preprocess::lattice {

using std::size_t;

Double3 sumOfSteps(std::uint32_t mask) {
  Double3 sum{0.0, 0.0, 0.0};
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const Int3 step = geometry::directionStep(std::countr_zero(rest));
    for (size_t a = 0; a < 3; ++a) sum[a] += step[a];
  }
  // For a node between two walls: the first leaving direction.
  if (dot(sum, sum) == 0.0) {
    const Int3 step = geometry::directionStep(std::countr_zero(mask));
    sum = {static_cast<double>(step[0]), static_cast<double>(step[1]),
           static_cast<double>(step[2])};
  }
  return sum;
}

namespace {

template <class T>
void append(std::vector<T>& all, size_t at, const std::vector<T>& part) {
  std::copy(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace

FoundLinks joined(const std::vector<FoundLinks>& parts) {
  FoundLinks all;
  std::vector<size_t> firstNode, firstLink;
  size_t nodes = 0;
  size_t links = 0;
  for (const FoundLinks& part : parts) {
    firstNode.push_back(nodes);
    firstLink.push_back(links);
    nodes += part.boundary.node.size();
    links += part.boundary.patch.size();
    all.wallLinks += part.wallLinks;
    all.openingLinks += part.openingLinks;
    all.uncrossedLinks += part.uncrossedLinks;
    all.cutLinks += part.cutLinks;
  }
  geometry::BoundaryNodes& boundary = all.boundary;
  boundary.node.resize(nodes);
  boundary.mask.resize(nodes);
  boundary.normal.resize(nodes);
  boundary.distance.resize(links);
  boundary.patch.resize(links);
  tbb::parallel_for(size_t{0}, parts.size(), [&](size_t s) {
    const geometry::BoundaryNodes& part = parts[s].boundary;
    append(boundary.node, firstNode[s], part.node);
    append(boundary.mask, firstNode[s], part.mask);
    append(boundary.normal, firstNode[s], part.normal);
    append(boundary.distance, firstLink[s], part.distance);
    append(boundary.patch, firstLink[s], part.patch);
  });
  return all;
}

void dropSolid(const geometry::BitLattice& fluid, geometry::BoundaryNodes& boundary) {
  size_t nodes = 0;
  size_t links = 0;
  size_t link = 0;
  for (size_t k = 0; k < boundary.node.size(); ++k) {
    const auto own = static_cast<size_t>(std::popcount(boundary.mask[k]));
    const auto& [x, y, z] = fluid.nodeAt(boundary.node[k]);
    if (fluid.at(x, y, z)) {
      boundary.node[nodes] = boundary.node[k];
      boundary.mask[nodes] = boundary.mask[k];
      boundary.normal[nodes++] = boundary.normal[k];
      for (size_t i = 0; i < own; ++i, ++links) {
        boundary.distance[links] = boundary.distance[link + i];
        boundary.patch[links] = boundary.patch[link + i];
      }
    }
    link += own;
  }
  boundary.node.resize(nodes);
  boundary.mask.resize(nodes);
  boundary.normal.resize(nodes);
  boundary.distance.resize(links);
  boundary.patch.resize(links);
}

// Links of a lattice without a surface, one task per layer.

namespace {

// Sides of the box other than unnamed walls.
struct Faces {
  std::span<const BoxFace> openings;
  std::span<const WallFace> walls;
  const std::function<geometry::Patch(const Int3&)>& wallAt;  // in the box
};

template <class Face>
bool leavesThrough(const Int3& size, const Int3& target, const Face& face) {
  const auto axis = static_cast<size_t>(face.axis);
  return face.high ? target[axis] >= size[axis] : target[axis] < 0;
}

// Patch of a link; out of the box, that of the first listed side it leaves through.
geometry::Patch patchTo(const geometry::BitLattice& fluid, const std::array<bool, 3>& periodic,
                        Int3 target, const Faces& faces) {
  const Int3& size = fluid.size;
  if (faces.wallAt) {
    for (size_t a = 0; a < 3; ++a)
      if (periodic[a]) target[a] = (target[a] + size[a]) % size[a];
    if (fluid.inside(target[0], target[1], target[2])) return faces.wallAt(target);
  }
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
          patchTo(fluid, periodic, {x + step[0], y + step[1], z + step[2]}, faces);
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
                          std::span<const BoxFace> openings, std::span<const WallFace> walls,
                          const std::function<geometry::Patch(const Int3&)>& wallAt) {
  std::vector<FoundLinks> parts(static_cast<size_t>(fluid.blocks()[2]));
  tbb::parallel_for(size_t{0}, parts.size(), [&](size_t layer) {
    parts[layer] = imageLayer(fluid, periodic, {openings, walls, wallAt}, static_cast<int>(layer));
  });
  return joined(parts);
}

}  // namespace tessera::preprocess::lattice
