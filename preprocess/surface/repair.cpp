// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/repair.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>

#include "pipelines/stage/error.hpp"
#include "preprocess/surface/close_surface.hpp"
#include "preprocess/surface/edge_table.hpp"
#include "preprocess/surface/mesh_measure.hpp"
#include "preprocess/surface/orient.hpp"
#include "preprocess/surface/weld.hpp"

namespace tessera {
namespace {

// Drops triangles that another one has the vertices of; a pair wound against each other is a wall
// without thickness and goes altogether. Only where more than two meet on each edge.
std::uint64_t dropDuplicates(TriangleMesh& mesh, const EdgeTable& edges) {
  std::vector<std::uint8_t> crowded(mesh.triangle.size(), 0);
  for (std::uint32_t v = 0; v < mesh.vertex.size(); ++v)
    edges.forEdgesOf(v, [&](std::uint32_t, std::uint32_t, auto ends) {
      if (ends.size() > 2)
        for (const EdgeTable::End& end : ends) ++crowded[end.half / 3];
    });
  std::map<Triangle, std::vector<std::uint32_t>> alike;
  for (std::uint32_t t = 0; t < mesh.triangle.size(); ++t) {
    if (crowded[t] != 3) continue;
    Triangle key = mesh.triangle[t];
    std::sort(key.begin(), key.end());
    alike[key].push_back(t);
  }
  const auto isEven = [&](std::uint32_t t) {
    const Triangle& c = mesh.triangle[t];
    return ((c[0] > c[1]) + (c[0] > c[2]) + (c[1] > c[2])) % 2 == 0;
  };
  std::vector<std::uint8_t> drop(mesh.triangle.size(), 0);
  for (const auto& [key, triangles] : alike) {
    const auto even = std::count_if(triangles.begin(), triangles.end(), isEven);
    const bool cancels = 2 * static_cast<std::size_t>(even) == triangles.size();
    for (std::size_t i = cancels ? 0 : 1; i < triangles.size(); ++i) drop[triangles[i]] = 1;
  }
  return dropTriangles(mesh, [&](std::size_t t) { return drop[t] != 0; });
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %%", 100.0 * share);
  return text;
}

// Refuses a surface of which too much would have to be invented.
void requireClosable(const TriangleMesh& mesh, const EdgeTable& table,
                     const std::vector<BoundaryLoop>& loops, const std::string& name) {
  const double area = surfaceArea(mesh);
  const auto edges = static_cast<double>(countEdges(table));
  double holeEdges = 0.0, holeArea = 0.0;
  for (const BoundaryLoop& loop : loops) {
    if (isOpening(loop)) continue;
    holeEdges += static_cast<double>(loop.vertex.size());
    holeArea += loop.fanArea;
    if (loop.fanArea > 0.01 * area && loop.outOfPlane > 0.25 * loop.radius())
      fail(ExitCode::BadInput,
           name + " cannot be closed: a hole of " + std::to_string(loop.vertex.size()) +
               " edges is too large and too far from a plane to be guessed; close it, or cut the "
               "vessel's ends off straight.");
  }
  if (holeEdges > 0.01 * edges && holeArea > 0.01 * area)
    fail(ExitCode::BadInput, name + " cannot be closed: " + percent(holeEdges / edges) +
                                 " of its edges belong to one triangle or are wound against each "
                                 "other, where at most 1 % can be repaired; it is no surface of a "
                                 "body: mesh it again as one closed surface.");
}

void requireVolume(const TriangleMesh& mesh, const std::string& name) {
  const double area = surfaceArea(mesh);
  if (std::abs(enclosedVolume(mesh)) <= 1e-6 * area * std::sqrt(area))
    fail(ExitCode::BadInput,
         name + " encloses no volume; give the closed surface of the fluid's region.");
}

// Fans over all loops; the caps are those over openings.
std::vector<Cap> closeAll(TriangleMesh& mesh, const std::vector<BoundaryLoop>& loops) {
  std::vector<Cap> caps;
  for (const BoundaryLoop& loop : loops) {
    const std::uint32_t first = closeLoop(mesh, loop);
    if (!isOpening(loop)) continue;
    Cap& cap = caps.emplace_back();
    cap.triangle.resize(mesh.triangle.size() - first);
    std::iota(cap.triangle.begin(), cap.triangle.end(), first);
  }
  return caps;
}

}  // namespace

RepairedMesh repair(const TriangleSoup& soup, double metresPerUnit, const std::string& name) {
  WeldedMesh welded = weld(soup, metresPerUnit);
  TriangleMesh& mesh = welded.mesh;
  if (mesh.triangle.empty()) fail(ExitCode::BadInput, name + " has no triangle with an area.");
  EdgeTable edges = edgesOf(mesh);
  const std::uint64_t stitched = stitch(welded, verticesOfSingleEdges(edges));
  if (stitched > 0) edges = edgesOf(mesh);
  const std::uint64_t duplicates = dropDuplicates(mesh, edges);
  if (duplicates > 0) edges = edgesOf(mesh);
  const std::uint64_t wound = windAlike(mesh, edges);
  if (wound > 0) edges = edgesOf(mesh);
  const std::vector<BoundaryLoop> loops = boundaryLoops(mesh, edges);
  requireClosable(mesh, edges, loops, name);

  RepairedMesh repaired;
  repaired.caps = closeAll(mesh, loops);
  requireVolume(mesh, name);
  const OutwardTurn outward = turnOutward(mesh);
  repaired.mesh = std::move(mesh);
  repaired.tolerance = welded.tolerance;
  repaired.repairs = {{"degenerate_triangles_dropped", welded.degenerate},
                      {"vertices_stitched", stitched},
                      {"duplicate_triangles_dropped", duplicates},
                      {"triangles_turned", wound},
                      {"holes_closed", loops.size() - repaired.caps.size()},
                      {"openings_capped", repaired.caps.size()},
                      {"parts_turned_outward", outward.turned}};
  if (outward.cavities > 0)
    repaired.warnings.push_back(std::to_string(outward.cavities) +
                                " closed part(s) inside another one are kept as solid bodies.");
  return repaired;
}

}  // namespace tessera
