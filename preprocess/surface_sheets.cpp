// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface_sheets.hpp"

#include <algorithm>
#include <utility>

namespace tessera::preprocess {

geometry::TriangleMesh sheetsInLattice(geometry::TriangleMesh sheets, const geometry::Frame& frame,
                                       const Int3& nodes) {
  for (Double3& vertex : sheets.vertex) vertex = frame.toLattice(vertex);
  geometry::dropTriangles(sheets, [&](std::size_t t) {
    for (std::size_t a = 0; a < 3; ++a) {
      const auto& [i, j, k] = sheets.triangle[t];
      const auto [low, high] =
          std::minmax({sheets.vertex[i][a], sheets.vertex[j][a], sheets.vertex[k][a]});
      if (high < -1.0 || low > nodes[a]) return true;
    }
    return false;
  });
  geometry::dropUnusedVertices(sheets);
  return sheets;
}

void addBothSides(const geometry::TriangleMesh& sheets, geometry::Surface& surface) {
  for (const bool isBack : {false, true}) {
    const auto shift = static_cast<std::uint32_t>(surface.vertex.size());
    for (const Double3& v : sheets.vertex)
      surface.vertex.push_back(
          {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])});
    for (std::size_t t = 0; t < sheets.triangle.size(); ++t) {
      auto [a, b, c] = sheets.triangle[t];
      if (isBack) std::swap(b, c);
      surface.triangle.push_back({a + shift, b + shift, c + shift});
      surface.label.push_back(sheets.label[t]);
    }
  }
  surface.sheetTriangles = 2 * sheets.triangle.size();
}

}  // namespace tessera::preprocess
