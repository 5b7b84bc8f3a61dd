// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/polygon_soup.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "preprocess/read/soup_origin.hpp"
#include "preprocess/read/triangulate.hpp"

namespace tessera {

void PolygonSoup::requireRoom(std::size_t vertices, std::size_t triangles) const {
  constexpr std::size_t always = std::size_t{128} << 20U;
  const std::size_t most = 3 * fileBytes_ + always;
  if (vertices <= most / sizeof(Double3) && triangles <= most / (3 * sizeof(Float3)) &&
      vertices * sizeof(Double3) + triangles * 3 * sizeof(Float3) <= most &&
      vertices <= std::numeric_limits<std::uint32_t>::max())
    return;
  fail(ExitCode::BadInput,
       name_ + " has " + std::to_string(triangles) + " triangles on " + std::to_string(vertices) +
           " vertices, more than a surface in a file of its size has; it is damaged: export it "
           "again.");
}

void PolygonSoup::reserve(std::size_t vertices, std::size_t triangles) {
  requireRoom(vertex_.size() + vertices, soup_.triangles() + triangles);
  vertex_.reserve(vertex_.size() + vertices);
  soup_.corner.reserve(soup_.corner.size() + 3 * triangles);
}

void PolygonSoup::addVertex(const Double3& point) {
  if (vertex_.size() == vertex_.capacity()) requireRoom(2 * vertex_.size(), soup_.triangles());
  vertex_.push_back(point);
}

void PolygonSoup::requireVertex(std::int64_t index) const {
  if (index >= 0 && static_cast<std::uint64_t>(index) < vertex_.size()) return;
  fail(ExitCode::BadInput, name_ + " has a face of vertex " + std::to_string(index) +
                               " (the first is 0), expected is one of the " +
                               std::to_string(vertex_.size()) +
                               " before it; it is damaged: export it again.");
}

void PolygonSoup::addTriangle(std::int64_t a, std::int64_t b, std::int64_t c) {
  if (soup_.corner.size() + 3 > soup_.corner.capacity())
    requireRoom(vertex_.size(), std::max<std::size_t>(2 * soup_.triangles(), 1));
  for (const std::int64_t index : {a, b, c})
    soup_.corner.push_back({std::bit_cast<float>(static_cast<std::uint32_t>(index)), 0.0F, 0.0F});
}

void PolygonSoup::addPolygon(std::span<const std::int64_t> ring) {
  for (const std::int64_t index : ring) requireVertex(index);
  if (ring.size() == 3) return addTriangle(ring[0], ring[1], ring[2]);
  ring_.clear();
  places_.clear();
  for (const std::int64_t index : ring) ring_.push_back(vertex_[static_cast<std::size_t>(index)]);
  triangulate(ring_, places_);
  for (const auto& place : places_) addTriangle(ring[place[0]], ring[place[1]], ring[place[2]]);
}

void PolygonSoup::addStrip(std::span<const std::int64_t> strip) {
  for (const std::int64_t index : strip) requireVertex(index);
  for (std::size_t i = 0; i + 2 < strip.size(); ++i)
    addTriangle(strip[i + i % 2], strip[i + 1 - i % 2], strip[i + 2]);
}

std::uint32_t PolygonSoup::indexAt(std::size_t corner) const {
  return std::bit_cast<std::uint32_t>(soup_.corner[corner][0]);
}

TriangleSoup PolygonSoup::finish() && {
  if (soup_.corner.empty())
    fail(ExitCode::BadInput, name_ + " holds " + std::to_string(vertex_.size()) +
                                 " vertices but no faces; export the surface with its faces.");
  const auto refuse = [&](std::size_t vertex) {
    fail(ExitCode::BadInput,
         name_ + " has a coordinate that is not a finite number in the range of floats in vertex " +
             std::to_string(vertex + 1) + " of " + std::to_string(vertex_.size()) +
             "; export it again.");
  };
  const auto isFinite = [](const auto& p) {
    return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
  };
  for (std::size_t v = 0; v < vertex_.size(); ++v)
    if (!isFinite(vertex_[v])) refuse(v);
  soup_.origin = originFor(vertex_);
  for (std::size_t i = 0; i < soup_.corner.size(); ++i) {
    const std::uint32_t vertex = indexAt(i);
    soup_.corner[i] = relativeTo(soup_.origin, vertex_[vertex]);
    if (!isFinite(soup_.corner[i])) refuse(vertex);
  }
  return std::move(soup_);
}

}  // namespace tessera
