// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/throats/least_section.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "preprocess/geometry/plane_axes.hpp"

namespace tessera::preprocess::lattice {

using geometry::LatticeGeometry;

namespace {

// A plane that runs out of an opening cuts a corner off and separates nothing.
bool leavesByOpening(const CoarseFluid& coarse, const PlaneSection& section,
                     const SectionPlane& plane) {
  double reach = 0.0;
  for (const Double3& sample : section.sample)
    reach = std::max(reach, length(sample - plane.point));
  std::vector<CoarseFluid::End> near;
  for (const CoarseFluid::End& end : coarse.end)
    if (length(end.centre - plane.point) < reach + 1.5 * end.radius) near.push_back(end);
  const auto isAtEnd = [&](const Double3& sample) {
    return std::any_of(near.begin(), near.end(), [&](const CoarseFluid::End& end) {
      const Double3 apart = sample - end.centre;
      return dot(apart, end.normal) > -(1.0 + section.pitch) && length(apart) < 1.5 * end.radius;
    });
  };
  return std::any_of(section.sample.begin(), section.sample.end(), [&](const Double3& sample) {
    if (isAtEnd(sample)) return true;
    const Double3 apart = sample - plane.point;
    const double far = length(apart);
    if (far < section.pitch) return false;
    const double ahead = 1.5 * coarse.step + section.pitch;
    const Int3 cell = coarse.cellOf(sample + (ahead / far) * apart);
    return coarse.contains(cell) && coarse.isBeyond[coarse.cell(cell)] != 0;
  });
}

bool isFluidAt(const LatticeGeometry& geometry, const Double3& position) {
  const Int3 node = nodeAt(position);
  return geometry.fluid.inside(node[0], node[1], node[2]) &&
         geometry.fluid.at(node[0], node[1], node[2]);
}

// The centre is about as far from the wall as the vessel is wide; not so in a slice of a dome. The
// centre of a ring round a solid lies in that, so there any sample is enough.
bool isInCore(const LatticeGeometry& geometry, const CoarseFluid& coarse,
              const PlaneSection& section, double width) {
  const double least = 0.6 * width / coarse.step;
  const auto isWideAt = [&](const Double3& position) {
    const Int3 cell = coarse.cellOf(position);
    return coarse.contains(cell) && coarse.square[coarse.cell(cell)] >= least * least;
  };
  if (isWideAt(section.centre)) return true;
  return !isFluidAt(geometry, section.centre) &&
         std::any_of(section.sample.begin(), section.sample.end(), isWideAt);
}

// Point about which a section is turned: its centre, or, where that lies in a solid, the one from
// which it was found.
Double3 pivotOf(const LatticeGeometry& geometry, const SectionPlane& plane,
                const PlaneSection& section) {
  return isFluidAt(geometry, section.centre) ? section.centre : plane.point;
}

class SmallestSection {
 public:
  SmallestSection(const LatticeGeometry& geometry, const CoarseFluid& coarse, double width)
      : geometry_(geometry), coarse_(coarse), width_(std::max(1.0, width)) {
    // At most 0.7 cells, so that the cells of the samples are a barrier without holes.
    pitch_ = geometry.dimensions == 2 ? 0.7 : std::clamp(width_ / 12.0, 0.25, 0.7 * coarse.step);
  }
  void tryLike(const SectionPlane& like, const Double3& point) {
    tryPlane({point - dot(point - like.point, like.normal) * like.normal, like.normal});
    tryPlane({point, like.normal});
  }
  void tryAxesAt(const Double3& point) {
    for (const auto& [n, step] : geometry::neighbourhood)
      if (n > geometry::restDirection && (geometry_.dimensions == 3 || step[2] == 0))
        tryPlane({point, unit(Double3{1.0 * step[0], 1.0 * step[1], 1.0 * step[2]})});
  }
  void startAt(const RoughSection& rough) {
    plane_ = rough.found.plane;
    best_ = rough.found.section;
    leaves_ = rough.leaves;
  }
  void refine() {
    constexpr double degree = std::numbers::pi / 180.0;
    for (double angle = 16.0 * degree; angle > 0.9 * degree; angle *= 0.5)
      for (int round = 0; round < 8 && (tilt(angle) || move(angle)); ++round) continue;
  }
  [[nodiscard]] bool isFound() const { return best_.isFound(); }
  [[nodiscard]] bool leaves() const { return leaves_; }
  [[nodiscard]] RoughSection found() const { return {{plane_, best_}, leaves_}; }

