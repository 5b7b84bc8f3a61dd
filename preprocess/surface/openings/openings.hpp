// SPDX-License-Identifier: GPL-3.0-or-later
// From caps to openings: measured, ordered, labelled.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/geometry/mesh_measure.hpp"
#include "preprocess/surface/repair/repair.hpp"

namespace tessera::preprocess::surface {

// A face of the bounding box, as in --faces x-,x+.
struct Side {
  int axis = 0;
  bool high = false;
  [[nodiscard]] std::string name() const {
    return std::string(1, "xyz"[axis]) + (high ? "+" : "-");
  }
};

// The connected sets of triangles in the plane of a side of the mesh's box, named after the side
// ("x-", or "x-1", "x-2" where there are several). Throws StageError(Usage) when there are none.
std::vector<Cap> capsOnSide(const geometry::TriangleMesh& mesh, const geometry::Bounds& bounds,
                            const Side& side, double tolerance);

// For people: "open loop", "flat cap".
std::string describeOrigin(CapOrigin origin);

struct LabelledOpenings {
  std::vector<geometry::Opening> opening;  // in their documented order
  std::vector<CapOrigin> origin;           // of each
};

// Labels the caps' triangles; all others keep their labels (wall 0 where the mesh has none). Later
// caps that share a triangle with an earlier one are dropped.
LabelledOpenings labelOpenings(geometry::TriangleMesh& mesh, const std::vector<Cap>& caps);

// Numbers the wall labels from 0 without gaps and gives their names. faceName: of the labels so
// far; empty: all is "wall".
std::vector<std::string> labelWalls(geometry::TriangleMesh& mesh,
                                    const std::vector<std::string>& faceName);

// Sorts by descending area (within 1 %: by centre z, then y, then x) and numbers from 1; of
// openings of one name the later ones become name_2, name_3 .... Returns, for each new place, the
// index before.
std::vector<std::size_t> orderOpenings(std::vector<geometry::Opening>& openings);

}  // namespace tessera::preprocess::surface
