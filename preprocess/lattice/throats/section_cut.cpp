// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/throats/section_cut.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "preprocess/geometry/disjoint_sets.hpp"

namespace tessera::preprocess::lattice {

using std::size_t;

namespace {

// Blocks the cells of the section and next to it, on both sides of its plane.
void blockCells(const CoarseFluid& coarse, const PlaneSection& section, const Double3& normal,
                std::vector<char>& blocked) {
  const auto block = [&](const Int3& cell) {
    if (coarse.contains(cell)) blocked[coarse.cell(cell)] = 1;
  };
  for (const Double3& sample : section.sample) {
    const bool isThin = coarse.thin.isAt(nodeAt(sample));
    for (const double depth : {-0.9, -0.3, 0.3, 0.9}) {
      const Int3 cell = coarse.cellOf(sample + (depth * coarse.step) * normal);
      block(cell);
      if (isThin) continue;  // the cell beside it may lie beyond the wall
      for (const auto& [n, step] : geometry::stepsTo(geometry::Neighbours::Six)) block(cell + step);
    }
  }
}

// Connected fluid cells without the blocked ones: 0 for none, parts counted from 1.
std::vector<std::uint32_t> partsWithout(const CoarseFluid& coarse,
                                        const std::vector<char>& blocked) {
  std::vector<std::uint32_t> part(coarse.square.size());
  std::vector<std::uint32_t> front;
  std::uint32_t parts = 0;
  const auto isNew = [&](std::uint32_t cell) {
    return part[cell] == 0 && blocked[cell] == 0 && coarse.square[cell] != 0;
  };
  const auto reach = [&](std::uint32_t cell) {
    if (!isNew(cell)) return;
    part[cell] = parts;
    front.push_back(cell);
  };
  for (std::uint32_t first = 0; first < part.size(); ++first) {
    if (!isNew(first)) continue;
    ++parts;
    reach(first);
    while (!front.empty()) {
      const Int3 at = coarse.cellAt(front.back());
      front.pop_back();
      for (const auto& [n, step] : geometry::neighbourhood) reach(coarse.cell(at + step));
    }
  }
  return part;
}

// Makes parts that share an opening one: passages of two that end there are in parallel, such as
// those on the two sides of a flap. A section beside a slanted opening leaves slivers of it.
void joinByOpenings(const CoarseFluid& coarse, std::vector<std::uint32_t>& part) {
  constexpr double leastShare = 0.04;
  const std::uint32_t most = part.empty() ? 0 : *std::max_element(part.begin(), part.end());
  geometry::DisjointSets<std::uint32_t> sets(most + 1);
  bool isSame = true;
  for (const std::vector<std::uint32_t>& cells : coarse.atOpening) {
    std::map<std::uint32_t, size_t> count;
    for (const std::uint32_t cell : cells) ++count[part[cell]];
    std::uint32_t first = 0;
    for (const auto& [number, share] : count) {
      if (number == 0 ||
          static_cast<double>(share) < leastShare * static_cast<double>(cells.size()))
        continue;
      if (first != 0) {
        sets.join(sets.root(first), sets.root(number));
        isSame = false;
      } else {
        first = number;
      }
    }
  }
  if (isSame) return;
  for (std::uint32_t& number : part) number = sets.root(number);
}

// Part of each opening, by most of its cells; 0 where the section runs through them, unless a
// quarter of them lie elsewhere, such as beyond a flap.
std::vector<std::uint32_t> partsOfOpenings(const CoarseFluid& coarse,
                                           const std::vector<std::uint32_t>& part) {
  std::vector<std::uint32_t> parts;
  for (const std::vector<std::uint32_t>& cells : coarse.atOpening) {
    std::map<std::uint32_t, size_t> count;
    for (const std::uint32_t cell : cells) ++count[part[cell]];
    const auto most =
        std::max_element(count.begin(), count.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    std::uint32_t part = most == count.end() ? 0 : most->first;
    if (part == 0)
      for (const auto& [other, share] : count)
        if (other != 0 && 4 * share >= cells.size()) part = other;
    parts.push_back(part);
  }
  return parts;
}

// A twentieth of the opening's cells or more are blocked.
bool runsThrough(const std::vector<std::uint32_t>& cells, const std::vector<char>& blocked) {
  const auto count = std::count_if(cells.begin(), cells.end(),
                                   [&](std::uint32_t cell) { return blocked[cell] != 0; });
  return 20 * static_cast<size_t>(count) >= cells.size();
}

// Side of the openings in one part, and that of all others.
Sides sidesOf(const OpeningSet& group, const std::vector<std::uint32_t>& parts) {
  Sides sides;
  for (const int id : group) sides.part = std::max(sides.part, parts[static_cast<size_t>(id) - 1]);
  for (size_t k = 0; k < parts.size(); ++k) {
    const int id = static_cast<int>(k) + 1;
    const bool isOfGroup = std::find(group.begin(), group.end(), id) != group.end();
    const bool isOne = parts[k] == 0 ? isOfGroup : parts[k] == sides.part;
    (isOne ? sides.one : sides.other).push_back(id);
  }
  return sides;
}

}  // namespace

Cut cutAt(const CoarseFluid& coarse, const OpeningSet& group,
          std::span<const FoundSection> passages) {
  Cut cut;
  cut.isBlocked.resize(coarse.square.size());
  for (const auto& [plane, section] : passages)
    blockCells(coarse, section, plane.normal, cut.isBlocked);
  cut.part = partsWithout(coarse, cut.isBlocked);
  joinByOpenings(coarse, cut.part);
  const std::vector<std::uint32_t> parts = partsOfOpenings(coarse, cut.part);
  cut.sides = sidesOf(group, parts);
  if (cut.sides.isFound()) return cut;
  const auto& [plane, section] = passages.front();
  // Bindings are named for clang before 16.
  const auto partAt = [&, &plane = plane, &section = section](double depth) {
    const Int3 cell = coarse.cellOf(section.centre + (depth * coarse.step) * plane.normal);
    return coarse.contains(cell) ? cut.part[coarse.cell(cell)] : 0;
  };
  const std::uint32_t before = partAt(-beyondBlocked), beyond = partAt(beyondBlocked);
  cut.isParallel = before != 0 && before == beyond;
  // Through the cells of an opening of which others lie in a passage beside this one.
  if ((before == 0) != (beyond == 0))
    for (size_t k = 0; k < coarse.atOpening.size(); ++k)
      cut.isParallel = cut.isParallel || (parts[k] == std::max(before, beyond) &&
                                          runsThrough(coarse.atOpening[k], cut.isBlocked));
  return cut;
}

}  // namespace tessera::preprocess::lattice
