// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/connectivity/run_lattice.hpp"

#include <tbb/parallel_for.h>

#include <bit>

namespace tessera::preprocess::lattice {
namespace {

// Appends the nodes of a non-zero word; words come by y, then x.
void appendWord(RunPlane& plane, int y, int w, std::uint64_t word) {
  if (plane.y.empty() || plane.y.back() != y) {
    plane.y.push_back(y);
    plane.start.push_back(plane.run.size());
  }
  const std::size_t rowStart = plane.start[plane.y.size() - 1];
  for (int bit = 0; bit < 64 && word >> bit != 0;) {
    bit += std::countr_zero(word >> bit);
    const int nodes = std::countr_one(word >> bit);
    const int first = w * 64 + bit;
    if (plane.run.size() > rowStart && plane.run.back().last == first - 1)
      plane.run.back().last += nodes;
    else
      plane.run.push_back({first, first + nodes - 1});
    bit += nodes;
  }
  plane.start.back() = plane.run.size();
}

}  // namespace

std::optional<std::size_t> RunRow::numberAt(int x) const {
  const auto found =
      std::partition_point(run.begin(), run.end(), [&](const Run& each) { return each.last < x; });
  if (found == run.end() || found->first > x) return std::nullopt;
  return firstNumber + static_cast<std::size_t>(found - run.begin());
}

void RunPlane::append(int row, std::span<const Run> runs) {
  if (runs.empty()) return;
  y.push_back(row);
  run.insert(run.end(), runs.begin(), runs.end());
  start.push_back(run.size());
}

RunLattice::RunLattice(const Int3& nodes, const std::array<bool, 3>& axes)
    : size(nodes), periodic(axes), plane(static_cast<std::size_t>(nodes[2] + 2)) {}

std::optional<std::size_t> RunLattice::numberAt(const Int3& node) const {
  const RunPlane& rows = planeAt(node[2]);
  if (rows.y.empty() || node[1] < rows.y.front() || node[1] > rows.y.back()) return std::nullopt;
  // Most planes have every row between their first and last.
  auto row = static_cast<std::size_t>(node[1] - rows.y.front());
  if (row >= rows.y.size() || rows.y[row] != node[1])
    row = static_cast<std::size_t>(std::lower_bound(rows.y.begin(), rows.y.end(), node[1]) -
                                   rows.y.begin());
  if (rows.y[row] != node[1]) return std::nullopt;
  return rows.rowAt(row).numberAt(node[0]);
}

void RunLattice::numberRuns() {
  std::size_t numbered = 0;
  for (RunPlane& rows : plane) {
    rows.firstNumber = numbered;
    numbered += rows.run.size();
  }
}

RunLattice runsOf(const geometry::BitLattice& fluid, const std::array<bool, 3>& periodic) {
  RunLattice lattice(fluid.size, periodic);
  tbb::parallel_for(0, fluid.blocks()[2], [&](int layer) {
    fluid.forEachWord(layer, [&](int w, int y, int z, std::uint64_t word) {
      appendWord(lattice.planeAt(z), y, w, word);
    });
  });
  lattice.numberRuns();
  return lattice;
}

}  // namespace tessera::preprocess::lattice
