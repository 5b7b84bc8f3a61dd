// SPDX-License-Identifier: GPL-3.0-or-later
// What the formats with shared vertices (PLY, OBJ, OFF, VTP) are gathered in.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "preprocess/read/surface/triangle_soup.hpp"

namespace tessera::preprocess::read {

// Names a soup can have; as many as there are labels of walls.
constexpr std::size_t maxFaceNames = 32768;

class PolygonSoup {
 public:
  // Of a polygon: what triangulate() works with, 100 bytes each, must fit beside the soup.
  static constexpr std::size_t mostCorners = 1'000'000;

  // fileBytes: what the memory is measured by. name: of the file, for sentences. besideTriangle:
  // bytes that the reader holds for each triangle.
  PolygonSoup(std::size_t fileBytes, std::string name, std::size_t besideTriangle = 0)
      : fileBytes_(fileBytes),
        name_(std::move(name)),
        triangleBytes_(3 * sizeof(Float3) + besideTriangle) {}

  // For data that was compressed in the file.
  void addFileBytes(std::size_t bytes) { fileBytes_ += bytes; }
  // What the reader holds beside the soup from now on, all in all: to be said before a list of
  // indices or an array of the file is allocated. Throws StageError(BadInput) as addPolygon does.
  void holdBeside(std::size_t bytes);
  void reserve(std::size_t vertices, std::size_t triangles);
  void addVertex(const Double3& point);
  [[nodiscard]] std::size_t vertices() const { return vertex_.size(); }
  [[nodiscard]] std::size_t triangles() const { return soup_.triangles(); }

  // Vertices of the polygon in order, counted from 0; below three corners nothing is added. Throws
  // StageError(BadInput) for a vertex that there is not, for more than a million corners, and where
  // memory would exceed four times the file by 256 MB (a surface has about two triangles a vertex).
  void addPolygon(std::span<const std::int64_t> ring);
  // Triangles of which each shares two vertices with the one before it, wound alternately.
  void addStrip(std::span<const std::int64_t> strip);

  // The triangles; where a coordinate is not finite or there are no triangles StageError(BadInput).
  TriangleSoup finish() &&;

 private:
  void addTriangle(std::int64_t a, std::int64_t b, std::int64_t c);
  void requireVertex(std::int64_t index) const;
  [[nodiscard]] std::size_t held() const;
  [[nodiscard]] std::size_t most() const;
  void growVertices(std::size_t wanted);
  void growTriangles(std::size_t wanted);
  [[noreturn]] void refuseSize(std::size_t vertices, std::size_t triangles) const;
  [[nodiscard]] std::uint32_t indexAt(std::size_t corner) const;

  std::size_t fileBytes_;
  std::string name_;
  std::size_t triangleBytes_;
  std::size_t beside_ = 0;
  std::vector<Double3> vertex_;
  // Until all vertices are known the first coordinate of each corner holds the bits of its index,
  // which saves a third of the memory.
  TriangleSoup soup_;
  std::vector<Double3> ring_;
  std::vector<std::array<std::uint32_t, 3>> places_;
};

}  // namespace tessera::preprocess::read
