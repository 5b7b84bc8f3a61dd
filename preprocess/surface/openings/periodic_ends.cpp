// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/openings/periodic_ends.hpp"

#include <algorithm>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;
using stage::Triangle;

namespace {

bool liesOnPeriodicEnd(const TriangleMesh& mesh, const geometry::Bounds& bounds,
                       std::size_t triangle, const std::array<bool, 3>& periodic,
                       double tolerance) {
  const Triangle& t = mesh.triangle[triangle];
  for (std::size_t a = 0; a < 3; ++a) {
    if (!periodic[a]) continue;
    for (const double plane : {bounds.low[a], bounds.high[a]})
      if (std::all_of(t.begin(), t.end(), [&](std::uint32_t v) {
            return std::abs(mesh.vertex[v][a] - plane) <= tolerance;
          }))
        return true;
  }
  return false;
}

// Total of the ends in a plane across an axis.
struct Section {
  double area = 0.0;  // m2
  Double3 centre{};   // m
};

Section sectionIn(const TriangleMesh& mesh, const std::vector<Triangle>& ends, std::size_t axis,
                  double plane, double tolerance) {
  Section section;
  for (const Triangle& t : ends) {
    const Double3 &a = mesh.vertex[t[0]], &b = mesh.vertex[t[1]], &c = mesh.vertex[t[2]];
    if (std::max({std::abs(a[axis] - plane), std::abs(b[axis] - plane),
                  std::abs(c[axis] - plane)}) > tolerance)
      continue;
    const double area = 0.5 * std::abs(cross(b - a, c - a)[axis]);
    section.area += area;
    section.centre = section.centre + (area / 3.0) * (a + b + c);
  }
  if (section.area > 0.0) section.centre = (1.0 / section.area) * section.centre;
  section.centre[axis] = 0.0;
  return section;
}

bool match(const Section& a, const Section& b) {
  constexpr double part = 0.02;
  return std::abs(a.area - b.area) <= part * std::max(a.area, b.area) &&
         length(a.centre - b.centre) <= part * std::sqrt(std::max(a.area, b.area));
}

std::string areaText(double area) {
  return stage::number(1e6 * area, 4) + " mm2";
}

std::string differenceText(const Section& a, const Section& b) {
  if (a.area == 0.0 || b.area == 0.0) return "the other side is closed";
  return "their centres are " +
         stage::formatQuantity(length(a.centre - b.centre), stage::Dimension::Length) + " apart";
}

}  // namespace

std::vector<std::string> describeMismatchedEnds(const TriangleMesh& mesh,
                                                const std::vector<Triangle>& ends,
                                                const geometry::Bounds& bounds,
                                                const std::array<bool, 3>& periodic,
                                                double tolerance) {
  std::vector<std::string> sentences;
  for (std::size_t a = 0; a < 3; ++a) {
    if (!periodic[a]) continue;
    const std::string axis(1, "xyz"[a]);
    const Section low = sectionIn(mesh, ends, a, bounds.low[a], tolerance);
    const Section high = sectionIn(mesh, ends, a, bounds.high[a], tolerance);
    if (low.area == 0.0 && high.area == 0.0)
      sentences.push_back(
          fmt::format("the surface has no flat end on either side of its box along the periodic {} "
                      "axis, so nothing flows around it.",
                      axis));
    else if (!match(low, high))
      sentences.push_back(
          fmt::format("the ends on the periodic {0} axis do not match, {1} at {0}- and {2} at "
                      "{0}+, {3}; where only one of them is open, there is a wall.",
                      axis, areaText(low.area), areaText(high.area), differenceText(low, high)));
  }
  return sentences;
}

std::vector<Triangle> openPeriodicEnds(TriangleMesh& mesh, std::vector<Cap>& caps,
                                       std::vector<OpeningCandidate>& candidates,
                                       const geometry::Bounds& bounds,
                                       const std::array<bool, 3>& periodic, double tolerance) {
  std::vector<Triangle> ends;
  std::vector<std::uint32_t> newIndex(mesh.triangle.size());
  std::uint32_t kept = 0;
  constexpr std::uint32_t removed = ~std::uint32_t{0};
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
    const bool isEnd = liesOnPeriodicEnd(mesh, bounds, t, periodic, tolerance);
    if (isEnd) ends.push_back(mesh.triangle[t]);
    newIndex[t] = isEnd ? removed : kept++;
  }
  geometry::dropTriangles(mesh, [&](std::size_t t) { return newIndex[t] == removed; });
  const auto follow = [&](auto& places) {
    std::erase_if(places, [&](const auto& place) {
      return std::any_of(place.triangle.begin(), place.triangle.end(),
                         [&](std::uint32_t t) { return newIndex[t] == removed; });
    });
    for (auto& place : places)
      for (std::uint32_t& t : place.triangle) t = newIndex[t];
  };
  follow(caps);
  follow(candidates);
  return ends;
}

}  // namespace tessera::preprocess::surface
