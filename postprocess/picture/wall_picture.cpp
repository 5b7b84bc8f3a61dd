// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/wall_picture.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pipelines/picture/canvas.hpp"
#include "pipelines/picture/colour_bar.hpp"
#include "pipelines/picture/ticks.hpp"
#include "postprocess/picture/annotate.hpp"
#include "postprocess/picture/rasterise.hpp"

namespace tessera {
namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;

// Edges that only one triangle has: the rims where the openings were.
std::vector<Edge> rimEdges(const std::vector<Triangle>& triangle) {
  std::vector<Edge> all;
  all.reserve(3 * triangle.size());
  for (const Triangle& t : triangle)
    for (std::size_t k = 0; k < 3; ++k) all.emplace_back(std::minmax(t[k], t[(k + 1) % 3]));
  std::sort(all.begin(), all.end());
  std::vector<Edge> rims;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i + 1;
    while (end < all.size() && all[end] == all[i]) ++end;
    if (end - i == 1) rims.push_back(all[i]);
    i = end;
  }
  return rims;
}

Float3 toFloat(const Double3& v) {
  return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}

// A prism of six sides around the edge, as a round wire.
void appendWire(const Double3& from, const Double3& to, double radius, RenderMesh& wire) {
  constexpr std::uint32_t sides = 6;
  const Double3 along = to - from;
  const double size = length(along);
  if (size == 0.0) return;
  const Double3 helper = std::abs(along[0]) < 0.6 * size ? Double3{1, 0, 0} : Double3{0, 1, 0};
  Double3 u = cross(along, helper);
  u = (1.0 / length(u)) * u;
  const Double3 v = (1.0 / size) * cross(along, u);
  const auto base = static_cast<std::uint32_t>(wire.vertex.size());
  std::array<Float3, sides> normal{};
  for (std::uint32_t s = 0; s < sides; ++s) {
    const double angle = 2.0 * 3.14159265358979 * s / sides;
    const Double3 n = std::cos(angle) * u + std::sin(angle) * v;
    normal[s] = toFloat(n);
    wire.vertex.push_back(from + radius * n);
    wire.vertex.push_back(to + radius * n);
  }
  for (std::uint32_t s = 0; s < sides; ++s) {
    const std::uint32_t t = (s + 1) % sides;
    wire.triangle.push_back({base + 2 * s, base + 2 * t, base + 2 * t + 1});
    wire.normal.push_back({normal[s], normal[t], normal[t]});
    wire.triangle.push_back({base + 2 * s, base + 2 * t + 1, base + 2 * s + 1});
    wire.normal.push_back({normal[s], normal[t], normal[s]});
  }
}

RenderMesh rimWires(const WallShear& wall, double radius) {
  RenderMesh wire;
  wire.plain = ink;
  for (const Edge& edge : rimEdges(wall.triangle))
    appendWire(wall.vertex[edge.first], wall.vertex[edge.second], radius, wire);
  return wire;
}

RenderMesh shadedWall(const WallShear& wall, const ColourScale& scale) {
  RenderMesh mesh;
  mesh.vertex = wall.vertex;
  mesh.triangle = wall.triangle;
  mesh.normal = smoothNormals(mesh.vertex, mesh.triangle, wall.fromVoxels ? 100.0 : 50.0);
  mesh.map = scale.map;
  mesh.shade.reserve(wall.vertexShear.size());
  for (double shear : wall.vertexShear)
    mesh.shade.push_back(static_cast<float>(std::clamp(scale.positionOf(shear), 0.0, 1.0)));
  return mesh;
}

// From p01 to p99; from zero where that is less than 5 %, so that even stress is shown as even.
ColourScale scaleOf(const ShearStatistics& shear) {
  const bool even = shear.p99 - shear.p01 < 0.05 * shear.p99;
  return {ColourMap::Viridis, even ? 0.0 : shear.p01, shear.p99};
}

std::string subtitleOf(const ShearStatistics& shear, const DisplayUnit& unit) {
  const auto shown = [&](double pa) { return formatNumber(pa * unit.factor, 3) + ' ' + unit.name; };
  return "mean " + shown(shear.mean) + ",  median " + shown(shear.p50) +
         ",  99 % of the area below " + shown(shear.p99) + ",  largest " + shown(shear.max);
}

}  // namespace

std::optional<Image> drawWallShear(const Results& results) {
  const WallShear& wall = results.wall;
  if (wall.triangle.empty()) return std::nullopt;
  const DisplayUnit unit = displayUnit("Pa", results.shear.p99);
  const ColourScale scale = scaleOf(results.shear);
  std::vector<RenderMesh> meshes{shadedWall(wall, scale)};
  const Camera camera =
      bestView(meshes[0].vertex, meshes[0].triangle, meshes[0].shade, geometryFrame);
  meshes.push_back(rimWires(wall, 1.1 / camera.scale));

  Image image(static_cast<int>(pageWidth * pageScale), static_cast<int>(pageHeight * pageScale),
              white);
  rasterise(meshes, camera.magnified(pageScale), image);
  Drawing drawing{pageWidth, pageHeight, {}};
  drawTitle("Wall shear stress \u00b7 " + results.title, subtitleOf(results.shear, unit), drawing);
  drawOpenings(results.openings, camera, drawing);
  drawAxesTriad(camera, drawing);
  drawScaleBar(camera, drawing);
  ColourBar bar;
  bar.scale = {scale.map, scale.lowest * unit.factor, scale.highest * unit.factor};
  bar.caption = "wall shear stress [" + unit.name + ']';
  bar.corner = {838.0, 150.0};
  bar.height = 400.0;
  bar.openBelow = scale.lowest > 0.0;
  bar.openAbove = true;
  drawColourBar(bar, drawing);
  paint(drawing, pageScale, image);
  return image;
}

}  // namespace tessera
