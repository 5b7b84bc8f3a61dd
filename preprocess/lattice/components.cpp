// SPDX-License-Identifier: GPL-3.0-or-later
// Connected components by runs: maximal runs of set bits along x are the nodes of a graph, joined
// over neighbouring rows with union-find (path halving, the lower run is the root). Far fewer runs
// than nodes, so one thread walks them in a few milliseconds.
#include "preprocess/lattice/components.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tessera {

namespace {

using std::size_t;

struct Run {
  int first, last;  // x
};

struct Runs {
  std::vector<Run> run;
  std::vector<size_t> rowStart;  // by row y + ny * z, and one after the last

  [[nodiscard]] std::uint64_t nodes(size_t k) const {
    return static_cast<std::uint64_t>(run[k].last - run[k].first + 1);
  }
};

// The runs of one row, by counting the zeros and ones that follow each other.
void appendRuns(const BitLattice& fluid, size_t start, std::vector<Run>& run) {
  bool open = false;
  for (int w = 0; w < fluid.rowWords; ++w) {
    const std::uint64_t word = fluid.words[start + static_cast<size_t>(w)];
    if (word == (open ? ~std::uint64_t{0} : 0)) continue;
    for (int bit = 0; bit < 64;) {
      const std::uint64_t rest = word >> bit;
      bit += open ? std::countr_one(rest) : std::countr_zero(rest);
      if (bit >= 64) break;
      if (open)
        run.back().last = w * 64 + bit - 1;
      else
        run.push_back({w * 64 + bit, fluid.size[0] - 1});
      open = !open;
    }
  }
}

Runs findRuns(const BitLattice& fluid) {
  Runs runs;
  for (int z = 0; z < fluid.size[2]; ++z)
    for (int y = 0; y < fluid.size[1]; ++y) {
      runs.rowStart.push_back(runs.run.size());
      appendRuns(fluid, fluid.rowStart(y, z), runs.run);
    }
  runs.rowStart.push_back(runs.run.size());
  return runs;
}

class UnionFind {
 public:
  explicit UnionFind(size_t size) : parent_(size) {
    for (size_t k = 0; k < size; ++k) parent_[k] = static_cast<std::uint32_t>(k);
  }
  size_t root(size_t k) {
    while (parent_[k] != k) k = parent_[k] = parent_[parent_[k]];
    return k;
  }
  void join(size_t a, size_t b) {
    a = root(a);
    b = root(b);
    parent_[std::max(a, b)] = static_cast<std::uint32_t>(std::min(a, b));
  }

