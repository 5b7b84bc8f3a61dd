// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/surface/polygon_soup.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/read/surface/triangle_soup.hpp"
#include "preprocess/read/surface/triangulate.hpp"

namespace tessera::preprocess::read {

using stage::ExitCode;
using stage::fail;

std::size_t PolygonSoup::usedBytes() const {
  return vertex_.capacity() * sizeof(Double3) + soup_.corner.capacity() / 3 * triangleBytes_ +
         readerBytes_;
}

// Memory limit, without triangulate()'s working memory and the file itself.
std::size_t PolygonSoup::limitBytes() const {
  return 3 * fileBytes_ + (std::size_t{144} << 20U);
}

void PolygonSoup::refuseSize(std::size_t vertices, std::size_t triangles) const {
  fail(ExitCode::BadInput,
       fmt::format("{} has {} or more triangles on {} vertices, more than a surface in a file of "
                   "its size has; it is damaged: export it again.",
                   name_, triangles, vertices));
}

void PolygonSoup::chargeReader(std::size_t bytes) {
  readerBytes_ = bytes;
  if (bytes <= limitBytes() && usedBytes() <= limitBytes()) return;
  fail(ExitCode::BadInput,
       fmt::format("{} has lists that take {} bytes, more than those of a surface in a file of its "
                   "size; it is damaged: export it again.",
                   name_, bytes));
}

// Both the old and the new array exist while growing.
void PolygonSoup::growVertices(std::size_t wanted) {
  const std::size_t now = vertex_.capacity();
  if (wanted <= now) return;
  const std::size_t room = std::min<std::size_t>(
      (limitBytes() - std::min(limitBytes(), usedBytes())) / sizeof(Double3), ~std::uint32_t{0});
  if (room < wanted) refuseSize(wanted, triangles());
  vertex_.reserve(std::min(std::max(wanted, now + now / 2), room));
}

void PolygonSoup::growTriangles(std::size_t wanted) {
  const std::size_t now = soup_.corner.capacity() / 3;
  if (wanted <= now) return;
  const std::size_t room = (limitBytes() - std::min(limitBytes(), usedBytes())) / triangleBytes_;
  if (room < wanted) refuseSize(vertices(), wanted);
  soup_.corner.reserve(3 * std::min(std::max(wanted, now + now / 2), room));
}

void PolygonSoup::reserve(std::size_t vertices, std::size_t triangles) {
  growVertices(vertex_.size() + vertices);
  growTriangles(soup_.triangles() + triangles);
}

void PolygonSoup::addVertex(const Double3& point) {
  growVertices(vertex_.size() + 1);
  vertex_.push_back(point);
}

void PolygonSoup::requireVertex(std::int64_t index) const {
  if (index >= 0 && static_cast<std::uint64_t>(index) < vertex_.size()) return;
  fail(ExitCode::BadInput, fmt::format("{} has a face of vertex {} (counted from 0), expected one "
                                       "of the {} before it; it is damaged: export it again.",
                                       name_, index, vertex_.size()));
}

void PolygonSoup::addTriangle(std::int64_t a, std::int64_t b, std::int64_t c) {
  growTriangles(soup_.triangles() + 1);
  for (const std::int64_t index : {a, b, c})
    soup_.corner.push_back({std::bit_cast<float>(static_cast<std::uint32_t>(index)), 0.0F, 0.0F});
}

void PolygonSoup::addPolygon(std::span<const std::int64_t> ring) {
  for (const std::int64_t index : ring) requireVertex(index);
  if (ring.size() == 3) return addTriangle(ring[0], ring[1], ring[2]);
  if (ring.size() > maxCorners)
    fail(ExitCode::BadInput,
         fmt::format("{} has a polygon of more than {} corners; triangulate the surface on export.",
                     name_, maxCorners));
  ring_.clear();
  corners_.clear();
  for (const std::int64_t index : ring) ring_.push_back(vertex_[static_cast<std::size_t>(index)]);
  triangulate(ring_, corners_);
  for (const auto& [a, b, c] : corners_) addTriangle(ring[a], ring[b], ring[c]);
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
    fail(ExitCode::BadInput,
         fmt::format("{} holds {} vertices but no faces; export the surface with its faces.", name_,
                     vertex_.size()));
  const auto refuse = [&](std::size_t vertex) {
    fail(ExitCode::BadInput, fmt::format("{} has a coordinate that is not a finite number in the "
                                         "range of floats in vertex {} of {}; export it again.",
                                         name_, vertex + 1, vertex_.size()));
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

}  // namespace tessera::preprocess::read
