// SPDX-License-Identifier: GPL-3.0-or-later
// Openings from caps: measurement, order, labels.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/surface/repair/repair.hpp"

namespace tessera::preprocess::surface {

// Side of the bounding box, as in --faces x-,x+.
struct Side {
  int axis = 0;
  bool high = false;
  [[nodiscard]] std::string name() const {
    return std::string(1, "xyz"[axis]) + (high ? "+" : "-");
  }
};

// Connected sets of triangles in the plane of a side of the mesh's box, named after the side ("x-",
// or "x-1", "x-2" if there are several). Throws StageError(Usage) without triangles.
std::vector<Cap> capsOnSide(const geometry::TriangleMesh& mesh, const geometry::Bounds& bounds,
                            const Side& side, double tolerance);

// Readable name: "open loop", "flat cap".
std::string describeOrigin(CapOrigin origin);

struct LabelledOpenings {
  std::vector<geometry::Opening> opening;  // in documented order
  std::vector<CapOrigin> origin;           // of each
  std::vector<std::size_t> cap;            // of each, index into the caps
};

// Labels the caps' triangles; others keep their labels (wall 0 if the mesh has none). Caps that
// share a triangle with an earlier one are dropped.
LabelledOpenings labelOpenings(geometry::TriangleMesh& mesh, const std::vector<Cap>& caps);

// Numbers the wall labels consecutively from 0 and returns their names. faceName: by current label;
// empty: all is "wall". sheets: labels of the sheets, numbered with them.
std::vector<std::string> labelWalls(geometry::TriangleMesh& mesh,
                                    const std::vector<std::string>& faceName,
                                    std::span<geometry::Patch> sheets = {});

// Sorts by descending area (within 1 %: by centre z, then y, then x), or by the numbers in the
// names if areNumbered(), and numbers from 1; repeated names become name_2, name_3 .... Returns the
// previous index by new position.
std::vector<std::size_t> orderOpenings(std::vector<geometry::Opening>& openings);

}  // namespace tessera::preprocess::surface
