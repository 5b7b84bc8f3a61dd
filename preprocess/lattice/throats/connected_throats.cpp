// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/throats/connected_throats.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <span>

#include "pipelines/stage/text.hpp"
#include "preprocess/lattice/throats/coarse_fluid.hpp"
#include "preprocess/lattice/throats/found_throat.hpp"
#include "preprocess/lattice/throats/least_cut.hpp"
#include "preprocess/lattice/throats/least_section.hpp"
#include "preprocess/lattice/throats/section_cut.hpp"
#include "preprocess/lattice/throats/widest_paths.hpp"

namespace tessera::preprocess::lattice {

using geometry::LatticeGeometry;
using geometry::Throat;
using std::size_t;

namespace {

constexpr size_t fewOpenings = 16;  // with more, a throat is one passage

struct JoinedOpenings {
  CoarseFluid coarse;
  std::vector<std::uint32_t> byWidth;  // fluid cells, see cellsByWidth()
  std::vector<Saddle> saddles;
  size_t mostPassages = 6;  // of one throat
  size_t mostStarts = 10;   // rough sections of a throat
  size_t together = 3;      // rough sections of a throat that are refined before one is taken
  [[nodiscard]] bool hasSheets() const { return coarse.thin.at.size[0] > 0; }
};

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

// Largest of the passages, for place and direction, and the areas of the narrowest and of all of
// them, nodes^2.
struct Neck {
  ExactSection largest;
  double area = 0.0;
  double narrowest = std::numeric_limits<double>::max();
  bool isExact = true;
};

// Passages that together separate openings.
struct Passages {
  std::vector<FoundSection> each;
  std::optional<double> area;  // nodes^2, of all that thin walls leave in one plane
};

Neck neckOf(const LatticeGeometry& geometry, const CoarseFluid& coarse, const Saddle& saddle,
            const Passages& passages) {
  Neck neck;
  if (passages.area) {
    double nodes = 0.0;
    for (const FoundSection& passage : passages.each) {
      nodes += passage.section.area;
      neck.narrowest = std::min(neck.narrowest, passage.section.area);
    }
    const double share = *passages.area / nodes;
    neck.narrowest *= share;
    neck.area = *passages.area;
    neck.largest = {passages.each.front(), share * passages.each.front().section.area, true};
    return neck;
  }
  for (const FoundSection& passage : passages.each) {
    ExactSection exact = exactSection(geometry, coarse, passage, saddle.width);
    neck.area += exact.area;
    neck.narrowest = std::min(neck.narrowest, exact.area);
    neck.isExact = neck.isExact && exact.isExact;
    if (exact.area > neck.largest.area) neck.largest = std::move(exact);
  }
  return neck;
}

FoundThroat throatOf(const LatticeGeometry& geometry, const CoarseFluid& coarse,
                     const Saddle& saddle, const Passages& passages, const Cut& cut) {
  const Neck neck = neckOf(geometry, coarse, saddle, passages);
  const auto& [plane, section] = neck.largest.found;
  const double near = 3.0 * coarse.step + std::sqrt(section.area);
  const double towardsOne = sideOfNormal(cut.sides.part, coarse, cut.part, plane, near);
  return foundThroat(geometry, cut.sides.one, cut.sides.other,
                     {section.centre, towardsOne * plane.normal, neck.area, neck.narrowest,
                      static_cast<int>(passages.each.size()), neck.isExact});
}

bool isBlockedAt(const CoarseFluid& coarse, const Cut& cut, const Double3& position) {
  const Int3 cell = coarse.cellOf(position);
  return coarse.contains(cell) && cut.isBlocked[coarse.cell(cell)] != 0;
}

// Adds the passages that lie in parallel to the first until no path leads round them. A passage is
// the least section at the narrowest place of the widest path that remains.
void addParallel(const LatticeGeometry& geometry, const JoinedOpenings& joined,
                 const Saddle& saddle, std::vector<FoundSection>& passages, Cut& cut) {
  while (cut.isParallel && passages.size() < joined.mostPassages) {
    const auto detour = widestDetour(joined.coarse, joined.byWidth, cut.isBlocked, saddle);
    if (!detour) return;
    const double width = std::max(detour->width, saddle.width);  // a ring is wider than its slit
    const auto rough =
        roughSection(geometry, joined.coarse, detour->cell, width, &passages.front().plane);
    if (!rough) return;
    auto section = leastSection(geometry, joined.coarse, *rough, width);
    // Turned about the centre of a ring, the plane is that of the passage within it.
    if (!section || isBlockedAt(joined.coarse, cut, section->section.centre)) {
      if (rough->leaves) return;
      section = rough->found;
    }
    passages.push_back(std::move(*section));
    cut = cutAt(joined.coarse, saddle.one, passages);
  }
}

double areaOf(std::span<const FoundSection> passages) {
  double area = 0.0;
  for (const FoundSection& each : passages) area += each.section.area;
  return area;
}

// Makes those smaller than a quarter of the first, such as the pieces of a slit of about a node,
// one.
void joinSmall(std::vector<FoundSection>& passages) {
  const double least = 0.25 * passages.front().section.area;
  const auto small = std::find_if(passages.begin(), passages.end(),
                                  [&](const auto& each) { return each.section.area < least; });
  if (small == passages.end()) return;
  PlaneSection& slit = small->section;
  for (auto other = small + 1; other != passages.end(); ++other) {
    slit.area += other->section.area;
    slit.sample.insert(slit.sample.end(), other->section.sample.begin(),
                       other->section.sample.end());
  }
  passages.erase(small + 1, passages.end());
}

// A part on one side of the passage belongs to the first openings of the cut, that on the other
// side does not.
bool isBetweenSides(const CoarseFluid& coarse, const Cut& cut, const FoundSection& passage) {
  const auto isOneAt = [&](const Double3& sample, double depth) {
    const Int3 cell = coarse.cellOf(sample + (depth * coarse.step) * passage.plane.normal);
    return coarse.contains(cell) && cut.part[coarse.cell(cell)] == cut.sides.part;
  };
  return std::any_of(passage.section.sample.begin(), passage.section.sample.end(),
                     [&](const Double3& sample) {
                       return isOneAt(sample, beyondBlocked) != isOneAt(sample, -beyondBlocked);
                     });
}

// Passages that thin walls leave of the fluid in a plane, the largest first.
struct PlanePassages {
  PlaneSection whole;
  std::vector<FoundSection> all;
};

PlanePassages passagesIn(const LatticeGeometry& geometry, const CoarseFluid& coarse,
                         const SectionPlane& plane, double pitch, double reach) {
  PlanePassages in{
      sectionAt(geometry.fluid, {}, plane, pitch, reach, std::numeric_limits<double>::max()), {}};
  for (PlaneSection& piece : piecesOf(geometry.fluid, coarse.thin, plane, in.whole))
    in.all.push_back({plane, std::move(piece)});
  return in;
}

// The plane through the same point that is parallel to the walls in it, which a smallest section of
// one passage may leave at the rim of another.
SectionPlane alongWalls(const ThinWalls& thin, const PlanePassages& in, const SectionPlane& plane) {
  Double3 normal{};
  for (const Double3& sample : in.whole.sample)
    normal = normal + thin.normalFacing(nodeAt(sample), plane.normal);
  const double far = length(normal);
  return far > 0.0 ? SectionPlane{plane.point, (1.0 / far) * normal} : plane;
}

// All passages that thin walls leave in the plane of a section, if they separate openings: those of
// a slit of about a node are too many to be followed one by one, and narrower than the cells.
// Not where the passages found so far separate them and are much smaller.
bool takePlane(const LatticeGeometry& geometry, const CoarseFluid& coarse, const Saddle& saddle,
               const FoundSection& section, Passages& passages, Cut& cut) {
  if (coarse.thin.at.size[0] == 0) return false;
  const double reach = 12.0 * std::max(1.0, saddle.width), pitch = section.section.pitch;
  PlanePassages in = passagesIn(geometry, coarse, section.plane, pitch, reach);
  const SectionPlane turned = alongWalls(coarse.thin, in, section.plane);
  PlanePassages along = passagesIn(geometry, coarse, turned, pitch, reach);
  if (along.whole.isFound() && areaOf(along.all) < areaOf(in.all)) in = std::move(along);
  if (in.all.size() < 2) return false;
  Cut cutByAll = cutAt(coarse, saddle.one, in.all);
  if (!cutByAll.sides.isFound()) return false;
  const size_t found = in.all.size();
  std::erase_if(in.all, [&](const auto& each) { return !isBetweenSides(coarse, cutByAll, each); });
  const double nodes = areaOf(in.all);
  const double known = cut.sides.isFound() ? areaOf(passages.each) : nodes;
  if (in.all.empty() || nodes > 1.15 * known) return false;
  const auto exact = areaBesideSheets(geometry.surface, in.all.front().plane, in.whole);
  // The whole plane is no throat where a sheet runs obliquely, such as a cone.
  if (!exact && !cut.sides.isFound()) return false;
  double doubt = 0.15 * nodes;  // and nodes at the rims
  for (const FoundSection& each : in.all) doubt += std::sqrt(each.section.area);
  cut = std::move(cutByAll);
  passages = {std::move(in.all), nodes};
  if (found == passages.each.size() && exact && std::abs(*exact - nodes) < doubt)
    passages.area = exact;
  joinSmall(passages.each);
  return true;
}

// Cells up to four widths from the saddle's along vessels about as wide, by their distance in
// steps.
std::vector<std::uint32_t> cellsAlong(const CoarseFluid& coarse, const Saddle& saddle) {
  const double width = std::max(1.0, saddle.width);
  const std::int32_t least = std::max(1, coarse.square[saddle.cell] * 7 / 10);
  std::vector<std::uint32_t> front{saddle.cell};
  std::set<std::uint32_t> known{saddle.cell};
  const Double3 centre = coarse.centreOf(saddle.cell);
  for (size_t k = 0; k < front.size(); ++k) {
    const Int3 at = coarse.cellAt(front[k]);
    for (const auto& [n, step] : geometry::neighbourhood) {
      const std::uint32_t cell = coarse.cell(at + step);
      if (coarse.square[cell] < least || length(coarse.centreOf(cell) - centre) > 4.0 * width)
        continue;
      if (known.insert(cell).second) front.push_back(cell);
    }
  }
  return front;
}

// The saddle's cell and others along, far from each other: in a junction no plane through the
// saddle may be a cross-section of one vessel.
std::vector<std::uint32_t> startsFor(const CoarseFluid& coarse,
                                     const std::vector<std::uint32_t>& along, double width,
                                     size_t most) {
  std::vector<std::uint32_t> starts{along.front()};
  for (const std::uint32_t cell : along) {
    const Double3 here = coarse.centreOf(cell);
    const bool isFar = std::all_of(starts.begin(), starts.end(), [&](std::uint32_t start) {
      return length(coarse.centreOf(start) - here) > 1.2 * std::max(1.0, width);
    });
    if (isFar && starts.size() < most) starts.push_back(cell);
  }
  return starts;
}

// The cell that is farthest from the planes of all openings beside it.
std::uint32_t farthestFromEnds(const CoarseFluid& coarse, const std::vector<std::uint32_t>& along) {
  const auto fromEnds = [&](std::uint32_t cell) {
    double least = std::numeric_limits<double>::max();
    for (const CoarseFluid::End& end : coarse.end) {
      const Double3 apart = coarse.centreOf(cell) - end.centre;
      if (length(apart) < 3.0 * end.radius) least = std::min(least, -dot(apart, end.normal));
    }
    return least;
  };
  return *std::max_element(along.begin(), along.end(), [&](std::uint32_t one, std::uint32_t other) {
    return fromEnds(one) < fromEnds(other);
  });
}

// Results of find(0 .. count - 1) that are there, in this order; by several threads.
template <class Section, class Find>
std::vector<Section> foundOf(size_t count, const Find& find) {
  std::vector<std::optional<Section>> found(count);
  tbb::parallel_for(size_t{0}, count, [&](size_t k) { found[k] = find(k); });
  std::vector<Section> sections;
  for (std::optional<Section>& section : found)
    if (section) sections.push_back(std::move(*section));
  return sections;
}

// Sections of the starts along the axes of the lattice, the smallest first, those that leave by an
// opening last. A vessel shorter than its width may have one start, in an opening's plane.
std::vector<RoughSection> roughSections(const LatticeGeometry& geometry,
                                        const JoinedOpenings& joined, const Saddle& saddle) {
  const std::vector<std::uint32_t> along = cellsAlong(joined.coarse, saddle);
  const std::vector<std::uint32_t> starts =
      startsFor(joined.coarse, along, saddle.width, joined.mostStarts);
  std::vector<RoughSection> sections = foundOf<RoughSection>(starts.size(), [&](size_t k) {
    return roughSection(geometry, joined.coarse, starts[k], saddle.width);
  });
  if (std::all_of(sections.begin(), sections.end(), [](const auto& each) { return each.leaves; })) {
    auto section =
        roughSection(geometry, joined.coarse, farthestFromEnds(joined.coarse, along), saddle.width);
    if (section) sections.push_back(std::move(*section));
  }
  std::stable_sort(sections.begin(), sections.end(), [](const auto& a, const auto& b) {
    return std::pair(a.leaves, a.found.section.area) < std::pair(b.leaves, b.found.section.area);
  });
  return sections;
}

enum class Missing { None, NoSections, TooManyPassages, NoPath };  // by ascending precedence

// Result for some of the sections: the smallest that separates the two groups, or the smallest that
// separates others; or neither, where more paths lead round.
struct Separating {
  std::optional<FoundThroat> groups, others;
  Missing missing = Missing::None;
};

Separating separatingOf(const LatticeGeometry& geometry, const JoinedOpenings& joined,
                        const Saddle& saddle, std::span<const RoughSection> rough) {
  std::vector<FoundSection> sections = foundOf<FoundSection>(rough.size(), [&](size_t k) {
    return leastSection(geometry, joined.coarse, rough[k], saddle.width);
  });
  std::stable_sort(sections.begin(), sections.end(),
                   [](const auto& a, const auto& b) { return a.section.area < b.section.area; });
  Separating result;
  for (const FoundSection& section : sections) {
    Passages passages{{section}, {}};
    Cut cut = cutAt(joined.coarse, saddle.one, passages.each);
    const bool isParallel = cut.isParallel;
    addParallel(geometry, joined, saddle, passages.each, cut);
    const bool isTaken =
        (isParallel && takePlane(geometry, joined.coarse, saddle, section, passages, cut)) ||
        cut.sides.isFound();
    if (!isTaken && isParallel) {
      const bool isMost = cut.isParallel && passages.each.size() >= joined.mostPassages;
      result.missing = isMost ? Missing::TooManyPassages : Missing::NoSections;
      return result;
    }
    if (!cut.sides.isFound()) continue;
    FoundThroat found = throatOf(geometry, joined.coarse, saddle, passages, cut);
    if (separates(found.throat, saddle)) {
      result.groups = std::move(found);
      return result;
    }
    if (!result.others) result.others = std::move(found);
  }
  return result;
}

// The smallest section near a saddle that separates its two groups of openings; else, the smallest
// that separates others.
std::optional<FoundThroat> throatByPlanes(const LatticeGeometry& geometry,
                                          const JoinedOpenings& joined, const Saddle& saddle,
                                          Missing& missing) {
  if (saddle.width == 0.0) return std::nullopt;
  const std::vector<RoughSection> all = roughSections(geometry, joined, saddle);
  std::optional<FoundThroat> any;
  for (size_t first = 0; first < all.size(); first += joined.together) {
    const auto some = std::span(all).subspan(first, std::min(joined.together, all.size() - first));
    Separating found = separatingOf(geometry, joined, saddle, some);
    missing = found.missing;
    if (missing != Missing::None) return std::nullopt;
    if (found.groups) return found.groups;
    if (!any) any = std::move(found.others);
  }
  return any;
}

// The throat by the least cut, which decides: planes may mix the passages of two sheets, run past
// the rim of one, or separate nothing. A plane section that agrees with it and that the surface
// measures is more accurate.
void takeCut(const LatticeGeometry& geometry, const CutSearch& cuts, const Saddle& saddle,
             std::optional<FoundThroat>& found, Missing& missing) {
  const std::optional<LeastCut> least = cuts.between(saddle.one, saddle.other);
  if (!least) return;
  missing = Missing::None;
  FoundThroat byCut = throatOfCut(geometry, *least);
  const double spacing = geometry.frame.spacing;
  const bool isAlike = found && found->throat.passages == byCut.throat.passages;
  const double doubt = (isAlike ? 1.0 : 0.5) * spacing * spacing * least->doubt();
  if (!found || !found->isExact || !separates(found->throat, saddle) ||
      std::abs(found->throat.area - byCut.throat.area) >= doubt)
    found = std::move(byCut);
}

// Cells of the coarsest lattice that has ten of them across the smallest opening, or a million in
// the box; finer while that joins more openings.
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
    JoinedOpenings joined{coarseFluid(geometry, cuts, step), {}, {}};
    joined.byWidth = cellsByWidth(joined.coarse);
    joined.saddles = saddlesOf(joined.coarse, joined.byWidth);
    return joined;
  };
  JoinedOpenings best = joinedAt();
  while (best.saddles.size() + 1 < geometry.openings.size() && step > finest) {
    step = std::max(finest, step / 2);
    JoinedOpenings finer = joinedAt();
    if (finer.saddles.size() > best.saddles.size()) best = std::move(finer);
  }
  // Each further passage is a walk over all cells, each section hundreds of planes.
  if (geometry.openings.size() > fewOpenings) {
    best.mostPassages = best.together = 1;
    best.mostStarts = 4;
  }
  return best;
}

