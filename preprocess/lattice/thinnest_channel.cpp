// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/thinnest_channel.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <span>

namespace tessera {
namespace {

using std::size_t;

constexpr int mostLayers = 16;

struct Run {
  int first, last;  // x
  bool operator==(const Run&) const = default;
};
using Runs = std::vector<Run>;  // ascending, none touching the next

// The runs of the rows of a box and of a layer of rows around it.
struct RunLattice {
  Int3 size{};
  std::array<bool, 3> periodic{};
  Runs run;
  std::vector<size_t> start;  // by row, and one after the last

  [[nodiscard]] size_t rows() const {
    return static_cast<size_t>(size[1] + 2) * static_cast<size_t>(size[2] + 2);
  }
  // y and z from -1 to the size; wrapped around on periodic axes.
  [[nodiscard]] size_t row(int y, int z) const {
    if (periodic[1]) y = (y + size[1]) % size[1];
    if (periodic[2]) z = (z + size[2]) % size[2];
    return static_cast<size_t>(y + 1) +
           static_cast<size_t>(size[1] + 2) * static_cast<size_t>(z + 1);
  }
  [[nodiscard]] std::span<const Run> at(size_t row) const {
    return {run.data() + start[row], start[row + 1] - start[row]};
  }
};

RunLattice emptyLike(const RunLattice& other) {
  RunLattice empty;
  empty.size = other.size;
  empty.periodic = other.periodic;
  return empty;
}

// Fills the rows of the box by make(y, z, runs), in parallel by layer.
template <class Make>
void fillRows(RunLattice& lattice, const Make& make) {
  const auto layers = static_cast<size_t>(lattice.size[2] + 2);
  const auto rowsInLayer = static_cast<size_t>(lattice.size[1] + 2);
  std::vector<Runs> runs(layers);
  std::vector<size_t> count(lattice.rows(), 0);
  tbb::parallel_for(size_t{0}, layers, [&](size_t layer) {
    for (size_t row = 0; row < rowsInLayer; ++row) {
      const size_t before = runs[layer].size();
      make(static_cast<int>(row) - 1, static_cast<int>(layer) - 1, runs[layer]);
      count[row + rowsInLayer * layer] = runs[layer].size() - before;
    }
  });
  lattice.start.assign(1, 0);
  for (const size_t n : count) lattice.start.push_back(lattice.start.back() + n);
  lattice.run.reserve(lattice.start.back());
  for (const Runs& part : runs) lattice.run.insert(lattice.run.end(), part.begin(), part.end());
}

void appendRuns(const BitLattice& fluid, int y, int z, Runs& runs) {
  bool open = false;
  for (int w = 0; w < fluid.rowWords(); ++w) {
    const std::uint64_t word = fluid.word(w, y, z);
    for (int bit = 0; bit < 64;) {
      const std::uint64_t rest = word >> bit;
      bit += open ? std::countr_one(rest) : std::countr_zero(rest);
      if (bit >= 64) break;
      if (open)
        runs.back().last = w * 64 + bit - 1;
      else
        runs.push_back({w * 64 + bit, fluid.size[0] - 1});
      open = !open;
    }
  }
}

RunLattice runsOf(const BitLattice& fluid, const std::array<bool, 3>& periodic) {
  RunLattice lattice;
  lattice.size = fluid.size;
  lattice.periodic = periodic;
  fillRows(lattice, [&](int y, int z, Runs& runs) {
    if (fluid.inside(0, y, z)) appendRuns(fluid, y, z, runs);
  });
  return lattice;
}

// What lies just beyond the openings, and the nodes beside them.
struct Ends {
  std::map<size_t, std::vector<int>> beyond;             // x by row
  std::vector<std::pair<int, std::array<int, 3>>> node;  // opening and its node
};

Ends endsOf(const RunLattice& lattice, const BoundaryNodes& boundary) {
  Ends ends;
  size_t link = 0;
  for (size_t k = 0; k < boundary.node.size(); ++k) {
    const auto nx = static_cast<std::uint64_t>(lattice.size[0]);
    const auto ny = static_cast<std::uint64_t>(lattice.size[1]);
    const int x = static_cast<int>(boundary.node[k] % nx);
    const int y = static_cast<int>(boundary.node[k] / nx % ny);
    const int z = static_cast<int>(boundary.node[k] / nx / ny);
    for (int n = 0; n < 27; ++n) {
      if ((boundary.mask[k] >> n & 1U) == 0) continue;
      const Patch patch = boundary.patch[link++];
      if (!isOpening(patch)) continue;
      const Int3 step = directionStep(n);
      ends.beyond[lattice.row(y + step[1], z + step[2])].push_back(x + step[0]);
      ends.node.push_back({openingId(patch), {x, y, z}});
    }
  }
  std::sort(ends.node.begin(), ends.node.end());
  ends.node.erase(std::unique(ends.node.begin(), ends.node.end()), ends.node.end());
  for (auto& [row, places] : ends.beyond) {
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
  }
  return ends;
}

Runs unionOf(std::span<const Run> runs, const std::vector<int>& places) {
  Runs all(runs.begin(), runs.end());
  for (const int x : places) all.push_back({x, x});
  std::sort(all.begin(), all.end(), [](const Run& a, const Run& b) { return a.first < b.first; });
  Runs joined;
  for (const Run& run : all)
    if (!joined.empty() && run.first <= joined.back().last + 1)
      joined.back().last = std::max(joined.back().last, run.last);
    else
      joined.push_back(run);
  return joined;
}

// The fluid and what lies beyond its openings.
RunLattice withEnds(const RunLattice& fluid, const Ends& ends) {
  RunLattice all = emptyLike(fluid);
  fillRows(all, [&](int y, int z, Runs& runs) {
    const size_t row = static_cast<size_t>(y + 1) +
                       static_cast<size_t>(fluid.size[1] + 2) * static_cast<size_t>(z + 1);
    const std::span<const Run> own = fluid.at(row);
    const auto found = ends.beyond.find(row);
    if (found == ends.beyond.end()) {
      runs.insert(runs.end(), own.begin(), own.end());
      return;
    }
    const Runs both = unionOf(own, found->second);
    runs.insert(runs.end(), both.begin(), both.end());
  });
  return all;
}

// How far a node looks along x in a row beside it; none: not at all.
struct Reach {
  int dy, dz, low, high;
};

std::vector<Reach> reachOf(int neighbours) {
  std::vector<Reach> shape;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy) {
      const int off = std::abs(dy) + std::abs(dz);
      const int most = neighbours == 6 ? 1 : neighbours == 18 ? 2 : 3;
      if (off > most) continue;
      const int along = off < most ? 1 : 0;
      shape.push_back({dy, dz, along, along});
    }
  return shape;
}
// A block of 2 x 2 x 2 from the node on.
const std::vector<Reach> block{{0, 0, 0, 1}, {1, 0, 0, 1}, {0, 1, 0, 1}, {1, 1, 0, 1}};

// Keeps of a row what reaches within the other row.
Runs within(const Runs& runs, std::span<const Run> other, const Reach& reach, int nodes,
            bool wraps) {
  const bool around =
      wraps && !other.empty() && other.front().first <= 0 && other.back().last >= nodes - 1;
  Runs kept;
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
  return kept;
}

RunLattice eroded(const RunLattice& fluid, const Ends& ends, const std::vector<Reach>& shape) {
  const RunLattice all = withEnds(fluid, ends);
  RunLattice result = emptyLike(fluid);
  fillRows(result, [&](int y, int z, Runs& runs) {
    if (y < 0 || z < 0 || y >= fluid.size[1] || z >= fluid.size[2]) return;
    const std::span<const Run> own = fluid.at(fluid.row(y, z));
    Runs left(own.begin(), own.end());
    for (const Reach& reach : shape) {
      if (left.empty()) return;
      left = within(left, all.at(all.row(y + reach.dy, z + reach.dz)), reach, fluid.size[0],
                    fluid.periodic[0]);
    }
    runs.insert(runs.end(), left.begin(), left.end());
  });
  return result;
}

class Parts {
 public:
  explicit Parts(const RunLattice& lattice) : lattice_(lattice), parent_(lattice.run.size()) {
    std::iota(parent_.begin(), parent_.end(), size_t{0});
    for (int z = 0; z < lattice.size[2]; ++z)
      for (int y = 0; y < lattice.size[1]; ++y) {
        const size_t row = lattice.row(y, z);
        for (const auto& [dy, dz] : {std::pair{0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}})
          joinRows(row, lattice.row(y + dy, z + dz));
      }
  }
  // The part of the run that holds a node; absent where none does.
  std::optional<size_t> partAt(const std::array<int, 3>& node) {
    const size_t row = lattice_.row(node[1], node[2]);
    for (size_t k = lattice_.start[row]; k < lattice_.start[row + 1]; ++k)
      if (lattice_.run[k].first <= node[0] && node[0] <= lattice_.run[k].last) return root(k);
    return std::nullopt;
  }

