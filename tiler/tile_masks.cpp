// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of bits cut into tiles of 64 nodes (Algorithm 1 of Tomczak & Szafran 2017, lines 1 to 18,
// a word of nodes at a time).
#include "tiler/tile_masks.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>

namespace tessera {

namespace {

// One row of nodes into the masks of its row of tiles: bits [firstLocal, firstLocal + edge) of
// each.
void spreadRow(const std::uint64_t* row, const TileMesh& mesh, int firstLocal,
               std::uint64_t* masks) {
  const int edge = mesh.tileSize[0];
  const int shift = mesh.offset[0];
  const std::uint64_t group = (std::uint64_t{1} << edge) - 1;
  const int words = (mesh.nodes[0] + 63) / 64;
  std::uint64_t before = 0;
  for (int i = 0; i * 64 < mesh.grid[0] * edge; ++i) {
    const std::uint64_t here = i < words ? row[i] : 0;
    // The offset moves node 0 up; what falls out of a word enters the next.
    std::uint64_t bits = shift == 0 ? here : (here << shift) | (before >> (64 - shift));
    before = here;
    for (std::uint64_t* mask = masks + i * (64 / edge); bits != 0; ++mask, bits >>= edge)
      *mask |= (bits & group) << firstLocal;
  }
}

}  // namespace

TileMesh tileMesh(const Int3& nodes, const Int3& tileSize, const Int3& offset) {
  TileMesh mesh{nodes, tileSize, offset, {}};
  for (std::size_t a = 0; a < 3; ++a)
    mesh.grid[a] = (nodes[a] + offset[a] + tileSize[a] - 1) / tileSize[a];
  return mesh;
}

int slowestAxisOf(const Int3& grid) {
  if (grid[2] >= grid[0] && grid[2] >= grid[1]) return 2;
  return grid[1] >= grid[0] ? 1 : 0;
}

std::vector<std::uint64_t> tileMasks(const BitLattice& fluid, const TileMesh& mesh) {
  std::vector<std::uint64_t> masks(mesh.positions());
  const Int3& size = mesh.tileSize;
  const auto fillTileRow = [&](int gy, int gz) {
    std::uint64_t* row = masks.data() + mesh.position(0, gy, gz);
    for (int local = 0; local < size[1] * size[2]; ++local) {
      const int y = gy * size[1] - mesh.offset[1] + local % size[1];
      const int z = gz * size[2] - mesh.offset[2] + local / size[1];
      if (!fluid.inside(0, y, z)) continue;
      spreadRow(fluid.words.data() + fluid.rowStart(y, z), mesh, local * size[0], row);
    }
  };
  const int tileRows = mesh.grid[1] * mesh.grid[2];
  tbb::parallel_for(tbb::blocked_range<int>(0, tileRows), [&](const tbb::blocked_range<int>& rows) {
    for (int r = rows.begin(); r != rows.end(); ++r)
      fillTileRow(r % mesh.grid[1], r / mesh.grid[1]);
  });
  return masks;
}

}  // namespace tessera