std::string reasonOf(Missing missing, size_t mostPassages) {
  if (missing == Missing::NoSections)
    return "passages in parallel that plane sections do not separate";
  if (missing == Missing::NoPath) return "passages too narrow for the cells of the search";
  if (missing == Missing::None) return "";
  return fmt::format(
      "more than {} in parallel{}", stage::plural(std::uint64_t{mostPassages}, "passage"),
      mostPassages == 1 ? fmt::format(", the most for more than {} openings", fewOpenings) : "");
}

// Cells for cuts, of which each takes a second or two: those of the search, or fewer.
CoarseFluid cellsForCuts(const LatticeGeometry& geometry, std::span<const CutNode> cuts,
                         const JoinedOpenings& joined) {
  constexpr double mostCells = 3e5;
  const double each = 8.0 / std::max(8.0, static_cast<double>(geometry.openings.size()));
  const double excess = static_cast<double>(joined.byWidth.size()) / (mostCells * each);
  if (excess <= 1.0) return joined.coarse;
  return coarseFluid(geometry, cuts,
                     static_cast<int>(std::ceil(joined.coarse.step * std::cbrt(excess))));
}

// Throats by planes, and by cuts where sheets are or planes find none.
std::vector<std::optional<FoundThroat>> throatsOf(const LatticeGeometry& geometry,
                                                  std::span<const CutNode> cuts,
                                                  const JoinedOpenings& joined,
                                                  std::vector<Missing>& missing) {
  std::vector<std::optional<FoundThroat>> found(joined.saddles.size());
  missing.assign(found.size(), Missing::None);
  tbb::parallel_for(size_t{0}, found.size(), [&](size_t k) {
    found[k] = throatByPlanes(geometry, joined, joined.saddles[k], missing[k]);
    if (!found[k] && missing[k] == Missing::None)
      missing[k] = joined.saddles[k].width > 0.0 ? Missing::NoSections : Missing::NoPath;
  });
  // Sheets have a cut node on either side of each spacing squared: fewer cannot narrow a throat.
  constexpr double leastShare = 0.04;
  const double cutArea = static_cast<double>(cuts.size()) * std::pow(geometry.frame.spacing, 2.0);
  const auto needsCut = [&](size_t k) {
    return !found[k] || missing[k] != Missing::None || cutArea > leastShare * found[k]->throat.area;
  };
  bool isAny = false;
  for (size_t k = 0; k < found.size(); ++k) isAny = isAny || needsCut(k);
  if (!isAny || geometry.dimensions == 2) return found;
  const CoarseFluid cells = cellsForCuts(geometry, cuts, joined);
  const CutSearch search(geometry, cuts, cells);
  tbb::parallel_for(size_t{0}, found.size(), [&](size_t k) {
    if (needsCut(k)) takeCut(geometry, search, joined.saddles[k], found[k], missing[k]);
  });
  return found;
}

}  // namespace

