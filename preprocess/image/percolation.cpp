// SPDX-License-Identifier: GPL-3.0-or-later
// Union-find on runs of nodes along x that also keeps how often the way from a run to its root goes
// around each periodic axis: two ways between the same runs that differ in it make a loop around
// the axis (J. Machta et al., "Invaded cluster algorithm for Potts models", Phys. Rev. E 54, 1332,
// 1996).
#include "preprocess/image/percolation.hpp"

#include <algorithm>

#include "pipelines/stage/error.hpp"

namespace tessera {
namespace {

using std::size_t;
using Winding = std::array<std::int32_t, 3>;

struct Run {
  int first, last;  // x
};

struct Runs {
  Int3 size{};
  std::vector<Run> run;
  std::vector<size_t> rowStart;  // by row y + ny * z, and one after the last

  [[nodiscard]] size_t rowOf(int y, int z) const {
    return static_cast<size_t>(y) + static_cast<size_t>(size[1]) * static_cast<size_t>(z);
  }
  // The run of a fluid node.
  [[nodiscard]] size_t holding(std::uint64_t node) const {
    const auto nx = static_cast<std::uint64_t>(size[0]);
    const int x = static_cast<int>(node % nx);
    const auto begin = run.begin() + static_cast<std::ptrdiff_t>(rowStart[node / nx]);
    const auto end = run.begin() + static_cast<std::ptrdiff_t>(rowStart[node / nx + 1]);
    return static_cast<size_t>(
        std::partition_point(begin, end, [&](const Run& r) { return r.last < x; }) - run.begin());
  }
};

Runs runsOf(const BitLattice& fluid) {
  Runs runs;
  runs.size = fluid.size;
  for (int z = 0; z < fluid.size[2]; ++z)
    for (int y = 0; y < fluid.size[1]; ++y) {
      runs.rowStart.push_back(runs.run.size());
      bool open = false;
      for (int x = 0; x < fluid.size[0]; ++x) {
        const bool isFluid = fluid.at(x, y, z);
        if (isFluid && !open) runs.run.push_back({x, x});
        if (isFluid) runs.run.back().last = x;
        open = isFluid;
      }
    }
  runs.rowStart.push_back(runs.run.size());
  if (runs.run.size() >= ~std::uint32_t{0})
    fail(ExitCode::NoResource,
         "the fluid falls into more runs of nodes than 32 bits count; cut out a part of it.");
  return runs;
}

class WindingForest {
 public:
  explicit WindingForest(size_t size) : parent_(size), winding_(size, Winding{}), around_(size, 0) {
    for (size_t k = 0; k < size; ++k) parent_[k] = static_cast<std::uint32_t>(k);
  }
  // winding: of the way from k to its root.
  size_t root(size_t k, Winding& winding) {
    winding = {};
    while (parent_[k] != k) {
      const size_t next = parent_[k];
      for (size_t a = 0; a < 3; ++a) winding_[k][a] += winding_[next][a];
      parent_[k] = parent_[next];  // halves the path; a root's winding is zero
      for (size_t a = 0; a < 3; ++a) winding[a] += winding_[k][a];
      k = parent_[k];
    }
    return k;
  }
  size_t root(size_t k) {
    Winding winding;
    return root(k, winding);
  }
  // The step from a to b goes around the axes so often.
  void join(size_t a, size_t b, const Winding& step) {
    Winding fromA, fromB;
    const size_t rootA = root(a, fromA);
    const size_t rootB = root(b, fromB);
    Winding way;  // from A's root to B's
    for (size_t axis = 0; axis < 3; ++axis) way[axis] = step[axis] + fromB[axis] - fromA[axis];
    if (rootA == rootB) {
      for (size_t axis = 0; axis < 3; ++axis)
        if (way[axis] != 0) around_[rootA] |= static_cast<std::uint8_t>(1U << axis);
      return;
    }
    const bool lowerIsA = rootA < rootB;  // and becomes the root of both
    const size_t child = lowerIsA ? rootB : rootA;
    parent_[child] = static_cast<std::uint32_t>(lowerIsA ? rootA : rootB);
    around_[parent_[child]] |= around_[child];
    for (size_t axis = 0; axis < 3; ++axis)
      winding_[child][axis] = lowerIsA ? -way[axis] : way[axis];
  }
  // Of a root: bit a is set when a loop of its part goes around axis a.
  [[nodiscard]] unsigned around(size_t root) const { return around_[root]; }

