// SPDX-License-Identifier: GPL-3.0-or-later
// Result of the surface readers: unconnected triangles.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/frame.hpp"

namespace tessera::preprocess::read {

// Three corners per triangle in the file's order and unit.
struct TriangleSoup {
  std::vector<Float3> corner;       // relative to origin
  Double3 origin{0.0, 0.0, 0.0};    // in the file's unit; not zero where floats lack precision
  std::vector<std::uint16_t> face;  // per triangle, index into faceName; empty without named faces
  std::vector<std::string> faceName;  // e.g. "face3" of ModelFaceID 3
  std::string space;                  // "LPS", "RAS", or empty if unknown
  double ownUnit = 0.0;  // of the file, m, where it defines one (3MF); coordinates are then in mm
  [[nodiscard]] std::size_t triangles() const { return corner.size() / 3; }
};

// Origin of a soup's coordinates, so that single precision suffices: zero if every coordinate is a
// float, or none is farther from zero than four times the longest extent (floats then resolve 2^-22
// of it, a quarter of weld()'s tolerance); else the centre of the bounding box. Coordinates must be
// finite.
Double3 originFor(std::span<const Double3> points);

Float3 relativeTo(const Double3& origin, const Double3& point);

// "RAS" or "LPS" after "SPACE=", as written by 3D Slicer into the header's text; else empty.
std::string spaceIn(std::string_view line);

// Unit of coordinates, m.
struct SoupUnit {
  double metres = 1e-3;
  bool isOfFiles = false;  // given by the user for files that define theirs: another one is refused
};

// Reads all files into one soup, in that unit; those that define theirs are converted to it. With
// several files, a file without named faces becomes one face named by its stem. A name that an
// earlier file uses becomes name_2, name_3 ..., in file order. Throws StageError(BadInput), (Usage)
// for a file in another unit than the given one.
TriangleSoup readSurfaces(const std::vector<std::filesystem::path>& paths,
                          const SoupUnit& unit = {});

// Unique names of faces and openings: the name, or the first free one of name_2, name_3 ...; marks
// it as taken.
inline std::string takeName(std::unordered_set<std::string>& taken, const std::string& name) {
  std::string free = name;
  for (int k = 2; !taken.insert(free).second; ++k) free = fmt::format("{}_{}", name, k);
  return free;
}

}  // namespace tessera::preprocess::read
