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

void addDebris(const geometry::TriangleMesh& mesh, std::uint32_t t, bool isOfFile,
               DebrisPart& part) {
  const double size = 0.5 * length(geometry::areaVector(mesh, t));
  if (isOfFile) part.area += size;
  part.closed.area += size;
  for (const std::uint32_t v : mesh.triangle[t])
    part.closed.centre = part.closed.centre + (size / 3.0) * mesh.vertex[v];
}

}  // namespace

std::vector<DebrisPart> debrisParts(const geometry::TriangleMesh& mesh, const Parts& parts,
                                    const std::vector<char>& isDebris, std::uint32_t ofFile) {
  std::vector<DebrisPart> all(parts.part.size());
  for (std::uint32_t t = 0; t < mesh.triangle.size(); ++t) {
    const std::size_t part = parts.ofTriangle[t];
    if (isDebris[part] == 0) continue;
    addDebris(mesh, t, t < ofFile, all[part]);
    if (!mesh.label.empty() && t < ofFile) all[part].closed.face = mesh.label[t];
  }
  std::erase_if(all, [](const DebrisPart& part) { return !(part.closed.area > 0.0); });
  for (DebrisPart& part : all) part.closed.centre = (1.0 / part.closed.area) * part.closed.centre;
  return all;
}

bool isSeparateCap(const geometry::TriangleMesh& mesh, const Cap& cap, const DebrisPart& part) {
  return !isRing(part.area, part.closed.area) && liesOver(mesh, cap, part.closed);
}

std::string describeDebris(const geometry::TriangleMesh& mesh, const Parts& parts,
                           const std::vector<char>& isDebris, const std::vector<Cap>& caps,
                           std::uint32_t ofFile) {
  constexpr double shareToMention = 0.002;  // of the area
  if (!mesh.label.empty()) return "";
  const double least = shareToMention * geometry::surfaceArea(mesh);
  const std::vector<DebrisPart> debris = debrisParts(mesh, parts, isDebris, ofFile);
  const DebrisPart* largest = nullptr;
  for (const DebrisPart& part : debris) {
    if (!(part.area > std::max(least, largest != nullptr ? largest->area : 0.0))) continue;
    const bool isCap = std::any_of(caps.begin(), caps.end(), [&](const Cap& cap) {
      return isDebris[parts.ofTriangle[cap.triangle.front()]] == 0 &&
             isSeparateCap(mesh, cap, part);
    });
    if (!isCap) largest = &part;
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
