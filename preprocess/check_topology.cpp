// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/check_topology.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/disjoint_sets.hpp"
#include "preprocess/lattice/links/nearest_triangle.hpp"
#include "preprocess/surface/health/self_intersections.hpp"

namespace tessera::preprocess {

using geometry::LatticeGeometry;
using geometry::TriangleMesh;
using lattice::FluidPart;
using surface::Part;

namespace {

using std::size_t;

// Margin about a part, nodes: two joined ones are within a diagonal of each other.
constexpr double reach = 2.0;
// Void between parts that counts as none, nodes: above that of cut links (surface_links.cpp).
constexpr double abutting = 2e-3;

bool boxesMeet(const Part& a, const Part& b, double margin) {
  for (size_t c = 0; c < 3; ++c)
    if (a.low[c] > b.high[c] + margin || b.low[c] > a.high[c] + margin) return false;
  return true;
}

// Triangles of a part within a margin of another one's box.
std::vector<std::uint32_t> trianglesNear(const TriangleMesh& mesh,
                                         const std::vector<std::uint32_t>& triangles,
                                         const Part& other, double margin) {
  std::vector<std::uint32_t> near;
  for (const std::uint32_t t : triangles) {
    Part box;
    for (const std::uint32_t v : mesh.triangle[t])
      for (size_t c = 0; c < 3; ++c) {
        box.low[c] = std::min(box.low[c], mesh.vertex[v][c]);
        box.high[c] = std::max(box.high[c], mesh.vertex[v][c]);
      }
    if (boxesMeet(box, other, margin)) near.push_back(t);
  }
  return near;
}

// Points of a triangle at most one node apart.
template <class Visit>
void samplesOf(const TriangleMesh& mesh, std::uint32_t t, const Visit& visit) {
  const auto& [i, j, k] = mesh.triangle[t];
  const Double3 &a = mesh.vertex[i], u = mesh.vertex[j] - a, v = mesh.vertex[k] - a;
  const int steps =
      std::max(1, static_cast<int>(std::ceil(std::max({length(u), length(v), length(u - v)}))));
  for (int p = 0; p <= steps; ++p)
    for (int q = 0; p + q <= steps; ++q)
      visit(a + (static_cast<double>(p) / steps) * u + (static_cast<double>(q) / steps) * v);
}

// Middle between the nearest samples of two sets of triangles, if within reach.
std::optional<Double3> nearestPlace(const TriangleMesh& mesh, const std::vector<std::uint32_t>& a,
                                    const std::vector<std::uint32_t>& b) {
  std::map<Int3, std::vector<Double3>> cells;
  const auto cellOf = [](const Double3& p) {
    return Int3{static_cast<int>(std::floor(p[0] / reach)),
                static_cast<int>(std::floor(p[1] / reach)),
                static_cast<int>(std::floor(p[2] / reach))};
  };
  for (const std::uint32_t t : a)
    samplesOf(mesh, t, [&](const Double3& p) { cells[cellOf(p)].push_back(p); });
  std::optional<Double3> place;
  double least = std::numeric_limits<double>::max();
  const auto compare = [&](const Double3& p) {
    const Int3 at = cellOf(p);
    for (int n = 0; n < 27; ++n) {
      const auto cell = cells.find({at[0] + n % 3 - 1, at[1] + n / 3 % 3 - 1, at[2] + n / 9 - 1});
      if (cell == cells.end()) continue;
      for (const Double3& q : cell->second)
        if (const double distance = length(p - q); distance < least) {
          least = distance;
          place = 0.5 * (p + q);
        }
    }
  };
  for (const std::uint32_t t : b) samplesOf(mesh, t, compare);
  return place;
}

// Fluid parts of the surface, and which of them are one.
class FluidBodies {
 public:
  FluidBodies(const SurfaceParts& surface, const TriangleMesh& mesh)
      : surface_(surface),
        mesh_(mesh),
        triangles_(surface::trianglesByPart(surface.parts)),
        bodies_(surface.fluid.size()) {}

  [[nodiscard]] std::uint32_t body(std::uint32_t k) { return bodies_.root(k); }
  [[nodiscard]] std::uint64_t count() {
    std::uint64_t roots = 0;
    for (std::uint32_t k = 0; k < surface_.fluid.size(); ++k) roots += bodies_.root(k) == k ? 1 : 0;
    return roots;
  }
  [[nodiscard]] const Part& part(std::uint32_t k) const {
    return surface_.parts.part[surface_.fluid[k]];
  }

