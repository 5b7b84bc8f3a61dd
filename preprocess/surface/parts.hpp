// SPDX-License-Identifier: GPL-3.0-or-later
// The connected parts of a mesh: triangles that hang together by shared vertices.
#pragma once

#include <cstdint>
#include <vector>

#include "preprocess/surface/mesh.hpp"

namespace tessera {

struct Part {
  std::uint32_t vertex = 0;  // its lowest
  std::uint64_t triangles = 0;
  double area = 0.0;    // m2
  double volume = 0.0;  // m3, signed
  Double3 low{1e300, 1e300, 1e300};
  Double3 high{-1e300, -1e300, -1e300};
};

struct Parts {
  std::vector<Part> part;                 // by ascending lowest vertex
  std::vector<std::uint32_t> ofTriangle;  // index of the part
};

Parts partsOf(const TriangleMesh& mesh);

}  // namespace tessera
