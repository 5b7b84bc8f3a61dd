// SPDX-License-Identifier: GPL-3.0-or-later
#include "openvdb_oracle.hpp"

#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>

#include <algorithm>

namespace tessera::test {

namespace {

// A mesh as tools::meshToVolume asks for it, in double precision and without a copy.
struct MeshAdapter {
  const TriangleMesh& mesh;
  [[nodiscard]] std::size_t polygonCount() const { return mesh.triangle.size(); }
  [[nodiscard]] std::size_t pointCount() const { return mesh.vertex.size(); }
  [[nodiscard]] std::size_t vertexCount(std::size_t) const { return 3; }
  void getIndexSpacePoint(std::size_t triangle, std::size_t corner, openvdb::Vec3d& point) const {
    const Double3& v = mesh.vertex[mesh.triangle[triangle][corner]];
    point = openvdb::Vec3d(v[0], v[1], v[2]);
  }
};

void setBox(BitLattice& inside, const openvdb::CoordBBox& box) {
  const auto clipped = [&](int axis) {
    return std::pair(std::max(box.min()[axis], 0),
                     std::min(box.max()[axis], inside.size[static_cast<std::size_t>(axis)] - 1));
  };
  const auto [x0, x1] = clipped(0);
  const auto [y0, y1] = clipped(1);
  const auto [z0, z1] = clipped(2);
  for (int z = z0; z <= z1; ++z)
    for (int y = y0; y <= y1; ++y)
      for (int x = x0; x <= x1; ++x) inside.set(x, y, z);
}

}  // namespace

BitLattice insideByOpenVdb(const TriangleMesh& mesh, const Int3& nodes, float band) {
  openvdb::initialize();
  const auto grid = openvdb::tools::meshToVolume<openvdb::FloatGrid>(
      MeshAdapter{mesh}, *openvdb::math::Transform::createLinearTransform(1.0), band, band);
  BitLattice inside(nodes);
  for (auto value = grid->cbeginValueAll(); value; ++value)
    if (*value < 0.0F) setBox(inside, value.getBoundingBox());
  return inside;
}

}  // namespace tessera::test
