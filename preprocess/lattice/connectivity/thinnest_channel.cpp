// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/connectivity/thinnest_channel.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "preprocess/geometry/disjoint_sets.hpp"
#include "preprocess/lattice/connectivity/run_lattice.hpp"

namespace tessera::preprocess::lattice {

using geometry::Neighbours;

namespace {

using std::size_t;

constexpr int maxLayers = 16;

// Nodes one step outside of the openings, and the fluid nodes next to them.
struct Ends {
  std::vector<std::array<int, 3>> beyond;                // z, y, x, ascending
  std::vector<std::pair<int, std::array<int, 3>>> node;  // opening id and node (z, y, x), ascending
};

template <class T>
void sortUnique(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

Ends endsOf(const geometry::BitLattice& fluid, const RunLattice& lattice,
            const geometry::BoundaryNodes& boundary) {
  Ends ends;
  size_t link = 0;
  for (size_t k = 0; k < boundary.node.size(); ++k) {
    const Int3 node = fluid.nodeAt(boundary.node[k]);
    for (const auto& [n, step] : geometry::neighbourhood) {
      if ((boundary.mask[k] >> n & 1U) == 0) continue;
      const geometry::Patch patch = boundary.patch[link++];
      if (!geometry::isOpening(patch)) continue;
      ends.beyond.push_back({lattice.wrapped(node[2] + step[2], 2),
                             lattice.wrapped(node[1] + step[1], 1), node[0] + step[0]});
      ends.node.push_back({geometry::openingId(patch), {node[2], node[1], node[0]}});
    }
  }
  sortUnique(ends.node);
  sortUnique(ends.beyond);
  return ends;
}

// Runs of a row together with the nodes outside of an opening in that row.
Runs unionOf(std::span<const Run> runs, std::span<const std::array<int, 3>> beyond) {
  Runs all(runs.begin(), runs.end());
  for (const auto& node : beyond) all.push_back({node[2], node[2]});
  std::sort(all.begin(), all.end(), [](const Run& a, const Run& b) { return a.first < b.first; });
  Runs joined;
  for (const Run& run : all)
    if (!joined.empty() && run.first <= joined.back().last + 1)
      joined.back().last = std::max(joined.back().last, run.last);
    else
      joined.push_back(run);
  return joined;
}

RunPlane planeWithEnds(const RunPlane& fluid, std::span<const std::array<int, 3>> beyond) {
  RunPlane all;
  for (size_t row = 0, end = 0; row < fluid.y.size() || !beyond.empty();) {
    const bool open = !beyond.empty() && (row == fluid.y.size() || beyond[0][1] <= fluid.y[row]);
    const int y = open ? beyond[0][1] : fluid.y[row];
    const bool known = row < fluid.y.size() && fluid.y[row] == y;
    const std::span<const Run> own = known ? fluid.runsOfRow(row) : std::span<const Run>{};
    for (end = 0; end < beyond.size() && beyond[end][1] == y; ++end) continue;
    if (open)
      all.append(y, unionOf(own, beyond.first(end)));
    else
      all.append(y, own);
    beyond = beyond.subspan(end);
    if (known) ++row;
  }
  return all;
}

// Fluid extended by the nodes outside of its openings.
RunLattice withEnds(RunLattice fluid, const Ends& ends) {
  for (auto begin = ends.beyond.begin(), end = begin; begin != ends.beyond.end(); begin = end) {
    const int z = (*begin)[0];
    end = std::find_if(begin, ends.beyond.end(), [&](const auto& node) { return node[0] != z; });
    fluid.planeAt(z) = planeWithEnds(fluid.planeAt(z), {begin, end});
  }
  return fluid;
}

// Extent of a structuring element along x in one of the nine rows around a node.
struct Reach {
  int dy, dz, low, high;
};

std::vector<Reach> reachOf(Neighbours neighbours) {
  const int most = static_cast<int>(neighbours);  // non-zero components of a step
  std::vector<Reach> shape;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy) {
      const int off = geometry::axesOfStep({0, dy, dz});
      if (off > most) continue;
      const int along = off < most ? 1 : 0;
      shape.push_back({dy, dz, along, along});
    }
  return shape;
}
// A block of 2 x 2 x 2 nodes.
const std::vector<Reach> block{{0, 0, 0, 1}, {1, 0, 0, 1}, {0, 1, 0, 1}, {1, 1, 0, 1}};

// Erodes a row: keeps the nodes whose reach lies within the other row. wraps: x is periodic.
void keepWithin(std::span<const Run> other, const Reach& reach, int nodes, bool wraps, Runs& runs,
                Runs& kept) {
  kept.clear();
  const bool around =
      wraps && !other.empty() && other.front().first <= 0 && other.back().last >= nodes - 1;
  auto b = other.begin();
  for (auto a = runs.begin(); a != runs.end() && b != other.end();) {
    const int first = b->first + (around && b->first <= 0 ? 0 : reach.low);
    const int last = b->last - (around && b->last >= nodes - 1 ? 0 : reach.high);
    const Run common{std::max(a->first, first), std::min(a->last, last)};
    if (common.first <= common.last) kept.push_back(common);
    if (a->last < b->last)
      ++a;
    else
      ++b;
  }
  runs.swap(kept);
}

RunPlane erodedPlane(const RunLattice& fluid, const RunLattice& all, int z,
                     const std::vector<Reach>& shape) {
  std::array<RowWalk, 3> walk{all.walk(z - 1), all.walk(z), all.walk(z + 1)};
  const RunPlane& plane = fluid.planeAt(z);
  RunPlane result;
  Runs left, kept;
  for (size_t row = 0; row < plane.y.size(); ++row) {
    const std::span<const Run> own = plane.runsOfRow(row);
    left.assign(own.begin(), own.end());
    for (const Reach& reach : shape) {
      if (left.empty()) break;
      const int y = all.wrapped(plane.y[row] + reach.dy, 1);
      keepWithin(walk[static_cast<size_t>(reach.dz + 1)].at(y).run, reach, fluid.size[0],
                 fluid.periodic[0], left, kept);
    }
    result.append(plane.y[row], left);
  }
  return result;
}

RunLattice eroded(const RunLattice& fluid, const Ends& ends, const std::vector<Reach>& shape) {
  const RunLattice all = withEnds(fluid, ends);
  RunLattice result(fluid.size, fluid.periodic);
  tbb::parallel_for(0, fluid.size[2],
                    [&](int z) { result.planeAt(z) = erodedPlane(fluid, all, z, shape); });
  result.numberRuns();
  return result;
}

// Openings with a path to another opening.
std::set<int> connectedOpenings(const RunLattice& fluid, const Ends& ends) {
  geometry::DisjointSets<size_t> parts(fluid.runs());
  joinTouchingRuns(fluid, Neighbours::TwentySix,
                   [&](size_t a, size_t b, const Winding&) { parts.join(a, b); });
  std::map<size_t, std::set<int>> openingsOf;
  for (const auto& [opening, node] : ends.node)
    if (const auto run = fluid.numberAt({node[2], node[1], node[0]}))
      openingsOf[parts.root(*run)].insert(opening);
  std::set<int> connected;
  for (const auto& [part, openings] : openingsOf)
    if (openings.size() > 1) connected.insert(openings.begin(), openings.end());
  return connected;
}

// The same at the start, where links may be cut.
std::set<int> connectedOpenings(const geometry::BitLattice& fluid,
                                const std::array<bool, 3>& periodic, const Ends& ends,
                                std::span<const CutNode> cuts) {
  std::vector<std::vector<std::uint64_t>> touching;
  for (const auto& [opening, node] : ends.node) {
    touching.resize(std::max(touching.size(), static_cast<size_t>(opening)));
    touching[static_cast<size_t>(opening) - 1].push_back(
        fluid.nodeIndex(node[2], node[1], node[0]));
  }
  std::set<int> connected;
  for (const FluidPart& part : partsOf(fluid, periodic, touching, Neighbours::TwentySix, cuts))
    for (const std::uint32_t opening : part.openings)
      if (part.openings.size() > 1) connected.insert(static_cast<int>(opening) + 1);
  return connected;
}

// Nodes next to a cut link along an axis: the first layer that walls without nodes erode.
std::vector<std::array<int, 3>> nodesAtCuts(const geometry::BitLattice& fluid,
                                            std::span<const CutNode> cuts) {
  std::vector<std::array<int, 3>> nodes;
  for (const CutNode& cut : cuts) {
    if ((cut.links & geometry::directionBits(Neighbours::Six)) == 0) continue;
    const auto& [x, y, z] = fluid.nodeAt(cut.node);
    nodes.push_back({z, y, x});
  }
  sortUnique(nodes);
  return nodes;
}

// First nodes of the blocks that a cut link runs through.
std::vector<std::array<int, 3>> blocksAtCuts(const RunLattice& lattice,
                                             const geometry::BitLattice& fluid,
                                             std::span<const CutNode> cuts) {
  std::vector<std::array<int, 3>> nodes;
  for (const CutNode& cut : cuts) {
    const Int3 node = fluid.nodeAt(cut.node);
    for (const auto& [n, step] : geometry::neighbourhood) {
      if ((cut.links >> n & 1U) == 0) continue;
      Int3 low{}, high{};  // of the block's first node relative to the cut node
      for (size_t a = 0; a < 3; ++a) {
        low[a] = step[a] > 0 ? 0 : -1;
        high[a] = step[a] < 0 ? -1 : 0;
      }
      for (int dz = low[2]; dz <= high[2]; ++dz)
        for (int dy = low[1]; dy <= high[1]; ++dy)
          for (int dx = low[0]; dx <= high[0]; ++dx)
            nodes.push_back({lattice.wrapped(node[2] + dz, 2), lattice.wrapped(node[1] + dy, 1),
                             lattice.wrapped(node[0] + dx, 0)});
    }
  }
  sortUnique(nodes);
  return nodes;
}

RunPlane planeWithout(const RunPlane& plane, std::span<const std::array<int, 3>> nodes) {
  RunPlane left;
  for (size_t row = 0; row < plane.y.size(); ++row) {
    while (!nodes.empty() && nodes.front()[1] < plane.y[row]) nodes = nodes.subspan(1);
    Runs runs;
    for (Run run : plane.runsOfRow(row)) {
      while (!nodes.empty() && nodes.front()[1] == plane.y[row] && nodes.front()[2] <= run.last) {
        const int x = nodes.front()[2];
        nodes = nodes.subspan(1);
        if (x < run.first) continue;
        if (x > run.first) runs.push_back({run.first, x - 1});
        run.first = x + 1;
      }
      if (run.first <= run.last) runs.push_back(run);
    }
    left.append(plane.y[row], runs);
  }
  return left;
}

// nodes: z, y, x, ascending.
RunLattice without(RunLattice lattice, const std::vector<std::array<int, 3>>& nodes) {
  for (auto begin = nodes.begin(), end = begin; begin != nodes.end(); begin = end) {
    const int z = (*begin)[0];
    end = std::find_if(begin, nodes.end(), [&](const auto& node) { return node[0] != z; });
    lattice.planeAt(z) = planeWithout(lattice.planeAt(z), {begin, end});
  }
  lattice.numberRuns();
  return lattice;
}

}  // namespace

std::optional<ThinnestChannel> findThinnestChannel(const geometry::BitLattice& fluid,
                                                   const std::array<bool, 3>& periodic,
                                                   const geometry::BoundaryNodes& boundary,
                                                   std::span<const CutNode> cuts) {
  RunLattice left = runsOf(fluid, periodic);
  const Ends ends = endsOf(fluid, left, boundary);
  const std::set<int> connected =
      cuts.empty() ? connectedOpenings(left, ends) : connectedOpenings(fluid, periodic, ends, cuts);
  if (connected.empty()) return std::nullopt;
  const auto firstLost = [&](const RunLattice& lattice) {
    const std::set<int> still = connectedOpenings(lattice, ends);
    const auto lost = std::find_if(connected.begin(), connected.end(),
                                   [&](int opening) { return still.count(opening) == 0; });
    return lost == connected.end() ? 0 : *lost;
  };
  const std::array<std::vector<Reach>, 4> shapes{
      reachOf(Neighbours::Six), reachOf(Neighbours::Eighteen), reachOf(Neighbours::Six),
      reachOf(Neighbours::TwentySix)};
  // A layer of erosion lies within the one before, so that an opening that is cut off stays cut
  // off: the last of some layers says whether the others need a search for paths.
  constexpr int together = 4;
  std::vector<RunLattice> layer;  // before the first of them, then after each
  layer.push_back(std::move(left));
  for (int done = 0; done < maxLayers; done += together) {
    for (int k = done; k < done + together; ++k) {
      layer.push_back(eroded(layer.back(), ends, shapes[static_cast<size_t>(k) % shapes.size()]));
      if (k == 0 && !cuts.empty())
        layer.back() = without(std::move(layer.back()), nodesAtCuts(fluid, cuts));
    }
    int lost = firstLost(layer.back());
    if (lost == 0) {
      layer.erase(layer.begin(), layer.end() - 1);
      continue;
    }
    size_t kept = 0, parted = layer.size() - 1;
    while (parted - kept > 1) {
      const size_t middle = (kept + parted) / 2;
      const int there = firstLost(layer[middle]);
      (there == 0 ? kept : parted) = middle;
      if (there != 0) lost = there;
    }
    const int layers = done + static_cast<int>(kept);
    RunLattice blocks = eroded(layer[kept], ends, block);
    if (layers == 0 && !cuts.empty())
      blocks = without(std::move(blocks), blocksAtCuts(blocks, fluid, cuts));
    const bool even = firstLost(blocks) == 0;
    return ThinnestChannel{2 * layers + (even ? 2 : 1), false, lost};
  }
  return ThinnestChannel{2 * maxLayers + 1, true, *connected.begin()};
}

}  // namespace tessera::preprocess::lattice
