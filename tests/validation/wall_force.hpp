// SPDX-License-Identifier: GPL-3.0-or-later
// Force of the fluid on a wall by momentum exchange (Ladd 1994; for interpolated walls Mei, Yu,
// Shyy & Luo 2002): outgoing and reflected populations of each link.
#pragma once

#include <vector>

#include "tests/validation/run.hpp"

namespace tessera::validation {

using namespace tessera::preprocess::geometry;

// Links that end on one wall label, and the indices of the populations that make up the reflected
// one, by the linear scheme of Bouzidi, Firdaouss & Lallemand 2001, or halfway where every distance
// is 1/2.
class WallForce {
 public:
  WallForce(const Flow& flow, Patch label);
  // Lattice units, of the step that would follow. The wall must be closed and at rest.
  [[nodiscard]] Double3 of(const Flow& flow) const;

 private:
  struct Link {
    std::size_t out, back, behind;  // f_i and f_o of the node, f_i of x - c_i
    double distance;
    std::array<int, 3> c;
  };
  std::vector<Link> links_;
};

}  // namespace tessera::validation