 private:
  size_t root(size_t k) {
    while (parent_[k] != k) k = parent_[k] = parent_[parent_[k]];
    return k;
  }
  void join(size_t a, size_t b) {
    a = root(a);
    b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  void joinRows(size_t rowA, size_t rowB) {
    size_t a = lattice_.start[rowA], b = lattice_.start[rowB];
    const size_t endA = lattice_.start[rowA + 1], endB = lattice_.start[rowB + 1];
    if (a == endA || b == endB) return;
    if (lattice_.periodic[0]) {
      joinAround(a, endB - 1);
      joinAround(b, endA - 1);
    }
    while (a < endA && b < endB) {
      const Run& runA = lattice_.run[a];
      const Run& runB = lattice_.run[b];
      if (runA.first <= runB.last + 1 && runB.first <= runA.last + 1) join(a, b);
      runA.last < runB.last ? ++a : ++b;
    }
  }
  void joinAround(size_t first, size_t last) {
    if (lattice_.run[first].first == 0 && lattice_.run[last].last == lattice_.size[0] - 1)
      join(first, last);
  }

  const RunLattice& lattice_;
  std::vector<size_t> parent_;
};

// The openings from which a way leads to another.
std::set<int> connectedOpenings(const RunLattice& fluid, const Ends& ends) {
  Parts parts(fluid);
  std::map<size_t, std::set<int>> openingsOf;
  for (const auto& [opening, node] : ends.node)
    if (const std::optional<size_t> part = parts.partAt(node)) openingsOf[*part].insert(opening);
  std::set<int> connected;
  for (const auto& [part, openings] : openingsOf)
    if (openings.size() > 1) connected.insert(openings.begin(), openings.end());
  return connected;
}

}  // namespace

std::optional<ThinnestChannel> findThinnestChannel(const BitLattice& fluid,
                                                   const std::array<bool, 3>& periodic,
                                                   const BoundaryNodes& boundary) {
  RunLattice left = runsOf(fluid, periodic);
  const Ends ends = endsOf(left, boundary);
  const std::set<int> connected = connectedOpenings(left, ends);
  if (connected.empty()) return std::nullopt;
  const auto firstLost = [&](const RunLattice& lattice) {
    const std::set<int> still = connectedOpenings(lattice, ends);
    const auto lost = std::find_if(connected.begin(), connected.end(),
                                   [&](int opening) { return still.count(opening) == 0; });
    return lost == connected.end() ? 0 : *lost;
  };
  const std::array<std::vector<Reach>, 4> shapes{reachOf(6), reachOf(18), reachOf(6), reachOf(26)};
  for (int layers = 0; layers < mostLayers; ++layers) {
    RunLattice next = eroded(left, ends, shapes[static_cast<size_t>(layers) % 4]);
    if (const int lost = firstLost(next); lost != 0) {
      const bool even = firstLost(eroded(left, ends, block)) == 0;
      return ThinnestChannel{2 * layers + (even ? 2 : 1), false, lost};
    }
    left = std::move(next);
  }
  return ThinnestChannel{2 * mostLayers + 1, true, *connected.begin()};
}

}  // namespace tessera
