// SPDX-License-Identifier: GPL-3.0-or-later
// Curves of a surface on the faces of a grid cell. The cell's crossed edges fall into one or more
// closed curves on the cell's faces; each becomes a vertex of its own (dual marching cubes:
// Nielson, IEEE Visualization 2004), so that the mesh stays manifold where the surface touches a
// grid plane. On a face with two diagonal corners inside, the curves go round those corners -
// unless two cells would then both join the face's two curves into one, which puts four quads on
// one edge: both cells take the opposite rule on that face (R. Wenger, "Isosurfaces", CRC Press
// 2013, section 3.5).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pipelines/stage/vec3.hpp"

namespace tessera::preprocess::mesher {

// Corner c of a cell lies at (c & 1, c >> 1 & 1, c >> 2). Edge 4 * axis + k runs along the axis
// from the k-th corner without that bit.
constexpr std::uint8_t notCrossed = 0xff;
struct CellCurves {
  std::array<std::uint8_t, 12> curve{};  // by edge, or notCrossed
  std::uint8_t count = 0;
};
// By the bits of the corners that are inside; 256 higher with the opposite rule.
constexpr int oppositeRule = 256;
const std::array<CellCurves, 512>& cellCurveTable();
// The crossed edges along each curve of that table's entry, counter-clockwise seen from outside.
std::vector<std::vector<int>> curveLoops(int entry);
// The face (2 * axis, + 1 for the upper one) whose two curves the cell joins and could keep apart
// by the opposite rule; -1 where there is none.
int pinchedFace(int inside);
// The edge between two neighbouring corners.
int edgeBetween(int a, int b);

// The bits of a cell's corners that are inside; cell: grid point at its corner 0.
template <class IsInside>
int cornersInside(const Int3& cell, const IsInside& isInside) {
  int inside = 0;
  for (int c = 0; c < 8; ++c)
    inside |= (isInside(cell + Int3{c & 1, (c >> 1) & 1, c >> 2}) ? 1 : 0) << c;
  return inside;
}

// The entry of cellCurveTable() for a cell with these corners inside: with the opposite rule where
// this cell and the one across its pinched face would both join that face's curves.
template <class IsInside>
int curvesEntry(Int3 cell, int inside, const IsInside& isInside) {
  const int face = pinchedFace(inside);
  if (face < 0) return inside;
  cell[static_cast<std::size_t>(face / 2)] += face % 2 == 0 ? -1 : 1;
  const bool isPinchedTwice = pinchedFace(cornersInside(cell, isInside)) == (face ^ 1);
  return inside + (isPinchedTwice ? oppositeRule : 0);
}

}  // namespace tessera::preprocess::mesher