ThroatSearch searchConnected(const LatticeGeometry& geometry, std::span<const CutNode> cuts) {
  JoinedOpenings joined = joinedOpenings(geometry, cuts);
  if (joined.hasSheets()) addNarrow(geometry.openings, joined.saddles);
  std::vector<Missing> missing;
  std::vector<FoundThroat> throats;
  for (std::optional<FoundThroat>& throat : throatsOf(geometry, cuts, joined, missing))
    if (throat) throats.push_back(std::move(*throat));
  std::stable_sort(throats.begin(), throats.end(), [](const FoundThroat& a, const FoundThroat& b) {
    return a.throat.area < b.throat.area;
  });
  ThroatSearch search;
  for (FoundThroat& each : throats) {
    const bool isKnown = std::any_of(  // the smallest between the same ones
        search.throats.begin(), search.throats.end(),
        [&](const Throat& smaller) { return smaller.openings == each.throat.openings; });
    if (isKnown) continue;
    search.throats.push_back(std::move(each.throat));
    search.narrowestPassages.push_back(each.narrowest);
  }
  if (!missing.empty())
    search.notSearched =
        reasonOf(*std::max_element(missing.begin(), missing.end()), joined.mostPassages);
  return search;
}

}  // namespace tessera::preprocess::lattice
