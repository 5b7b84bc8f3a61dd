// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/planes_and_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "pipelines/stage/case/length_unit.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/fields/sample_field.hpp"
#include "postprocess/quantity/cross_section.hpp"
#include "postprocess/results/text.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::postprocess::quantity {

using results::PlaneSummary;

Plane parsePlane(const std::string& text, std::size_t index) {
  const auto refuse = [&] {
    stage::fail(
        stage::ExitCode::Usage,
        fmt::format(
            "--plane is \"{}\"; expected a point and a normal, \"x,y,z;nx,ny,nz\" (metres, or "
            "with units) or \"name=x,y,z;nx,ny,nz\"",
            text));
  };
  Plane plane;
  const std::size_t equals = text.find('=');
  plane.name =
      equals == std::string::npos ? fmt::format("plane{}", index + 1) : text.substr(0, equals);
  const std::string body = equals == std::string::npos ? text : text.substr(equals + 1);
  const std::vector<std::string_view> parts = results::partsOf(body, ';');
  if (parts.size() != 2 || plane.name.empty()) refuse();
  const std::optional<Double3> point = results::parseTriple(parts[0], stage::Dimension::Length);
  const std::optional<Double3> normal = results::parseDirection(parts[1]);
  if (!point || !normal) refuse();
  plane.point = *point;
  plane.normal = *normal;
  plane.asked = parts[0];
  return plane;
}

std::optional<PlaneSummary> planeFlow(const Plane& plane, const fields::NodeLookup& lookup,
                                      const solver::file::Fields& fields) {
  const auto section = crossSection(lookup, fields, plane.point, plane.normal);
  if (!section) return std::nullopt;
  return PlaneSummary{
      plane.name,           plane.point,           plane.normal,          section->area,
      section->flowRate,    section->meanVelocity, section->meanPressure, section->peakVelocity,
      section->peakPressure};
}

namespace {

// Unit of the first coordinate that has one; bare numbers are metres.
std::optional<stage::LengthUnit> unitIn(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(",;", at), text.size());
    std::string_view part = text.substr(at, end - at);
    part.remove_prefix(std::min(part.find_last_of("0123456789. ") + 1, part.size()));
    if (const stage::LengthUnit* unit = stage::findLengthUnit(part)) return *unit;
    at = end + 1;
  }
  return std::nullopt;
}

// Box of the lattice in the world, "x0, y0, z0 to x1, y1, z1 mm", in the unit of a user's text.
std::string boxOf(const tiler::TiledGeometry& geometry, std::string_view asked) {
  const std::optional<stage::LengthUnit> given = unitIn(asked);
  const stage::LengthUnit unit = given.value_or(stage::LengthUnit());
  Double3 low{}, high{};
  for (int corner = 0; corner < 8; ++corner) {
    Double3 node{};
    for (std::size_t a = 0; a < 3; ++a)
      node[a] = (corner >> a & 1) != 0 ? geometry.nodes[a] - 1 : 0;
    const Double3 world = geometry.frame.toWorld(node);
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = corner == 0 ? world[a] : std::min(low[a], world[a]);
      high[a] = corner == 0 ? world[a] : std::max(high[a], world[a]);
    }
  }
  const auto point = [&](const Double3& p) {
    return fmt::format("{:.4g}, {:.4g}, {:.4g}", p[0] * unit.perMetre(), p[1] * unit.perMetre(),
                       p[2] * unit.perMetre());
  };
  return fmt::format("{} to {} {}{}", point(low), point(high), unit.name,
                     given ? "" : " (numbers without a unit are metres)");
}

bool acrossFlatGeometry(const Plane& plane, const fields::NodeLookup& lookup) {
  return std::abs(dot(plane.normal, lookup.geometry.frame.axis[2])) > 1.0 - 1e-9;
}

}  // namespace

