// SPDX-License-Identifier: GPL-3.0-or-later
// Straight tubes, rectangular ducts and boxes.
#include <cmath>
#include <string>

#include "pipelines/stage/error.hpp"
#include "preprocess/sample/sample.hpp"

namespace tessera {

namespace {
// The axes that x, y and z become when x is turned to the direction the shortest way.
std::array<Double3, 3> axesAlong(const Double3& direction) {
  if (!(length(direction) > 0.0))
    fail(ExitCode::Usage, "--direction is zero, expected a vector such as 1,2,0.5.");
  const Double3 x{1.0, 0.0, 0.0};
  const Double3 to = unit(direction);
  const Double3 about = cross(x, to);
  const double sine = length(about);
  // Straight ahead or straight back: half a turn about z.
  if (sine < 1e-12) return {to, {0.0, to[0], 0.0}, {0.0, 0.0, 1.0}};
  const Double3 axis = (1.0 / sine) * about;
  const double angle = std::atan2(sine, to[0]);
  return {to, rotated({0.0, 1.0, 0.0}, axis, angle), rotated({0.0, 0.0, 1.0}, axis, angle)};
}

// A prism over a convex polygon (counter-clockwise about +x, in the y-z plane of axes), its wall
// divided into rows of quads, its ends closed by fans about their centres where asked.
TriangleMesh prism(const std::vector<std::array<double, 2>>& polygon,
                   const std::array<Double3, 3>& axes, double length, int rows, bool closed) {
  TriangleMesh mesh;
  const auto sides = static_cast<std::uint32_t>(polygon.size());
  const auto row = [&](std::uint32_t r, std::uint32_t k) { return r * sides + k % sides; };
  for (int r = 0; r <= rows; ++r)
    for (const auto& [y, z] : polygon)
      mesh.vertex.push_back((length * r / rows) * axes[0] + y * axes[1] + z * axes[2]);
  for (std::uint32_t r = 0; r < static_cast<std::uint32_t>(rows); ++r)
    for (std::uint32_t k = 0; k < sides; ++k) {
      mesh.triangle.push_back({row(r, k), row(r + 1, k + 1), row(r + 1, k)});
      mesh.triangle.push_back({row(r, k), row(r, k + 1), row(r + 1, k + 1)});
    }
  if (!closed) return mesh;
  const auto last = static_cast<std::uint32_t>(rows);
  const auto first = static_cast<std::uint32_t>(mesh.vertex.size());
  mesh.vertex.push_back({0.0, 0.0, 0.0});
  mesh.vertex.push_back(length * axes[0]);
  for (std::uint32_t k = 0; k < sides; ++k) {
    mesh.triangle.push_back({first, row(0, k + 1), row(0, k)});
    mesh.triangle.push_back({first + 1, row(last, k), row(last, k + 1)});
  }
  return mesh;
}

void needPositive(const char* option, double value) {
  if (!(value > 0.0) || !std::isfinite(value))
    fail(ExitCode::Usage, std::string(option) + " must be larger than zero.");
}
}  // namespace

TriangleMesh sampleTube(const TubeShape& shape) {
  needPositive("--diameter", shape.diameter);
  needPositive("--length", shape.length);
  if (shape.segments < 3 || shape.segments > 100000)
    fail(ExitCode::Usage, "--segments is " + std::to_string(shape.segments) +
                              ", expected 3 to 100000 sides of the polygon.");
  const double step = 2.0 * M_PI / shape.segments;
  // Corners a little outside the circle, so that the polygon has the circle's area.
  const double corner = 0.5 * shape.diameter * std::sqrt(step / std::sin(step));
  std::vector<std::array<double, 2>> polygon;
  for (int k = 0; k < shape.segments; ++k)
    polygon.push_back({corner * std::cos(k * step), corner * std::sin(k * step)});
  const double rows = shape.length / (corner * step);
  if (rows * shape.segments > 5e7)
    fail(ExitCode::Usage, "--segments " + std::to_string(shape.segments) +
                              " gives more than 100 million triangles on this tube: give fewer.");
  return prism(polygon, axesAlong(shape.direction), shape.length,
               std::max(1, static_cast<int>(std::lround(rows))), shape.closed);
}

TriangleMesh sampleChannel(const ChannelShape& shape) {
  needPositive("--width", shape.width);
  needPositive("--height", shape.height);
  needPositive("--length", shape.length);
  const double w = 0.5 * shape.width;
  const double h = 0.5 * shape.height;
  return prism({{-w, -h}, {w, -h}, {w, h}, {-w, h}}, axesAlong(shape.direction), shape.length, 1,
               shape.closed);
}

TriangleMesh sampleBox(const Double3& size) {
  for (double s : size) needPositive("--size", s);
  const double y = size[1];
  const double z = size[2];
  const std::array<Double3, 3> axes{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  TriangleMesh mesh = prism({{0.0, 0.0}, {y, 0.0}, {y, z}, {0.0, z}}, axes, size[0], 1, false);
  mesh.triangle.insert(mesh.triangle.end(), {{0, 3, 2}, {0, 2, 1}, {4, 5, 6}, {4, 6, 7}});
  return mesh;
}

}  // namespace tessera
