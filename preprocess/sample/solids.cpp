// SPDX-License-Identifier: GPL-3.0-or-later
// Tubes, ducts, boxes and the expansion: a polygon swept along an axis, ring by ring.
#include "preprocess/sample/solids.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/sample/implicit.hpp"

namespace tessera::preprocess::sample {

using geometry::TriangleMesh;
using stage::ExitCode;
using stage::fail;

namespace {
// Axes that x, y and z become when x is rotated to the direction by the smallest angle.
std::array<Double3, 3> axesAlong(const Double3& direction) {
  if (!(length(direction) > 0.0))
    fail(ExitCode::Usage, "--direction is zero; expected a vector such as 1,2,0.5.");
  const Double3 x{1.0, 0.0, 0.0};
  const Double3 to = unit(direction);
  const Double3 about = cross(x, to);
  const double sine = length(about);
  // Parallel or antiparallel: half a turn about z.
  if (sine < 1e-12) return {to, {0.0, to[0], 0.0}, {0.0, 0.0, 1.0}};
  const Double3 axis = (1.0 / sine) * about;
  const double angle = std::atan2(sine, to[0]);
  return {to, rotated({0.0, 1.0, 0.0}, axis, angle), rotated({0.0, 0.0, 1.0}, axis, angle)};
}

using Polygon = std::vector<std::array<double, 2>>;

// Polygon at one position of the axis.
struct Ring {
  Double3 centre{};
  Double3 y{};
  Double3 z{};
  double scale = 1.0;
};

// Wall of quads between rings over a convex polygon (counter-clockwise seen against the axis), its
// ends optionally closed by fans about their centres.
TriangleMesh sweep(const Polygon& polygon, const std::vector<Ring>& rings, bool closed) {
  TriangleMesh mesh;
  const auto sides = static_cast<std::uint32_t>(polygon.size());
  const auto row = [&](std::uint32_t r, std::uint32_t k) { return r * sides + k % sides; };
  for (const Ring& ring : rings)
    for (const auto& [y, z] : polygon)
      mesh.vertex.push_back(ring.centre + (ring.scale * y) * ring.y + (ring.scale * z) * ring.z);
  const auto last = static_cast<std::uint32_t>(rings.size()) - 1;
  for (std::uint32_t r = 0; r < last; ++r)
    for (std::uint32_t k = 0; k < sides; ++k) {
      mesh.triangle.push_back({row(r, k), row(r + 1, k + 1), row(r + 1, k)});
      mesh.triangle.push_back({row(r, k), row(r, k + 1), row(r + 1, k + 1)});
    }
  if (!closed) return mesh;
  const auto first = static_cast<std::uint32_t>(mesh.vertex.size());
  mesh.vertex.push_back(rings.front().centre);
  mesh.vertex.push_back(rings.back().centre);
  for (std::uint32_t k = 0; k < sides; ++k) {
    mesh.triangle.push_back({first, row(0, k + 1), row(0, k)});
    mesh.triangle.push_back({first + 1, row(last, k), row(last, k + 1)});
  }
  return mesh;
}

// Polygon with the area of a circle, and the number of rings for about square quads.
struct RoundSection {
  Polygon polygon;
  double side = 0.0;

