// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/throats/plane_section.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <span>

#include "preprocess/geometry/plane_axes.hpp"

namespace tessera::preprocess::lattice {

using std::size_t;

namespace {

// Square grid in the plane, the point at its centre. A search tries hundreds of planes that each
// fill a small part of the grid, so a thread keeps its marks, small for the caches, and counts the
// grids instead of clearing them.
class Grid {
 public:
  Grid(const SectionPlane& plane, double pitch, double reach)
      : plane_(plane),
        axes_(plane.normal),
        pitch_(pitch),
        half_(static_cast<int>(reach / pitch)),
        marks_(marksOfThread()) {
    marks_.grid.resize(
        std::max(marks_.grid.size(), static_cast<size_t>(side()) * static_cast<size_t>(side())));
    if (++marks_.last != 0) return;
    std::fill(marks_.grid.begin(), marks_.grid.end(), std::uint16_t{0});
    marks_.last = 1;
  }
  [[nodiscard]] int side() const { return 2 * half_ + 1; }
  [[nodiscard]] Double3 at(int i, int j) const {
    return plane_.point + (pitch_ * i) * axes_.u + (pitch_ * j) * axes_.v;
  }
  [[nodiscard]] bool isEdge(int i, int j) const {
    return std::abs(i) >= half_ || std::abs(j) >= half_;
  }
  [[nodiscard]] bool isMarked(int i, int j) const {
    return marks_.grid[index(i, j)] == marks_.last;
  }
  void mark(int i, int j) { marks_.grid[index(i, j)] = marks_.last; }
  // Indices of the sample nearest to a point of the plane.
  [[nodiscard]] std::array<int, 2> nearest(const Double3& p) const {
    const Double3 d = p - plane_.point;
    return {static_cast<int>(std::lround(dot(d, axes_.u) / pitch_)),
            static_cast<int>(std::lround(dot(d, axes_.v) / pitch_))};
  }

