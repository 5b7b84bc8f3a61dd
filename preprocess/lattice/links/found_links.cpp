// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/links/found_links.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>

namespace tessera::preprocess::lattice {

using std::size_t;

Double3 sumOfSteps(std::uint32_t mask) {
  Double3 sum{0.0, 0.0, 0.0};
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const Int3 step = geometry::directionStep(std::countr_zero(rest));
    for (size_t a = 0; a < 3; ++a) sum[a] += step[a];
  }
  // A node between two walls: any direction that leaves.
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

}  // namespace tessera::preprocess::lattice
