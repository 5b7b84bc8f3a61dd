// SPDX-License-Identifier: GPL-3.0-or-later
// Connected components by runs: maximal runs of set bits along x are the nodes of a graph, joined
// over neighbouring rows with union-find (path halving, the lower run is the root). Far fewer runs
// than nodes, so one thread walks them in a few milliseconds.
#include "preprocess/lattice/components.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "preprocess/disjoint_sets.hpp"

namespace tessera {

namespace {

using std::size_t;

struct Run {
  int first, last;  // x
};

// The runs of the rows that have any.
struct Runs {
  std::vector<Run> run;
  std::vector<int> rowY;           // of each such row, planes one after the other
  std::vector<size_t> rowStart;    // its first run, and one after the last
  std::vector<size_t> planeStart;  // first row of each plane, and one after the last

  [[nodiscard]] std::uint64_t nodes(size_t k) const {
    return static_cast<std::uint64_t>(run[k].last - run[k].first + 1);
  }
  [[nodiscard]] size_t rows() const { return rowY.size(); }
};

// Appends the runs of a word; one that begins where the row's last run ends continues it.
void appendRuns(int w, std::uint64_t word, size_t rowStart, std::vector<Run>& run) {
  for (int bit = 0; word >> bit != 0;) {
    bit += std::countr_zero(word >> bit);
    const int first = w * 64 + bit;
    bit += std::countr_one(word >> bit);
    if (run.size() > rowStart && run.back().last + 1 == first)
      run.back().last = w * 64 + bit - 1;
    else
      run.push_back({first, w * 64 + bit - 1});
    if (bit == 64) return;
  }
}

Runs findRunsOfLayer(const BitLattice& fluid, int layer) {
  Runs runs;
  const int firstPlane = layer * BitLattice::blockPlanes;
  const int endPlane = std::min(firstPlane + BitLattice::blockPlanes, fluid.size[2]);
  int plane = firstPlane - 1;
  fluid.forEachWord(layer, [&](int w, int y, int z, std::uint64_t word) {
    if (z != plane || y != runs.rowY.back()) {
      for (; plane < z; ++plane) runs.planeStart.push_back(runs.rows());
      runs.rowY.push_back(y);
      runs.rowStart.push_back(runs.run.size());
    }
    appendRuns(w, word, runs.rowStart.back(), runs.run);
  });
  for (; plane + 1 < endPlane; ++plane) runs.planeStart.push_back(runs.rows());
  return runs;
}

Runs findRuns(const BitLattice& fluid) {
  std::vector<Runs> part(static_cast<size_t>(fluid.blocks()[2]));
  tbb::parallel_for(size_t{0}, part.size(), [&](size_t layer) {
    part[layer] = findRunsOfLayer(fluid, static_cast<int>(layer));
  });
  Runs runs;
  for (const Runs& each : part) {
    for (const size_t row : each.planeStart) runs.planeStart.push_back(runs.rows() + row);
    for (const size_t start : each.rowStart) runs.rowStart.push_back(runs.run.size() + start);
    runs.rowY.insert(runs.rowY.end(), each.rowY.begin(), each.rowY.end());
    runs.run.insert(runs.run.end(), each.run.begin(), each.run.end());
  }
  runs.planeStart.push_back(runs.rows());
  runs.rowStart.push_back(runs.run.size());
  return runs;
}

// Joins the runs of two rows that come within reach along x (1: diagonals too); both lists ascend.
void joinRows(const Runs& runs, size_t rowA, size_t rowB, int reach, DisjointSets<>& parts) {
  size_t a = runs.rowStart[rowA];
  size_t b = runs.rowStart[rowB];
  while (a < runs.rowStart[rowA + 1] && b < runs.rowStart[rowB + 1]) {
    const Run& runA = runs.run[a];
    const Run& runB = runs.run[b];
    if (runA.first <= runB.last + reach && runB.first <= runA.last + reach) parts.join(a, b);
    runA.last < runB.last ? ++a : ++b;
  }
}

// On a periodic x axis the last node of a row touches the first of the other.
void joinAround(const Runs& runs, const Int3& size, size_t rowA, size_t rowB,
                DisjointSets<>& parts) {
  const size_t a = runs.rowStart[rowA + 1];
  const size_t b = runs.rowStart[rowB];
  if (a == runs.rowStart[rowA] || b == runs.rowStart[rowB + 1]) return;
  if (runs.run[a - 1].last == size[0] - 1 && runs.run[b].first == 0) parts.join(a - 1, b);
}

// The row at each y of a plane, wrapped on periodic axes; none where there is no run.
class PlaneRows {
 public:
  static constexpr size_t none = ~size_t{0};
  PlaneRows(const Runs& runs, const Int3& size, const std::array<bool, 3>& periodic)
      : runs_(runs), size_(size), periodic_(periodic) {}
  void load(int z) {
    row_.assign(static_cast<size_t>(size_[1]), none);
    if (z == size_[2] && !periodic_[2]) return;
    const auto plane = static_cast<size_t>(z % size_[2]);
    for (size_t row = runs_.planeStart[plane]; row < runs_.planeStart[plane + 1]; ++row)
      row_[static_cast<size_t>(runs_.rowY[row])] = row;
  }
  [[nodiscard]] size_t at(int y) const {
    if (periodic_[1]) y = (y + size_[1]) % size_[1];
    return y < 0 || y >= size_[1] ? none : row_[static_cast<size_t>(y)];
  }

