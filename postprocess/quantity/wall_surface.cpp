// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/wall_surface.hpp"

#include <bit>

#include "postprocess/fields/point_numbering.hpp"
#include "postprocess/quantity/refine_surface.hpp"

namespace tessera::postprocess::quantity {

using tiler::TiledGeometry;

namespace {

constexpr double longestEdge = 2.0;  // nodes

WallSurface fromTriangles(const TiledGeometry& geometry) {
  const preprocess::geometry::Surface& surface = geometry.surface;
  WallSurface wall;
  std::vector<std::uint32_t> number(surface.vertex.size(), ~std::uint32_t{0});
  for (std::size_t t = 0; t < surface.triangle.size(); ++t) {
    if (preprocess::geometry::isOpening(surface.label[t])) continue;
    stage::Triangle corner = surface.triangle[t];
    for (std::uint32_t& vertex : corner) {
      if (number[vertex] == ~std::uint32_t{0}) {
        number[vertex] = static_cast<std::uint32_t>(wall.mesh.vertex.size());
        const Float3& place = surface.vertex[vertex];
        wall.mesh.vertex.push_back({place[0], place[1], place[2]});
      }
      vertex = number[vertex];
    }
    wall.mesh.triangle.push_back(corner);
    wall.mesh.label.push_back(surface.label[t]);
  }
  wall.mesh = refineSurface(std::move(wall.mesh), longestEdge);
  wall.normal.reserve(wall.mesh.triangle.size());
  for (std::size_t t = 0; t < wall.mesh.triangle.size(); ++t) {
    const Double3 area = preprocess::geometry::areaVector(wall.mesh, t);
    const double size = length(area);
    wall.normal.push_back(size > 0.0 ? (1.0 / size) * area : Double3{});
  }
  return wall;
}

struct VoxelFace {
  Int3 node{};
  int direction = 0;  // one of the six along an axis
  preprocess::geometry::Patch label = 0;
  Double3 normal{};
};

std::vector<VoxelFace> wallFaces(const TiledGeometry& geometry) {
  std::vector<VoxelFace> faces;
  for (std::size_t t = 0; t < geometry.tiles(); ++t) {
    std::uint64_t link = geometry.linkStart[t];
    for (std::uint64_t k = geometry.boundaryStart[t]; k < geometry.boundaryStart[t + 1]; ++k) {
      for (std::uint32_t rest = geometry.boundaryMask[k]; rest != 0; rest &= rest - 1, ++link) {
        const int n = std::countr_zero(rest);
        const Int3 step = preprocess::geometry::directionStep(n);
        const bool axial = step[0] * step[0] + step[1] * step[1] + step[2] * step[2] == 1;
        const preprocess::geometry::Patch patch = geometry.linkPatch[link];
        if (!axial || preprocess::geometry::isOpening(patch)) continue;
        faces.push_back({geometry.nodeOf(t, geometry.boundaryLocal[k]), n, patch,
                         preprocess::geometry::normalFromCode(geometry.boundaryNormal[k])});
      }
    }
  }
  return faces;
}

// The face's corners, counter-clockwise seen from the solid.
std::array<Int3, 4> cornersOf(const VoxelFace& face) {
  const Int3 step = preprocess::geometry::directionStep(face.direction);
  const std::size_t axis = step[0] != 0 ? 0 : (step[1] != 0 ? 1 : 2);
  const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
  Int3 corner = face.node;
  if (step[axis] > 0) ++corner[axis];
  std::array<Int3, 4> corners{corner, corner, corner, corner};
  ++corners[1][u];
  ++corners[2][u];
  ++corners[2][v];
  ++corners[3][v];
  if (step[axis] < 0) std::swap(corners[1], corners[3]);
  return corners;
}

WallSurface fromVoxels(const TiledGeometry& geometry) {
  const std::vector<VoxelFace> faces = wallFaces(geometry);
  fields::PointNumbering numbering(geometry.nodes);
  for (const VoxelFace& face : faces)
    for (const Int3& corner : cornersOf(face)) numbering.use(corner);
  numbering.number();
  WallSurface wall;
  wall.fromVoxels = true;
  for (const Int3& corner : numbering.corners())
    wall.mesh.vertex.push_back({corner[0] - 0.5, corner[1] - 0.5, corner[2] - 0.5});
  for (const VoxelFace& face : faces) {
    std::array<std::uint32_t, 4> number{};
    const std::array<Int3, 4> corners = cornersOf(face);
    for (std::size_t c = 0; c < 4; ++c)
      number[c] = static_cast<std::uint32_t>(numbering.numberOf(corners[c]));
    wall.mesh.triangle.push_back({number[0], number[1], number[2]});
    wall.mesh.triangle.push_back({number[0], number[2], number[3]});
    for (int half = 0; half < 2; ++half) {
      wall.mesh.label.push_back(face.label);
      wall.normal.push_back(face.normal);
    }
  }
  return wall;
}

}  // namespace

WallSurface wallSurface(const TiledGeometry& geometry) {
  return geometry.surface.triangle.empty() ? fromVoxels(geometry) : fromTriangles(geometry);
}

}  // namespace tessera::postprocess::quantity
