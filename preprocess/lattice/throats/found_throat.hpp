// SPDX-License-Identifier: GPL-3.0-or-later
// Throats in world coordinates from sections or cuts of the lattice.
#pragma once

#include <span>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/lattice/throats/least_cut.hpp"
#include "preprocess/lattice/throats/widest_paths.hpp"

namespace tessera::preprocess::lattice {

struct FoundThroat {
  geometry::Throat throat;
  double narrowest = 0.0;  // m2, of its passages
  bool isExact = false;    // by the surface, not by nodes
};

// Lattice coordinates.
struct ThroatMeasures {
  Double3 centre{}, towardsOne{};      // unit
  double area = 0.0, narrowest = 0.0;  // nodes^2, of all passages and of the narrowest one
  int passages = 1;
  bool isExact = false;
};

// Sets area, passages and the narrowest of them from the areas of pieces, the largest first; pieces
// smaller than a quarter of the largest count as one passage.
void measurePassages(std::span<const double> areas, ThroatMeasures& measures);

// Throat between two groups of all openings, named by that of fewer; of as many, by the one without
// opening 1. A single opening that is smaller takes its place.
FoundThroat foundThroat(const geometry::LatticeGeometry& geometry, const OpeningSet& one,
                        const OpeningSet& other, const ThroatMeasures& measures);

FoundThroat throatOfCut(const geometry::LatticeGeometry& geometry, const LeastCut& cut);

}  // namespace tessera::preprocess::lattice
