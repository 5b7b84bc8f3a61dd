// SPDX-License-Identifier: GPL-3.0-or-later
// Surface between fluid and solid voxels as a surface net (surface_net.hpp): a quad per face
// between the two, a vertex per sheet of the surface in a cell between 8 voxel centres. Vertices
// may move within their cells. Every voxel centre then keeps its side: the quad of a voxel pair
// stays in the four cells around the line between their centres, so it crosses that line and no
// other. With all vertices at the cells' centres the quads are the voxel faces.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "preprocess/geometry/bit_lattice.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::mesher {

// Lengths in voxels, voxel centres at integers. Where the fluid reaches a side of the image the net
// is closed by a flat cap half a voxel beyond the last centres. It continues across the ends of a
// periodic axis, with vertices in the plane of the end, half a voxel beyond.
struct LabelNet {
  static constexpr std::uint8_t wall = 0xff;
  struct Quad {
    std::array<std::uint32_t, 4> vertex{};  // counter-clockwise from outside of the fluid
    std::uint16_t low = 0;     // bit 3 k + a: corner k lies at the low end of periodic axis a
    std::uint8_t side = wall;  // or 2 * axis (+ 1) on the low (high) side of the image
  };
  Int3 size{};  // voxels
  std::array<bool, 3> periodic{};
  std::vector<Int3> cell;      // of each vertex: voxel at its lower corner, from -1
  std::vector<Float3> offset;  // of each vertex from the centre of its cell, within +-0.5
  std::vector<Quad> quad;      // in a deterministic order

  // Whether a vertex cannot move along an axis, being on a side or an end.
  [[nodiscard]] bool isFixed(std::size_t vertex, std::size_t axis) const {
    return cell[vertex][axis] == -1 || cell[vertex][axis] == size[axis] - 1;
  }
  // low: the three bits of a quad's corner.
  [[nodiscard]] Double3 position(std::uint32_t vertex, unsigned low) const {
    Double3 at{};
    for (std::size_t a = 0; a < 3; ++a)
      at[a] = cell[vertex][a] + 0.5 + static_cast<double>(offset[vertex][a]) -
              ((low >> a & 1U) != 0 ? size[a] : 0);
    return at;
  }
  [[nodiscard]] Double3 position(const Quad& q, std::size_t corner) const {
    return position(q.vertex[corner], static_cast<unsigned>(q.low) >> (3 * corner) & 7U);
  }
};

// Throws StageError(NoResource) for 2^32 or more vertices. Independent of the number of threads.
LabelNet labelNet(const geometry::BitLattice& fluid, const std::array<bool, 3>& periodic);

// Connectivity of a label net: smoothing stencils and connected parts.

// Smoothing neighbours: for wall vertices all neighbours; on the rim of a cap the two along the
// rim, so that a tube may meet the image's side at any angle; none within a cap.
struct NetLinks {
  std::vector<std::uint32_t> start;  // index into `to` by vertex, and the end
  std::vector<std::uint32_t> to;
  std::vector<Float3> meanStep;  // mean step to the neighbours' cells, voxels
};
NetLinks linksOfNet(const LabelNet& net);

// Connected parts of the surface, caps included; or of its caps alone.
struct NetParts {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint64_t count = 0;
  std::vector<std::uint32_t> of;  // by vertex; none: in no such quad
};
NetParts partsOfNet(const LabelNet& net);
NetParts capsOfNet(const LabelNet& net);

// Triangle mesh of the net in image coordinates (m); open at the ends of periodic axes. side: by
// triangle, as in LabelNet::Quad.
struct NetMesh {
  geometry::TriangleMesh mesh;
  std::vector<std::uint8_t> side;
};
NetMesh meshOfNet(const LabelNet& net, const Double3& voxel);

}  // namespace tessera::preprocess::mesher
