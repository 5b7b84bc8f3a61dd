// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/throats/widest_paths.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "preprocess/geometry/disjoint_sets.hpp"

namespace tessera::preprocess::lattice {

using std::size_t;

namespace {

// Groups of openings that are joined by cells at least as far from the wall as the last one added.
class WidestPaths {
 public:
  explicit WidestPaths(const CoarseFluid& coarse)
      : coarse_(coarse), sets_(coarse.square.size()), isAdded_(coarse.square.size()) {
    for (size_t k = 0; k < coarse.atOpening.size(); ++k)
      for (const std::uint32_t cell : coarse.atOpening[k])
        openingsAt_[cell].push_back(static_cast<int>(k) + 1);
  }
  void add(std::uint32_t cell) {
    isAdded_[cell] = 1;
    const Int3 at = coarse_.cellAt(cell);
    for (const auto& [n, step] : geometry::neighbourhood) {
      const Int3 next = at + step;
      const std::uint32_t neighbour = coarse_.cell(next);
      if (isAdded_[neighbour] != 0) join(cell, neighbour, cell);
    }
    const auto own = openingsAt_.find(cell);
    if (own == openingsAt_.end()) return;
    for (const int opening : own->second) {
      const auto [known, isFirst] = firstCell_.try_emplace(opening, cell);
      if (isFirst)
        joinSets(openingsOf(sets_.root(cell)), {opening}, sets_.root(cell), cell);
      else
        join(cell, known->second, cell);
    }
  }
  [[nodiscard]] const std::vector<Saddle>& saddles() const { return saddles_; }

 private:
  OpeningSet openingsOf(std::uint32_t root) {
    const auto found = openings_.find(root);
    return found == openings_.end() ? OpeningSet{} : found->second;
  }
  void join(std::uint32_t a, std::uint32_t b, std::uint32_t where) {
    const std::uint32_t rootA = sets_.root(a), rootB = sets_.root(b);
    if (rootA == rootB) return;
    sets_.join(rootA, rootB);
    const OpeningSet one = openingsOf(rootA), other = openingsOf(rootB);
    openings_.erase(rootA);
    openings_.erase(rootB);
    if (!one.empty() || !other.empty()) joinSets(one, other, sets_.root(a), where);
  }
  void joinSets(const OpeningSet& one, const OpeningSet& other, std::uint32_t root,
                std::uint32_t where) {
    if (!one.empty() && !other.empty())
      saddles_.push_back({where, coarse_.step * std::sqrt(coarse_.square[where]), one, other});
    OpeningSet& both = openings_[root];
    both.clear();
    std::merge(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(both));
  }

  const CoarseFluid& coarse_;
  geometry::DisjointSets<std::uint32_t> sets_;
  std::vector<char> isAdded_;
  std::map<std::uint32_t, std::vector<int>> openingsAt_;  // by cell
  std::map<int, std::uint32_t> firstCell_;                // added, of each opening
  std::map<std::uint32_t, OpeningSet> openings_;          // by root
  std::vector<Saddle> saddles_;
};

}  // namespace

std::vector<std::uint32_t> cellsByWidth(const CoarseFluid& coarse) {
  std::vector<std::uint32_t> cells;
  for (std::uint32_t cell = 0; cell < coarse.square.size(); ++cell)
    if (coarse.square[cell] != 0) cells.push_back(cell);
  std::stable_sort(cells.begin(), cells.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(coarse.square[a], coarse.width[a]) >
           std::pair(coarse.square[b], coarse.width[b]);
  });
  return cells;
}

std::vector<Saddle> saddlesOf(const CoarseFluid& coarse, std::span<const std::uint32_t> byWidth) {
  WidestPaths paths(coarse);
  for (const std::uint32_t cell : byWidth) paths.add(cell);
  return paths.saddles();
}

void addNarrow(std::span<const geometry::Opening> openings, std::vector<Saddle>& saddles) {
  geometry::DisjointSets<std::uint32_t> sets(openings.size());
  const auto join = [&](const Saddle& saddle) {
    for (const OpeningSet* group : {&saddle.one, &saddle.other})
      for (const int id : *group)
        sets.join(static_cast<size_t>(saddle.one.front()) - 1, static_cast<size_t>(id) - 1);
  };
  const auto groupOf = [&](std::uint32_t root) {
    OpeningSet group;
    for (std::uint32_t k = 0; k < openings.size(); ++k)
      if (sets.root(k) == root) group.push_back(static_cast<int>(k) + 1);
    return group;
  };
  for (const Saddle& saddle : saddles) join(saddle);
  for (std::uint32_t k = 0; k < openings.size(); ++k)
    for (std::uint32_t first = 0; first < k; ++first) {
      const std::uint32_t one = sets.root(first), other = sets.root(k);
      if (one == other || openings[k].part != openings[first].part) continue;
      saddles.push_back({0, 0.0, groupOf(one), groupOf(other)});
      join(saddles.back());
    }
}

std::optional<Saddle> widestDetour(const CoarseFluid& coarse,
                                   std::span<const std::uint32_t> byWidth,
                                   const std::vector<char>& isBlocked, const Saddle& between) {
  const size_t cells = coarse.square.size(), one = cells, other = cells + 1;
  geometry::DisjointSets<std::uint32_t> sets(cells + 2);
  std::vector<char> atOne(cells), atOther(cells), isAdded(cells);
  const auto mark = [&](const OpeningSet& group, std::vector<char>& at) {
    for (const int id : group)
      for (const std::uint32_t cell : coarse.atOpening[static_cast<size_t>(id) - 1]) at[cell] = 1;
  };
  mark(between.one, atOne);
  mark(between.other, atOther);
  for (const std::uint32_t cell : byWidth) {
    if (isBlocked[cell] != 0) continue;
    isAdded[cell] = 1;
    const Int3 at = coarse.cellAt(cell);
    for (const auto& [n, step] : geometry::neighbourhood)
      if (isAdded[coarse.cell(at + step)] != 0) sets.join(cell, coarse.cell(at + step));
    if (atOne[cell] != 0) sets.join(cell, one);
    if (atOther[cell] != 0) sets.join(cell, other);
    if (sets.root(one) == sets.root(other))
      return Saddle{cell, coarse.step * std::sqrt(coarse.square[cell]), between.one, between.other};
  }
  return std::nullopt;
}

}  // namespace tessera::preprocess::lattice