std::vector<PlaneSummary> planeSummaries(const std::vector<Plane>& planes,
                                         const fields::NodeLookup& lookup,
                                         const solver::file::Fields& fields,
                                         std::vector<std::string>& warnings) {
  std::vector<std::optional<PlaneSummary>> found(planes.size());
  stage::parallelFor(planes.size(),
                     [&](std::size_t i) { found[i] = planeFlow(planes[i], lookup, fields); });
  std::vector<PlaneSummary> summaries;
  for (std::size_t i = 0; i < planes.size(); ++i)
    if (found[i])
      summaries.push_back(*found[i]);
    else
      warnings.push_back(
          fmt::format("plane \"{}\" is left out, since {}", planes[i].name,
                      lookup.geometry.dimensions == 2 && acrossFlatGeometry(planes[i], lookup)
                          ? "its normal is across a geometry in 2D; one within it is required, "
                            "for instance 1,0,0"
                          : "its point is not in the fluid; a point inside the vessel or pore is "
                            "required, in the world frame, in which the geometry lies from " +
                                boxOf(lookup.geometry, planes[i].asked)));
  return summaries;
}

namespace {

constexpr int mostPoints = 1'000'000;

// Number of points; 0 if invalid.
int pointsIn(std::string_view text) {
  int points = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), points);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && points >= 2 && points <= mostPoints ? points : 0;
}

results::LinePoint pointOn(const Line& line, int i, const fields::NodeLookup& lookup,
                           const solver::file::Fields& fields) {
  const preprocess::geometry::Frame& frame = lookup.geometry.frame;
  const double part = static_cast<double>(i) / (line.points - 1);
  results::LinePoint point;
  point.distance = part * length(line.to - line.from);
  point.point = line.from + part * (line.to - line.from);
  const Double3 position = frame.toLattice(point.point);
  const bool nearBox = std::all_of(position.begin(), position.end(), [](double x) {
    return x > -1e9 && x < 1e9;  // node indices are int
  });
  if (!nearBox) return point;
  const fields::Stencil stencil = fields::stencilAt(lookup, position);
  point.inside = stencil.fluidPart > 0.5;
  if (!point.inside) return point;
  point.velocity =
      fields.velocityFactor * frame.directionToWorld(fields::sampleVelocity(fields, stencil));
  point.pressure = fields.pressurePa(fields::sample(fields.pressure, stencil));
  return point;
}

}  // namespace

Line parseLine(const std::string& text, std::size_t index) {
  const auto refuse = [&] {
    stage::fail(stage::ExitCode::Usage,
                fmt::format("--line is \"{}\"; expected two points and a number of points, "
                            "\"name=x,y,z;x,y,z;100\" (metres, or with units; 2 to {} points)",
                            text, mostPoints));
  };
  Line line;
  const std::size_t equals = text.find('=');
  line.name =
      equals == std::string::npos ? fmt::format("line{}", index + 1) : text.substr(0, equals);
  const std::string body = equals == std::string::npos ? text : text.substr(equals + 1);
  const std::vector<std::string_view> parts = results::partsOf(body, ';');
  if (parts.size() != 3 || line.name.empty()) refuse();
  const std::optional<Double3> from = results::parseTriple(parts[0], stage::Dimension::Length);
  const std::optional<Double3> to = results::parseTriple(parts[1], stage::Dimension::Length);
  line.points = pointsIn(parts[2]);
  if (!from || !to || line.points == 0 || !(length(*to - *from) > 0.0)) refuse();
  line.from = *from;
  line.to = *to;
  line.asked = body;
  return line;
}

std::vector<results::LineProfile> lineProfiles(const std::vector<Line>& lines,
                                               const fields::NodeLookup& lookup,
                                               const solver::file::Fields& fields,
                                               std::vector<std::string>& warnings) {
  std::vector<results::LineProfile> profiles;
  for (const Line& line : lines) {
    results::LineProfile profile{line.name, {}};
    profile.points.reserve(static_cast<std::size_t>(line.points));
    for (int i = 0; i < line.points; ++i)
      profile.points.push_back(pointOn(line, i, lookup, fields));
    if (std::any_of(profile.points.begin(), profile.points.end(),
                    [](const results::LinePoint& point) { return point.inside; }))
      profiles.push_back(std::move(profile));
    else
      warnings.push_back(fmt::format(
          "line \"{}\" is left out, since none of its points is in the fluid; two points in the "
          "world frame are required, in which the geometry lies from {}",
          line.name, boxOf(lookup.geometry, line.asked)));
  }
  return profiles;
}

}  // namespace tessera::postprocess::quantity
