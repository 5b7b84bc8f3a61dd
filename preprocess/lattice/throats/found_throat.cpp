// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/throats/found_throat.hpp"

#include <algorithm>
#include <vector>

namespace tessera::preprocess::lattice {

using geometry::Throat;

FoundThroat foundThroat(const geometry::LatticeGeometry& geometry, const OpeningSet& one,
                        const OpeningSet& other, const ThroatMeasures& measures) {
  const double spacing = geometry.frame.spacing;
  const bool isOne = one.size() < other.size() || (one.size() == other.size() && one > other);
  Throat throat;
  throat.openings = isOne ? one : other;
  throat.normal = geometry.frame.directionToWorld((isOne ? 1.0 : -1.0) * measures.towardsOne);
  throat.centre = geometry.frame.toWorld(measures.centre);
  throat.area = spacing * spacing * measures.area;
  throat.passages = measures.passages;
  const double narrowest = spacing * spacing * measures.narrowest;
  if (throat.openings.size() > 1) return {throat, narrowest, measures.isExact};
  const auto id = static_cast<std::size_t>(throat.openings.front());
  const geometry::Opening& opening = geometry.openings[id - 1];
  if (opening.area < throat.area)
    return {{throat.openings, opening.centre, opening.normal, opening.area}, opening.area, true};
  return {throat, narrowest, measures.isExact};
}

void measurePassages(std::span<const double> areas, ThroatMeasures& measures) {
  const double largest = areas.front();
  measures.area = 0.0;
  measures.narrowest = largest;
  measures.passages = 0;
  double small = 0.0;
  for (const double area : areas) {
    measures.area += area;
    if (area < 0.25 * largest) {
      small += area;
      continue;
    }
    ++measures.passages;
    measures.narrowest = area;
  }
  if (small > 0.0) {
    ++measures.passages;
    measures.narrowest = std::min(measures.narrowest, small);
  }
}

FoundThroat throatOfCut(const geometry::LatticeGeometry& geometry, const LeastCut& cut) {
  const CutPiece& largest = cut.piece.front();
  ThroatMeasures measures{largest.centre, -1.0 * largest.normal};
  std::vector<double> areas;
  for (const CutPiece& piece : cut.piece) areas.push_back(piece.area);
  measurePassages(areas, measures);
  return foundThroat(geometry, cut.one, cut.other, measures);
}

}  // namespace tessera::preprocess::lattice
