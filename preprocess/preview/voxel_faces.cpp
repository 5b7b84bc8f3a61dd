// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/preview/voxel_faces.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

namespace tessera::preprocess::preview {

using geometry::BitLattice;
using geometry::LatticeGeometry;
using geometry::Neighbours;
using geometry::Patch;

namespace {

// visit(node, direction, patch) for the links of boundary nodes along the axes.
template <class Visit>
void forAxisLinks(const LatticeGeometry& geometry, const Visit& visit) {
  constexpr std::uint32_t alongAxes = geometry::directionBits(Neighbours::Six);
  std::size_t link = 0;
  for (std::size_t k = 0; k < geometry.boundary.node.size(); ++k)
    for (std::uint32_t rest = geometry.boundary.mask[k]; rest != 0; rest &= rest - 1, ++link) {
      const int direction = std::countr_zero(rest);
      if ((alongAxes >> direction & 1U) != 0)
        visit(geometry.fluid.nodeAt(geometry.boundary.node[k]), direction,
              geometry.boundary.patch[link]);
    }
}

// Cells of `edge` nodes.
class Cells {
 public:
  Cells(const BitLattice& fluid, const std::array<bool, 3>& periodic, int edge)
      : edge_(edge), periodic_(periodic) {
    for (std::size_t a = 0; a < 3; ++a) size_[a] = (fluid.size[a] + edge - 1) / edge;
    count_.assign(static_cast<std::size_t>(size_[0]) * static_cast<std::size_t>(size_[1]) *
                      static_cast<std::size_t>(size_[2]),
                  0);
    for (int k = 0; k < fluid.blocks()[2]; ++k)
      fluid.forEachWord(k, [&](int w, int y, int z, std::uint64_t word) {
        for (; word != 0; word &= word - 1)
          ++count_[index({(64 * w + std::countr_zero(word)) / edge, y / edge, z / edge})];
      });
  }
  [[nodiscard]] bool isFluid(const Int3& cell) const {
    for (std::size_t a = 0; a < 3; ++a)
      if (cell[a] < 0 || cell[a] >= size_[a]) return false;
    return 2 * count_[index(cell)] >= static_cast<std::uint32_t>(edge_ * edge_ * edge_);
  }
  [[nodiscard]] std::size_t index(const Int3& cell) const {
    return static_cast<std::size_t>(cell[0]) +
           static_cast<std::size_t>(size_[0]) *
               (static_cast<std::size_t>(cell[1]) +
                static_cast<std::size_t>(size_[1]) * static_cast<std::size_t>(cell[2]));
  }
  // Whether a cell next to the box is fluid beyond a periodic side.
  [[nodiscard]] bool isFluidBeyond(Int3 cell) const {
    bool beyond = false;
    for (std::size_t a = 0; a < 3; ++a) {
      if (cell[a] >= 0 && cell[a] < size_[a]) continue;
      if (!periodic_[a]) return false;
      cell[a] = cell[a] < 0 ? size_[a] - 1 : 0;
      beyond = true;
    }
    return beyond && isFluid(cell);
  }
  // visit(cell, direction) for the faces of fluid cells.
  template <class Visit>
  void forFaces(const Visit& visit) const {
    for (int z = 0; z < size_[2]; ++z)
      for (int y = 0; y < size_[1]; ++y)
        for (int x = 0; x < size_[0]; ++x) {
          const Int3 cell{x, y, z};
          if (!isFluid(cell)) continue;
          for (const auto& [n, step] : geometry::stepsTo(Neighbours::Six))
            if (!isFluid(cell + step)) visit(cell, n);
        }
  }

