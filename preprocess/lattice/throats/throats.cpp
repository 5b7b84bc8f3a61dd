// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/throats/throats.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <set>

#include "preprocess/geometry/disjoint_sets.hpp"
#include "preprocess/lattice/throats/coarse_fluid.hpp"
#include "preprocess/lattice/throats/plane_section.hpp"

namespace tessera::preprocess::lattice {

using geometry::LatticeGeometry;
using geometry::Throat;
using std::size_t;

namespace {

constexpr size_t mostOpenings = 64;
using OpeningSet = std::vector<int>;  // ids, ascending

// Widest path between two groups of openings at its narrowest.
struct Saddle {
  std::uint32_t cell = 0;
  double width = 0.0;  // nodes, radius of the largest ball there
  OpeningSet one, other;
};

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
      const std::uint32_t neighbour = coarse_.cell(next[0], next[1], next[2]);
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

std::vector<Saddle> saddlesOf(const CoarseFluid& coarse) {
  std::vector<std::uint32_t> cells;
  for (std::uint32_t cell = 0; cell < coarse.square.size(); ++cell)
    if (coarse.square[cell] != 0) cells.push_back(cell);
  std::stable_sort(cells.begin(), cells.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(coarse.square[a], coarse.width[a]) >
           std::pair(coarse.square[b], coarse.width[b]);
  });
  WidestPaths paths(coarse);
  for (const std::uint32_t cell : cells) paths.add(cell);
  return paths.saddles();
}

struct FoundSection {
  SectionPlane plane;
  PlaneSection section;
};

// Smallest section near a saddle: of the 13 axes of a lattice, then by tilting and moving the plane
// in steps that halve.
class SmallestSection {
 public:
  SmallestSection(const LatticeGeometry& geometry, const CoarseFluid& coarse, const Saddle& saddle,
                  std::uint32_t start)
      : geometry_(geometry), coarse_(coarse), width_(std::max(1.0, saddle.width)) {
    const Double3 point = coarse.centreOf(start);
    pitch_ = geometry.dimensions == 2 ? 1.0 : std::clamp(width_ / 12.0, 0.25, 8.0);
    for (const auto& [n, step] : geometry::neighbourhood)
      if (n > geometry::restDirection && (geometry.dimensions == 3 || step[2] == 0))
        tryPlane({point, unit(Double3{1.0 * step[0], 1.0 * step[1], 1.0 * step[2]})});
  }
  [[nodiscard]] bool isFound() const { return best_.isFound() && !leaves_; }
  void refine() {
    constexpr double degree = std::numbers::pi / 180.0;
    for (double angle = 16.0 * degree; angle > 0.9 * degree; angle *= 0.5)
      for (int round = 0; round < 8 && (tilt(angle) || move(angle)); ++round) continue;
  }
  [[nodiscard]] FoundSection found() const { return {plane_, best_}; }

 private:
  // A section that does not leave by an opening is better than any that does.
  bool tryPlane(const SectionPlane& plane) {
    const double any = std::numeric_limits<double>::max();
    const double most = best_.isFound() && !leaves_ ? best_.area : any;
    PlaneSection section = sectionAt(geometry_, plane, pitch_, 12.0 * width_, most);
    if (!section.isFound() || section.area >= most) return false;
    const bool leaves = leavesByOpening(section, plane);
    if (leaves && best_.isFound() && (!leaves_ || section.area >= best_.area)) return false;
    best_ = std::move(section);
    plane_ = plane;
    leaves_ = leaves;
    return true;
  }
  // A plane that runs out of an opening cuts a corner off and separates nothing.
  [[nodiscard]] bool leavesByOpening(const PlaneSection& section, const SectionPlane& plane) const {
    return std::any_of(section.sample.begin(), section.sample.end(), [&](const Double3& sample) {
      const Double3 apart = sample - plane.point;
      const double far = length(apart);
      if (far < pitch_) return false;
      const Double3 outer = sample + (1.5 * coarse_.step / far) * apart;
      const Int3 cell = coarse_.cellOf(outer);
      return coarse_.contains(cell) &&
             coarse_.isBeyond[coarse_.cell(cell[0], cell[1], cell[2])] != 0;
    });
  }
  bool tilt(double angle) {
    Double3 helper{};
    size_t least = 0;
    for (size_t a = 1; a < 3; ++a)
      if (std::abs(plane_.normal[a]) < std::abs(plane_.normal[least])) least = a;
    helper[least] = 1.0;
    const Double3 u = unit(cross(plane_.normal, helper));
    const Double3 v = cross(plane_.normal, u);
    const Double3 normal = plane_.normal;
    bool isBetter = false;
    for (const Double3& axis : {u, v})
      for (const double sign : {-1.0, 1.0})
        isBetter = tryPlane({best_.centre, rotated(normal, axis, sign * angle)}) || isBetter;
    return isBetter;
  }
  bool move(double angle) {
    const double far = width_ * angle * 3.0;
    const Double3 from = best_.centre;
    bool isBetter = false;
    for (const double sign : {-1.0, 1.0})
      isBetter = tryPlane({from + (sign * far) * plane_.normal, plane_.normal}) || isBetter;
    return isBetter;
  }