  // Unites those of the parts that overlap.
  void uniteOverlapping(const std::set<std::uint32_t>& parts) {
    for (auto a = parts.begin(); a != parts.end(); ++a)
      for (auto b = std::next(a); b != parts.end(); ++b)
        if (bodies_.root(*a) != bodies_.root(*b) && overlap(*a, *b)) bodies_.join(*a, *b);
  }
  // Unites a part with one that overlaps it, as long as the effort is bounded.
  void uniteWithAny(std::uint32_t k) {
    constexpr std::uint64_t most = 300'000'000;  // triangles visited
    for (std::uint32_t other = 0; other < surface_.fluid.size() && visited_ < most; ++other) {
      if (other == k || !boxesMeet(part(k), part(other), 0.0)) continue;
      visited_ += trianglesOf(other).size() + trianglesOf(k).size();
      if (!overlap(k, other)) continue;
      bodies_.join(k, other);
      return;
    }
  }
  [[nodiscard]] std::optional<Double3> between(std::uint32_t a, std::uint32_t b) const {
    return nearestPlace(mesh_, nearTo(a, b, reach), nearTo(b, a, reach));
  }
  [[nodiscard]] const std::vector<std::uint32_t>& trianglesOf(std::uint32_t k) const {
    return triangles_[surface_.fluid[k]];
  }

 private:
  // Triangles of a near b.
  [[nodiscard]] std::vector<std::uint32_t> nearTo(std::uint32_t a, std::uint32_t b,
                                                  double margin) const {
    return trianglesNear(mesh_, trianglesOf(a), part(b), margin);
  }
  // Parts that abut within rounding are united as well.
  [[nodiscard]] bool overlap(std::uint32_t a, std::uint32_t b) const {
    if (!boxesMeet(part(a), part(b), abutting)) return false;
    const std::vector<std::uint32_t> ofA = nearTo(a, b, abutting), ofB = nearTo(b, a, abutting);
    return surface::doMeet(mesh_, ofA, ofB) || isWithin(a, b) || isWithin(b, a) || abut(ofA, ofB) ||
           abut(ofB, ofA);
  }
  // Whether a corner or centre of one set lies on the other.
  [[nodiscard]] bool abut(const std::vector<std::uint32_t>& a,
                          const std::vector<std::uint32_t>& b) const {
    constexpr std::size_t most = 20'000'000;  // pairs
    if (a.size() * b.size() > most) return true;
    for (const std::uint32_t t : a) {
      const auto& [i, j, k] = mesh_.triangle[t];
      const Double3 &p = mesh_.vertex[i], &q = mesh_.vertex[j], &r = mesh_.vertex[k];
      for (const Double3& point : {p, q, r, (1.0 / 3.0) * (p + q + r)})
        for (const std::uint32_t other : b)
          if (lattice::squaredDistance(mesh_, other, point) <= abutting * abutting) return true;
    }
    return false;
  }
  // Whether fluid of the outer part, less its cavities, is at a point of the inner one.
  [[nodiscard]] bool isWithin(std::uint32_t inner, std::uint32_t outer) const {
    const Double3& point = mesh_.vertex[part(inner).vertex];
    const auto holds = [&](const Part& box) {
      for (size_t c = 0; c < 3; ++c)
        if (point[c] < box.low[c] || point[c] > box.high[c]) return false;
      return true;
    };
    if (!holds(part(outer))) return false;
    double winding = geometry::windingAround(mesh_, trianglesOf(outer), point);
    for (size_t p = 0; p < triangles_.size(); ++p)
      if (surface_.parts.part[p].volume < 0.0 && holds(surface_.parts.part[p]))
        winding += geometry::windingAround(mesh_, triangles_[p], point);
    return winding > 0.5;
  }

