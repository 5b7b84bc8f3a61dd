// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/openings/name_caps.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;

namespace {

struct CapExtent {
  Double3 centre{};   // m
  double area = 0.0;  // m2, sum of its triangles
};

CapExtent extentOf(const TriangleMesh& mesh, const Cap& cap) {
  CapExtent extent;
  for (const std::uint32_t t : cap.triangle) {
    const double share = 0.5 * length(geometry::areaVector(mesh, t));
    extent.area += share;
    for (const std::uint32_t v : mesh.triangle[t])
      extent.centre = extent.centre + (share / 3.0) * mesh.vertex[v];
  }
  extent.centre = (1.0 / extent.area) * extent.centre;
  return extent;
}

const FlatPart* flatPartAt(const CapExtent& cap, std::span<const FlatPart> flatParts) {
  const double radius = std::sqrt(cap.area / std::numbers::pi);
  const auto found = std::find_if(flatParts.begin(), flatParts.end(), [&](const FlatPart& part) {
    return length(part.centre - cap.centre) < 0.2 * radius && part.area > 1.4 * cap.area &&
           part.area < 2.6 * cap.area;
  });
  return found == flatParts.end() ? nullptr : &*found;
}

std::vector<double> areasOfFaces(const TriangleMesh& mesh, std::size_t faces) {
  std::vector<double> area(faces, 0.0);
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t)
    area[mesh.label[t]] += 0.5 * length(geometry::areaVector(mesh, t));
  return area;
}

// Name of the face that covers nine tenths of a cap and lies by half in it; empty: none.
std::string faceOver(const TriangleMesh& mesh, const std::vector<std::string>& faceName,
                     const std::vector<double>& areaOf, const Cap& cap, double area) {
  std::map<geometry::Patch, double> within;
  for (const std::uint32_t t : cap.triangle)
    within[mesh.label[t]] += 0.5 * length(geometry::areaVector(mesh, t));
  for (const auto& [face, part] : within)
    if (part >= 0.9 * area && part >= 0.5 * areaOf[face]) return faceName[face];
  return "";
}

}  // namespace

void nameCaps(const TriangleMesh& mesh, const std::vector<std::string>& faceName,
              std::span<const FlatPart> flatParts, std::vector<Cap>& caps) {
  if (mesh.label.empty() || faceName.empty()) return;
  std::vector<double> areaOf;  // by face
  for (Cap& cap : caps) {
    if (!cap.name.empty() || cap.origin == CapOrigin::Cut) continue;
    const CapExtent extent = extentOf(mesh, cap);
    if (!(extent.area > 0.0)) continue;
    if (const FlatPart* part = flatPartAt(extent, flatParts)) {
      cap.name = faceName[part->face];
      continue;
    }
    if (areaOf.empty()) areaOf = areasOfFaces(mesh, faceName.size());
    cap.name = faceOver(mesh, faceName, areaOf, cap, extent.area);
  }
}

}  // namespace tessera::preprocess::surface
