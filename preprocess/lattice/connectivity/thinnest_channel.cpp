// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/connectivity/thinnest_channel.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

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

}  // namespace

std::optional<ThinnestChannel> findThinnestChannel(const geometry::BitLattice& fluid,
                                                   const std::array<bool, 3>& periodic,
                                                   const geometry::BoundaryNodes& boundary) {
  RunLattice left = runsOf(fluid, periodic);
  const Ends ends = endsOf(fluid, left, boundary);
  const std::set<int> connected = connectedOpenings(left, ends);
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
  for (int layers = 0; layers < maxLayers; ++layers) {
    RunLattice next = eroded(left, ends, shapes[static_cast<size_t>(layers) % 4]);
    if (const int lost = firstLost(next); lost != 0) {
      const bool even = firstLost(eroded(left, ends, block)) == 0;
      return ThinnestChannel{2 * layers + (even ? 2 : 1), false, lost};
    }
    left = std::move(next);
  }
  return ThinnestChannel{2 * maxLayers + 1, true, *connected.begin()};
}

}  // namespace tessera::preprocess::lattice