 private:
  // A section that does not leave by an opening is better than any that does.
  bool tryPlane(const SectionPlane& plane) {
    const double any = std::numeric_limits<double>::max();
    const double most = best_.isFound() && !leaves_ ? best_.area : any;
    PlaneSection section =
        sectionAt(geometry_.fluid, coarse_.thin, plane, pitch_, 12.0 * width_, most);
    if (!section.isFound() || section.area >= most) return false;
    if (best_.isFound() && !isInCore(geometry_, coarse_, section, width_)) return false;
    const bool leaves = leavesByOpening(coarse_, section, plane);
    if (leaves && best_.isFound() && (!leaves_ || section.area >= best_.area)) return false;
    best_ = std::move(section);
    plane_ = plane;
    leaves_ = leaves;
    return true;
  }
  bool tilt(double angle) {
    const Double3 normal = plane_.normal;
    bool isBetter = false;
    const geometry::PlaneAxes axes(normal);
    for (const Double3& axis : {axes.u, axes.v})
      for (const double sign : {-1.0, 1.0})
        isBetter = tryPlane({pivot(), rotated(normal, axis, sign * angle)}) || isBetter;
    return isBetter;
  }
  [[nodiscard]] Double3 pivot() const { return pivotOf(geometry_, plane_, best_); }
  bool move(double angle) {
    const double far = width_ * angle * 3.0;
    const Double3 from = pivot();
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

// Small tilts and moves of the plane, for which the nodes are too coarse.
class ExactSearch {
 public:
  ExactSearch(const LatticeGeometry& geometry, const CoarseFluid& coarse, const FoundSection& start,
              double width)
      : geometry_(geometry), coarse_(coarse), width_(width), best_(start) {
    for (const Double3& sample : start.section.sample)
      reach_ = std::max(reach_, length(sample - start.section.centre));
    near_ = trianglesNear(geometry.surface, geometry.surface.triangle, start.section.centre,
                          2.0 * reach_ + 4.0);
    const std::optional<double> area = exactArea(near_, best_.plane, best_.section);
    area_ = area.value_or(start.section.area);
    isExact_ = area.has_value();
    if (!isExact_) return;
    const double far = std::min(2.0, 0.3 * reach_);
    for (double part = 1.0; part > 0.1; part *= 0.5)
      for (int round = 0; round < 4 && improve(0.15 * part, far * part); ++round) continue;
  }
  [[nodiscard]] ExactSection found() const { return {best_, area_, isExact_}; }

 private:
  bool improve(double angle, double far) {
    const auto [u, v] = geometry::PlaneAxes(best_.plane.normal);
    const SectionPlane from{pivotOf(geometry_, best_.plane, best_.section), best_.plane.normal};
    bool isBetter = false;
    for (const double sign : {-1.0, 1.0}) {
      isBetter = tryPlane({from.point, rotated(from.normal, u, sign * angle)}) || isBetter;
      isBetter = tryPlane({from.point, rotated(from.normal, v, sign * angle)}) || isBetter;
      isBetter = tryPlane({from.point + (sign * far) * from.normal, from.normal}) || isBetter;
    }
    return isBetter;
  }
  bool tryPlane(const SectionPlane& plane) {
    PlaneSection section = sectionAt(geometry_.fluid, coarse_.thin, plane, best_.section.pitch,
                                     3.0 * reach_ + 2.0, 1.3 * best_.section.area);
    if (!section.isFound() || !isInCore(geometry_, coarse_, section, width_) ||
        leavesByOpening(coarse_, section, plane))
      return false;
    const std::optional<double> area = exactArea(near_, plane, section);
    if (!area || *area >= area_) return false;
    area_ = *area;
    best_ = {plane, std::move(section)};
    return true;
  }

  const LatticeGeometry& geometry_;
  const CoarseFluid& coarse_;
  double width_;
  FoundSection best_;
  std::vector<Corners> near_;
  double reach_ = 0.0, area_ = 0.0;
  bool isExact_ = false;
};

// Mean plane of the sheets beside a point: a plane askew to them runs past the rim of an orifice.
std::optional<SectionPlane> planeOfSheets(const LatticeGeometry& geometry, const Double3& point,
                                          double near) {
  const auto sheets = static_cast<std::size_t>(geometry.surface.sheetTriangles);
  const std::span<const stage::Triangle> all = geometry.surface.triangle;
  Double3 normal{}, centre{};
  double area = 0.0;
  for (const Corners& corner : trianglesNear(geometry.surface, all.last(sheets), point, near)) {
    const Double3 outward = cross(corner[1] - corner[0], corner[2] - corner[0]);
    const double size = length(outward);
    normal = normal + (dot(normal, outward) < 0.0 ? -1.0 : 1.0) * outward;
    centre = centre + (size / 3.0) * (corner[0] + corner[1] + corner[2]);
    area += size;
  }
  if (length(normal) < 0.7 * area || area <= 0.0) return std::nullopt;
  return SectionPlane{(1.0 / area) * centre, unit(normal)};
}

}  // namespace

std::optional<RoughSection> roughSection(const LatticeGeometry& geometry, const CoarseFluid& coarse,
                                         std::uint32_t cell, double width,
                                         const SectionPlane* like) {
  SmallestSection smallest(geometry, coarse, width);
  if (like != nullptr) smallest.tryLike(*like, coarse.centreOf(cell));
  const double near = 1.5 * width + 3.0 * coarse.step;
  if (const auto sheets = planeOfSheets(geometry, coarse.centreOf(cell), near))
    smallest.tryLike(*sheets, coarse.centreOf(cell));
  smallest.tryAxesAt(coarse.centreOf(cell));
  return smallest.isFound() ? std::optional(smallest.found()) : std::nullopt;
}

std::optional<FoundSection> leastSection(const LatticeGeometry& geometry, const CoarseFluid& coarse,
                                         const RoughSection& rough, double width) {
  SmallestSection smallest(geometry, coarse, width);
  smallest.startAt(rough);
  smallest.refine();
  return smallest.leaves() ? std::nullopt : std::optional(smallest.found().found);
}

ExactSection exactSection(const LatticeGeometry& geometry, const CoarseFluid& coarse,
                          const FoundSection& start, double width) {
  return ExactSearch(geometry, coarse, start, width).found();
}

}  // namespace tessera::preprocess::lattice