 private:
  struct Marks {
    std::vector<std::uint16_t> grid;  // number of the last grid that marked it
    std::uint16_t last = 0;
  };
  static Marks& marksOfThread() {
    thread_local Marks marks;
    return marks;
  }
  [[nodiscard]] size_t index(int i, int j) const {
    return static_cast<size_t>(i + half_) +
           static_cast<size_t>(side()) * static_cast<size_t>(j + half_);
  }
  SectionPlane plane_;
  geometry::PlaneAxes axes_;
  double pitch_;
  int half_;
  Marks& marks_;
};

// The node nearest to a position above -4096 on every axis.
bool findNode(const Double3& at, Int3& node) {
  constexpr double positive = 4096.0;  // std::lround calls a function; planes may leave the box
  for (size_t a = 0; a < 3; ++a) {
    if (at[a] < -positive) return false;
    node[a] = static_cast<int>(at[a] + (positive + 0.5)) - static_cast<int>(positive);
  }
  return true;
}

// The nearest node is in the lattice and set.
bool isSet(const geometry::BitLattice& lattice, const Double3& at, Int3& node) {
  return findNode(at, node) && lattice.inside(node[0], node[1], node[2]) &&
         lattice.at(node[0], node[1], node[2]);
}

// Ends of the segment in which a plane cuts a triangle, counter-clockwise about the plane's normal
// for a region behind the triangle.
bool cutTriangle(const Corners& corner, const SectionPlane& plane, std::array<Double3, 2>& ends) {
  std::array<double, 3> height{};
  for (size_t c = 0; c < 3; ++c) height[c] = dot(corner[c] - plane.point, plane.normal);
  size_t found = 0;
  for (size_t c = 0; c < 3 && found < 2; ++c) {
    const size_t next = (c + 1) % 3;
    if ((height[c] > 0.0) == (height[next] > 0.0)) continue;
    const double share = height[c] / (height[c] - height[next]);
    ends[found++] = corner[c] + share * (corner[next] - corner[c]);
  }
  if (found < 2) return false;
  const Double3 outward = cross(corner[1] - corner[0], corner[2] - corner[0]);
  if (dot(ends[1] - ends[0], cross(plane.normal, outward)) < 0.0) std::swap(ends[0], ends[1]);
  return true;
}

}  // namespace

PlaneSection sectionAt(const geometry::BitLattice& fluid, const ThinWalls& thin,
                       const SectionPlane& plane, double pitch, double reach, double maxArea) {
  PlaneSection section;
  const bool hasThin = thin.at.size[0] > 0;
  if (hasThin) pitch = std::min(pitch, 1.0);  // from node to neighbour
  section.pitch = pitch;
  const auto isOpen = [&](const Double3& at, Int3& node) {
    return isSet(fluid, at, node) && !(hasThin && thin.face(node, plane.normal));
  };
  Int3 from{}, to{};
  if (!isOpen(plane.point, from)) return section;
  Grid grid(plane, pitch, reach);
  const double most = maxArea / (pitch * std::min(pitch, 1.0)) + 1.0;
  std::vector<std::array<int, 2>> front{{0, 0}};
  grid.mark(0, 0);
  for (size_t k = 0; k < front.size(); ++k) {
    const auto [i, j] = front[k];
    if (grid.isEdge(i, j) || static_cast<double>(front.size()) > most) return section;
    const std::array<std::array<int, 2>, 4> beside{
        {{i + 1, j}, {i - 1, j}, {i, j + 1}, {i, j - 1}}};
    if (hasThin) findNode(grid.at(i, j), from);
    for (const auto& [a, b] : beside) {
      if (grid.isMarked(a, b)) continue;
      const bool isFree = isOpen(grid.at(a, b), to);
      if (isFree && hasThin && thin.areBetween(from, to)) continue;
      grid.mark(a, b);
      if (isFree) front.push_back({a, b});
    }
  }
  for (const auto& [i, j] : front) {
    section.sample.push_back(grid.at(i, j));
    section.centre = section.centre + section.sample.back();
  }
  section.centre = (1.0 / static_cast<double>(front.size())) * section.centre;
  const bool isFlat = fluid.size[2] == 1;  // one row of samples, a node thick
  section.area = pitch * (isFlat ? 1.0 : pitch) * static_cast<double>(front.size());
  return section;
}

std::vector<PlaneSection> piecesOf(const geometry::BitLattice& fluid, const ThinWalls& thin,
                                   const SectionPlane& plane, const PlaneSection& whole) {
  const geometry::PlaneAxes axes(plane.normal);
  const auto indexOf = [&](const Double3& sample) {
    const Double3 apart = sample - plane.point;
    return std::array{std::lround(dot(apart, axes.u) / whole.pitch),
                      std::lround(dot(apart, axes.v) / whole.pitch)};
  };
  double reach = 0.0;
  for (const Double3& sample : whole.sample) reach = std::max(reach, length(sample - plane.point));
  std::set<std::array<long, 2>> known;
  std::vector<PlaneSection> pieces;
  for (const Double3& sample : whole.sample) {
    if (known.contains(indexOf(sample))) continue;
    PlaneSection piece = sectionAt(fluid, thin, {sample, plane.normal}, whole.pitch,
                                   2.0 * reach + 4.0, std::numeric_limits<double>::max());
    if (!piece.isFound()) continue;
    for (const Double3& other : piece.sample) known.insert(indexOf(other));
    pieces.push_back(std::move(piece));
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const PlaneSection& a, const PlaneSection& b) { return a.area > b.area; });
  return pieces;
}

