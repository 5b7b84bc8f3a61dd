// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/viewing_side.hpp"

#include <vector>

#include "postprocess/quantity/wall_surface.hpp"

namespace tessera::postprocess::picture {

tessera::picture::Side viewingSide(const results::Results& results,
                                   const tiler::TiledGeometry& geometry) {
  const preprocess::geometry::Surface& surface = geometry.surface;
  std::vector<Double3> vertex;
  std::vector<bool> isOpening;
  if (!surface.triangle.empty()) {
    vertex.reserve(surface.vertex.size());
    for (const Float3& v : surface.vertex)
      vertex.push_back(geometry.frame.toWorld({v[0], v[1], v[2]}));
    for (const preprocess::geometry::Patch patch : surface.label)
      isOpening.push_back(preprocess::geometry::isOpening(patch));
    return tessera::picture::bestSide(vertex, surface.triangle, isOpening);
  }
  vertex = results.wall.vertex;
  std::vector<stage::Triangle> triangle = results.wall.triangle;
  isOpening.assign(triangle.size(), false);
  const preprocess::geometry::TriangleMesh caps = quantity::openingCaps(geometry);
  const auto first = static_cast<std::uint32_t>(vertex.size());
  for (const Double3& v : caps.vertex) vertex.push_back(geometry.frame.toWorld(v));
  for (const stage::Triangle& corner : caps.triangle)
    triangle.push_back({corner[0] + first, corner[1] + first, corner[2] + first});
  isOpening.resize(triangle.size(), true);
  return tessera::picture::bestSide(vertex, triangle, isOpening);
}

}  // namespace tessera::postprocess::picture
