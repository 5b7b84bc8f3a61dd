// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/profile_shape.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/provenance.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/neighbourhood.hpp"
#include "preprocess/geometry/plane_axes.hpp"
#include "tiler/opening_links.hpp"

namespace tessera::solver::boundary {

using stage::ExitCode;
using stage::fail;

namespace {

// Mean over the largest value of a profile below which a flow rate says nothing about it.
constexpr double leastMean = 1e-6;
// A table has to come this close to half of the opening's links, in radii of the opening.
constexpr double farthestTable = 0.5;

// Part of an opening, the cross-section of a row of nodes across it: where its middle meets the
// plane, lattice coordinates, and its area.
struct PlanePoint {
  Double3 position{};
  double area = 0.0;
};

// Parts around the nodes whose link along the axis nearest to the normal ends on the opening; at
// the rim as wide as the links along the other two axes say.
std::vector<PlanePoint> planePoints(const tiler::TiledGeometry& geometry,
                                    const preprocess::geometry::Opening& opening) {
  using preprocess::geometry::directionOf;
  const LatticeOpening shape = inLattice(opening, geometry);
  const auto patch = preprocess::geometry::openingPatch(opening.id);
  std::size_t across = 0;
  for (std::size_t a = 1; a < 3; ++a)
    if (std::abs(shape.normal[a]) > std::abs(shape.normal[across])) across = a;
  const auto directionAlong = [](std::size_t axis, bool up) {
    Int3 step{};
    step[axis] = up ? 1 : -1;
    return directionOf(step[0], step[1], step[2]);
  };
  const int outward = directionAlong(across, shape.normal[across] > 0.0);
  std::vector<PlanePoint> points;
  const auto add = [&](const Int3& node, const tiler::NodeLinks& links) {
    if ((links.mask >> outward & 1U) == 0) return;
    const auto distance = [&](int direction) {
      return preprocess::geometry::distanceFromCode(
          geometry.linkDistance[tiler::linkIndex(links.first, links.mask, direction)]);
    };
    if (geometry.linkPatch[tiler::linkIndex(links.first, links.mask, outward)] != patch) return;
    PlanePoint point{{double(node[0]), double(node[1]), double(node[2])}, 1.0};
    point.position[across] += (shape.normal[across] > 0.0 ? 1.0 : -1.0) * distance(outward);
    for (std::size_t a = 0; a < 3; ++a) {
      if (a == across || (a == 2 && geometry.dimensions == 2)) continue;
      std::array<double, 2> reach{0.5, 0.5};  // downwards, upwards
      for (const bool up : {false, true}) {
        const int side = directionAlong(a, up);
        if ((links.mask >> side & 1U) == 0) continue;
        const auto end = geometry.linkPatch[tiler::linkIndex(links.first, links.mask, side)];
        if (!preprocess::geometry::isOpening(end)) reach[up ? 1 : 0] = distance(side);
      }
      point.position[a] += 0.5 * (reach[1] - reach[0]);
      point.area *= reach[0] + reach[1];
    }
    points.push_back(point);
  };
  for (std::size_t t = 0; t < geometry.tiles(); ++t)
    if ((geometry.tileFlags[t] & tiler::tileHasOpening) != 0)
      tiler::forBoundaryNodes(geometry, t,
                              [&](std::uint8_t local, std::uint32_t mask, std::uint64_t link) {
                                add(geometry.nodeOf(t, local), {mask, link});
                              });
  return points;
}

// Parts of a round opening, in 2D of any: rings of equal area, in 2D pieces of equal width, about
// the axis, where a point without an area lies. Rows of nodes miss parts of a slanted opening at
// its rim, 2 % of the flow rate of a parabola at 10 nodes across.
std::vector<PlanePoint> discPoints(const tiler::TiledGeometry& geometry,
                                   const preprocess::geometry::Opening& opening) {
  constexpr int rings = 32, angles = 32;
  const LatticeOpening shape = inLattice(opening, geometry);
  std::vector<PlanePoint> points{{shape.centre, 0.0}};
  if (geometry.dimensions == 2) {
    const Double3 along{-shape.normal[1], shape.normal[0], 0.0};
    for (int k = 0; k < 2 * rings; ++k)
      points.push_back({shape.centre + (shape.radius * ((k + 0.5) / rings - 1.0)) * along, 1.0});
    return points;
  }
  const preprocess::geometry::PlaneAxes axes(shape.normal);
  for (int k = 0; k < rings; ++k)
    for (int a = 0; a < angles; ++a) {
      const double r = shape.radius * std::sqrt((k + 0.5) / rings);
      const double angle = 2.0 * std::numbers::pi * (a + 0.5 * (k % 2)) / angles;
      points.push_back(
          {shape.centre + (r * std::cos(angle)) * axes.u + (r * std::sin(angle)) * axes.v, 1.0});
    }
  return points;
}

// No part lies beyond the circle of the opening's area, as corners of a rectangle do.
bool isRound(const std::vector<PlanePoint>& points, const LatticeOpening& shape) {
  constexpr double roundOff = 0.02;
  return std::ranges::all_of(points, [&](const PlanePoint& point) {
    return squaredRadiusAt(shape, point.position) < 1.0 + roundOff;
  });
}

// Refuses a formula that gives no velocity at a link of the opening.
void checkLinks(const ProfileShape& shape, const OpeningTable& from) {
  const tiler::TiledGeometry& geometry = from.geometry;
  const ShapeSampler sampler(shape, 0, from.opening, geometry);
  const auto patch = preprocess::geometry::openingPatch(from.opening.id);
  const auto check = [&](const Int3& at, int direction) {
    const Int3 step = preprocess::geometry::directionStep(direction);
    const Double3 node{double(at[0]), double(at[1]), double(at[2])};
    const Double3 middle = node + 0.5 * Double3{double(step[0]), double(step[1]), double(step[2])};
    const Double3 v = sampler.atLink(node, middle);
    if (std::isfinite(dot(v, v))) return;
    const Double3 world = geometry.frame.toWorld(node);
    fail(ExitCode::Usage,
         fmt::format("{}: the formula gives no finite number around x, y, z = {}, {}, {} m, in {} "
                     "next to its rim; one that does is required up to r = 1",
                     from.table.where("formula"), stage::number(world[0]), stage::number(world[1]),
                     stage::number(world[2]), labelOf(from.opening)));
  };
  for (std::size_t t = 0; t < geometry.tiles(); ++t) {
    if ((geometry.tileFlags[t] & tiler::tileHasOpening) == 0) continue;
    tiler::forBoundaryNodes(geometry, t,
                            [&](std::uint8_t local, std::uint32_t mask, std::uint64_t link) {
                              for (; mask != 0; mask &= mask - 1, ++link)
                                if (geometry.linkPatch[link] == patch)
                                  check(geometry.nodeOf(t, local), std::countr_zero(mask));
                            });
  }
}

// Means, peak and course of a shape over an opening.
void measure(ProfileShape& shape, const OpeningTable& from) {
  std::vector<PlanePoint> points = planePoints(from.geometry, from.opening);
  if (!points.empty() && isRound(points, inLattice(from.opening, from.geometry)))
    points = discPoints(from.geometry, from.opening);
  const std::size_t frames = shape.table ? shape.table->frames.size() : 1;
  const Double3& normal = from.opening.normal;
  double fastest = 0.0;
  std::vector<double> distances;
  for (std::size_t k = 0; k < frames; ++k) {
    const ShapeSampler sampler(shape, k, from.opening, from.geometry);
    double sum = 0.0;
    double area = 0.0;
    for (const PlanePoint& point : points) {
      const Double3 v = sampler.velocity(point.position);
      sum -= point.area * dot(v, normal);
      area += point.area;
      const double speed = std::sqrt(dot(v, v));
      if (!std::isfinite(speed))
        fail(ExitCode::Usage, from.table.where("formula") +
                                  ": the formula gives no finite number within the opening; one "
                                  "that does is required everywhere");
      fastest = std::max(fastest, speed);
      if (k == 0) distances.push_back(sampler.distance(point.position));
    }
    shape.mean.push_back(area > 0.0 ? sum / area : 0.0);
    if (std::abs(shape.mean.back()) > std::abs(shape.reference))
      shape.reference = shape.mean.back();
  }
  if (points.empty()) {  // a case read without nodes; otherwise refused when its links are planned
    shape.reference = 1.0;
    return;
  }
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  if (*middle > farthestTable * from.opening.radius)
    fail(ExitCode::Usage,
         fmt::format("{}: the points of the table are {} from the opening, in its plane; points in "
                     "the world frame that cover {} are required",
                     from.table.where("table"),
                     stage::formatQuantity(*middle, stage::Dimension::Length),
                     labelOf(from.opening)));
  if (!(std::abs(shape.reference) > leastMean * fastest))
    fail(ExitCode::Usage,
         fmt::format("{}: the profile lets in as much as out; one with a flow through {} is "
                     "required",
                     from.table.where(shape.table ? "table" : "formula"), labelOf(from.opening)));
  shape.peak = fastest / std::abs(shape.reference);
}

void readCourse(OpeningTable& from, ProfileShape& shape) {
  const std::vector<VelocityFrame>& frames = shape.table->frames;
  const bool periodic = from.table.flag("periodic").value_or(false);
  const auto given = from.table.quantity("period", stage::Dimension::Time, 1e-12, 1e9);
  if (frames.size() == 1) {
    if (periodic || given)
      fail(ExitCode::Usage, from.table.where("table") +
                                ": a period belongs to a table with several times; rows with "
                                "time[s] are required for it");
    return;
  }
  auto course = std::make_shared<Waveform>();
  course->name = shape.table->name;
  course->hash = shape.table->hash;
  for (const VelocityFrame& frame : frames) course->time.push_back(frame.time);
  const double length = course->time.back() - course->time.front();
  if (periodic || given) {
    course->period = given.value_or(length);
    if (course->period < length * (1.0 - 1e-9))
      fail(ExitCode::Usage,
           fmt::format("{}: the table is {} long; at most its period is possible, "
                       "{}",
                       from.table.where("period"),
                       stage::formatQuantity(length, stage::Dimension::Time),
                       stage::formatQuantity(course->period, stage::Dimension::Time)));
    // The last time is the first one of the next period.
    if (course->period < length * (1.0 + 1e-9)) {
      shape.table->frames.pop_back();
      course->time.pop_back();
    }
  }
  shape.course = course;
}

}  // namespace

std::shared_ptr<const ProfileShape> readProfileShape(OpeningTable& from, Profile profile) {
  stage::CaseTable& table = from.table;
  if (profile != Profile::PowerLaw && profile != Profile::Formula && profile != Profile::Table)
    return nullptr;
  auto shape = std::make_shared<ProfileShape>();
  const auto need = [&](const char* key, const std::string& example) {
    if (!table.has(key))
      fail(ExitCode::Usage, fmt::format("{}: this profile needs {}, for instance {}",
                                        table.where("profile"), key, example));
  };
  if (profile == Profile::PowerLaw) {
    need("exponent", "exponent = 0.7");
    shape->exponent = table.quantity("exponent", stage::Dimension::None, 0.05, 20.0).value_or(1.0);
    shape->peak = powerLaw(from.geometry.dimensions, shape->exponent, 0.0);
    return shape;
  }
  if (profile == Profile::Formula) {
    need("formula", "formula = \"1 - r^4\"");
    try {
      shape->formula =
          stage::Formula::parse(table.text("formula").value_or(""), {"x", "y", "z", "r"},
                                [&](const std::string& word) -> std::optional<double> {
                                  if (word != "radius") return std::nullopt;
                                  return from.opening.radius;
                                });
    } catch (const stage::StageError& error) {
      fail(ExitCode::Usage, fmt::format("{}: {}", table.where("formula"), error.what()));
    }
  } else {
    need("table", "table = \"plane.csv\"");
    shape->table = readVelocityTable(table.file("table").value_or(""));
    const bool several = shape->table->frames.size() > 1;
    if (several && table.has("waveform"))
      fail(ExitCode::Usage, table.where("waveform") +
                                ": waveform and a table with several times both give the course in "
                                "time; one of them is required");
    if (several || !table.has("waveform")) readCourse(from, *shape);
  }
  measure(*shape, from);
  if (shape->formula) checkLinks(*shape, from);
  if (shape->course) {
    auto course = std::make_shared<Waveform>(*shape->course);
    for (const double mean : shape->mean)
      course->value.push_back(shape->reference < 0.0 ? -mean : mean);
    shape->course = course;
  }
  return shape;
}

ShapeSampler::ShapeSampler(const ProfileShape& shape, std::size_t frame,
                           const preprocess::geometry::Opening& opening,
                           const tiler::TiledGeometry& geometry)
    : shape_(shape), opening_(opening), geometry_(geometry) {
  const preprocess::geometry::PlaneAxes axes(opening.normal);
  axes_ = {axes.u, axes.v};
  // In 2D all points lie on one line of the plane.
  if (geometry.dimensions == 2)
    for (Double3& axis : axes_)
      if (std::abs(dot(axis, geometry.frame.axis[2])) > 0.5) axis = {};
  if (!shape.table) return;
  const VelocityFrame& of = shape.table->frames[frame];
  std::vector<std::array<double, 2>> positions;
  for (const Double3& point : of.point) positions.push_back(inPlane(point));
  table_.emplace(std::move(positions), of.velocity);
}

std::array<double, 2> ShapeSampler::inPlane(const Double3& world) const {
  const Double3 d = world - opening_.centre;
  return {dot(d, axes_[0]), dot(d, axes_[1])};
}

Double3 ShapeSampler::velocity(const Double3& position) const {
  const Double3 world = geometry_.frame.toWorld(position);
  if (table_) {
    const Double3 value = table_->at(inPlane(world));
    return shape_.table->normal ? -value[0] * opening_.normal : value;
  }
  const double r =
      std::sqrt(std::max(0.0, squaredRadiusAt(inLattice(opening_, geometry_), position)));
  const std::array<double, 4> variables{world[0], world[1], world[2], r};
  return -(*shape_.formula)(variables)*opening_.normal;
}

Double3 ShapeSampler::atLink(const Double3& node, const Double3& point) const {
  const auto at = [&](double part) { return velocity(node + part * (point - node)); };
  const auto isNumber = [](const Double3& v) { return std::isfinite(dot(v, v)); };
  const Double3 there = at(1.0);
  if (isNumber(there)) return there;
  if (!isNumber(at(0.0))) {
    const bool beyond = squaredRadiusAt(inLattice(opening_, geometry_), node) >= 1.0;
    return beyond ? Double3{} : there;
  }
  double last = 0.0, none = 1.0;
  for (int halving = 0; halving < 50; ++halving) {
    const double middle = 0.5 * (last + none);
    (isNumber(at(middle)) ? last : none) = middle;
  }
  return -1.0 * at(2.0 * last - 1.0);
}

double ShapeSampler::distance(const Double3& position) const {
  return table_ ? table_->distance(inPlane(geometry_.frame.toWorld(position))) : 0.0;
}

double powerLaw(int dimensions, double exponent, double squaredRadius) {
  const double power = 1.0 + 1.0 / exponent;
  const double mean = dimensions == 2 ? power / (power + 1.0) : power / (power + 2.0);
  const double shape = squaredRadius < 1.0 ? 1.0 - std::pow(squaredRadius, 0.5 * power)
                                           : power * (1.0 - std::sqrt(squaredRadius));
  return shape / mean;
}

std::vector<double> biParabolic(const PlannedOpening& opening,
                                const std::vector<Double3>& positions) {
  const int dimensions = opening.shape.dimensions;
  std::vector<double> values;
  if (dimensions == 2) {
    for (const Double3& at : positions)
      values.push_back(parabola(dimensions, squaredRadiusAt(opening.whole, at)));
    return values;
  }
  const preprocess::geometry::PlaneAxes axes(opening.shape.normal);
  const auto inPlane = [&](const Double3& position) {
    const Double3 d = position - opening.whole.centre;
    return std::complex<double>(dot(d, axes.u), dot(d, axes.v));
  };
  double area = 0.0;
  double trace = 0.0;
  std::complex<double> second;
  std::complex<double> fourth;
  for (const PlanePoint& point : planePoints(opening.lattice.geometry, opening.opening)) {
    for (const Double3& image : opening.images(point.position)) {
      const std::complex<double> p = inPlane(image);
      area += point.area;
      trace += point.area * std::norm(p);
      second += point.area * p * p;
      fourth += point.area * p * p * p * p;
    }
  }
  trace /= area;
  second /= area;
  // A square has its largest extent across its sides: fourth moments are negative along them.
  const bool square = std::abs(second) < 0.1 * trace;
  const double angle =
      square ? 0.25 * (std::arg(fourth) - std::numbers::pi) : 0.5 * std::arg(second);
  const double difference =
      square ? (second * std::polar(1.0, -2.0 * angle)).real() : std::abs(second);
  double a = std::sqrt(1.5 * (trace + difference));  // half sides
  double b = std::sqrt(1.5 * (trace - difference));
  // The parts found of both sides lack the same strips at the rim of a slanted opening, and a
  // circle or an ellipse still fills pi / 3 = 1.047 of it. The sides are then those of the
  // opening's area.
  const Double3& n = opening.shape.normal;
  const double slope = std::max({std::abs(n[0]), std::abs(n[1]), std::abs(n[2])});
  const double filled = area / slope / (4.0 * a * b);
  const double larger = std::sqrt(opening.whole.area / (4.0 * a * b));
  a *= larger;
  b *= larger;
  if (!(filled > 0.96 && filled < 1.03))
    fail(ExitCode::Usage,
         fmt::format("{}: profile = \"bi-parabolic\" needs a rectangular opening, but this one has "
                     "{} of the area of a rectangle with its second moments (0.96 to 1.03 is "
                     "required); use profile = \"developed\", or a finer spacing",
                     opening.label, stage::number(filled, 4)));
  for (const Double3& at : positions) {
    const std::complex<double> p = inPlane(at) * std::polar(1.0, -angle);
    const double across = 1.0 - std::pow(p.real() / a, 2);
    const double along = 1.0 - std::pow(p.imag() / b, 2);
    values.push_back(across < 0.0 && along < 0.0 ? 0.0 : 2.25 * across * along);
  }
  return values;
}

std::vector<double> physicsOfShape(const ProfileShape& shape) {
  std::vector<double> values{shape.exponent};
  std::string hash;
  if (shape.table) hash = shape.table->hash;
  if (shape.formula) {
    hash = stage::hashBytes(shape.formula->text().data(), shape.formula->text().size());
    for (const double constant : shape.formula->constants()) values.push_back(constant);
  }
  // 12 hexadecimal digits are exact in a double.
  for (std::size_t at = 0; at + 12 <= hash.size(); at += 12)
    values.push_back(static_cast<double>(std::stoull(hash.substr(at, 12), nullptr, 16)));
  return values;
}

double frameWeight(const Waveform& course, std::size_t k, double t) {
  const std::size_t n = course.time.size();
  const double first = course.time.front();
  if (course.period > 0.0)
    t = first + std::fmod(std::fmod(t - first, course.period) + course.period, course.period);
  const auto after = static_cast<std::size_t>(
      std::upper_bound(course.time.begin(), course.time.end(), t) - course.time.begin());
  if (after == 0) return k == 0 ? 1.0 : 0.0;
  if (after == n && course.period <= 0.0) return k == n - 1 ? 1.0 : 0.0;
  const std::size_t next = after % n;
  const double step =
      (after < n ? course.time[after] : first + course.period) - course.time[after - 1];
  const double part = (t - course.time[after - 1]) / step;
  if (k == after - 1) return 1.0 - part;
  return k == next ? part : 0.0;
}

}  // namespace tessera::solver::boundary