std::optional<double> exactArea(const std::vector<Corners>& surface, const SectionPlane& plane,
                                const PlaneSection& section) {
  double reach = 0.0;
  for (const Double3& sample : section.sample)
    reach = std::max(reach, length(sample - plane.point));
  reach += 4.0 + 2.0 * section.pitch;
  Grid grid(plane, section.pitch, reach);
  const int around = static_cast<int>(std::ceil(1.2 / section.pitch));
  for (const Double3& sample : section.sample) {
    const auto [i, j] = grid.nearest(sample);
    for (int b = j - around; b <= j + around; ++b)
      for (int a = i - around; a <= i + around; ++a)
        if (!grid.isEdge(a, b)) grid.mark(a, b);
  }
  double twice = 0.0;
  double perimeter = 0.0;
  Double3 open{};  // sum of the segments: 0 for closed curves
  for (const Corners& corner : surface) {
    std::array<Double3, 2> ends{};
    if (!cutTriangle(corner, plane, ends)) continue;
    const Double3 middle = 0.5 * (ends[0] + ends[1]);
    if (length(middle - plane.point) >= reach) continue;
    const auto [i, j] = grid.nearest(middle);
    if (grid.isEdge(i, j) || !grid.isMarked(i, j)) continue;
    open = open + (ends[1] - ends[0]);
    perimeter += length(ends[1] - ends[0]);
    twice += dot(cross(ends[0] - plane.point, ends[1] - plane.point), plane.normal);
  }
  const double area = 0.5 * twice;
  const double doubt = 0.15 * section.area + std::max(0.5, section.pitch) * std::sqrt(section.area);
  const bool isClosed = perimeter > 0.0 && length(open) < 1e-3 * perimeter;
  return isClosed && std::abs(area - section.area) <= doubt ? std::optional(area) : std::nullopt;
}

std::vector<Corners> trianglesNear(const geometry::Surface& surface,
                                   std::span<const stage::Triangle> triangles, const Double3& point,
                                   double distance) {
  std::vector<Corners> near;
  for (const stage::Triangle& triangle : triangles) {
    Corners corner{};
    for (size_t c = 0; c < 3; ++c) {
      const Float3& v = surface.vertex[triangle[c]];
      corner[c] = {v[0], v[1], v[2]};
    }
    bool isNear = true;
    for (size_t a = 0; a < 3; ++a) {
      const auto [low, high] = std::minmax({corner[0][a], corner[1][a], corner[2][a]});
      isNear = isNear && low < point[a] + distance && high > point[a] - distance;
    }
    if (isNear) near.push_back(corner);
  }
  return near;
}

std::optional<double> areaBesideSheets(const geometry::Surface& surface, const SectionPlane& plane,
                                       const PlaneSection& whole) {
  constexpr double inPlane = 1.5;  // nodes
  double reach = 0.0;
  for (const Double3& sample : whole.sample) reach = std::max(reach, length(sample - plane.point));
  reach += 4.0;
  const std::span<const stage::Triangle> all = surface.triangle;
  const size_t walls = all.size() - static_cast<size_t>(surface.sheetTriangles);
  const auto area =
      exactArea(trianglesNear(surface, all.first(walls), plane.point, reach), plane, whole);
  if (!area) return std::nullopt;
  Grid grid(plane, whole.pitch, reach);
  for (const Double3& sample : whole.sample) {
    const auto [i, j] = grid.nearest(sample);
    grid.mark(i, j);
  }
  double covered = 0.0;  // by both sides
  for (const Corners& corner : trianglesNear(surface, all.subspan(walls), plane.point, reach)) {
    const auto [i, j] = grid.nearest((1.0 / 3.0) * (corner[0] + corner[1] + corner[2]));
    if (grid.isEdge(i, j) || !grid.isMarked(i, j)) continue;
    std::array<double, 3> height{};
    for (size_t c = 0; c < 3; ++c) height[c] = dot(corner[c] - plane.point, plane.normal);
    const auto [low, high] = std::minmax_element(height.begin(), height.end());
    if (*low > inPlane || *high < -inPlane) continue;
    const Double3 outward = cross(corner[1] - corner[0], corner[2] - corner[0]);
    const double across = std::abs(dot(outward, plane.normal));
    if (across < 0.25 * length(outward)) continue;
    if (across < 0.9 * length(outward) || *low < -inPlane || *high > inPlane) return std::nullopt;
    covered += 0.5 * across;
  }
  return *area - 0.5 * covered;
}

}  // namespace tessera::preprocess::lattice
