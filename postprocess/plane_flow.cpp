// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/plane_flow.hpp"

#include <cmath>
#include <cstdint>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/quantity.hpp"
#include "postprocess/sample_field.hpp"
#include "preprocess/surface/mesh.hpp"

namespace tessera {

namespace {

constexpr double quadratureStep = 0.25;  // nodes

[[noreturn]] void refusePlane(const std::string& text) {
  fail(ExitCode::Usage,
       "--plane \"" + text +
           "\" is not a point and a normal; write it as "
           "\"x,y,z;nx,ny,nz\" (metres, or with units) or \"name=x,y,z;nx,ny,nz\"");
}

Double3 parseTriple(const std::string& part, Dimension dimension, const std::string& whole) {
  Double3 value{};
  std::size_t start = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t comma = part.find(',', start);
    if ((comma == std::string::npos) != (a == 2)) refusePlane(whole);
    value[a] = parseQuantity(part.substr(start, comma - start), dimension);
    start = comma + 1;
  }
  return value;
}

// Two unit vectors that span the plane, chosen from the normal alone.
std::array<Double3, 2> spanOf(const Double3& normal) {
  std::size_t smallest = 0;
  for (std::size_t a = 1; a < 3; ++a)
    if (std::abs(normal[a]) < std::abs(normal[smallest])) smallest = a;
  Double3 helper{};
  helper[smallest] = 1.0;
  Double3 first = cross(normal, helper);
  first = (1.0 / length(first)) * first;
  return {first, cross(normal, first)};
}

bool insideBox(const TiledGeometry& geometry, const Double3& position) {
  for (std::size_t a = 0; a < 3; ++a)
    if (position[a] < -0.5 || position[a] >= geometry.nodes[a] - 0.5) return false;
  return true;
}

// The cross-section as a square raster of quadrature points round the plane's point.
struct CrossSection {
  const NodeLookup& lookup;
  Double3 point{};  // lattice
  std::array<Double3, 2> span{};
  int half = 0;  // points on each side of the centre
  std::vector<std::uint8_t> inside;

  [[nodiscard]] int side() const { return 2 * half + 1; }
  [[nodiscard]] Double3 position(int i, int j) const {
    return point + (quadratureStep * (i - half)) * span[0] +
           (quadratureStep * (j - half)) * span[1];
  }
  [[nodiscard]] bool fluidAt(int i, int j) const {
    const Double3 place = position(i, j);
    return insideBox(lookup.geometry, place) && stencilAt(lookup, place).fluidPart > 0.5;
  }
};

// Marks what is connected with the centre (four neighbours). False when the centre is solid.
bool floodFromCentre(CrossSection& section) {
  const int side = section.side();
  if (!section.fluidAt(section.half, section.half)) return false;
  std::vector<std::array<int, 2>> open{{section.half, section.half}};
  const auto cell = [&](int i, int j) -> std::uint8_t& {
    return section.inside[static_cast<std::size_t>(i) +
                          static_cast<std::size_t>(side) * static_cast<std::size_t>(j)];
  };
  cell(section.half, section.half) = 1;
  while (!open.empty()) {
    const auto [i, j] = open.back();
    open.pop_back();
    for (const auto& [di, dj] : {std::array{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
      const int x = i + di, y = j + dj;
      if (x < 0 || y < 0 || x >= side || y >= side || cell(x, y) != 0) continue;
      if (!section.fluidAt(x, y)) continue;
      cell(x, y) = 1;
      open.push_back({x, y});
    }
  }
  return true;
}

}  // namespace

Plane parsePlane(const std::string& text, std::size_t index) {
  Plane plane;
  const std::size_t equals = text.find('=');
  plane.name =
      equals == std::string::npos ? "plane" + std::to_string(index + 1) : text.substr(0, equals);
  const std::string body = equals == std::string::npos ? text : text.substr(equals + 1);
  const std::size_t semicolon = body.find(';');
  if (semicolon == std::string::npos || plane.name.empty()) refusePlane(text);
  plane.point = parseTriple(body.substr(0, semicolon), Dimension::Length, text);
  plane.normal = parseTriple(body.substr(semicolon + 1), Dimension::None, text);
  const double size = length(plane.normal);
  if (!(size > 0.0)) refusePlane(text);
  plane.normal = (1.0 / size) * plane.normal;
  return plane;
}

std::optional<PlaneSummary> planeFlow(const Plane& plane, const NodeLookup& lookup,
                                      const Fields& fields) {
  const Frame& frame = lookup.geometry.frame;
  const Int3& nodes = lookup.geometry.nodes;
  const Double3 normal{dot(frame.axis[0], plane.normal), dot(frame.axis[1], plane.normal),
                       dot(frame.axis[2], plane.normal)};
  CrossSection section{lookup, frame.toLattice(plane.point), spanOf(normal), 0, {}};
  if (!insideBox(lookup.geometry, section.point)) return std::nullopt;
  section.half =
      static_cast<int>(std::ceil(std::hypot(nodes[0], nodes[1], nodes[2]) / quadratureStep));
  section.inside.assign(
      static_cast<std::size_t>(section.side()) * static_cast<std::size_t>(section.side()), 0);
  if (!floodFromCentre(section)) return std::nullopt;

  double points = 0.0, velocity = 0.0, pressure = 0.0;
  for (int j = 0; j < section.side(); ++j) {
    for (int i = 0; i < section.side(); ++i) {
      if (section.inside[static_cast<std::size_t>(i) + static_cast<std::size_t>(section.side()) *
                                                           static_cast<std::size_t>(j)] == 0)
        continue;
      const Stencil stencil = stencilAt(lookup, section.position(i, j));
      // A solid node mirrors the velocity of the fluid nodes: zero half way between them.
      velocity += (2.0 * stencil.fluidPart - 1.0) * dot(sample(fields.velocity, stencil), normal);
      pressure += sample(fields.pressure, stencil);
      points += 1.0;
    }
  }
  PlaneSummary summary{plane.name, plane.point, plane.normal, 0.0, 0.0, 0.0, 0.0};
  const double step = quadratureStep * frame.spacing;
  summary.area = points * step * step;
  summary.meanVelocity = velocity / points * fields.velocityFactor;
  summary.flowRate = summary.meanVelocity * summary.area;
  summary.meanPressure = fields.pressurePa(pressure / points);
  return summary;
}

}  // namespace tessera
