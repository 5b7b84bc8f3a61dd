// SPDX-License-Identifier: GPL-3.0-or-later
// Collects vertices and polygons of formats with shared vertices (PLY, OBJ, OFF, VTK) as triangles.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "preprocess/read/surface/triangle_soup.hpp"

namespace tessera::preprocess::read {

// Largest number of face names: as many as there are wall labels.
constexpr std::size_t maxFaceNames = 32768;

class PolygonSoup {
 public:
  // Limit for one polygon: triangulate() takes 100 bytes per corner.
  static constexpr std::size_t maxCorners = 1'000'000;

  // fileBytes: size of the file, on which the memory limit depends. name: of the file, for
  // messages. readerTriangleBytes: bytes that the reader keeps per triangle.
  PolygonSoup(std::size_t fileBytes, std::string name, std::size_t readerTriangleBytes = 0)
      : fileBytes_(fileBytes),
        name_(std::move(name)),
        triangleBytes_(3 * sizeof(Float3) + readerTriangleBytes) {}

  // Raises the limit for data that was compressed in the file.
  void addFileBytes(std::size_t bytes) { fileBytes_ += bytes; }
  // Sets the bytes that the reader holds for lists and arrays; to be called before they are
  // allocated. Throws StageError(BadInput) as addPolygon does.
  void chargeReader(std::size_t bytes);
  void reserve(std::size_t vertices, std::size_t triangles);
  void addVertex(const Double3& point);
  [[nodiscard]] std::size_t vertices() const { return vertex_.size(); }
  [[nodiscard]] std::size_t triangles() const { return soup_.triangles(); }

  // Vertices of the polygon in order, counted from 0; ignored below three corners. Throws
  // StageError(BadInput) for a missing vertex, for more than a million corners, and where memory
  // would exceed four times the file plus 256 MB (a surface has about two triangles per vertex).
  void addPolygon(std::span<const std::int64_t> ring);
  // Triangle strip: each triangle shares two vertices with its predecessor, alternately wound.
  void addStrip(std::span<const std::int64_t> strip);

  // Throws StageError(BadInput) when a coordinate is not finite or there are no triangles.
  TriangleSoup finish() &&;

 private:
  void addTriangle(std::int64_t a, std::int64_t b, std::int64_t c);
  void requireVertex(std::int64_t index) const;
  [[nodiscard]] std::size_t usedBytes() const;
  [[nodiscard]] std::size_t limitBytes() const;
  void growVertices(std::size_t wanted);
  void growTriangles(std::size_t wanted);
  [[noreturn]] void refuseSize(std::size_t vertices, std::size_t triangles) const;
  [[nodiscard]] std::uint32_t indexAt(std::size_t corner) const;

  std::size_t fileBytes_;
  std::string name_;
  std::size_t triangleBytes_;
  std::size_t readerBytes_ = 0;
  std::vector<Double3> vertex_;
  // Until all vertices are known the first coordinate of each corner stores the bits of its index,
  // which saves a third of the memory.
  TriangleSoup soup_;
  std::vector<Double3> ring_;
  std::vector<std::array<std::uint32_t, 3>> corners_;
};

// Face names of a surface, numbered in order of first use.

class FaceNames {
 public:
  // Beyond maxFaceNames names all further ones share a number and areTooMany() is true.
  std::uint16_t numberOf(std::string_view name) {
    if (name_.size() > maxFaceNames) return static_cast<std::uint16_t>(maxFaceNames);
    const auto [at, isNew] =
        number_.try_emplace(std::string(name), static_cast<std::uint16_t>(name_.size()));
    if (isNew) name_.emplace_back(name);
    return at->second;
  }
  [[nodiscard]] bool areUseful() const { return name_.size() > 1 && !areTooMany(); }
  [[nodiscard]] bool areTooMany() const { return name_.size() > maxFaceNames; }
  [[nodiscard]] const std::vector<std::string>& names() const { return name_; }

 private:
  std::unordered_map<std::string, std::uint16_t> number_;
  std::vector<std::string> name_;
};

}  // namespace tessera::preprocess::read
