// SPDX-License-Identifier: GPL-3.0-or-later
// The nodes of a box as maximal runs along x, for the rows that have any, and which runs touch:
// the graph for connected components, whose time and memory grow with the rows and not with the
// box.
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
using Runs = std::vector<Run>;  // ascending, none touching the next

// A row's runs and the number of the first of them.
struct RunRow {
  std::span<const Run> run;
  std::size_t firstNumber = 0;
  // Number of the run that holds a node; absent where none does.
  [[nodiscard]] std::optional<std::size_t> numberAt(int x) const;
};

// The rows of a plane, by y.
struct RunPlane {
  std::vector<int> y;                 // of the rows with a run, ascending
  std::vector<std::size_t> start{0};  // place of a row's first run, and one after the last row
  Runs run;
  std::size_t firstNumber = 0;  // of its first run among those of the lattice

  [[nodiscard]] std::span<const Run> runsOfRow(std::size_t row) const {
    return {run.data() + start[row], start[row + 1] - start[row]};
  }
  [[nodiscard]] RunRow rowAt(std::size_t row) const {
    return {runsOfRow(row), firstNumber + start[row]};
  }
  // Nothing is added for a row without runs; y above those that are there.
  void append(int row, std::span<const Run> runs);
};

// Finds rows of a plane in nearly ascending order: each search starts at the row found last.
class RowWalk {
 public:
  explicit RowWalk(const RunPlane& plane) : plane_(&plane) {}
  // Empty where the row has no run.
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

// Rows and planes from -1 to the size: a layer of rows around the box is part of it.
struct RunLattice {
  Int3 size{};
  std::array<bool, 3> periodic{};
  std::vector<RunPlane> plane;  // of z from -1 on

  RunLattice() = default;
  RunLattice(const Int3& nodes, const std::array<bool, 3>& axes);

  // On a periodic axis the place in the box, on others the place itself.
  [[nodiscard]] int wrapped(int place, std::size_t axis) const {
    return periodic[axis] ? (place + size[axis]) % size[axis] : place;
  }
  [[nodiscard]] RunPlane& planeAt(int z) { return plane[static_cast<std::size_t>(z + 1)]; }
  [[nodiscard]] const RunPlane& planeAt(int z) const {
    return plane[static_cast<std::size_t>(z + 1)];
  }
  // The rows of a plane; z wrapped around where the axis is periodic.
  [[nodiscard]] RowWalk walk(int z) const { return RowWalk(planeAt(wrapped(z, 2))); }
  // Sets the planes' firstNumber: runs are numbered by z, then y, then x.
  void numberRuns();
  // Number of runs, once they are numbered.
  [[nodiscard]] std::size_t runs() const {
    return plane.back().firstNumber + plane.back().run.size();
  }
  // Number of the run that holds a node of the box; absent where none does.
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

// Numbered.
RunLattice runsOf(const geometry::BitLattice& fluid, const std::array<bool, 3>& periodic);

// join(a, b) for the pairs of runs of two rows that come within reach along x (1: diagonals too).
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

// join(a, b) where the last node of a row touches the first of another across the end of a
// periodic x axis.
template <class Join>
void joinAround(const RunRow& rowA, const RunRow& rowB, int nodes, const Join& join) {
  if (rowA.run.empty() || rowB.run.empty()) return;
  if (rowA.run.back().last == nodes - 1 && rowB.run.front().first == 0)
    join(rowA.firstNumber + rowA.run.size() - 1, rowB.firstNumber);
}

// Times that a step goes around each periodic axis, with its sign.
using Winding = std::array<std::int32_t, 3>;

// Joins the runs of a row with those of another, to which a step goes around the axes so often.
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

// join(a, b, winding) for the runs that touch within the box and around its periodic axes; winding
// is that of the step from a to b. Neighbours: Eighteen or TwentySix.
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
