// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of an interactive view next to the values of a surface: places to point at, labels of
// triangles, layers of lattice nodes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pipelines/picture/camera.hpp"
#include "pipelines/picture/colour.hpp"
#include "pipelines/stage/vec3.hpp"

namespace tessera::picture {

enum class MarkKind { Opening, Candidate, Closed, Throat };

constexpr Colour markColour(MarkKind kind) {
  constexpr std::array colours{colourOf(0xc45a00), colourOf(0x6a3fa0), colourOf(0x5b6571),
                               colourOf(0xb3123c)};
  return colours[static_cast<std::size_t>(kind)];
}

// A round place: its rim, an arrow along its normal (none for a throat), and a badge with its
// number.
struct ViewMark {
  MarkKind kind = MarkKind::Opening;
  std::string number;    // in the badge: "3", "C1"
  std::string name;      // next to the badge
  std::string note;      // shown while it is pointed at, e.g. "radius 1.2 mm"
  Double3 centre{};      // m
  Double3 normal{};      // unit, out of the fluid
  double radius = 0.0;   // m; 0: no rim
  bool inwards = false;  // the arrow points into the fluid
};

// A label of triangles.
struct ViewLabel {
  std::string name;
  Colour colour;
  bool isInside = false;  // such as a sheet within a vessel: stays opaque when the wall is glass
  int mark = -1;          // index of the mark that a click on the label selects; -1: none
};

// One layer of nodes across an axis, as blocks of 4 x 4 cells that are not all empty; u and v are
// the other two axes, the lower first.
struct ViewSlice {
  static constexpr int edge = 4;
  int axis = 2;
  int at = 0;                        // node
  std::vector<std::uint16_t> block;  // u, v of each block's first cell over `edge`
  std::vector<std::uint8_t> value;  // edge x edge for each block, u fastest: 0 empty, else an entry
                                    // of ViewLattice::entry, from 1
  std::vector<std::int32_t> tile;   // u, v of the first node of each tile, may be outside
};

// Lattice in the world and layers of it.
struct ViewLattice {
  Double3 origin{};               // m, of node 0
  std::array<Double3, 3> axis{};  // unit
  double spacing = 0.0;           // m
  Int3 nodes{};
  int cell = 1;                  // nodes on the edge of a cell of the slices
  std::vector<ViewLabel> entry;  // kinds of nodes
  std::vector<ViewSlice> slice;  // by axis, then position
  Int3 tileEdge{};               // nodes; 0: no tiles
  bool shownFirst = false;

  [[nodiscard]] bool empty() const { return slice.empty(); }
};

struct ViewParts {
  std::vector<ViewMark> marks;
  std::vector<ViewLabel> labels;           // empty: the triangles have none
  std::span<const std::uint16_t> labelOf;  // of each triangle, an index of labels
  ViewLattice lattice;
  Side side;                          // first seen from, unless flat
  std::string space;                  // anatomical, "LPS" or "RAS"; empty: unknown
  bool flat = false;                  // in 2D: seen along z and not turned
  std::size_t mostTriangles = 60000;  // that the view draws
};

}  // namespace tessera::picture
