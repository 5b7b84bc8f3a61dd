// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/throats/section_cut.hpp"

#include <algorithm>
#include <map>

namespace tessera::preprocess::lattice {

using std::size_t;

namespace {

// Blocks the cells of the section and next to it, on both sides of its plane.
void blockCells(const CoarseFluid& coarse, const PlaneSection& section, const Double3& normal,
                std::vector<char>& blocked) {
  const auto block = [&](const Int3& cell) {
    if (coarse.contains(cell)) blocked[coarse.cell(cell)] = 1;
  };
  for (const Double3& sample : section.sample)
    for (const double depth : {-0.9, -0.3, 0.3, 0.9}) {
      const Int3 cell = coarse.cellOf(sample + (depth * coarse.step) * normal);
      block(cell);
      for (const auto& [n, step] : geometry::stepsTo(geometry::Neighbours::Six)) block(cell + step);
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

// Part of each opening, by most of its cells; 0 where the section runs through them.
std::vector<std::uint32_t> partsOfOpenings(const CoarseFluid& coarse,
                                           const std::vector<std::uint32_t>& part) {
  std::vector<std::uint32_t> parts;
  for (const std::vector<std::uint32_t>& cells : coarse.atOpening) {
    std::map<std::uint32_t, size_t> count;
    for (const std::uint32_t cell : cells) ++count[part[cell]];
    const auto most =
        std::max_element(count.begin(), count.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    parts.push_back(most == count.end() ? 0 : most->first);
  }
  return parts;
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
  cut.sides = sidesOf(group, partsOfOpenings(coarse, cut.part));
  if (cut.sides.isFound()) return cut;
  const auto& [plane, section] = passages.front();
  const auto partAt = [&](double depth) {
    const Int3 cell = coarse.cellOf(section.centre + (depth * coarse.step) * plane.normal);
    return coarse.contains(cell) ? cut.part[coarse.cell(cell)] : 0;
  };
  constexpr double beyondBlocked = 3.0;  // cells
  cut.isParallel = partAt(-beyondBlocked) != 0 && partAt(-beyondBlocked) == partAt(beyondBlocked);
  return cut;
}

}  // namespace tessera::preprocess::lattice
