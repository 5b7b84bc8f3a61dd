// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/repair/separate_caps.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tessera::preprocess::surface {

std::vector<FlatPart> flatPartsOf(const geometry::TriangleMesh& mesh, const Parts& parts,
                                  std::uint32_t ofFile) {
  if (mesh.label.empty() || parts.part.size() < 2) return {};
  std::vector<FlatPart> sheets(parts.part.size());
  std::vector<double> own(sheets.size(), 0.0);  // m2, of triangles of the file
  for (std::size_t t = mesh.triangle.size(); t-- > 0;) {
    FlatPart& sheet = sheets[parts.ofTriangle[t]];
    const double area = 0.5 * length(geometry::areaVector(mesh, t));
    sheet.area += area;
    if (t < ofFile) own[parts.ofTriangle[t]] += area;
    for (const std::uint32_t v : mesh.triangle[t])
      sheet.centre = sheet.centre + (area / 3.0) * mesh.vertex[v];
    sheet.face = mesh.label[t];  // finally of the first triangle
  }
  std::vector<FlatPart> flat;
  for (std::size_t k = 0; k < sheets.size(); ++k) {
    const double volume = std::abs(parts.part[k].volume);
    if (!(sheets[k].area > 0.0) || volume > 1e-3 * sheets[k].area * std::sqrt(sheets[k].area) ||
        isRing(own[k], sheets[k].area))
      continue;
    sheets[k].centre = (1.0 / sheets[k].area) * sheets[k].centre;
    flat.push_back(sheets[k]);
  }
  return flat;
}

bool liesOver(const geometry::TriangleMesh& mesh, const Cap& cap, const FlatPart& part) {
  double area = 0.0;
  Double3 centre{};
  for (const std::uint32_t t : cap.triangle) {
    const double share = 0.5 * length(geometry::areaVector(mesh, t));
    area += share;
    for (const std::uint32_t v : mesh.triangle[t]) centre = centre + (share / 3.0) * mesh.vertex[v];
  }
  centre = (1.0 / area) * centre;
  const double radius = std::sqrt(area / std::numbers::pi);
  return length(part.centre - centre) < 0.2 * radius && part.area > 1.4 * area &&
         part.area < 2.6 * area;
}

void assignSeparateCaps(const geometry::TriangleMesh& mesh, const std::vector<FlatPart>& sheets,
                        std::vector<Cap>& caps) {
  for (Cap& cap : caps) {
    if (cap.origin != CapOrigin::Loop) continue;
    const auto sheet = std::find_if(sheets.begin(), sheets.end(), [&](const FlatPart& candidate) {
      return liesOver(mesh, cap, candidate);
    });
    if (sheet != sheets.end()) cap.face = sheet->face;
  }
}

}  // namespace tessera::preprocess::surface
