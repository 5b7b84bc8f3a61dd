// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/mesher/net_mesh.hpp"

#include <algorithm>

#include "preprocess/mesher/surface_net.hpp"

namespace tessera::preprocess::mesher {
namespace {

using std::size_t;

// Vertices that are seen at the low end of a periodic axis, numbered after all others.
struct NetCopies {
  std::vector<std::uint64_t> key;  // 8 * vertex + the axes' bits, ascending
  [[nodiscard]] std::uint32_t vertexOf(const LabelNet& net, const LabelNet::Quad& quad,
                                       size_t corner) const {
    const std::uint32_t vertex = quad.vertex[corner];
    const std::uint64_t low = static_cast<unsigned>(quad.low) >> (3 * corner) & 7U;
    if (low == 0) return vertex;
    const std::uint64_t wanted = 8 * std::uint64_t{vertex} + low;
    const auto at = std::lower_bound(key.begin(), key.end(), wanted);
    return static_cast<std::uint32_t>(net.cell.size() + static_cast<size_t>(at - key.begin()));
  }
};

NetCopies copiesOfNet(const LabelNet& net) {
  NetCopies copies;
  for (const LabelNet::Quad& quad : net.quad)
    for (size_t k = 0; k < 4 && quad.low != 0; ++k)
      if (const unsigned low = static_cast<unsigned>(quad.low) >> (3 * k) & 7U; low != 0)
        copies.key.push_back(8 * std::uint64_t{quad.vertex[k]} + low);
  std::sort(copies.key.begin(), copies.key.end());
  copies.key.erase(std::unique(copies.key.begin(), copies.key.end()), copies.key.end());
  return copies;
}

}  // namespace

NetMesh meshOfNet(const LabelNet& net, const Double3& voxel) {
  NetMesh result;
  const NetCopies copies = copiesOfNet(net);
  geometry::TriangleMesh& mesh = result.mesh;
  mesh.vertex.reserve(net.cell.size() + copies.key.size());
  for (std::uint32_t v = 0; v < net.cell.size(); ++v)
    mesh.vertex.push_back(scaled(net.place(v, 0), voxel));
  for (const std::uint64_t key : copies.key)
    mesh.vertex.push_back(scaled(
        net.place(static_cast<std::uint32_t>(key / 8), static_cast<unsigned>(key % 8)), voxel));
  mesh.triangle.reserve(2 * net.quad.size());
  result.side.reserve(2 * net.quad.size());
  for (const LabelNet::Quad& quad : net.quad) {
    NetQuad corner;
    std::array<Double3, 4> at;
    for (size_t k = 0; k < 4; ++k) {
      corner[k] = copies.vertexOf(net, quad, k);
      at[k] = scaled(net.place(quad, k), voxel);
    }
    for (const auto& half : halvesOf(at)) {
      mesh.triangle.push_back({corner[half[0]], corner[half[1]], corner[half[2]]});
      result.side.push_back(quad.side);
    }
  }
  mesh.label.assign(mesh.triangle.size(), geometry::Patch{0});
  return result;
}

}  // namespace tessera::preprocess::mesher