 private:
  int edge_;
  std::array<bool, 3> periodic_;
  Int3 size_{};
  std::vector<std::uint32_t> count_;  // fluid nodes
};

// Patches other than wall 0 at the faces of cells.
std::unordered_map<std::uint64_t, Patch> patchesOf(const LatticeGeometry& geometry,
                                                   const Cells& cells, int edge) {
  std::unordered_map<std::uint64_t, Patch> patches;
  forAxisLinks(geometry, [&](const Int3& node, int direction, Patch patch) {
    if (patch == 0) return;
    const Int3 cell{node[0] / edge, node[1] / edge, node[2] / edge};
    Patch& known = patches[27 * cells.index(cell) + static_cast<std::uint64_t>(direction)];
    known = std::max(known, patch);
  });
  return patches;
}

// Corners of the face of a cell, counter-clockwise from outside, in cells from its lower corner.
std::array<Int3, 4> faceCorners(const Int3& cell, int direction) {
  const Int3 step = geometry::directionStep(direction);
  const std::size_t a = step[0] != 0 ? 0 : step[1] != 0 ? 1 : 2, b = (a + 1) % 3, c = (a + 2) % 3;
  std::array<Int3, 4> corners{cell, cell, cell, cell};
  corners[1][b] += 1;
  corners[2][b] += 1;
  corners[2][c] += 1;
  corners[3][c] += 1;
  for (Int3& corner : corners) corner[a] += step[a] > 0 ? 1 : 0;
  if (step[a] < 0) std::reverse(corners.begin(), corners.end());
  return corners;
}

std::uint64_t keyOf(const Int3& corner) {
  return static_cast<std::uint64_t>(corner[0]) | static_cast<std::uint64_t>(corner[1]) << 21 |
         static_cast<std::uint64_t>(corner[2]) << 42;
}

}  // namespace

VoxelFaces voxelFaces(const LatticeGeometry& geometry, std::size_t mostFaces) {
  constexpr double mostCells = 1e8;
  const double nodes =
      static_cast<double>(geometry.fluid.size[0]) * geometry.fluid.size[1] * geometry.fluid.size[2];
  int edge = std::max(1, static_cast<int>(std::ceil(std::cbrt(nodes / mostCells))));
  for (;;) {
    std::size_t faces = 0;
    Cells(geometry.fluid, geometry.periodic, edge).forFaces([&](const Int3&, int) { ++faces; });
    if (faces <= mostFaces) break;
    // Faces become fewer by the square of the edge, of pores faster.
    const double factor = std::sqrt(static_cast<double>(faces) / static_cast<double>(mostFaces));
    edge = std::max(edge + 1, static_cast<int>(0.9 * edge * factor));
  }
  const Cells cells(geometry.fluid, geometry.periodic, edge);
  const auto patches = patchesOf(geometry, cells, edge);
  VoxelFaces out;
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  cells.forFaces([&](const Int3& cell, int direction) {
    std::array<std::uint32_t, 4> v{};
    const std::array<Int3, 4> corners = faceCorners(cell, direction);
    for (std::size_t k = 0; k < 4; ++k) {
      const auto [at, isNew] =
          known.emplace(keyOf(corners[k]), static_cast<std::uint32_t>(out.vertex.size()));
      if (isNew) {
        Double3 lattice{};
        for (std::size_t a = 0; a < 3; ++a)
          lattice[a] = std::min(edge * corners[k][a], geometry.fluid.size[a]) - 0.5;
        out.vertex.push_back(geometry.frame.toWorld(lattice));
      }
      v[k] = at->second;
    }
    const auto patch = patches.find(27 * cells.index(cell) + static_cast<std::uint64_t>(direction));
    out.patch.insert(out.patch.end(), 2, patch == patches.end() ? Patch{0} : patch->second);
    out.isPeriodic.insert(out.isPeriodic.end(), 2,
                          cells.isFluidBeyond(cell + geometry::directionStep(direction)));
    out.triangle.push_back({v[0], v[1], v[2]});
    out.triangle.push_back({v[0], v[2], v[3]});
  });
  return out;
}

double wallFaces(const LatticeGeometry& geometry) {
  double faces = 0.0;
  forAxisLinks(geometry, [&](const Int3&, int, Patch patch) {
    if (!geometry::isOpening(patch)) faces += 1.0;
  });
  return faces;
}

}  // namespace tessera::preprocess::preview
