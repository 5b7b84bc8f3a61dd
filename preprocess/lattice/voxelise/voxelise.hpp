// SPDX-License-Identifier: GPL-3.0-or-later
// Voxelisation of a closed surface by signed scanline winding in integer arithmetic.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "preprocess/geometry/bit_lattice.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::lattice {

// Largest number of nodes on an axis without overflow of the integer arithmetic.
constexpr int maxNodesPerAxis = 8192;

struct Voxels {
  geometry::BitLattice fluid;
  // Sum of the positive winding numbers of all nodes: the signed volume of the surface in nodes,
  // more than fluid.count() where parts overlap.
  std::uint64_t windingSum = 0;
};

// Sets every node with a positive winding number: inside a closed surface whose normals point out
// of the fluid; overlapping surfaces are united. mesh: in lattice coordinates, vertices in [-0.5,
// nodes - 0.5]. The surface may be open at the end planes of a periodic axis; open and periodic on
// all three axes is refused. Throws StageError(BadInput) when a row's winding does not return to
// zero, a vertex lies outside of the box or the box exceeds maxNodesPerAxis. Memory scales with the
// surface and the nodes inside. Independent of the number of threads.
// above: sets the nodes with a winding number above it instead, for overlapping parts.
Voxels voxeliseCounting(const geometry::TriangleMesh& mesh, const Int3& nodes,
                        const std::array<bool, 3>& periodic, int above = 0);

inline geometry::BitLattice voxelise(const geometry::TriangleMesh& mesh, const Int3& nodes,
                                     const std::array<bool, 3>& periodic) {
  return voxeliseCounting(mesh, nodes, periodic).fluid;
}

// Winding numbers along 64 parallel rays: changes are recorded at crossings, then summed along the
// rays.

// Rays of a few planes: lanes are contiguous within a row, rows follow each other along the ray.
class WindingColumn {
 public:
  static constexpr std::size_t lanes = 64;

  // Counts winding numbers above the given one as positive.
  explicit WindingColumn(int above = 0) : above_(static_cast<std::int16_t>(above)) {}
  // Allocates planes with rows firstRow .. lastRow, without changes.
  void reset(int planes, int firstRow, int lastRow);
  // Adds a change of the winding number from this row on.
  void add(int plane, int row, int lane, std::int16_t change) {
    const std::size_t at = static_cast<std::size_t>(plane) * static_cast<std::size_t>(rows_) +
                           static_cast<std::size_t>(row - firstRow_);
    touched_[at / 64] |= std::uint64_t{1} << (at % 64);
    std::int16_t& entry = change_[at * lanes + static_cast<std::size_t>(lane)];
    entry = static_cast<std::int16_t>(entry + change);
  }
  // Sums the changes of a plane and resets them; visit(row, end, bits) for ranges of rows with
  // positive winding numbers on some lanes (bit = lane). windingSum is increased by the positive
  // winding numbers. False if the winding numbers do not return to zero.
  template <class Visit>
  bool sum(int plane, std::uint64_t& windingSum, const Visit& visit) {
    std::array<std::int16_t, lanes> winding{};
    Positive positive;
    int from = 0;
    const std::size_t start = static_cast<std::size_t>(plane) * static_cast<std::size_t>(rows_);
    const std::size_t end = start + static_cast<std::size_t>(rows_);
    for (std::size_t at = nextTouched(start, end); at < end; at = nextTouched(at + 1, end)) {
      const int row = static_cast<int>(at - start);
      if (positive.bits != 0) {
        visit(firstRow_ + from, firstRow_ + row, positive.bits);
        windingSum += positive.sum * static_cast<std::uint64_t>(row - from);
      }
      positive = advance(winding, at);
      from = row;
    }
    return winding == std::array<std::int16_t, lanes>{};
  }

 private:
  struct Positive {
    std::uint64_t bits = 0;  // lanes with a positive winding number
    std::uint64_t sum = 0;   // of these winding numbers
  };
  // Adds the changes of a row to the winding numbers and resets them.
  Positive advance(std::array<std::int16_t, lanes>& winding, std::size_t at);
  [[nodiscard]] std::size_t nextTouched(std::size_t at, std::size_t end) const;

  std::int16_t above_;
  int firstRow_ = 0, rows_ = 0;
  std::vector<std::int16_t> change_;    // [plane][row][lane], zero between uses
  std::vector<std::uint64_t> touched_;  // bit plane * rows + row: has a change
};

// Nodes inside a labelled surface that may be open at the ends of periodic axes.

// Metres to nodes. Vertices that rounding puts outside of the box of nodes are clamped to it.
geometry::TriangleMesh inLatticeCoordinates(geometry::TriangleMesh mesh,
                                            const geometry::Frame& frame, const Double3& nodes);

// voxeliseCounting() for any periodic axes. ends: triangles removed at the ends of periodic axes,
// indexing the mesh's vertices; used if all three axes are periodic, since no ray then starts
// outside.
Voxels nodesInside(const geometry::TriangleMesh& mesh, const std::vector<stage::Triangle>& ends,
                   const Int3& nodes, const std::array<bool, 3>& periodic, int above = 0);

// Nodes with a winding number above 1, 2, ... up to the largest, where parts overlap; voxels: the
// result of nodesInside() for the same surface.
std::vector<geometry::BitLattice> nodesInOverlaps(const geometry::TriangleMesh& mesh,
                                                  const std::vector<stage::Triangle>& ends,
                                                  const Int3& nodes,
                                                  const std::array<bool, 3>& periodic,
                                                  const Voxels& voxels);

}  // namespace tessera::preprocess::lattice
