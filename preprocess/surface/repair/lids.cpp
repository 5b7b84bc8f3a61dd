// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/repair/lids.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tessera::preprocess::surface {
namespace {

struct Sheet {
  Double3 centre{};   // m
  double area = 0.0;  // m2, of both sides
  geometry::Patch face = 0;
};

// The parts without volume.
std::vector<Sheet> sheetsOf(const geometry::TriangleMesh& mesh, const Parts& parts) {
  std::vector<Sheet> sheets(parts.part.size());
  for (std::size_t t = mesh.triangle.size(); t-- > 0;) {
    Sheet& sheet = sheets[parts.ofTriangle[t]];
    const double area = 0.5 * length(geometry::areaVector(mesh, t));
    sheet.area += area;
    for (const std::uint32_t v : mesh.triangle[t])
      sheet.centre = sheet.centre + (area / 3.0) * mesh.vertex[v];
    sheet.face = mesh.label[t];  // in the end of the first triangle
  }
  std::vector<Sheet> flat;
  for (std::size_t k = 0; k < sheets.size(); ++k) {
    const double volume = std::abs(parts.part[k].volume);
    if (!(sheets[k].area > 0.0) || volume > 1e-3 * sheets[k].area * std::sqrt(sheets[k].area))
      continue;
    sheets[k].centre = (1.0 / sheets[k].area) * sheets[k].centre;
    flat.push_back(sheets[k]);
  }
  return flat;
}

}  // namespace

void findLids(const geometry::TriangleMesh& mesh, const Parts& parts, std::vector<Cap>& caps) {
  if (mesh.label.empty() || parts.part.size() < 2) return;
  const std::vector<Sheet> sheets = sheetsOf(mesh, parts);
  for (Cap& cap : caps) {
    if (cap.origin != CapOrigin::Loop) continue;
    double area = 0.0;
    Double3 centre{};
    for (const std::uint32_t t : cap.triangle) {
      const double share = 0.5 * length(geometry::areaVector(mesh, t));
      area += share;
      for (const std::uint32_t v : mesh.triangle[t])
        centre = centre + (share / 3.0) * mesh.vertex[v];
    }
    centre = (1.0 / area) * centre;
    const double radius = std::sqrt(area / std::numbers::pi);
    const auto lid = std::find_if(sheets.begin(), sheets.end(), [&](const Sheet& sheet) {
      return length(sheet.centre - centre) < 0.2 * radius && sheet.area > 1.4 * area &&
             sheet.area < 2.6 * area;
    });
    if (lid != sheets.end()) cap.face = lid->face;
  }
}

}  // namespace tessera::preprocess::surface
