// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/repair/close_surface.hpp"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/triangulate_hole.h>
#include <CGAL/utility.h>

#include <iterator>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::preprocess::surface {

std::vector<stage::Triangle> fillHole(std::span<const Double3> rim) {
  using Point = CGAL::Exact_predicates_inexact_constructions_kernel::Point_3;
  constexpr std::size_t longestRim = 3000;
  if (rim.size() > longestRim) return {};
  std::vector<Point> points;
  for (const Double3& p : rim) points.emplace_back(p[0], p[1], p[2]);
  std::vector<CGAL::Triple<int, int, int>> found;
  try {
    CGAL::Polygon_mesh_processing::triangulate_hole_polyline(points, std::back_inserter(found));
  } catch (const std::exception& error) {
    stage::logDetail(
        fmt::format("a hole of {} edges is closed with a fan: {}", rim.size(), error.what()));
    return {};
  }
  std::vector<stage::Triangle> triangles;
  for (const auto& t : found)
    triangles.push_back({static_cast<std::uint32_t>(t.first), static_cast<std::uint32_t>(t.second),
                         static_cast<std::uint32_t>(t.third)});
  return triangles;
}

}  // namespace tessera::preprocess::surface
