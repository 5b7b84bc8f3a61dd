// SPDX-License-Identifier: GPL-3.0-or-later
// The nodes of a lattice as one 64-bit word a tile, and the canonical order of the tiles.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "preprocess/lattice/bit_lattice.hpp"

namespace tessera {

// The mesh of tiles over a lattice of `nodes`, `offset` solid layers before node 0.
struct TileMesh {
  Int3 nodes{0, 0, 0};
  Int3 tileSize{4, 4, 4};
  Int3 offset{0, 0, 0};
  Int3 grid{0, 0, 0};  // tiles on x, y, z

  [[nodiscard]] std::size_t positions() const {
    return static_cast<std::size_t>(grid[0]) * static_cast<std::size_t>(grid[1]) *
           static_cast<std::size_t>(grid[2]);
  }
  // Index into arrays over the mesh: x fastest, then y, z.
  [[nodiscard]] std::size_t position(int x, int y, int z) const {
    return static_cast<std::size_t>(x) +
           static_cast<std::size_t>(grid[0]) *
               (static_cast<std::size_t>(y) +
                static_cast<std::size_t>(grid[1]) * static_cast<std::size_t>(z));
  }
};

TileMesh tileMesh(const Int3& nodes, const Int3& tileSize, const Int3& offset);

// Slowest axis of the canonical order: the longest of the grid, of equals the higher.
int slowestAxisOf(const Int3& grid);

struct MaskedTile {
  Int3 at{0, 0, 0};        // position in the mesh
  std::uint64_t mask = 0;  // non-solid nodes, bit = local node; not 0
};

// The tiles that are not empty, in row-major order (x fastest, then y, z).
std::vector<MaskedTile> tileMasks(const BitLattice& fluid, const TileMesh& mesh);

}  // namespace tessera
