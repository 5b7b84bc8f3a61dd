// SPDX-License-Identifier: GPL-3.0-or-later
#include "tiler/plane_section.hpp"

#include <algorithm>

#include "pipelines/stage/vec3.hpp"
#include "preprocess/geometry/neighbourhood.hpp"

namespace tessera::tiler {

namespace {

constexpr double cellReach = 1.8;  // more than the diagonal of a cell

Double3 positionOf(const Int3& at) {
  return {static_cast<double>(at[0]), static_cast<double>(at[1]), static_cast<double>(at[2])};
}

// Two unit vectors of the plane; in 2D the first lies in the plane of the geometry.
std::array<Double3, 2> spanOf(const Double3& normal, int dimensions) {
  std::size_t helper = 2;
  for (std::size_t a = 0; a < 2 && dimensions == 3; ++a)
    if (std::abs(normal[a]) < std::abs(normal[helper])) helper = a;
  Double3 axis{};
  axis[helper] = 1.0;
  Double3 first = cross(normal, axis);
  first = (1.0 / length(first)) * first;
  return {first, cross(normal, first)};
}

}  // namespace

bool SectionPlane::isNextTo(const Int3& at) const {
  // Cells that the plane crosses have nodes up to this distance.
  const double reach = std::abs(normal[0]) + std::abs(normal[1]) + std::abs(normal[2]) + 1e-9;
  const Double3 from = positionOf(at) - point;
  return std::abs(dot(from, normal)) <= reach && length(from) <= radius + cellReach;
}

std::optional<SectionPlane> sectionPlane(const TiledGeometry& geometry, const Double3& point,
                                         const Double3& normal, double radius) {
  const preprocess::geometry::Frame& frame = geometry.frame;
  SectionPlane plane;
  plane.point = frame.toLattice(point);
  for (std::size_t a = 0; a < 3; ++a) plane.normal[a] = dot(frame.axis[a], normal);
  if (geometry.dimensions == 2) {
    plane.point[2] = plane.normal[2] = 0.0;
    const double size = length(plane.normal);
    if (!(size > 1e-6)) return std::nullopt;
    if (size < 1.0 - 1e-12) plane.normal = (1.0 / size) * plane.normal;
  }
  for (std::size_t a = 0; a < 3; ++a)
    if (!(plane.point[a] >= -1.0 && plane.point[a] <= geometry.nodes[a])) return std::nullopt;
  if (radius > 0.0) plane.radius = radius / frame.spacing;
  return plane;
}

PlaneSection::PlaneSection(const TiledGeometry& geometry, const SectionPlane& plane,
                           const std::function<std::optional<SectionNode>(const Int3&)>& find)
    : plane_(plane),
      span_(spanOf(plane.normal, geometry.dimensions)),
      dimensions_(geometry.dimensions),
      box_(geometry.nodes),
      periodic_(geometry.periodic) {
  for (const preprocess::geometry::Opening& opening : geometry.openings) {
    SectionPlane& end = openings_[opening.id];
    end.point = geometry.frame.toLattice(opening.centre);
    for (std::size_t a = 0; a < 3; ++a) end.normal[a] = dot(geometry.frame.axis[a], opening.normal);
  }
  connect(find);
  chooseStep();
}

std::uint64_t PlaneSection::keyOf(const Int3& at) {
  constexpr int beyond = 1;  // the periodic images at -1
  return (static_cast<std::uint64_t>(at[2] + beyond) << 42U) +
         (static_cast<std::uint64_t>(at[1] + beyond) << 21U) +
         static_cast<std::uint64_t>(at[0] + beyond);
}

double PlaneSection::continueThroughOpening(const Double3& position, const Int3& at, double weight,
                                            std::span<SectionCorner> corners) const {
  constexpr double notFlat = 0.05;  // of the opening
  const auto leaves = [&](const SectionCorner& corner) {
    const Int3& from = at_[corner.node];
    const int direction =
        preprocess::geometry::directionOf(Int3{at[0] - from[0], at[1] - from[1], at[2] - from[2]});
    return (nodes_[corner.node].openings.mask >> direction & 1U) != 0;
  };
  const auto first = std::find_if(corners.begin(), corners.end(), leaves);
  if (first == corners.end()) return 0.0;
  const SectionPlane& end = openings_.at(nodes_[first->node].openings.id);
  const auto isBeyond = [&](const Double3& place) {
    return dot(place - end.point, end.normal) > notFlat;
  };
  if (isBeyond(position)) return 0.0;
  // The node before it along the normal, of those around the position; it may lie in the wall.
  Int3 before = at;
  double most = 0.0;
  forNodesAround(position, [&](const Int3& from, double) {
    const Double3 step = positionOf(at) - positionOf(from);
    const double along = from == at ? 0.0 : dot(step, end.normal) / length(step);
    if (!(along > most) || isBeyond(positionOf(from))) return;
    most = along;
    before = from;
  });
  for (SectionCorner& corner : corners)
    if (at_[corner.node] == before && leaves(corner)) {
      corner.weight += weight;
      return weight;
    }
  return 0.0;
}

double PlaneSection::shareOf(double fluid) {
  constexpr double rounding = 1e-9;
  if (!(fluid > 0.5 - rounding)) return 0.0;
  return fluid > 0.5 + rounding ? 1.0 : 0.5;
}

bool PlaneSection::isInside(const Double3& position) const {
  if (length(position - plane_.point) > plane_.radius) return false;
  for (std::size_t a = 0; a < 3; ++a) {
    if (position[a] < -1.0 || position[a] > box_[a]) return false;
    if (periodic_[a] && (position[a] < -0.5 || position[a] >= box_[a] - 0.5)) return false;
  }
  return true;
}

// Box of the nodes along the two vectors of the span, from the point.
std::array<std::array<double, 2>, 2> PlaneSection::extent() const {
  std::array<std::array<double, 2>, 2> box{{{1.0, 1.0}, {-1.0, -1.0}}};
  for (const Int3& at : at_)
    for (std::size_t s = 0; s < 2; ++s) {
      const double along = dot(positionOf(at) - plane_.point, span_[s]);
      box[0][s] = std::min(box[0][s], along - 1.0);
      box[1][s] = std::max(box[1][s], along + 1.0);
    }
  return box;
}

// Fills nodes_ from the node with most weight at the point.
void PlaneSection::connect(const std::function<std::optional<SectionNode>(const Int3&)>& find) {
  using preprocess::geometry::neighbourhood;
  using preprocess::geometry::restDirection;
  std::unordered_map<std::uint64_t, std::uint32_t> seen;
  std::vector<std::uint32_t> open;
  std::vector<Int3> places;
  std::vector<SectionNode> found;
  const auto nodeAt = [&](const Int3& at) -> std::optional<SectionNode> {
    for (std::size_t a = 0; a < 3; ++a) {
      const int beyond = periodic_[a] && !(a == 2 && dimensions_ == 2) ? 1 : 0;
      if (at[a] < -beyond || at[a] >= box_[a] + beyond) return std::nullopt;
    }
    return plane_.isNextTo(at) ? find(at) : std::nullopt;
  };
  const auto reach = [&](const Int3& at) {
    if (seen.count(keyOf(at)) != 0) return;
    const auto node = nodeAt(at);
    if (!node) return;
    seen.emplace(keyOf(at), static_cast<std::uint32_t>(places.size()));
    open.push_back(static_cast<std::uint32_t>(places.size()));
    places.push_back(at);
    found.push_back(*node);
  };
  Int3 start{};
  double most = 0.0;
  forNodesAround(plane_.point, [&](const Int3& at, double weight) {
    if (!(weight > most) || !nodeAt(at)) return;
    most = weight;
    start = at;
  });
  if (most > 0.0) reach(start);
  while (!open.empty()) {
    const Int3 from = places[open.back()];
    const std::uint32_t mask = found[open.back()].mask;
    open.pop_back();
    for (const auto& [n, step] : neighbourhood)
      if (n != restDirection && (mask >> n & 1U) == 0) reach(from + step);
  }
  std::vector<std::uint32_t> order(places.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return keyOf(places[a]) < keyOf(places[b]); });
  for (const std::uint32_t k : order) {
    index_.emplace(keyOf(places[k]), static_cast<std::uint32_t>(nodes_.size()));
    nodes_.push_back(found[k]);
    at_.push_back(places[k]);
  }
}

// Fine for small sections, whose walls count most.
void PlaneSection::chooseStep() {
  constexpr double many = 20000.0, some = 5000.0;
  double points = 0.0;
  forEachPoint(1.0, [&](const Double3&, std::span<const SectionCorner>, double, double share) {
    points += share;
  });
  step_ = points >= many ? 1.0 : points >= some ? 0.5 : 0.25;
}

}  // namespace tessera::tiler
