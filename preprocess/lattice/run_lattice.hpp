// SPDX-License-Identifier: GPL-3.0-or-later
// The nodes of a box as runs along x, kept for the rows that have any: time and memory go with
// those rows, whatever the box.
#pragma once

#include <span>
#include <vector>

#include "preprocess/lattice/bit_lattice.hpp"

namespace tessera {

struct Run {
  int first, last;  // x
  bool operator==(const Run&) const = default;
};
using Runs = std::vector<Run>;  // ascending, none touching the next

// The rows of a plane, by y.
struct RunPlane {
  std::vector<int> y;                 // of the rows with a run, ascending
  std::vector<std::size_t> start{0};  // place of a row's first run, and one after the last row
  Runs run;
  std::size_t firstNumber = 0;  // of its first run among those of the lattice

  [[nodiscard]] std::span<const Run> runsOfRow(std::size_t row) const {
    return {run.data() + start[row], start[row + 1] - start[row]};
  }
  // Nothing is added for a row without runs; y above those that are there.
  void append(int row, std::span<const Run> runs);
};

// A row's runs and the number of the first of them.
struct RunRow {
  std::span<const Run> run;
  std::size_t firstNumber = 0;
};

// Looks rows of a plane up, one near the other: it walks from the one it found last.
class RowWalk {
 public:
  explicit RowWalk(const RunPlane& plane) : plane_(&plane) {}
  // Empty where the row has no run.
  RunRow at(int y) {
    const std::vector<int>& rows = plane_->y;
    while (row_ < rows.size() && rows[row_] < y) ++row_;
    while (row_ > 0 && rows[row_ - 1] >= y) --row_;
    if (row_ == rows.size() || rows[row_] != y) return {};
    return {plane_->runsOfRow(row_), plane_->firstNumber + plane_->start[row_]};
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
  // How many runs there are, once they are numbered.
  [[nodiscard]] std::size_t runs() const {
    return plane.back().firstNumber + plane.back().run.size();
  }
};

// Numbered.
RunLattice runsOf(const BitLattice& fluid, const std::array<bool, 3>& periodic);

}  // namespace tessera
