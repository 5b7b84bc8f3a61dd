// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/camera.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pipelines/stage/principal_axes.hpp"

namespace tessera::picture {

using stage::Triangle;

namespace {

using Matrix3 = std::array<Double3, 3>;

Double3 unitOrZ(const Double3& v) {
  const double size = length(v);
  return size > 0.0 ? (1.0 / size) * v : Double3{0.0, 0.0, 1.0};
}

// Area-weighted second moments about the centroid.
Matrix3 secondMoments(std::span<const Double3> vertex, std::span<const Triangle> triangle) {
  Double3 first{};
  Matrix3 second{};
  double area = 0.0;
  for (const Triangle& t : triangle) {
    const Double3 &a = vertex[t[0]], &b = vertex[t[1]], &c = vertex[t[2]];
    const double weight = length(cross(b - a, c - a));
    const Double3 centre = (1.0 / 3.0) * (a + b + c);
    area += weight;
    first = first + weight * centre;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) second[i][j] += weight * centre[i] * centre[j];
  }
  if (area == 0.0) return Matrix3{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      second[i][j] = second[i][j] / area - first[i] / area * (first[j] / area);
  return second;
}

constexpr double nearlyEqual = 0.95;

Double3 withPositiveLargest(const Double3& v) {
  const double largest = std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2])});
  const auto first = std::find_if(v.begin(), v.end(),
                                  [&](double x) { return std::abs(x) >= nearlyEqual * largest; });
  return *first < 0.0 ? -1.0 * v : v;
}

// Part of a world axis across a unit vector, z unless that is nearly along it, otherwise y.
Double3 worldAxisAcross(const Double3& direction) {
  Double3 axis{};
  axis[std::abs(direction[2]) < 0.9 ? 2 : 1] = 1.0;
  return unitOrZ(axis - dot(axis, direction) * direction);
}

Camera fitted(const Double3& toward, Double3 up, std::span<const Double3> points,
              const Rectangle& frame) {
  up = unitOrZ(up - dot(up, toward) * toward);
  const double sense = std::abs(up[2]) > 0.5 ? up[2] : (std::abs(up[1]) > 0.5 ? up[1] : up[0]);
  if (sense < 0.0) up = -1.0 * up;
  Camera camera{cross(up, toward), up, toward, {}, {}, 1.0};
  Double3 lowest{1e300, 1e300, 1e300}, highest{-1e300, -1e300, -1e300};
  for (const Double3& p : points) {
    const Double3 seen{dot(p, camera.right), dot(p, up), dot(p, toward)};
    for (std::size_t a = 0; a < 3; ++a) {
      lowest[a] = std::min(lowest[a], seen[a]);
      highest[a] = std::max(highest[a], seen[a]);
    }
  }
  const Double3 middle = 0.5 * (lowest + highest);
  camera.target = middle[0] * camera.right + middle[1] * up + middle[2] * toward;
  camera.centre = {frame.left + frame.width / 2, frame.top + frame.height / 2};
  const double w = highest[0] - lowest[0], h = highest[1] - lowest[1];
  camera.scale = std::min(w > 0.0 ? frame.width / w : 1e300, h > 0.0 ? frame.height / h : 1e300);
  if (camera.scale > 1e200) camera.scale = 1.0;
  return camera;
}

// Visible surface in a small picture from there in m2, three times that of marked triangles.
double visibleAmount(const Camera& camera, std::span<const Double3> vertex,
                     std::span<const Triangle> triangle, const std::vector<bool>& marked,
                     int pixels) {
  const auto cells = static_cast<std::size_t>(pixels) * static_cast<std::size_t>(pixels);
  std::vector<double> depth(cells, -1e300), weight(cells, 0.0);
  const std::size_t stride = triangle.size() / 100000 + 1;
  for (std::size_t t = 0; t < triangle.size(); t += stride) {
    std::array<Projected, 3> p;
    for (std::size_t k = 0; k < 3; ++k) p[k] = camera.project(vertex[triangle[t][k]]);
    const auto [x0, x1] = std::minmax({p[0].x, p[1].x, p[2].x});
    const auto [y0, y1] = std::minmax({p[0].y, p[1].y, p[2].y});
    const double z = (p[0].depth + p[1].depth + p[2].depth) / 3.0;
    const double area =
        (p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[1].y - p[0].y) * (p[2].x - p[0].x);
    const double seen = marked[t] ? 3.0 : 1.0;
    for (int y = std::max(0, static_cast<int>(y0)); y <= std::min(pixels - 1.0, y1); ++y)
      for (int x = std::max(0, static_cast<int>(x0)); x <= std::min(pixels - 1.0, x1); ++x) {
        const std::size_t cell = static_cast<std::size_t>(y * pixels + x);
        if (z <= depth[cell]) continue;
        depth[cell] = z;
        weight[cell] = area < 0.0 ? seen : 0.3;  // the inside, seen through an opening, counts less
      }
  }
  double sum = 0.0;
  for (double w : weight) sum += w;
  return sum / (camera.scale * camera.scale);
}

}  // namespace