  RoundSection(double diameter, int segments) {
    if (segments < 3 || segments > 100000)
      fail(ExitCode::Usage,
           fmt::format("--segments is {}; expected 3 to 100000 sides of the polygon.", segments));
    const double step = 2.0 * M_PI / segments;
    // Corners slightly outside of the circle.
    const double corner = 0.5 * diameter * std::sqrt(step / std::sin(step));
    for (int k = 0; k < segments; ++k)
      polygon.push_back({corner * std::cos(k * step), corner * std::sin(k * step)});
    side = corner * step;
  }
  [[nodiscard]] int rows(double along) const {
    const double count = along / side;
    if (count * static_cast<double>(polygon.size()) > 5e7)
      fail(ExitCode::Usage,
           fmt::format(
               "--segments {} gives more than 100 million triangles on this tube: use fewer.",
               polygon.size()));
    return std::max(1, static_cast<int>(std::lround(count)));
  }
};

void requirePositive(const char* option, double value) {
  if (!(value > 0.0) || !std::isfinite(value))
    fail(ExitCode::Usage, std::string(option) + " must be above zero.");
}

// Extends the last ring straight along the axis.
void extend(std::vector<Ring>& rings, const Double3& axis, double distance, int rows) {
  const Ring from = rings.back();
  for (int r = 1; r <= rows; ++r) {
    Ring ring = from;
    ring.centre = from.centre + (distance * r / rows) * axis;
    rings.push_back(ring);
  }
}
}  // namespace

TriangleMesh sampleTube(const TubeShape& shape) {
  requirePositive("--diameter", shape.diameter);
  requirePositive("--length", shape.length);
  const RoundSection section(shape.diameter, shape.segments);
  const auto axes = axesAlong(shape.direction);
  std::vector<Ring> rings{{.y = axes[1], .z = axes[2]}};
  extend(rings, axes[0], shape.length, section.rows(shape.length));
  return sweep(section.polygon, rings, shape.closed);
}

TriangleMesh sampleBentTube(const BentTubeShape& shape) {
  requirePositive("--diameter", shape.diameter);
  requirePositive("--inlet-length", shape.inletLength);
  requirePositive("--outlet-length", shape.outletLength);
  const RoundSection section(shape.diameter, shape.segments);
  if (!(shape.bendRadius > 0.55 * shape.diameter))
    fail(ExitCode::Usage,
         "--bend-radius must be more than 0.55 diameters, or the tube intersects itself in the "
         "bend.");
  const Double3 x{1.0, 0.0, 0.0};
  const Double3 z{0.0, 0.0, 1.0};
  std::vector<Ring> rings{{.y = {0.0, 1.0, 0.0}, .z = z}};
  extend(rings, x, shape.inletLength, section.rows(shape.inletLength));
  const Ring start = rings.back();
  const Double3 centre = start.centre + shape.bendRadius * start.y;
  // About square quads on the outside of the bend, and at most 3 degrees per row.
  const int rows = std::max(section.rows((shape.bendRadius + 0.5 * shape.diameter) * shape.angle),
                            static_cast<int>(std::ceil(shape.angle * 60.0 / M_PI)));
  for (int r = 1; r <= rows; ++r) {
    const Double3 y = rotated(start.y, z, shape.angle * r / rows);
    rings.push_back({.centre = centre - shape.bendRadius * y, .y = y, .z = z});
  }
  extend(rings, rotated(x, z, shape.angle), shape.outletLength, section.rows(shape.outletLength));
  return sweep(section.polygon, rings, shape.closed);
}

TriangleMesh sampleChannel(const ChannelShape& shape) {
  requirePositive("--width", shape.width);
  requirePositive("--height", shape.height);
  requirePositive("--length", shape.length);
  const double w = 0.5 * shape.width;
  const double h = 0.5 * shape.height;
  const auto axes = axesAlong(shape.direction);
  std::vector<Ring> rings{{.y = axes[1], .z = axes[2]}};
  extend(rings, axes[0], shape.length, 1);
  return sweep({{-w, -h}, {w, -h}, {w, h}, {-w, h}}, rings, shape.closed);
}

TriangleMesh sampleExpansion(const ExpansionShape& shape) {
  requirePositive("--diameter", shape.diameter);
  requirePositive("--inlet-length", shape.inletLength);
  requirePositive("--outlet-length", shape.outletLength);
  if (!(shape.ratio > 1.0) || shape.ratio > 100.0)
    fail(ExitCode::Usage, "--ratio must be above 1 and at most 100.");
  const RoundSection section(shape.diameter, shape.segments);
  const RoundSection wide(shape.diameter * shape.ratio, shape.segments);
  const auto axes = axesAlong(shape.direction);
  std::vector<Ring> rings{{.y = axes[1], .z = axes[2]}};
  extend(rings, axes[0], shape.inletLength, section.rows(shape.inletLength));
  rings.push_back(rings.back());  // the step is flat
  rings.back().scale = shape.ratio;
  extend(rings, axes[0], shape.outletLength, wide.rows(shape.outletLength));
  return sweep(section.polygon, rings, shape.closed);
}

TriangleMesh sampleBox(const Double3& size) {
  for (double s : size) requirePositive("--x, --y and --z", s);
  const double y = size[1];
  const double z = size[2];
  std::vector<Ring> rings{{.y = {0.0, 1.0, 0.0}, .z = {0.0, 0.0, 1.0}}};
  extend(rings, {1.0, 0.0, 0.0}, size[0], 1);
  TriangleMesh mesh = sweep({{0.0, 0.0}, {y, 0.0}, {y, z}, {0.0, z}}, rings, false);
  mesh.triangle.insert(mesh.triangle.end(), {{0, 3, 2}, {0, 2, 1}, {4, 5, 6}, {4, 6, 7}});
  return mesh;
}

}  // namespace tessera::preprocess::sample
