// SPDX-License-Identifier: GPL-3.0-or-later
// Layouts of section 3.2 of arXiv:1611.02445 and their assignment to populations.
#include "tiler/analysis/layouts.hpp"

#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::tiler::analysis {

namespace {

// Eq. 11.
int placeXYZ(int x, int y, int z) {
  return x + 4 * y + 16 * z;
}

// Eq. 12.
int placeYXZ(int x, int y, int z) {
  return y + 4 * x + 16 * z;
}

// Eq. 13: rows of three on x, then the column x = 3 downwards; pairs of layers interleaved.
int placeZigzagNE(int x, int y, int z) {
  return 2 * (x + 3 * y + ((x + 1) & 4) * (3 - y)) + (z & 1) + 16 * (z & 2);
}

constexpr std::uint8_t xyz = 0, yxz = 1, zigzagNE = 2;
constexpr std::array<TileLayout, 3> layouts{
    {{xyz, "XYZ", placeXYZ}, {yxz, "YXZ", placeYXZ}, {zigzagNE, "zigzagNE", placeZigzagNE}}};

// The paper's assignment: E, W, ET, EB, WT, WB, NW and SW use `west`, NE and SE `northEast`, all
// others XYZ. East is +x, north +y, top +z.
constexpr std::array<std::uint8_t, 27> assign(std::uint8_t west, std::uint8_t northEast) {
  std::array<std::uint8_t, 27> layoutOf{};
  for (const auto& [n, step] : preprocess::geometry::neighbourhood) {
    if (step[0] == 0 || (step[1] != 0 && step[2] != 0)) continue;
    const bool diagonal = step[0] == 1 && step[1] != 0;
    layoutOf[static_cast<std::size_t>(n)] = diagonal ? northEast : west;
  }
  return layoutOf;
}

constexpr std::array<LayoutAssignment, 4> assignments{
    {{0, "XYZ", assign(xyz, xyz)},
     {1, "XYZ + zigzagNE", assign(xyz, zigzagNE)},
     {2, "XYZ + YXZ", assign(yxz, xyz)},
     {3, "XYZ + YXZ + zigzagNE", assign(yxz, zigzagNE)}}};

constexpr std::array<int, 9> d2q9{9, 10, 11, 12, 13, 14, 15, 16, 17};
constexpr std::array<int, 19> d3q19{1,  3,  4,  5,  7,  9,  10, 11, 12, 13,
                                    14, 15, 16, 17, 19, 21, 22, 23, 25};
constexpr std::array<int, 27> d3q27{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                                    14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26};

}  // namespace

std::span<const TileLayout> tileLayouts() {
  return layouts;
}

std::span<const LayoutAssignment> layoutAssignments() {
  return assignments;
}

std::span<const int> populationDirections(int populations) {
  if (populations == 9) return d2q9;
  if (populations == 19) return d3q19;
  return d3q27;
}

}  // namespace tessera::tiler::analysis
