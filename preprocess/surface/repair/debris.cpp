// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/repair/debris.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/text.hpp"
#include "preprocess/surface/repair/separate_caps.hpp"

namespace tessera::preprocess::surface {

std::vector<char> debrisOf(const Parts& parts) {
  double largest = 0.0;
  for (const Part& part : parts.part) largest = std::max(largest, std::abs(part.volume));
  std::vector<char> isDebris(parts.part.size(), 0);
  for (std::size_t k = 0; k < isDebris.size(); ++k)
    isDebris[k] = std::abs(parts.part[k].volume) <= 1e-6 * largest ? 1 : 0;
  return isDebris;
}

namespace {

struct DebrisPart {
  double area = 0.0;  // m2, of the triangles of the file
  FlatPart closed;    // with those that close its holes
};

void addDebris(const geometry::TriangleMesh& mesh, std::uint32_t t, bool isOfFile,
               DebrisPart& part) {
  const double size = 0.5 * length(geometry::areaVector(mesh, t));
  if (isOfFile) part.area += size;
  part.closed.area += size;
  for (const std::uint32_t v : mesh.triangle[t])
    part.closed.centre = part.closed.centre + (size / 3.0) * mesh.vertex[v];
}

// Whether a part is a cap that is meshed apart from its vessel: a disc, which the fan over its loop
// covers once, where those over a ring's cover more.
bool isSeparateCap(const geometry::TriangleMesh& mesh, const Parts& parts,
                   const std::vector<char>& isDebris, const std::vector<Cap>& caps,
                   const DebrisPart& part) {
  if (part.closed.area > 2.05 * part.area) return false;
  return std::any_of(caps.begin(), caps.end(), [&](const Cap& cap) {
    const bool isOfDebris = isDebris[parts.ofTriangle[cap.triangle.front()]] != 0;
    return !isOfDebris && liesOver(mesh, cap, part.closed);
  });
}

}  // namespace

std::string describeDebris(const geometry::TriangleMesh& mesh, const Parts& parts,
                           const std::vector<char>& isDebris, const std::vector<Cap>& caps,
                           std::uint32_t ofFile) {
  constexpr double shareToMention = 0.002;  // of the area
  if (!mesh.label.empty()) return "";
  std::vector<DebrisPart> debris(parts.part.size());
  for (std::uint32_t t = 0; t < mesh.triangle.size(); ++t)
    if (const std::size_t part = parts.ofTriangle[t]; isDebris[part] != 0)
      addDebris(mesh, t, t < ofFile, debris[part]);
  const double least = shareToMention * geometry::surfaceArea(mesh);
  const DebrisPart* largest = nullptr;
  for (DebrisPart& part : debris) {
    if (!(part.area > std::max(least, largest != nullptr ? largest->area : 0.0))) continue;
    part.closed.centre = (1.0 / part.closed.area) * part.closed.centre;
    if (!isSeparateCap(mesh, parts, isDebris, caps, part)) largest = &part;
  }
  if (largest == nullptr) return "";
  Double3 at = 1e3 * largest->closed.centre;
  for (double& coordinate : at)
    if (std::abs(coordinate) < 1e-6) coordinate = 0.0;  // mm, rounding
  return fmt::format(
      "a part without volume, of {:.4g} mm2 at ({:.4g}, {:.4g}, {:.4g}) mm, was dropped: it lies "
      "in an opening, on the wall or outside of the vessel, while a sheet must lie within it.",
      1e6 * largest->area, at[0], at[1], at[2]);
}

}  // namespace tessera::preprocess::surface
