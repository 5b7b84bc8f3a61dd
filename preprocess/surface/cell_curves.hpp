// SPDX-License-Identifier: GPL-3.0-or-later
// How a surface passes through a grid cell. Its crossed edges fall into one or more closed curves
// on the cell's faces; each becomes a vertex of its own (dual marching cubes: Nielson, IEEE
// Visualization 2004), so that the mesh stays manifold where the surface touches a grid plane. On a
// face with two diagonal corners inside, the curves go round those corners - unless two cells would
// then both join the face's two curves into one, which puts four quads on one edge: both cells take
// the opposite rule on that face (R. Wenger, "Isosurfaces", CRC Press 2013, section 3.5).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tessera {

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

}  // namespace tessera
