// SPDX-License-Identifier: GPL-3.0-or-later
// The surface between fluid and solid voxels as a surface net (surface_net.hpp): a quad for each
// face between the two, a vertex for each sheet of the surface in a cell between 8 voxel centres. A
// vertex may move within its cell.
// As long as it does, every voxel centre stays on its side of the surface: the quad of a pair of
// voxels keeps its corners in the four cells around the line between their centres, so it crosses
// that line and no other. With all vertices in the middle of their cells the quads are the faces.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "preprocess/geometry/bit_lattice.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::mesher {

// Lengths in voxels, voxel centres at whole numbers. Where the fluid reaches a side of the image
// the net is closed there, flat, half a voxel beyond the last centres. It goes on across the ends
// of a periodic axis, with vertices in the plane of the end, half a voxel beyond.
struct LabelNet {
  static constexpr std::uint8_t wall = 0xff;
  struct Quad {
    std::array<std::uint32_t, 4> vertex{};  // counter-clockwise from outside of the fluid
    std::uint16_t low = 0;     // bit 3 k + a: corner k is seen at the low end of periodic axis a
    std::uint8_t side = wall;  // or 2 * axis + 1 (+ 0) on the high (low) side of the image
  };
  Int3 size{};  // voxels
  std::array<bool, 3> periodic{};
  std::vector<Int3> cell;      // of each vertex: voxel at its lower corner, from -1
  std::vector<Float3> offset;  // of each vertex from the middle of its cell, within +-0.5
  std::vector<Quad> quad;      // in an order that depends on the labels alone

  // The axes on which a vertex cannot move, being on a side or an end.
  [[nodiscard]] bool isFixed(std::size_t vertex, std::size_t axis) const {
    return cell[vertex][axis] == -1 || cell[vertex][axis] == size[axis] - 1;
  }
  // low: the three bits of a quad's corner.
  [[nodiscard]] Double3 place(std::uint32_t vertex, unsigned low) const {
    Double3 at{};
    for (std::size_t a = 0; a < 3; ++a)
      at[a] = cell[vertex][a] + 0.5 + static_cast<double>(offset[vertex][a]) -
              ((low >> a & 1U) != 0 ? size[a] : 0);
    return at;
  }
  [[nodiscard]] Double3 place(const Quad& q, std::size_t corner) const {
    return place(q.vertex[corner], static_cast<unsigned>(q.low) >> (3 * corner) & 7U);
  }
};

// Throws StageError(NoResource) for more vertices than 32 bits count. Same result for any number of
// threads.
LabelNet labelNet(const geometry::BitLattice& fluid, const std::array<bool, 3>& periodic);

}  // namespace tessera::preprocess::mesher
