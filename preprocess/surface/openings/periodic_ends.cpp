// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/openings/periodic_ends.hpp"

#include <algorithm>
#include <cstdio>

#include "pipelines/stage/case/quantity.hpp"

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

// What of the ends lies in a plane across an axis.
struct Section {
  double area = 0.0;  // m2
  Double3 middle{};   // m
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
    section.middle = section.middle + (area / 3.0) * (a + b + c);
  }
  if (section.area > 0.0) section.middle = (1.0 / section.area) * section.middle;
  section.middle[axis] = 0.0;
  return section;
}

bool alike(const Section& a, const Section& b) {
  constexpr double part = 0.02;
  return std::abs(a.area - b.area) <= part * std::max(a.area, b.area) &&
         length(a.middle - b.middle) <= part * std::sqrt(std::max(a.area, b.area));
}

std::string areaText(double area) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4g mm2", 1e6 * area);
  return text;
}

std::string apartText(const Section& a, const Section& b) {
  if (a.area == 0.0 || b.area == 0.0) return "the other side closed";
  return "their middles " +
         stage::formatQuantity(length(a.middle - b.middle), stage::Dimension::Length) + " apart";
}

}  // namespace

std::vector<std::string> describeUnlikeEnds(const TriangleMesh& mesh,
                                            const std::vector<Triangle>& ends,
                                            const geometry::Bounds& bounds,
                                            const std::array<bool, 3>& periodic, double tolerance) {
  std::vector<std::string> sentences;
  for (std::size_t a = 0; a < 3; ++a) {
    if (!periodic[a]) continue;
    const std::string axis(1, "xyz"[a]);
    const Section low = sectionIn(mesh, ends, a, bounds.low[a], tolerance);
    const Section high = sectionIn(mesh, ends, a, bounds.high[a], tolerance);
    if (low.area == 0.0 && high.area == 0.0)
      sentences.push_back(
          "the surface has no flat end on either side of its box along the periodic " + axis +
          " axis, so nothing flows around it.");
    else if (!alike(low, high))
      sentences.push_back("the ends on the periodic " + axis + " axis do not match, " +
                          areaText(low.area) + " at " + axis + "- and " + areaText(high.area) +
                          " at " + axis + "+, " + apartText(low, high) +
                          "; where only one of them is open, there is a wall.");
  }
  return sentences;
}

std::vector<Triangle> openPeriodicEnds(TriangleMesh& mesh, std::vector<Cap>& caps,
                                       const geometry::Bounds& bounds,
                                       const std::array<bool, 3>& periodic, double tolerance) {
  std::vector<Triangle> ends;
  std::vector<std::uint32_t> place(mesh.triangle.size());
  std::uint32_t kept = 0;
  constexpr std::uint32_t gone = ~std::uint32_t{0};
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
    const bool isEnd = liesOnPeriodicEnd(mesh, bounds, t, periodic, tolerance);
    if (isEnd) ends.push_back(mesh.triangle[t]);
    place[t] = isEnd ? gone : kept++;
  }
  geometry::dropTriangles(mesh, [&](std::size_t t) { return place[t] == gone; });
  std::erase_if(caps, [&](const Cap& cap) { return place[cap.triangle.front()] == gone; });
  for (Cap& cap : caps)
    for (std::uint32_t& t : cap.triangle) t = place[t];
  return ends;
}

}  // namespace tessera::preprocess::surface