 private:
  const Runs& runs_;
  Int3 size_;
  std::array<bool, 3> periodic_;
  std::vector<size_t> row_;
};

DisjointSets<> joinRuns(const Runs& runs, const Int3& size, const std::array<bool, 3>& periodic,
                        Neighbours neighbours) {
  DisjointSets<> parts(runs.run.size());
  std::array<PlaneRows, 2> plane{PlaneRows(runs, size, periodic), PlaneRows(runs, size, periodic)};
  plane[0].load(0);
  const auto join = [&](size_t row, size_t other, bool isDiagonal = false) {
    if (other == PlaneRows::none) return;
    const int reach = isDiagonal && neighbours == Neighbours::Eighteen ? 0 : 1;
    if (row != other) joinRows(runs, row, other, reach, parts);
    if (!periodic[0] || reach == 0) return;
    joinAround(runs, size, row, other, parts);
    joinAround(runs, size, other, row, parts);
  };
  for (int z = 0; z < size[2]; ++z) {
    const PlaneRows& here = plane[static_cast<size_t>(z % 2)];
    PlaneRows& next = plane[static_cast<size_t>((z + 1) % 2)];
    next.load(z + 1);
    for (size_t row = runs.planeStart[static_cast<size_t>(z)];
         row < runs.planeStart[static_cast<size_t>(z) + 1]; ++row) {
      const int y = runs.rowY[row];
      join(row, row);
      join(row, here.at(y + 1));
      for (int dy = -1; dy <= 1; ++dy) join(row, next.at(y + dy), dy != 0);
    }
  }
  return parts;
}

// The run that holds a node, or the number of runs when the node is solid.
size_t runAt(const Runs& runs, const Int3& node) {
  const auto iterator = [](const auto& list, size_t k) {
    return list.begin() + static_cast<std::ptrdiff_t>(k);
  };
  const auto plane = static_cast<size_t>(node[2]);
  const auto rowsEnd = iterator(runs.rowY, runs.planeStart[plane + 1]);
  const auto rowAt =
      std::lower_bound(iterator(runs.rowY, runs.planeStart[plane]), rowsEnd, node[1]);
  if (rowAt == rowsEnd || *rowAt != node[1]) return runs.run.size();
  const auto row = static_cast<size_t>(rowAt - runs.rowY.begin());
  const auto end = iterator(runs.run, runs.rowStart[row + 1]);
  const auto at = std::partition_point(iterator(runs.run, runs.rowStart[row]), end,
                                       [&](const Run& run) { return run.last < node[0]; });
  return at != end && at->first <= node[0] ? static_cast<size_t>(at - runs.run.begin())
                                           : runs.run.size();
}

void clearRun(BitLattice& fluid, int y, int z, const Run& run) {
  for (int w = run.first / 64; w <= run.last / 64; ++w) {
    const int low = std::max(run.first - w * 64, 0);
    const int high = std::min(run.last - w * 64, 63);
    fluid.makeBlock(w, y / BitLattice::blockRows,
                    z / BitLattice::blockPlanes)[BitLattice::wordInBlock(y, z)] &=
        ~(~std::uint64_t{0} >> (63 - high + low) << low);
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
void clearRuns(BitLattice& fluid, const Runs& runs, DisjointSets<>& parts,
               const std::vector<bool>& keep) {
  for (int z = 0; z < fluid.size[2]; ++z) {
    const auto plane = static_cast<size_t>(z);
    for (size_t row = runs.planeStart[plane]; row < runs.planeStart[plane + 1]; ++row)
      for (size_t k = runs.rowStart[row]; k < runs.rowStart[row + 1]; ++k)
        if (!keep[parts.root(k)]) clearRun(fluid, runs.rowY[row], z, runs.run[k]);
  }
}

// Which part each run belongs to, and which parts a seed lies in.
struct Verdict {
  Runs runs;
  DisjointSets<> parts;
  std::vector<bool> keep;  // by root
  ComponentCount count;
};

Verdict judgeParts(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                   std::span<const std::uint64_t> seeds) {
  Runs found = findRuns(fluid);
  DisjointSets<> joined = joinRuns(found, fluid.size, periodic, Neighbours::TwentySix);
  Verdict verdict{std::move(found), std::move(joined), {}, {}};
  auto& [runs, parts, keep, count] = verdict;
  std::vector<std::uint64_t> nodesOf(runs.run.size(), 0);
  for (size_t k = 0; k < runs.run.size(); ++k) nodesOf[parts.root(k)] += runs.nodes(k);
  keep.assign(runs.run.size(), false);
  for (std::uint64_t seed : seeds)
    if (const size_t k = runAt(runs, fluid.nodeAt(seed)); k < keep.size())
      keep[parts.root(k)] = true;
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
  return verdict;
}

}  // namespace

std::vector<FluidPart> partsOf(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                               std::span<const std::vector<std::uint64_t>> touching,
                               Neighbours neighbours) {
  const Runs runs = findRuns(fluid);
  DisjointSets<> joined = joinRuns(runs, fluid.size, periodic, neighbours);
  std::vector<FluidPart> parts;
  std::vector<size_t> partAt(runs.run.size());  // of roots, which come before their runs
  for (size_t k = 0; k < runs.run.size(); ++k) {
    const size_t root = joined.root(k);
    if (root == k) {
      partAt[k] = parts.size();
      parts.emplace_back();
    }
    parts[partAt[root]].nodes += runs.nodes(k);
  }
  for (std::uint32_t opening = 0; opening < touching.size(); ++opening)
    for (const std::uint64_t node : touching[opening]) {
      FluidPart& part = parts[partAt[joined.root(runAt(runs, fluid.nodeAt(node)))]];
      if (part.openings.empty() || part.openings.back() != opening)
        part.openings.push_back(opening);
    }
  return parts;
}

std::uint64_t effectiveNodes(std::span<const FluidPart> parts, size_t openings) {
  const size_t leadsOn = std::min(size_t{2}, openings);
  std::uint64_t nodes = 0;
  for (const FluidPart& part : parts)
    if (openings == 0 ? part.wraps : part.openings.size() >= leadsOn) nodes += part.nodes;
  return nodes;
}

std::uint64_t deadNodes(std::span<const FluidPart> parts, size_t openings) {
  std::uint64_t nodes = 0;
  for (const FluidPart& part : parts)
    if (openings == 0 ? !part.wraps : part.openings.empty()) nodes += part.nodes;
  return nodes;
}

ComponentCount countConnected(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                              std::span<const std::uint64_t> seeds) {
  return judgeParts(fluid, periodic, seeds).count;
}

ComponentCount keepConnected(BitLattice& fluid, const std::array<bool, 3>& periodic,
                             std::span<const std::uint64_t> seeds) {
  Verdict verdict = judgeParts(fluid, periodic, seeds);
  if (verdict.count.droppedNodes > 0) clearRuns(fluid, verdict.runs, verdict.parts, verdict.keep);
  return verdict.count;
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
