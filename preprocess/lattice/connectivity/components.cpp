// SPDX-License-Identifier: GPL-3.0-or-later
// Connected components by run-length encoding: maximal runs of set bits along x are the vertices of
// a graph, joined across neighbouring rows by union-find. Sequential: runs are far fewer than
// nodes.
#include "preprocess/lattice/connectivity/components.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "pipelines/stage/error.hpp"
#include "preprocess/geometry/disjoint_sets.hpp"
#include "preprocess/lattice/connectivity/run_lattice.hpp"

namespace tessera::preprocess::lattice {

using geometry::BitLattice;
using geometry::DisjointSets;

namespace {

using std::size_t;

RunLattice countableRuns(const BitLattice& fluid, const std::array<bool, 3>& periodic) {
  RunLattice runs = runsOf(fluid, periodic);
  if (runs.runs() >= ~std::uint32_t{0})
    stage::fail(stage::ExitCode::NoResource,
                "the fluid has more than 2^32 runs of nodes; cut out a part of it.");
  return runs;
}

// Union-find that also stores the winding around each periodic axis of the path from a run to its
// root: two paths between the same runs with different windings form a loop around the axis (J.
// Machta et al., "Invaded cluster algorithm for Potts models", Phys. Rev. E 54, 1332, 1996).
class WindingForest {
 public:
  explicit WindingForest(size_t size) : parent_(size), winding_(size, Winding{}), around_(size, 0) {
    for (size_t k = 0; k < size; ++k) parent_[k] = static_cast<std::uint32_t>(k);
  }
  // winding: of the path from k to its root.
  size_t root(size_t k, Winding& winding) {
    winding = {};
    while (parent_[k] != k) {
      const size_t next = parent_[k];
      for (size_t a = 0; a < 3; ++a) winding_[k][a] += winding_[next][a];
      parent_[k] = parent_[next];  // path halving; a root's winding is zero
      for (size_t a = 0; a < 3; ++a) winding[a] += winding_[k][a];
      k = parent_[k];
    }
    return k;
  }
  size_t root(size_t k) {
    Winding winding;
    return root(k, winding);
  }
  // step: winding of the step from a to b.
  void join(size_t a, size_t b, const Winding& step) {
    Winding fromA, fromB;
    const size_t rootA = root(a, fromA);
    const size_t rootB = root(b, fromB);
    Winding path;  // from A's root to B's
    for (size_t axis = 0; axis < 3; ++axis) path[axis] = step[axis] + fromB[axis] - fromA[axis];
    if (rootA == rootB) {
      for (size_t axis = 0; axis < 3; ++axis)
        if (path[axis] != 0) around_[rootA] |= static_cast<std::uint8_t>(1U << axis);
      return;
    }
    const bool lowerIsA = rootA < rootB;  // which becomes the common root
    const size_t child = lowerIsA ? rootB : rootA;
    parent_[child] = static_cast<std::uint32_t>(lowerIsA ? rootA : rootB);
    around_[parent_[child]] |= around_[child];
    for (size_t axis = 0; axis < 3; ++axis)
      winding_[child][axis] = lowerIsA ? -path[axis] : path[axis];
  }
  // Bit a: a loop in the root's component winds around axis a.
  [[nodiscard]] unsigned around(size_t root) const { return around_[root]; }

