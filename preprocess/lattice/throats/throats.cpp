// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/throats/throats.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "preprocess/lattice/throats/coarse_fluid.hpp"
#include "preprocess/lattice/throats/least_section.hpp"
#include "preprocess/lattice/throats/widest_paths.hpp"

namespace tessera::preprocess::lattice {

using geometry::LatticeGeometry;
using geometry::Throat;
using std::size_t;

namespace {

constexpr size_t mostOpenings = 64;

// Cells of the section and next to it, on both sides of its plane.
std::vector<char> blockedCells(const CoarseFluid& coarse, const PlaneSection& section,
                               const Double3& normal) {
  std::vector<char> blocked(coarse.square.size());
  const auto block = [&](const Int3& cell) {
    if (coarse.contains(cell)) blocked[coarse.cell(cell)] = 1;
  };
  for (const Double3& sample : section.sample)
    for (const double depth : {-0.9, -0.3, 0.3, 0.9}) {
      const Int3 cell = coarse.cellOf(sample + (depth * coarse.step) * normal);
      block(cell);
      for (const auto& [n, step] : geometry::stepsTo(geometry::Neighbours::Six)) block(cell + step);
    }
  return blocked;
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

// Openings on the two sides of a section; one of them is empty if it does not separate any.
struct Sides {
  OpeningSet one, other;
  std::uint32_t part = 0;  // of the first
  [[nodiscard]] bool isFound() const { return !one.empty() && !other.empty(); }
};

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

// 1 if most cells of a part near the section lie beyond the plane, else -1.
double sideOfNormal(std::uint32_t towards, const CoarseFluid& coarse,
                    const std::vector<std::uint32_t>& part, const SectionPlane& plane,
                    double near) {
  long balance = 0;
  for (std::uint32_t cell = 0; cell < part.size(); ++cell) {
    if (part[cell] == 0) continue;
    const Double3 apart = coarse.centreOf(cell) - plane.point;
    if (length(apart) >= near) continue;
    const bool isBeyond = dot(apart, plane.normal) > 0.0;
    balance += isBeyond == (part[cell] == towards) ? 1 : -1;
  }
  return balance < 0 ? -1.0 : 1.0;
}

// All openings of one group on one side, none of the other.
bool separates(const Throat& throat, const Saddle& saddle) {
  const auto on = [&](const OpeningSet& group) {
    return std::count_if(group.begin(), group.end(), [&](int id) {
      return std::binary_search(throat.openings.begin(), throat.openings.end(), id);
    });
  };
  const auto one = static_cast<std::ptrdiff_t>(saddle.one.size());
  const auto other = static_cast<std::ptrdiff_t>(saddle.other.size());
  return (on(saddle.one) == one && on(saddle.other) == 0) ||
         (on(saddle.one) == 0 && on(saddle.other) == other);
}

// Fluid without the cells of a section.
struct Cut {
  std::vector<std::uint32_t> part;  // of each cell
  Sides sides;
  // No opening is cut off, but a path leads round the section, so it is not the end of a pocket.
  bool isParallel = false;
};

Cut cutAt(const CoarseFluid& coarse, const Saddle& saddle, const FoundSection& found) {
  const auto& [plane, section] = found;
  Cut cut{partsWithout(coarse, blockedCells(coarse, section, plane.normal)), {}, false};
  cut.sides = sidesOf(saddle.one, partsOfOpenings(coarse, cut.part));
  if (cut.sides.isFound()) return cut;
  const auto partAt = [&](double depth) {
    const Int3 cell = coarse.cellOf(section.centre + (depth * coarse.step) * plane.normal);
    return coarse.contains(cell) ? cut.part[coarse.cell(cell)] : 0;
  };
  constexpr double beyondBlocked = 3.0;  // cells
  cut.isParallel = partAt(-beyondBlocked) != 0 && partAt(-beyondBlocked) == partAt(beyondBlocked);
  return cut;
}

Throat throatOf(const LatticeGeometry& geometry, const CoarseFluid& coarse, const Saddle& saddle,
                const FoundSection& found, const Cut& cut) {
  const auto& [plane, section] = found;
  const Sides& sides = cut.sides;
  const double spacing = geometry.frame.spacing;
  const double near = 3.0 * coarse.step + std::sqrt(section.area);
  Throat throat;
  // The side of fewer openings; of as many, the one without opening 1.
  const bool isOne = sides.one.size() < sides.other.size() ||
                     (sides.one.size() == sides.other.size() && sides.one > sides.other);
  throat.openings = isOne ? sides.one : sides.other;
  const double towards =
      (isOne ? 1.0 : -1.0) * sideOfNormal(sides.part, coarse, cut.part, plane, near);
  const ExactSection exact = exactSection(geometry, coarse, found, saddle.width);
  throat.normal = geometry.frame.directionToWorld(towards * exact.found.plane.normal);
  throat.centre = geometry.frame.toWorld(exact.found.section.centre);
  throat.area = spacing * spacing * exact.area;
  if (throat.openings.size() > 1) return throat;
  const auto id = static_cast<size_t>(throat.openings.front());
  const geometry::Opening& opening = geometry.openings[id - 1];
  if (opening.area < throat.area)
    return {throat.openings, opening.centre, opening.normal, opening.area};
  return throat;
}

// The saddle's cell and others up to four widths from it along vessels about as wide, far from each
// other: in a junction no plane through the saddle may be a cross-section of one vessel.
std::vector<std::uint32_t> startsFor(const CoarseFluid& coarse, const Saddle& saddle) {
  constexpr size_t most = 10;
  const double width = std::max(1.0, saddle.width);
  const std::int32_t least = std::max(1, coarse.square[saddle.cell] * 7 / 10);
  std::vector<std::uint32_t> front{saddle.cell}, starts{saddle.cell};
  std::set<std::uint32_t> known{saddle.cell};
  const Double3 centre = coarse.centreOf(saddle.cell);
  for (size_t k = 0; k < front.size(); ++k) {
    const Int3 at = coarse.cellAt(front[k]);
    const Double3 here = coarse.centreOf(front[k]);
    const bool isFar = std::all_of(starts.begin(), starts.end(), [&](std::uint32_t start) {
      return length(coarse.centreOf(start) - here) > 1.2 * width;
    });
    if (isFar && starts.size() < most) starts.push_back(front[k]);
    for (const auto& [n, step] : geometry::neighbourhood) {
      const std::uint32_t cell = coarse.cell(at + step);
      if (coarse.square[cell] < least || length(coarse.centreOf(cell) - centre) > 4.0 * width)
        continue;
      if (known.insert(cell).second) front.push_back(cell);
    }
  }
  return starts;
}

// The smallest section near a saddle that separates its two groups of openings; else, the smallest
// that separates others.
std::optional<Throat> throatAt(const LatticeGeometry& geometry, const CoarseFluid& coarse,
                               const Saddle& saddle) {
  const std::vector<std::uint32_t> starts = startsFor(coarse, saddle);
  std::vector<std::optional<FoundSection>> found(starts.size());
  tbb::parallel_for(size_t{0}, starts.size(), [&](size_t k) {
    found[k] = leastSection(geometry, coarse, starts[k], saddle.width);
  });
  std::vector<FoundSection> sections;
  for (std::optional<FoundSection>& section : found)
    if (section) sections.push_back(std::move(*section));
  std::stable_sort(sections.begin(), sections.end(),
                   [](const auto& a, const auto& b) { return a.section.area < b.section.area; });
  std::optional<Throat> any;
  for (const FoundSection& section : sections) {
    const Cut cut = cutAt(coarse, saddle, section);
    if (cut.isParallel) return std::nullopt;
    if (!cut.sides.isFound()) continue;
    Throat throat = throatOf(geometry, coarse, saddle, section, cut);
    if (separates(throat, saddle)) return throat;
    if (!any) any = std::move(throat);
  }
  return any;
}

// Cells of the coarsest lattice that has ten of them across the smallest opening, or a million in
// the box; finer while that joins more openings.
struct JoinedOpenings {
  CoarseFluid coarse;
  std::vector<Saddle> saddles;
};

JoinedOpenings joinedOpenings(const LatticeGeometry& geometry, std::span<const CutNode> cuts) {
  // Every throat searches the cells, so many openings have fewer.
  const double share = 8.0 / std::max(8.0, static_cast<double>(geometry.openings.size()));
  const double manyCells = 1e6 * share, mostCells = 4e6 * share;
  double across = std::numeric_limits<double>::max();
  for (const geometry::Opening& opening : geometry.openings)
    across = std::min(across, 2.0 * opening.radius / geometry.frame.spacing);
  const int finest = stepFor(geometry.fluid.size, mostCells);
  const double wanted = std::min(across / 10.0, 1.0 * stepFor(geometry.fluid.size, manyCells));
  int step = std::max(finest, static_cast<int>(wanted));
  const auto joinedAt = [&] {
    JoinedOpenings joined{coarseFluid(geometry, cuts, step), {}};
    joined.saddles = saddlesOf(joined.coarse);
    return joined;
  };
  JoinedOpenings best = joinedAt();
  while (best.saddles.size() + 1 < geometry.openings.size() && step > finest) {
    step = std::max(finest, step / 2);
    JoinedOpenings finer = joinedAt();
    if (finer.saddles.size() > best.saddles.size()) best = std::move(finer);
  }
  return best;
}

}  // namespace

std::vector<Throat> findThroats(const LatticeGeometry& geometry, std::span<const CutNode> cuts) {
  const size_t openings = geometry.openings.size();
  const bool isFlat = geometry.dimensions == 2;
  if (openings < 2 || openings > mostOpenings || geometry.periodic[0] || geometry.periodic[1] ||
      (geometry.periodic[2] && !isFlat))
    return {};
  const JoinedOpenings joined = joinedOpenings(geometry, cuts);
  std::vector<std::optional<Throat>> found(joined.saddles.size());
  tbb::parallel_for(size_t{0}, found.size(), [&](size_t k) {
    found[k] = throatAt(geometry, joined.coarse, joined.saddles[k]);
  });
  std::vector<Throat> throats;
  for (std::optional<Throat>& throat : found)
    if (throat) throats.push_back(std::move(*throat));
  std::stable_sort(throats.begin(), throats.end(),
                   [](const Throat& a, const Throat& b) { return a.area < b.area; });
  for (auto at = throats.begin(); at != throats.end(); ++at)  // the smallest between the same ones
    throats.erase(
        std::remove_if(at + 1, throats.end(),
                       [&](const Throat& later) { return later.openings == at->openings; }),
        throats.end());
  return throats;
}

}  // namespace tessera::preprocess::lattice
