// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts triangles into slabs, with copies for links across periodic ends.
#include "preprocess/lattice/links/slabbed_surface.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "pipelines/stage/error.hpp"

namespace tessera::preprocess::lattice {

using std::size_t;

namespace {

// Vertices of sheets, of which parts may lie in the wall and out of the box.
void snapSheets(std::span<const Double3> vertex, std::vector<Fixed3>& snapped) {
  constexpr double farthest = 12288.0;  // nodes: 1.5 times the largest box
  for (const Double3& v : vertex) {
    Fixed3& at = snapped.emplace_back();
    for (size_t a = 0; a < 3; ++a) {
      if (!(std::abs(v[a]) <= farthest))
        stage::fail(stage::ExitCode::BadInput,
                    "a sheet of the surface reaches too far out of the vessel; shorten it, or "
                    "leave sheets out with --sheets drop.");
      at[a] = static_cast<std::int32_t>(std::floor(v[a] * fixedOne + 0.5));
    }
  }
}

}  // namespace

SlabbedSurface::SlabbedSurface(const WallMesh& walls, const Int3& nodes,
                               const std::array<bool, 3>& periodic, int planes)
    : walls_(walls), mesh_(walls.mesh), planes_(planes) {
  const geometry::TriangleMesh& mesh = walls.mesh;
  const std::span<const Double3> vertex(mesh.vertex);
  vertex_ = snapVertices(vertex.first(walls.closedVertices), nodes);
  snapSheets(vertex.subspan(walls.closedVertices), vertex_);
  addCopies(nodes, periodic);
  const auto slabs = static_cast<size_t>((nodes[2] + planes - 1) / planes);
  constexpr auto reach = static_cast<std::int32_t>((1.0 + 2.0 * linkWindow) * fixedOne);
  bins_ = sortIntoBins(mesh.triangle.size() + copies_.size(), slabs, [&](size_t index) {
    const Copy copy = copyOf(index);
    const auto& [a, b, c] = mesh.triangle[copy.triangle];
    const auto [low, high] = std::minmax({vertex_[a][2], vertex_[b][2], vertex_[c][2]});
    const std::int32_t shift = copy.shift[2] * fixedOne;
    const int first = std::max(nodeAtOrAfter(low + shift - reach), 0);
    const int last = std::min(nodeAtOrBefore(high + shift + reach), nodes[2] - 1);
    return first > last ? std::pair(0, -1) : std::pair(first / planes, last / planes);
  });
}

// Copies triangles for links across an end of a periodic axis.
void SlabbedSurface::addCopies(const Int3& nodes, const std::array<bool, 3>& periodic) {
  for (size_t axis = 0; axis < 3; ++axis) {
    if (!periodic[axis]) continue;
    const size_t before = mesh_.triangle.size() + copies_.size();
    for (size_t index = 0; index < before; ++index) {
      const Copy copy = copyOf(index);
      const auto& [a, b, c] = mesh_.triangle[copy.triangle];
      const auto [low, high] = std::minmax({vertex_[a][axis], vertex_[b][axis], vertex_[c][axis]});
      Copy up = copy;
      up.shift[axis] += nodes[axis];
      if (low <= fixedOne) copies_.push_back(up);
      Copy down = copy;
      down.shift[axis] -= nodes[axis];
      if (high >= (nodes[axis] - 2) * fixedOne) copies_.push_back(down);
    }
  }
}

std::vector<NearTriangle> SlabbedSurface::triangles(size_t slab) const {
  std::vector<NearTriangle> near;
  near.reserve(bins_[slab].size());
  for (std::uint32_t index : bins_[slab]) {
    const Copy copy = copyOf(index);
    NearTriangle triangle;
    for (size_t k = 0; k < 3; ++k)
      for (size_t axis = 0; axis < 3; ++axis)
        triangle.corner[k][axis] =
            vertex_[mesh_.triangle[copy.triangle][k]][axis] + copy.shift[axis] * fixedOne;
    const Double3 area = geometry::areaVector(mesh_, copy.triangle);
    const double size = length(area);
    if (size > 0.0) triangle.normal = 1.0 / size * area;
    const Double3 shift{static_cast<double>(copy.shift[0]), static_cast<double>(copy.shift[1]),
                        static_cast<double>(copy.shift[2])};
    triangle.offset = dot(triangle.normal, mesh_.vertex[mesh_.triangle[copy.triangle][0]] + shift);
    triangle.patch = mesh_.label.empty() ? geometry::Patch{0} : mesh_.label[copy.triangle];
    triangle.index = index;
    triangle.isSheet = walls_.isSheet(copy.triangle);
    near.push_back(triangle);
  }
  return near;
}

}  // namespace tessera::preprocess::lattice
