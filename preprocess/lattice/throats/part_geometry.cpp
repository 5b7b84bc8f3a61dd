// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/throats/part_geometry.hpp"

#include <map>

#include "preprocess/lattice/links/links.hpp"

namespace tessera::preprocess::lattice {

std::vector<int> partsBetweenOpenings(std::span<const geometry::Opening> openings) {
  std::map<int, int> count;
  for (const geometry::Opening& opening : openings) ++count[opening.part];
  std::vector<int> parts;
  for (const auto& [part, number] : count)
    if (number > 1) parts.push_back(part);
  return parts;
}

PartGeometry partGeometry(const geometry::LatticeGeometry& whole, std::span<const CutNode> cuts,
                          int part) {
  PartGeometry own;
  geometry::LatticeGeometry& geometry = own.geometry;
  geometry.dimensions = whole.dimensions;
  geometry.frame = whole.frame;
  geometry.periodic = whole.periodic;
  geometry.fluid = whole.fluid;
  geometry.boundary = whole.boundary;
  geometry.surface = whole.surface;
  std::map<geometry::Patch, geometry::Patch> patchOf;
  std::vector<std::uint64_t> seeds;
  const std::vector<std::vector<std::uint64_t>> nodes = nodesByLink(whole);
  for (std::size_t k = 0; k < whole.openings.size(); ++k) {
    if (whole.openings[k].part != part) continue;
    own.ids.push_back(whole.openings[k].id);
    geometry.openings.push_back(whole.openings[k]);
    geometry.openings.back().id = static_cast<int>(own.ids.size());
    patchOf[geometry::openingPatch(own.ids.back())] =
        geometry::openingPatch(geometry.openings.back().id);
    seeds.insert(seeds.end(), nodes[k].begin(), nodes[k].end());
  }
  keepConnected(geometry.fluid, geometry.periodic, seeds, cuts);
  dropSolid(geometry.fluid, geometry.boundary);
  for (geometry::Patch& patch : geometry.boundary.patch)
    if (geometry::isOpening(patch)) patch = patchOf.at(patch);
  own.cuts = cutNodesOf(geometry.fluid, geometry.periodic, geometry.boundary);
  return own;
}

}  // namespace tessera::preprocess::lattice
