// SPDX-License-Identifier: GPL-3.0-or-later
// Run-length encoding of the nodes in a box along x, for non-empty rows, and the adjacency of runs.
// Time and memory of connected components grow with the number of rows, not with the box.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "preprocess/geometry/bit_lattice.hpp"
#include "preprocess/geometry/neighbourhood.hpp"

namespace tessera::preprocess::lattice {

struct Run {
  int first, last;  // x
  [[nodiscard]] std::uint64_t nodes() const { return static_cast<std::uint64_t>(last - first + 1); }
  bool operator==(const Run&) const = default;
};
using Runs = std::vector<Run>;  // ascending, disjoint and not adjacent

// Runs of a row and the number of its first run.
struct RunRow {
  std::span<const Run> run;
  std::size_t firstNumber = 0;
  // Number of the run that contains a node, if any.
  [[nodiscard]] std::optional<std::size_t> numberAt(int x) const;
};

// Non-empty rows of a plane, by y.
struct RunPlane {
  std::vector<int> y;                 // of the rows with a run, ascending
  std::vector<std::size_t> start{0};  // index of a row's first run, and one past the last
  Runs run;
  std::size_t firstNumber = 0;  // number of its first run in the lattice

  [[nodiscard]] std::span<const Run> runsOfRow(std::size_t row) const {
    return {run.data() + start[row], start[row + 1] - start[row]};
  }
  [[nodiscard]] RunRow rowAt(std::size_t row) const {
    return {runsOfRow(row), firstNumber + start[row]};
  }
  // Appends a row above the existing ones; ignored without runs.
  void append(int row, std::span<const Run> runs);
};

// Finds rows of a plane in nearly ascending order: each search starts at the previous result.
class RowWalk {
 public:
  explicit RowWalk(const RunPlane& plane) : plane_(&plane) {}
  // Empty for a row without runs.
  RunRow at(int y) {
    const std::vector<int>& rows = plane_->y;
    while (row_ < rows.size() && rows[row_] < y) ++row_;
    while (row_ > 0 && rows[row_ - 1] >= y) --row_;
    if (row_ == rows.size() || rows[row_] != y) return {};
    return plane_->rowAt(row_);
  }

 private:
  const RunPlane* plane_;
  std::size_t row_ = 0;
};

// Rows and planes from -1 to size: includes one layer around the box.
struct RunLattice {
  Int3 size{};
  std::array<bool, 3> periodic{};
  std::vector<RunPlane> plane;  // of z from -1 on

  RunLattice() = default;
  RunLattice(const Int3& nodes, const std::array<bool, 3>& axes);

