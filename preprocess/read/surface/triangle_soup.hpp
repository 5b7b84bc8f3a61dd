// SPDX-License-Identifier: GPL-3.0-or-later
// What the readers of surfaces give: loose triangles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "preprocess/geometry/frame.hpp"

namespace tessera::preprocess::read {

// Three corners a triangle in the file's order and unit, nothing shared.
struct TriangleSoup {
  std::vector<Float3> corner;         // relative to origin
  Double3 origin{0.0, 0.0, 0.0};      // in the file's unit; not zero where floats would not do
  std::vector<std::uint16_t> face;    // one a triangle, index of faceName; empty: no faces are told
  std::vector<std::string> faceName;  // e.g. "face3" of ModelFaceID 3
  std::string space;                  // "LPS", "RAS", or empty where the file does not say
  [[nodiscard]] std::size_t triangles() const { return corner.size() / 3; }
};

}  // namespace tessera::preprocess::read