 private:
  std::vector<std::uint32_t> parent_;
  std::vector<Winding> winding_;      // to the parent
  std::vector<std::uint8_t> around_;  // of roots
};

// Joins the runs of two rows that come within reach along x (1: diagonals too).
void joinRows(const Runs& runs, size_t rowA, size_t rowB, int reach, const Winding& step,
              WindingForest& parts) {
  size_t a = runs.rowStart[rowA];
  size_t b = runs.rowStart[rowB];
  while (a < runs.rowStart[rowA + 1] && b < runs.rowStart[rowB + 1]) {
    const Run& runA = runs.run[a];
    const Run& runB = runs.run[b];
    if (runA.first <= runB.last + reach && runB.first <= runA.last + reach) parts.join(a, b, step);
    runA.last < runB.last ? ++a : ++b;
  }
}

// On a periodic x axis the last node of a row touches the first of the other.
void joinAround(const Runs& runs, size_t rowA, size_t rowB, const Winding& step,
                WindingForest& parts) {
  const size_t a = runs.rowStart[rowA + 1];
  const size_t b = runs.rowStart[rowB];
  if (a == runs.rowStart[rowA] || b == runs.rowStart[rowB + 1]) return;
  if (runs.run[a - 1].last == runs.size[0] - 1 && runs.run[b].first == 0)
    parts.join(a - 1, b, step);
}

// Where a neighbour lies on an axis, and how often the step goes around it; false outside.
bool wrap(int& at, int nodes, bool periodic, std::int32_t& around) {
  around = at < 0 ? -1 : (at >= nodes ? 1 : 0);
  at -= around * nodes;
  return around == 0 || periodic;
}

void joinNeighbours(const Runs& runs, const std::array<bool, 3>& periodic, int y, int z,
                    Neighbours neighbours, WindingForest& parts) {
  constexpr std::array<std::array<int, 2>, 5> ahead{{{0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}};
  const size_t row = runs.rowOf(y, z);
  for (const auto& [dy, dz] : ahead) {
    Winding step{};
    int otherY = y + dy;
    int otherZ = z + dz;
    if (!wrap(otherY, runs.size[1], periodic[1], step[1]) ||
        !wrap(otherZ, runs.size[2], periodic[2], step[2]))
      continue;
    const size_t other = runs.rowOf(otherY, otherZ);
    const int reach = dy != 0 && dz != 0 && neighbours == Neighbours::Eighteen ? 0 : 1;
    if (dy != 0 || dz != 0) joinRows(runs, row, other, reach, step, parts);
    if (!periodic[0] || reach == 0) continue;
    joinAround(runs, row, other, {1, step[1], step[2]}, parts);
    if (dy != 0 || dz != 0) joinAround(runs, other, row, {1, -step[1], -step[2]}, parts);
  }
}

// Without their openings.
std::vector<FluidPart> countParts(const Runs& runs, WindingForest& forest,
                                  std::vector<std::uint32_t>& partAt) {
  std::vector<FluidPart> parts;
  partAt.resize(runs.run.size());  // of roots, which come before their runs
  for (size_t k = 0; k < runs.run.size(); ++k) {
    const size_t root = forest.root(k);
    if (root == k) {
      partAt[k] = static_cast<std::uint32_t>(parts.size());
      parts.emplace_back().wraps = forest.around(k) != 0;
    }
    parts[partAt[root]].nodes += static_cast<std::uint64_t>(runs.run[k].last) + 1 -
                                 static_cast<std::uint64_t>(runs.run[k].first);
  }
  return parts;
}

}  // namespace

Percolation percolationOf(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                          std::span<const std::vector<std::uint64_t>> touching,
                          Neighbours neighbours) {
  const Runs runs = runsOf(fluid);
  WindingForest forest(runs.run.size());
  for (int z = 0; z < fluid.size[2]; ++z)
    for (int y = 0; y < fluid.size[1]; ++y)
      joinNeighbours(runs, periodic, y, z, neighbours, forest);
  Percolation result;
  std::vector<std::uint32_t> partAt;
  result.parts = countParts(runs, forest, partAt);
  for (std::uint32_t opening = 0; opening < touching.size(); ++opening)
    for (const std::uint64_t node : touching[opening]) {
      std::vector<std::uint32_t>& known =
          result.parts[partAt[forest.root(runs.holding(node))]].openings;
      if (known.empty() || known.back() != opening) known.push_back(opening);
    }
  for (size_t k = 0; k < runs.run.size(); ++k)
    for (size_t a = 0; a < 3; ++a)
      result.wraps[a] = result.wraps[a] || (forest.around(forest.root(k)) >> a & 1U) != 0;
  return result;
}

}  // namespace tessera