 private:
  std::vector<std::uint32_t> parent_;
};

// Joins the runs of two rows that touch, corners included; both lists ascend.
void joinRows(const Runs& runs, size_t rowA, size_t rowB, UnionFind& parts) {
  size_t a = runs.rowStart[rowA];
  size_t b = runs.rowStart[rowB];
  while (a < runs.rowStart[rowA + 1] && b < runs.rowStart[rowB + 1]) {
    const Run& runA = runs.run[a];
    const Run& runB = runs.run[b];
    if (runA.first <= runB.last + 1 && runB.first <= runA.last + 1) parts.join(a, b);
    runA.last < runB.last ? ++a : ++b;
  }
}

// On a periodic x axis the last node of a row touches the first of the other.
void joinAround(const Runs& runs, const Int3& size, size_t rowA, size_t rowB, UnionFind& parts) {
  const size_t a = runs.rowStart[rowA + 1];
  const size_t b = runs.rowStart[rowB];
  if (a == runs.rowStart[rowA] || b == runs.rowStart[rowB + 1]) return;
  if (runs.run[a - 1].last == size[0] - 1 && runs.run[b].first == 0) parts.join(a - 1, b);
}

// Where a neighbour row lies, wrapped on periodic axes; -1 outside.
int wrapped(int at, int nodes, bool periodic) {
  if (at >= 0 && at < nodes) return at;
  return periodic ? (at + nodes) % nodes : -1;
}

UnionFind joinRuns(const Runs& runs, const Int3& size, const std::array<bool, 3>& periodic) {
  UnionFind parts(runs.run.size());
  constexpr std::array<std::array<int, 2>, 5> ahead{{{0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}};
  const auto rowOf = [&](int y, int z) {
    return static_cast<size_t>(y) + static_cast<size_t>(size[1]) * static_cast<size_t>(z);
  };
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (const auto& [dy, dz] : ahead) {
        const int otherY = wrapped(y + dy, size[1], periodic[1]);
        const int otherZ = wrapped(z + dz, size[2], periodic[2]);
        if (otherY < 0 || otherZ < 0) continue;
        const size_t row = rowOf(y, z);
        const size_t other = rowOf(otherY, otherZ);
        if (row != other) joinRows(runs, row, other, parts);
        if (!periodic[0]) continue;
        joinAround(runs, size, row, other, parts);
        joinAround(runs, size, other, row, parts);
      }
  return parts;
}

// The run that holds a node, or the number of runs when the node is solid.
size_t runAt(const Runs& runs, const Int3& size, std::uint64_t node) {
  const auto nx = static_cast<std::uint64_t>(size[0]);
  const int x = static_cast<int>(node % nx);
  const auto begin = runs.run.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(runs.rowStart[node / nx + 1]);
  const auto at =
      std::partition_point(begin + static_cast<std::ptrdiff_t>(runs.rowStart[node / nx]), end,
                           [&](const Run& run) { return run.last < x; });
  return at != end && at->first <= x ? static_cast<size_t>(at - begin) : runs.run.size();
}

void clearRun(BitLattice& fluid, size_t start, const Run& run) {
  for (int w = run.first / 64; w <= run.last / 64; ++w) {
    const int low = std::max(run.first - w * 64, 0);
    const int high = std::min(run.last - w * 64, 63);
    fluid.words[start + static_cast<size_t>(w)] &= ~(~std::uint64_t{0} >> (63 - high + low) << low);
  }
}

// Points of triangle t at most one node apart, in rows along its shortest edge.
template <class Visit>
void samplePoints(const TriangleMesh& surface, size_t t, const Visit& visit) {
  const auto corner = [&](size_t k) { return surface.vertex[surface.triangle[t][k % 3]]; };
  const auto opposite = [&](size_t k) { return length(corner(k + 2) - corner(k + 1)); };
  size_t tip = 0;
  for (size_t k = 1; k < 3; ++k)
    if (opposite(k) < opposite(tip)) tip = k;
  const Double3 left = corner(tip + 1) - corner(tip);
  const Double3 right = corner(tip + 2) - corner(tip);
  const int rows = std::max(1, static_cast<int>(std::ceil(std::max(length(left), length(right)))));
  for (int i = 0; i <= rows; ++i) {
    const double down = static_cast<double>(i) / rows;
    const int parts = std::max(1, static_cast<int>(std::ceil(down * opposite(tip))));
    for (int j = 0; j <= parts; ++j)
      visit(corner(tip) + down * left + down * j / parts * (right - left));
  }
}

// Makes the runs solid whose part is not kept.
void clearRuns(BitLattice& fluid, const Runs& runs, UnionFind& parts,
               const std::vector<bool>& keep) {
  for (size_t row = 0; row + 1 < runs.rowStart.size(); ++row)
    for (size_t k = runs.rowStart[row]; k < runs.rowStart[row + 1]; ++k)
      if (!keep[parts.root(k)])
        clearRun(fluid, row * static_cast<size_t>(fluid.rowWords), runs.run[k]);
}
}  // namespace

ComponentCount keepConnected(BitLattice& fluid, const std::array<bool, 3>& periodic,
                             std::span<const std::uint64_t> seeds) {
  const Runs runs = findRuns(fluid);
  UnionFind parts = joinRuns(runs, fluid.size, periodic);
  ComponentCount count;
  std::vector<std::uint64_t> nodesOf(runs.run.size(), 0);
  for (size_t k = 0; k < runs.run.size(); ++k) nodesOf[parts.root(k)] += runs.nodes(k);
  std::vector<bool> keep(runs.run.size(), false);
  for (std::uint64_t seed : seeds)
    if (const size_t k = runAt(runs, fluid.size, seed); k < keep.size()) keep[parts.root(k)] = true;
  if (std::find(keep.begin(), keep.end(), true) == keep.end() && !keep.empty()) {
    count.largestKept = true;
    keep[static_cast<size_t>(
        std::distance(nodesOf.begin(), std::max_element(nodesOf.begin(), nodesOf.end())))] = true;
  }
  for (size_t k = 0; k < runs.run.size(); ++k) {
    if (nodesOf[k] == 0) continue;  // not a root
    ++count.components;
    count.kept += keep[k] ? 1 : 0;
    (keep[k] ? count.keptNodes : count.droppedNodes) += nodesOf[k];
  }
  if (count.droppedNodes > 0) clearRuns(fluid, runs, parts, keep);
  return count;
}

std::vector<std::uint64_t> nodesAtOpenings(const BitLattice& fluid, const TriangleMesh& surface) {
  std::vector<std::uint64_t> found;
  const auto addAround = [&](const Double3& point) {
    const int x0 = static_cast<int>(std::floor(point[0]));
    const int y0 = static_cast<int>(std::floor(point[1]));
    const int z0 = static_cast<int>(std::floor(point[2]));
    for (int z = z0; z <= z0 + 1; ++z)
      for (int y = y0; y <= y0 + 1; ++y)
        for (int x = x0; x <= x0 + 1; ++x)
          if (fluid.inside(x, y, z) && fluid.at(x, y, z)) found.push_back(fluid.nodeIndex(x, y, z));
  };
  for (size_t t = 0; t < surface.label.size(); ++t)
    if (isOpening(surface.label[t])) samplePoints(surface, t, addAround);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<std::uint64_t> nodesAtFaces(const BitLattice& fluid, std::span<const BoxFace> faces) {
  std::vector<std::uint64_t> found;
  for (const BoxFace& face : faces) {
    const auto axis = static_cast<size_t>(face.axis);
    Int3 low{0, 0, 0};
    Int3 high{fluid.size[0] - 1, fluid.size[1] - 1, fluid.size[2] - 1};
    (face.high ? low : high)[axis] = face.high ? high[axis] : 0;
    for (int z = low[2]; z <= high[2]; ++z)
      for (int y = low[1]; y <= high[1]; ++y)
        for (int x = low[0]; x <= high[0]; ++x)
          if (fluid.at(x, y, z)) found.push_back(fluid.nodeIndex(x, y, z));
  }
  return found;
}

}  // namespace tessera