  const SurfaceParts& surface_;
  const TriangleMesh& mesh_;
  std::vector<std::vector<std::uint32_t>> triangles_;
  geometry::DisjointSets<> bodies_;
  std::uint64_t visited_ = 0;
};

// Fluid parts of the surface in each part of the lattice.
using Contents = std::vector<std::set<std::uint32_t>>;

Contents contentsOf(const SurfaceParts& surface, std::span<const FluidPart> parts) {
  Contents contents(parts.size());
  const size_t openings = surface.ofOpening.size();
  for (size_t k = 0; k < parts.size(); ++k)
    for (const std::uint32_t touched : parts[k].openings)
      contents[k].insert(touched < openings ? surface.ofOpening[touched]
                                            : static_cast<std::uint32_t>(touched - openings));
  return contents;
}

// Cause of a split and its remedy.
std::string causeOf(std::uint64_t split, std::uint64_t splitBySheets, const Double3& place,
                    const std::vector<surface::Sheet>& sheets) {
  if (splitBySheets == 0 || sheets.empty())
    return "where a neck is narrower than the node spacing or a thin wall lies; choose a smaller "
           "node spacing";
  const surface::Sheet& sheet =
      *std::min_element(sheets.begin(), sheets.end(), [&](const auto& a, const auto& b) {
        return length(a.centre - place) < length(b.centre - place);
      });
  return fmt::format(
      "{}by the sheet of {:.4g} mm2 at {}, which leaves no way past it{}; where fluid is to pass, "
      "give it a hole of some nodes across, or leave sheets out with --sheets drop",
      splitBySheets < split ? fmt::format("{} of them ", splitBySheets) : "", 1e6 * sheet.area,
      placeText(sheet.centre),
      splitBySheets > 1 ? fmt::format(" (of {} sheets the nearest)", sheets.size()) : "");
}

void warnAboutSplit(std::span<const FluidPart> parts, const std::set<size_t>& main,
                    std::uint64_t splitBySheets, const LatticeGeometry& geometry,
                    PreprocessReport& report) {
  std::uint64_t split = 0;
  const FluidPart* largest = nullptr;
  for (size_t k = 0; k < parts.size(); ++k) {
    if (main.contains(k)) continue;
    ++split;
    if (largest == nullptr || parts[k].nodes > largest->nodes) largest = &parts[k];
  }
  if (split == 0) return;
  const Double3 place = geometry.frame.toWorld(largest->centre);
  report.warnings.push_back(fmt::format(
      "the lattice has {} connected part(s), the surface {}: {} cut off, the largest of {} around "
      "{}, {}.",
      *report.latticeParts, *report.meshParts,
      split == 1 ? "a part is" : fmt::format("{} are", split),
      stage::plural(largest->nodes, "node"), placeText(place),
      causeOf(split, splitBySheets, place, report.sheets)));
}

void warnAboutJoined(FluidBodies& bodies, const Contents& contents,
                     std::span<const FluidPart> parts, const LatticeGeometry& geometry,
                     PreprocessReport& report) {
  for (size_t k = 0; k < contents.size(); ++k) {
    std::map<std::uint32_t, std::uint32_t> firstOf;  // by body
    for (const std::uint32_t part : contents[k]) firstOf.emplace(bodies.body(part), part);
    if (firstOf.size() < 2) continue;
    std::optional<Double3> place;
    for (const std::uint32_t a : contents[k])
      for (const std::uint32_t b : contents[k])
        if (!place && a < b && bodies.body(a) != bodies.body(b)) place = bodies.between(a, b);
    report.warnings.push_back(fmt::format(
        "{} parts of the surface that do not overlap are one part of the lattice, so fluid flows "
        "between them, around {}; choose a smaller node spacing, or move them apart.",
        firstOf.size(), placeText(geometry.frame.toWorld(place.value_or(parts[k].centre)))));
  }
}

void warnAboutLost(FluidBodies& bodies, const std::set<std::uint32_t>& found,
                   std::uint32_t fluidParts, std::uint64_t unconnected,
                   const LatticeGeometry& geometry, PreprocessReport& report) {
  std::uint64_t lost = 0;
  const Part* largest = nullptr;
  for (std::uint32_t k = 0; k < fluidParts; ++k) {
    if (bodies.body(k) != k || found.contains(k)) continue;
    ++lost;
    if (largest == nullptr || bodies.part(k).volume > largest->volume) largest = &bodies.part(k);
  }
  if (lost <= unconnected) return;  // keepReachable() warns about parts without openings
  report.warnings.push_back(
      fmt::format("{} of the {} parts of the surface that hold fluid are without a node, the "
                  "largest around {}; "
                  "choose a smaller node spacing, or remove them.",
                  lost - unconnected, *report.meshParts,
                  placeText(geometry.frame.toWorld(0.5 * (largest->low + largest->high)))));
}

}  // namespace

SurfaceParts surfaceParts(const TriangleMesh& mesh, size_t openings, bool isOne) {
  SurfaceParts found;
  found.ofOpening.assign(openings, 0);
  if (isOne) return found;
  found.parts = surface::partsOf(mesh);
  std::vector<std::uint32_t> number(found.parts.part.size(), 0);
  for (std::uint32_t p = 0; p < number.size(); ++p) {
    const Part& part = found.parts.part[p];
    if (!(part.volume > 1e-6 * part.area * std::sqrt(part.area))) continue;
    number[p] = static_cast<std::uint32_t>(found.fluid.size());
    found.fluid.push_back(p);
  }
  for (size_t t = 0; t < mesh.triangle.size(); ++t)
    if (geometry::isOpening(mesh.label[t]))
      found.ofOpening[static_cast<size_t>(geometry::openingId(mesh.label[t])) - 1] =
          number[found.parts.ofTriangle[t]];
  if (found.fluid.size() < 2) found.parts = {};
  return found;
}

std::vector<std::vector<std::uint64_t>> nodesWithin(const SurfaceParts& surface,
                                                    const TriangleMesh& mesh,
                                                    const geometry::BitLattice& fluid) {
  constexpr size_t mostTriangles = 64, enough = 3;
  if (surface.parts.part.empty()) return {};
  std::vector<std::vector<std::uint64_t>> nodes(surface.fluid.size());
  const auto triangles = surface::trianglesByPart(surface.parts);
  for (std::uint32_t k = 0; k < nodes.size(); ++k) {
    const auto& opened = surface.ofOpening;
    if (std::find(opened.begin(), opened.end(), k) != opened.end()) continue;
    const std::vector<std::uint32_t>& own = triangles[surface.fluid[k]];
    const size_t samples = std::min(mostTriangles, own.size());
    for (size_t s = 0; s < samples && nodes[k].size() < enough; ++s) {
      const std::uint32_t t = own[s * own.size() / samples];
      const Double3 outward = geometry::areaVector(mesh, t);
      if (!(length(outward) > 0.0)) continue;
      const auto& [a, b, c] = mesh.triangle[t];
      const Double3 middle = (1.0 / 3.0) * (mesh.vertex[a] + mesh.vertex[b] + mesh.vertex[c]);
      for (const double depth : {0.5, 1.0, 0.25}) {
        const Double3 point = middle - (depth / length(outward)) * outward;
        const int x = static_cast<int>(std::lround(point[0])),
                  y = static_cast<int>(std::lround(point[1])),
                  z = static_cast<int>(std::lround(point[2]));
        if (!fluid.inside(x, y, z) || !fluid.at(x, y, z)) continue;
        const Double3 node{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
        if (!(geometry::windingAround(mesh, own, node) > 0.5)) continue;
        nodes[k].push_back(fluid.nodeIndex(x, y, z));
        break;
      }
    }
  }
  return nodes;
}

void compareTopology(const SurfaceParts& surface, const TriangleMesh& mesh,
                     const LatticeGeometry& geometry, std::span<const FluidPart> parts,
                     std::uint64_t splitBySheets, std::uint64_t unconnected,
                     PreprocessReport& report) {
  report.latticeParts = parts.size();
  FluidBodies bodies(surface, mesh);
  Contents contents(parts.size(), {0});  // of a surface that is one part
  const bool isOne = surface.parts.part.empty();
  if (!isOne) {
    contents = contentsOf(surface, parts);
    std::set<std::uint32_t> held;
    for (const std::set<std::uint32_t>& within : contents) {
      bodies.uniteOverlapping(within);
      held.insert(within.begin(), within.end());
    }
    for (std::uint32_t k = 0; k < surface.fluid.size(); ++k)
      if (!held.contains(k)) bodies.uniteWithAny(k);
  }
  report.meshParts = isOne ? 1 : bodies.count();
  std::map<std::uint32_t, size_t> mainOf;  // largest part of the lattice, by body
  for (size_t k = 0; k < parts.size(); ++k)
    for (const std::uint32_t part : contents[k]) {
      const std::uint32_t body = isOne ? 0 : bodies.body(part);
      const auto main = mainOf.emplace(body, k).first;
      if (parts[k].nodes > parts[main->second].nodes) main->second = k;
    }
  std::set<size_t> main;
  std::set<std::uint32_t> found;
  for (const auto& [body, k] : mainOf) {
    main.insert(k);
    found.insert(body);
  }
  warnAboutSplit(parts, main, splitBySheets, geometry, report);
  if (isOne) return;
  warnAboutJoined(bodies, contents, parts, geometry, report);
  warnAboutLost(bodies, found, static_cast<std::uint32_t>(surface.fluid.size()), unconnected,
                geometry, report);
}

}  // namespace tessera::preprocess