  const LatticeGeometry& geometry_;
  const CoarseFluid& coarse_;
  double width_, pitch_ = 1.0;
  SectionPlane plane_;
  PlaneSection best_;
  bool leaves_ = false;  // by an opening
};

// Cells of the section and next to it, on both sides of its plane.
std::vector<char> blockedCells(const CoarseFluid& coarse, const PlaneSection& section,
                               const Double3& normal) {
  std::vector<char> blocked(coarse.square.size());
  for (const Double3& sample : section.sample)
    for (const double depth : {-0.9, -0.3, 0.3, 0.9}) {
      const Int3 cell = coarse.cellOf(sample + (depth * coarse.step) * normal);
      for (const auto& [n, step] : geometry::neighbourhood) {
        if (!geometry::isAmong(step, geometry::Neighbours::Six) && n != geometry::restDirection)
          continue;
        const Int3 at = cell + step;
        if (coarse.contains(at)) blocked[coarse.cell(at[0], at[1], at[2])] = 1;
      }
    }
  return blocked;
}

// Connected fluid cells without the blocked ones: 0 for none, parts counted from 1.
std::vector<std::uint32_t> partsWithout(const CoarseFluid& coarse,
                                        const std::vector<char>& blocked) {
  std::vector<std::uint32_t> part(coarse.square.size());
  std::vector<std::uint32_t> front;
  std::uint32_t parts = 0;
  const auto reach = [&](std::uint32_t cell) {
    if (part[cell] != 0 || blocked[cell] != 0 || coarse.square[cell] == 0) return;
    part[cell] = parts;
    front.push_back(cell);
  };
  for (std::uint32_t first = 0; first < part.size(); ++first) {
    if (part[first] != 0 || blocked[first] != 0 || coarse.square[first] == 0) continue;
    ++parts;
    reach(first);
    while (!front.empty()) {
      const Int3 at = coarse.cellAt(front.back());
      front.pop_back();
      for (const auto& [n, step] : geometry::neighbourhood) {
        const Int3 next = at + step;
        reach(coarse.cell(next[0], next[1], next[2]));
      }
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

// Towards a part: most of its cells near the section lie beyond the plane.
Double3 normalTowards(std::uint32_t towards, const CoarseFluid& coarse,
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
  return (balance < 0 ? -1.0 : 1.0) * plane.normal;
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

std::optional<Throat> throatOf(const LatticeGeometry& geometry, const CoarseFluid& coarse,
                               const Saddle& saddle, const FoundSection& found) {
  const auto& [plane, section] = found;
  const std::vector<std::uint32_t> part =
      partsWithout(coarse, blockedCells(coarse, section, plane.normal));
  const std::vector<std::uint32_t> parts = partsOfOpenings(coarse, part);
  const bool isOneSmaller = saddle.one.size() < saddle.other.size() ||
                            (saddle.one.size() == saddle.other.size() && saddle.one > saddle.other);
  const Sides sides = sidesOf(isOneSmaller ? saddle.one : saddle.other, parts);
  if (!sides.isFound()) return std::nullopt;
  const double spacing = geometry.frame.spacing;
  const double near = 3.0 * coarse.step + std::sqrt(section.area);
  Throat throat;
  throat.openings = sides.one;
  throat.centre = geometry.frame.toWorld(section.centre);
  throat.normal =
      geometry.frame.directionToWorld(normalTowards(sides.part, coarse, part, plane, near));
  throat.area = spacing * spacing * exactArea(geometry.surface, plane, section);
  return throat;
}

// The saddle's cell and others up to four widths from it along vessels about as wide, far from each
// other: in a junction no plane through the saddle may be a cross-section of one vessel.
std::vector<std::uint32_t> startsFor(const CoarseFluid& coarse, const Saddle& saddle) {
  constexpr size_t most = 10;
  const double width = std::max(1.0, saddle.width);
  const std::int32_t least = coarse.square[saddle.cell] * 7 / 10;
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
      const Int3 next = at + step;
      const std::uint32_t cell = coarse.cell(next[0], next[1], next[2]);
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
  std::vector<FoundSection> sections;
  for (const std::uint32_t start : startsFor(coarse, saddle)) {
    SmallestSection section(geometry, coarse, saddle, start);
    section.refine();
    if (section.isFound()) sections.push_back(section.found());
  }
  std::stable_sort(sections.begin(), sections.end(),
                   [](const auto& a, const auto& b) { return a.section.area < b.section.area; });
  std::optional<Throat> any;
  for (const FoundSection& section : sections) {
    std::optional<Throat> throat = throatOf(geometry, coarse, saddle, section);
    if (throat && separates(*throat, saddle)) return throat;
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

JoinedOpenings joinedOpenings(const LatticeGeometry& geometry) {
  constexpr double manyCells = 1e6, mostCells = 4e6;
  double across = std::numeric_limits<double>::max();
  for (const geometry::Opening& opening : geometry.openings)
    across = std::min(across, 2.0 * opening.radius / geometry.frame.spacing);
  const int finest = stepFor(geometry.fluid.size, mostCells);
  const double wanted = std::min(across / 10.0, 1.0 * stepFor(geometry.fluid.size, manyCells));
  int step = std::max(finest, static_cast<int>(wanted));
  const auto joinedAt = [&] {
    JoinedOpenings joined{coarseFluid(geometry, step), {}};
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

std::vector<Throat> findThroats(const LatticeGeometry& geometry) {
  const size_t openings = geometry.openings.size();
  const bool isFlat = geometry.dimensions == 2;
  if (openings < 2 || openings > mostOpenings || geometry.periodic[0] || geometry.periodic[1] ||
      (geometry.periodic[2] && !isFlat))
    return {};
  const auto [coarse, saddles] = joinedOpenings(geometry);
  std::vector<Throat> throats;
  for (const Saddle& saddle : saddles)
    if (std::optional<Throat> throat = throatAt(geometry, coarse, saddle))
      throats.push_back(std::move(*throat));
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
