// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/openings/face_caps.hpp"

#include <algorithm>
#include <map>
#include <numbers>

#include "preprocess/surface/openings/cap_rim.hpp"

namespace tessera::preprocess::surface {
namespace {

constexpr double cosFallingAway = 0.9397;  // 20 degrees
constexpr std::uint32_t noPart = ~std::uint32_t{0};

struct Part {
  geometry::Patch face = 0;
  std::vector<std::uint32_t> triangle;
  std::vector<std::uint32_t> rim;
  bool isCandidate = false;
};

// Connected parts of faces, in the order of their first triangles.
struct Parts {
  std::vector<Part> part;
  std::vector<std::uint32_t> partOf;  // by triangle
};

Parts partsOfFaces(const geometry::TriangleMesh& mesh, const std::vector<std::uint32_t>& twin) {
  Parts parts;
  parts.partOf.assign(mesh.triangle.size(), noPart);
  for (std::uint32_t seed = 0; seed < mesh.triangle.size(); ++seed) {
    if (parts.partOf[seed] != noPart) continue;
    const auto index = static_cast<std::uint32_t>(parts.part.size());
    Part part{mesh.label[seed], {seed}, {}, false};
    parts.partOf[seed] = index;
    for (std::size_t i = 0; i < part.triangle.size(); ++i)
      for (std::uint32_t half = 3 * part.triangle[i]; half < 3 * part.triangle[i] + 3; ++half) {
        const std::uint32_t other = twin[half] == noHalfEdge ? noPart : twin[half] / 3;
        const bool within = other != noPart && mesh.label[other] == part.face;
        if (!within) part.rim.push_back(half);
        if (!within || parts.partOf[other] != noPart) continue;
        parts.partOf[other] = index;
        part.triangle.push_back(other);
      }
    parts.part.push_back(std::move(part));
  }
  return parts;
}

bool looksLikeCap(const geometry::TriangleMesh& mesh, const std::vector<std::uint32_t>& twin,
                  const Part& part) {
  Double3 sum{}, middle{};
  for (const std::uint32_t t : part.triangle) {
    const Double3 area = geometry::areaVector(mesh, t);
    sum = sum + 0.5 * area;
    for (const std::uint32_t v : mesh.triangle[t])
      middle = middle + (length(area) / 6.0) * mesh.vertex[v];
  }
  double size = 0.0;
  for (const std::uint32_t t : part.triangle) size += 0.5 * length(geometry::areaVector(mesh, t));
  const double area = length(sum);
  if (!(area > 0.9 * size)) return false;
  const Double3 normal = (1.0 / area) * sum;
  const Double3 centre = (1.0 / size) * middle;
  const double radius = std::sqrt(area / std::numbers::pi);
  for (const std::uint32_t t : part.triangle)
    for (const std::uint32_t v : mesh.triangle[t])
      if (std::abs(dot(mesh.vertex[v] - centre, normal)) > 0.1 * radius) return false;
  if (!isOneLoop(mesh, part.rim)) return false;
  const RimShape rim = rimShape(mesh, twin, part.rim, normal, cosFallingAway);
  return rim.fallingAway >= 0.75 * rim.perimeter &&
         4.0 * std::numbers::pi * area > 0.3 * rim.perimeter * rim.perimeter;
}

bool touchesAnother(const std::vector<std::uint32_t>& twin, const Parts& parts, const Part& part) {
  return std::any_of(part.rim.begin(), part.rim.end(), [&](std::uint32_t half) {
    return twin[half] != noHalfEdge && parts.part[parts.partOf[twin[half] / 3]].isCandidate;
  });
}

// Of face 2 with two ends they are face2_1 and face2_2, not 21 and 22.
std::string numbered(const std::string& name, std::size_t number) {
  const bool endsInDigit = !name.empty() && name.back() >= '0' && name.back() <= '9';
  return name + (endsInDigit ? "_" : "") + std::to_string(number);
}

}  // namespace

FaceCaps findFaceCaps(const geometry::TriangleMesh& mesh,
                      const std::vector<std::string>& faceName) {
  FaceCaps found;
  if (faceName.empty()) return found;
  const std::vector<std::uint32_t> twin = twinsOf(mesh, edgesOf(mesh));
  Parts parts = partsOfFaces(mesh, twin);
  for (Part& part : parts.part) part.isCandidate = looksLikeCap(mesh, twin, part);
  std::map<geometry::Patch, std::vector<const Part*>> capsOf;
  std::size_t touching = 0;
  for (const Part& part : parts.part) {
    if (!part.isCandidate) continue;
    if (touchesAnother(twin, parts, part))
      ++touching;
    else
      capsOf[part.face].push_back(&part);
  }
  for (const auto& [face, list] : capsOf)
    for (std::size_t k = 0; k < list.size(); ++k)
      found.caps.push_back({list[k]->triangle,
                            list.size() > 1 ? numbered(faceName[face], k + 1) : faceName[face],
                            CapOrigin::Face});
  if (touching > 0)
    found.warnings.push_back(std::to_string(touching) +
                             " flat faces of the file touch each other and are taken as walls; "
                             "say which are openings with --faces, e.g. --faces x-,x+.");
  return found;
}

}  // namespace tessera::preprocess::surface