std::array<Double3, 3> principalAxes(std::span<const Double3> vertex,
                                     std::span<const Triangle> triangle) {
  const stage::Principal principal = stage::principalOf(secondMoments(vertex, triangle));
  const Double3& extent = principal.value;  // squared
  Double3 first = principal.direction[0], second = principal.direction[1];
  if (extent[2] > nearlyEqual * extent[0]) first = {1.0, 0.0, 0.0};
  // Where the first two are alike, the third is what the surface says.
  if (extent[1] > nearlyEqual * extent[0] && extent[2] <= nearlyEqual * extent[0]) {
    const Double3 third = principal.direction[2];
    second = worldAxisAcross(third);
    first = cross(second, third);
  } else if (extent[2] > nearlyEqual * extent[1]) {
    second = worldAxisAcross(first);
  }
  first = withPositiveLargest(first);
  second = withPositiveLargest(second);
  return {first, second, cross(first, second)};
}

Camera frameView(const Double3& toward, const std::array<Double3, 3>& axes,
                 std::span<const Double3> points, const Rectangle& frame) {
  const Camera lying = fitted(toward, axes[1], points, frame);
  const Camera upright = fitted(toward, axes[0], points, frame);
  return upright.scale > 1.02 * lying.scale ? upright : lying;
}

Camera viewLike(const Camera& other, const Double3& normal, const std::array<Double3, 3>& axes,
                std::span<const Double3> points, const Rectangle& frame) {
  const Double3 toward = dot(normal, other.toward) < 0.0 ? -1.0 * normal : normal;
  const bool firstIsUp = std::abs(dot(axes[0], other.up)) > std::abs(dot(axes[1], other.up));
  Camera camera = fitted(toward, axes[firstIsUp ? 0 : 1], points, frame);
  if (dot(camera.up, other.up) < 0.0) {
    camera.up = -1.0 * camera.up;
    camera.right = -1.0 * camera.right;
  }
  return camera;
}

Camera fixedView(std::size_t axis, bool fromAbove, std::span<const Double3> points,
                 const Rectangle& frame) {
  Double3 toward{}, up{};
  toward[axis] = fromAbove ? 1.0 : -1.0;
  up[axis == 2 ? 1 : 2] = 1.0;
  return fitted(toward, up, points, frame);
}

Side bestSide(std::span<const Double3> vertex, std::span<const Triangle> triangle,
              const std::vector<bool>& marked) {
  constexpr int pixels = 128;
  constexpr std::array<double, 4> tilts{-32.0, -14.0, 14.0, 32.0};  // degrees off the axes
  constexpr double degree = std::numbers::pi / 180.0;
  constexpr Rectangle wide{0.0, 0.0, 1.6, 1.0}, small{0.0, 0.0, pixels, pixels};
  if (triangle.empty()) return {};
  const auto axes = principalAxes(vertex, triangle);
  std::vector<Double3> directions;
  for (double side : {1.0, -1.0})
    for (double a : tilts)
      for (double b : tilts)
        directions.push_back(unitOrZ(side * axes[2] + std::tan(a * degree) * axes[0] +
                                     std::tan(b * degree) * axes[1]));
  std::vector<double> amount(directions.size());
  tbb::parallel_for(std::size_t{0}, directions.size(), [&](std::size_t i) {
    const Camera camera = frameView(directions[i], axes, vertex, small);
    amount[i] = visibleAmount(camera, vertex, triangle, marked, pixels);
  });
  const double enough = nearlyEqual * *std::max_element(amount.begin(), amount.end());
  const auto best =
      std::find_if(amount.begin(), amount.end(), [&](double seen) { return seen >= enough; }) -
      amount.begin();
  const Camera camera = frameView(directions[static_cast<std::size_t>(best)], axes, vertex, wide);
  return {camera.toward, camera.up};
}

Camera viewFrom(const Side& side, std::span<const Double3> points, const Rectangle& frame) {
  return fitted(side.toward, side.up, points, frame);
}

}  // namespace tessera::picture