  // Position wrapped on a periodic axis, unchanged on others.
  [[nodiscard]] int wrapped(int at, std::size_t axis) const {
    return periodic[axis] ? (at + size[axis]) % size[axis] : at;
  }
  [[nodiscard]] RunPlane& planeAt(int z) { return plane[static_cast<std::size_t>(z + 1)]; }
  [[nodiscard]] const RunPlane& planeAt(int z) const {
    return plane[static_cast<std::size_t>(z + 1)];
  }
  // Rows of a plane; z is wrapped on a periodic axis.
  [[nodiscard]] RowWalk walk(int z) const { return RowWalk(planeAt(wrapped(z, 2))); }
  // Sets the planes' firstNumber: runs are numbered by z, then y, then x.
  void numberRuns();
  // Number of runs, after numberRuns().
  [[nodiscard]] std::size_t runs() const {
    return plane.back().firstNumber + plane.back().run.size();
  }
  // Number of the run that contains a node of the box, if any.
  [[nodiscard]] std::optional<std::size_t> numberAt(const Int3& node) const;
  // visit(number, run, y, z) by ascending number.
  template <class Visit>
  void forEachRun(const Visit& visit) const {
    for (int z = -1; z <= size[2]; ++z) {
      const RunPlane& rows = planeAt(z);
      for (std::size_t row = 0; row < rows.y.size(); ++row)
        for (std::size_t k = rows.start[row]; k < rows.start[row + 1]; ++k)
          visit(rows.firstNumber + k, rows.run[k], rows.y[row], z);
    }
  }
};

// Run-length encoding of a lattice, with numbers.
RunLattice runsOf(const geometry::BitLattice& fluid, const std::array<bool, 3>& periodic);

// join(a, b) for the pairs of runs of two rows at most `reach` apart along x (1: diagonals too).
template <class Join>
void joinRows(const RunRow& rowA, const RunRow& rowB, int reach, const Join& join) {
  for (std::size_t a = 0, b = 0; a < rowA.run.size() && b < rowB.run.size();) {
    const Run& runA = rowA.run[a];
    const Run& runB = rowB.run[b];
    if (runA.first <= runB.last + reach && runB.first <= runA.last + reach)
      join(rowA.firstNumber + a, rowB.firstNumber + b);
    runA.last < runB.last ? ++a : ++b;
  }
}

// join(a, b) if the last node of a row is adjacent to the first of another across the end of a
// periodic x axis.
template <class Join>
void joinAround(const RunRow& rowA, const RunRow& rowB, int nodes, const Join& join) {
  if (rowA.run.empty() || rowB.run.empty()) return;
  if (rowA.run.back().last == nodes - 1 && rowB.run.front().first == 0)
    join(rowA.firstNumber + rowA.run.size() - 1, rowB.firstNumber);
}

// Signed number of windings of a step around each periodic axis.
using Winding = std::array<std::int32_t, 3>;

// Joins the runs of two rows; the step from one to the other has the given winding.
template <class Join>
void joinTouchingRows(const RunLattice& lattice, const RunRow& own, const RunRow& other, int reach,
                      const Winding& around, const Join& join) {
  const bool isSame = own.firstNumber == other.firstNumber && around == Winding{};
  const auto forward = [&](std::int32_t x) {
    return [&join, winding = Winding{x, around[1], around[2]}](std::size_t a, std::size_t b) {
      join(a, b, winding);
    };
  };
  if (!isSame) joinRows(own, other, reach, forward(0));
  if (!lattice.periodic[0] || reach == 0) return;
  joinAround(own, other, lattice.size[0], forward(1));
  if (isSame) return;
  const Winding back{1, -around[1], -around[2]};
  joinAround(other, own, lattice.size[0], [&](std::size_t a, std::size_t b) { join(a, b, back); });
}

// join(a, b, winding) for adjacent runs, also across periodic axes; winding: of the step from a to
// b. Neighbours: Eighteen or TwentySix.
template <class Join>
void joinTouchingRuns(const RunLattice& lattice, geometry::Neighbours neighbours,
                      const Join& join) {
  constexpr std::array<std::array<int, 2>, 5> ahead{{{0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}};
  const Int3& size = lattice.size;
  for (int z = 0; z < size[2]; ++z) {
    const RunPlane& plane = lattice.planeAt(z);
    const int nextZ = geometry::wrappedPosition(z + 1, size[2], lattice.periodic[2]);
    std::array<RowWalk, 5> walk{RowWalk(plane), RowWalk(plane), lattice.walk(nextZ),
                                lattice.walk(nextZ), lattice.walk(nextZ)};
    for (std::size_t row = 0; row < plane.y.size(); ++row)
      for (std::size_t k = 0; k < ahead.size(); ++k) {
        const auto [dy, dz] = ahead[k];
        const int nextY = plane.y[row] + dy;
        const int y = geometry::wrappedPosition(nextY, size[1], lattice.periodic[1]);
        if (y < 0 || (dz != 0 && nextZ < 0)) continue;
        const RunRow other = walk[k].at(y);
        if (other.run.empty()) continue;
        const int reach =
            dy != 0 && dz != 0 && neighbours == geometry::Neighbours::Eighteen ? 0 : 1;
        joinTouchingRows(lattice, plane.rowAt(row), other, reach,
                         {0, nextY < 0 ? -1 : nextY >= size[1], z + dz >= size[2]}, join);
      }
  }
}

}  // namespace tessera::preprocess::lattice