 private:
  std::vector<std::uint32_t> parent_;
  std::vector<Winding> winding_;      // to the parent
  std::vector<std::uint8_t> around_;  // of roots
};

void clearRun(BitLattice& fluid, int y, int z, const Run& run) {
  for (int w = run.first / 64; w <= run.last / 64; ++w) {
    const int low = std::max(run.first - w * 64, 0);
    const int high = std::min(run.last - w * 64, 63);
    fluid.makeBlock(w, y / BitLattice::blockRows,
                    z / BitLattice::blockPlanes)[BitLattice::wordInBlock(y, z)] &=
        ~(~std::uint64_t{0} >> (63 - high + low) << low);
  }
}

Double3 middleOf(const Run& run, int y, int z) {
  return {0.5 * (run.first + run.last), static_cast<double>(y), static_cast<double>(z)};
}

// Points of triangle t at most one node apart, on lines parallel to its shortest edge.
template <class Visit>
void samplePoints(const geometry::TriangleMesh& surface, size_t t, const Visit& visit) {
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

bool wrapsAnyAxis(const FluidPart& part) {
  return part.wraps[0] || part.wraps[1] || part.wraps[2];
}

// Vertices of the graph: runs of the nodes without cut links, then each cut node.
class FluidGraph {
 public:
  FluidGraph(const BitLattice& fluid, const std::array<bool, 3>& periodic,
             std::span<const CutNode> cuts)
      : fluid_(fluid), periodic_(periodic), cuts_(cuts) {
    if (cuts.empty()) {
      runs_ = countableRuns(fluid, periodic);
      return;
    }
    BitLattice uncut = fluid;
    for (const CutNode& cut : cuts) {
      const auto& [x, y, z] = fluid.nodeAt(cut.node);
      clearRun(uncut, y, z, {x, x});
    }
    runs_ = countableRuns(uncut, periodic);
  }
  [[nodiscard]] size_t size() const { return runs_.runs() + cuts_.size(); }
  [[nodiscard]] size_t numberAt(std::uint64_t node) const {
    if (cuts_.empty()) return runs_.numberAt(fluid_.nodeAt(node)).value();
    const auto cut = std::lower_bound(
        cuts_.begin(), cuts_.end(), node,
        [](const CutNode& each, std::uint64_t index) { return each.node < index; });
    if (cut != cuts_.end() && cut->node == node)
      return runs_.runs() + static_cast<size_t>(cut - cuts_.begin());
    return runs_.numberAt(fluid_.nodeAt(node)).value();
  }
  // visit(number, nodes, centre of the nodes) in ascending order.
  template <class Visit>
  void forEach(const Visit& visit) const {
    runs_.forEachRun([&](size_t k, const Run& run, int y, int z) {
      visit(k, run.nodes(), middleOf(run, y, z));
    });
    for (size_t c = 0; c < cuts_.size(); ++c) {
      const Int3 at = fluid_.nodeAt(cuts_[c].node);
      visit(runs_.runs() + c, std::uint64_t{1}, middleOf({at[0], at[0]}, at[1], at[2]));
    }
  }
  // visit(number, y, z, run); cut nodes as runs of one node.
  template <class Visit>
  void forEachRun(const Visit& visit) const {
    runs_.forEachRun([&](size_t k, const Run& run, int y, int z) { visit(k, y, z, run); });
    for (size_t c = 0; c < cuts_.size(); ++c) {
      const auto& [x, y, z] = fluid_.nodeAt(cuts_[c].node);
      visit(runs_.runs() + c, y, z, Run{x, x});
    }
  }
  // join(a, b, winding) for vertices that a link joins.
  template <class Join>
  void joinAll(geometry::Neighbours neighbours, const Join& join) const {
    joinTouchingRuns(runs_, neighbours, join);
    for (size_t c = 0; c < cuts_.size(); ++c)
      for (const auto& [n, step] : geometry::neighbourhood)
        if (geometry::isAmong(step, neighbours) && (cuts_[c].links >> n & 1U) == 0)
          joinAcross(c, step, join);
  }

 private:
  template <class Join>
  void joinAcross(size_t c, const Int3& step, const Join& join) const {
    Int3 at = fluid_.nodeAt(cuts_[c].node);
    Winding winding{};
    for (size_t a = 0; a < 3; ++a) {
      const int next = at[a] + step[a];
      winding[a] = next < 0 ? -1 : next >= fluid_.size[a];
      at[a] = geometry::wrappedPosition(next, fluid_.size[a], periodic_[a]);
      if (at[a] < 0) return;
    }
    if (fluid_.at(at[0], at[1], at[2]))
      join(runs_.runs() + c, numberAt(fluid_.nodeIndex(at[0], at[1], at[2])), winding);
  }

  const BitLattice& fluid_;
  const std::array<bool, 3>& periodic_;
  std::span<const CutNode> cuts_;
  RunLattice runs_;
};

// Component of each vertex of the graph, and the components to keep.
struct Verdict {
  DisjointSets<> parts;
  std::vector<bool> keep;  // by root
  ComponentCount count;
};

void countParts(const std::vector<std::uint64_t>& nodesOf, Verdict& verdict) {
  ComponentCount& count = verdict.count;
  for (size_t k = 0; k < nodesOf.size(); ++k) {
    if (nodesOf[k] == 0) continue;  // not a root
    ++count.components;
    count.kept += verdict.keep[k] ? 1 : 0;
    (verdict.keep[k] ? count.keptNodes : count.droppedNodes) += nodesOf[k];
  }
}

// Ties: the component with the first node.
void findLargestDropped(const FluidGraph& graph, const std::vector<std::uint64_t>& nodesOf,
                        Verdict& verdict) {
  ComponentCount& count = verdict.count;
  size_t largest = 0;
  for (size_t k = 0; k < nodesOf.size(); ++k)
    if (!verdict.keep[k] && nodesOf[k] > count.largestDropped) {
      count.largestDropped = nodesOf[k];
      largest = k;
    }
  if (count.largestDropped == 0) return;
  Double3 sum{};
  graph.forEach([&](size_t k, std::uint64_t nodes, const Double3& middle) {
    if (verdict.parts.root(k) == largest) sum = sum + static_cast<double>(nodes) * middle;
  });
  count.droppedCentre = (1.0 / static_cast<double>(count.largestDropped)) * sum;
}

Verdict judgeParts(const BitLattice& fluid, const FluidGraph& graph,
                   std::span<const std::uint64_t> seeds) {
  const size_t size = graph.size();
  Verdict verdict{DisjointSets<>(size), std::vector<bool>(size, false), {}};
  DisjointSets<>& parts = verdict.parts;
  std::vector<bool>& keep = verdict.keep;
  graph.joinAll(geometry::Neighbours::TwentySix,
                [&](size_t a, size_t b, const Winding&) { parts.join(a, b); });
  std::vector<std::uint64_t> nodesOf(size, 0);
  graph.forEach(
      [&](size_t k, std::uint64_t nodes, const Double3&) { nodesOf[parts.root(k)] += nodes; });
  for (const std::uint64_t seed : seeds)
    if (const auto& [x, y, z] = fluid.nodeAt(seed); fluid.at(x, y, z))
      keep[parts.root(graph.numberAt(seed))] = true;
  if (std::find(keep.begin(), keep.end(), true) == keep.end() && !keep.empty()) {
    verdict.count.largestKept = true;
    keep[static_cast<size_t>(
        std::distance(nodesOf.begin(), std::max_element(nodesOf.begin(), nodesOf.end())))] = true;
  }
  countParts(nodesOf, verdict);
  findLargestDropped(graph, nodesOf, verdict);
  return verdict;
}

// Components without their openings, by their roots, which precede the other vertices. partAt: by
// root.
template <class Sets>
std::vector<FluidPart> countNodes(const FluidGraph& graph, Sets& sets,
                                  std::vector<std::uint32_t>& partAt) {
  std::vector<FluidPart> parts;
  partAt.resize(graph.size());
  graph.forEach([&](size_t k, std::uint64_t nodes, const Double3& middle) {
    const size_t root = sets.root(k);
    if (root == k) {
      partAt[k] = static_cast<std::uint32_t>(parts.size());
      parts.emplace_back();
    }
    FluidPart& part = parts[partAt[root]];
    part.nodes += nodes;
    part.centre = part.centre + static_cast<double>(nodes) * middle;
  });
  for (FluidPart& part : parts) part.centre = (1.0 / static_cast<double>(part.nodes)) * part.centre;
  return parts;
}

template <class Sets>
void findOpenings(const FluidGraph& graph, std::span<const std::vector<std::uint64_t>> touching,
                  Sets& sets, const std::vector<std::uint32_t>& partAt,
                  std::vector<FluidPart>& parts) {
  for (std::uint32_t opening = 0; opening < touching.size(); ++opening)
    for (const std::uint64_t node : touching[opening]) {
      std::vector<std::uint32_t>& known = parts[partAt[sets.root(graph.numberAt(node))]].openings;
      if (known.empty() || known.back() != opening) known.push_back(opening);
    }
}

}  // namespace

std::vector<FluidPart> partsOf(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                               std::span<const std::vector<std::uint64_t>> touching,
                               geometry::Neighbours neighbours, std::span<const CutNode> cuts) {
  const FluidGraph graph(fluid, periodic, cuts);
  std::vector<std::uint32_t> partAt;
  std::vector<FluidPart> parts;
  if (!periodic[0] && !periodic[1] && !periodic[2]) {
    DisjointSets<> sets(graph.size());
    graph.joinAll(neighbours, [&](size_t a, size_t b, const Winding&) { sets.join(a, b); });
    parts = countNodes(graph, sets, partAt);
    findOpenings(graph, touching, sets, partAt, parts);
    return parts;
  }
  WindingForest forest(graph.size());
  graph.joinAll(neighbours,
                [&](size_t a, size_t b, const Winding& winding) { forest.join(a, b, winding); });
  parts = countNodes(graph, forest, partAt);
  findOpenings(graph, touching, forest, partAt, parts);
  for (size_t k = 0; k < graph.size(); ++k)
    for (size_t a = 0; a < 3; ++a)
      if (forest.root(k) == k && (forest.around(k) >> a & 1U) != 0)
        parts[partAt[k]].wraps[a] = true;
  return parts;
}

std::array<bool, 3> wrapsOf(std::span<const FluidPart> parts) {
  std::array<bool, 3> wraps{};
  for (const FluidPart& part : parts)
    for (size_t a = 0; a < 3; ++a) wraps[a] = wraps[a] || part.wraps[a];
  return wraps;
}

std::uint64_t effectiveNodes(std::span<const FluidPart> parts, size_t openings) {
  const size_t required = std::min(size_t{2}, openings);
  std::uint64_t nodes = 0;
  for (const FluidPart& part : parts)
    if (openings == 0 ? wrapsAnyAxis(part) : part.openings.size() >= required) nodes += part.nodes;
  return nodes;
}

std::uint64_t deadNodes(std::span<const FluidPart> parts, size_t openings) {
  std::uint64_t nodes = 0;
  for (const FluidPart& part : parts)
    if (openings == 0 ? !wrapsAnyAxis(part) : part.openings.empty()) nodes += part.nodes;
  return nodes;
}

std::vector<CutNode> cutNodesOf(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                                const geometry::BoundaryNodes& boundary) {
  constexpr size_t range = 1 << 13;
  const size_t nodes = boundary.node.size();
  std::vector<std::vector<CutNode>> found((nodes + range - 1) / range);
  const auto cutLinksOf = [&](size_t k) {
    const Int3 at = fluid.nodeAt(boundary.node[k]);
    std::uint32_t links = 0;
    for (std::uint32_t rest = boundary.mask[k]; rest != 0; rest &= rest - 1) {
      const int n = std::countr_zero(rest);
      Int3 to = at + geometry::directionStep(n);
      for (size_t a = 0; a < 3; ++a)
        to[a] = geometry::wrappedPosition(to[a], fluid.size[a], periodic[a]);
      if (fluid.inside(to[0], to[1], to[2]) && fluid.at(to[0], to[1], to[2])) links |= 1U << n;
    }
    return links;
  };
  tbb::parallel_for(size_t{0}, found.size(), [&](size_t r) {
    for (size_t k = r * range; k < std::min(nodes, (r + 1) * range); ++k)
      if (const std::uint32_t links = cutLinksOf(k); links != 0)
        found[r].push_back({boundary.node[k], links});
  });
  std::vector<CutNode> cuts;
  for (const std::vector<CutNode>& each : found) cuts.insert(cuts.end(), each.begin(), each.end());
  return cuts;
}

ComponentCount countConnected(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                              std::span<const std::uint64_t> seeds, std::span<const CutNode> cuts) {
  return judgeParts(fluid, FluidGraph(fluid, periodic, cuts), seeds).count;
}

ComponentCount keepConnected(BitLattice& fluid, const std::array<bool, 3>& periodic,
                             std::span<const std::uint64_t> seeds, std::span<const CutNode> cuts) {
  const FluidGraph graph(fluid, periodic, cuts);
  Verdict verdict = judgeParts(fluid, graph, seeds);
  if (verdict.count.droppedNodes > 0)
    graph.forEachRun([&](size_t k, int y, int z, const Run& run) {
      if (!verdict.keep[verdict.parts.root(k)]) clearRun(fluid, y, z, run);
    });
  return verdict.count;
}

std::vector<std::uint64_t> nodesAtOpenings(const BitLattice& fluid,
                                           const geometry::TriangleMesh& surface) {
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
    if (geometry::isOpening(surface.label[t])) samplePoints(surface, t, addAround);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<std::vector<std::uint64_t>> nodesByLink(const geometry::LatticeGeometry& geometry) {
  std::vector<std::vector<std::uint64_t>> nodes(geometry.openings.size());
  const geometry::BoundaryNodes& boundary = geometry.boundary;
  size_t link = 0;
  for (size_t k = 0; k < boundary.node.size(); ++k)
    for (std::uint32_t rest = boundary.mask[k]; rest != 0; rest &= rest - 1, ++link) {
      const geometry::Patch patch = boundary.patch[link];
      if (!geometry::isOpening(patch)) continue;
      std::vector<std::uint64_t>& at = nodes[static_cast<size_t>(geometry::openingId(patch)) - 1];
      if (at.empty() || at.back() != boundary.node[k]) at.push_back(boundary.node[k]);
    }
  return nodes;
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

}  // namespace tessera::preprocess::lattice
