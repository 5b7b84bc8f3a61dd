// SPDX-License-Identifier: GPL-3.0-or-later
// Node bits cut into tiles of 64 nodes (Algorithm 1 of Tomczak & Szafran 2017, lines 1 to 18, one
// word of nodes at a time).
#include "tiler/tile_masks.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "pipelines/stage/system/memory.hpp"

namespace tessera::tiler {

using preprocess::geometry::BitLattice;

namespace {

// Non-empty blocks on x, per row of blocks, in the layers that a plane of tiles meets.
class NearBlocks {
 public:
  NearBlocks(const BitLattice& fluid, int firstLayer, int lastLayer)
      : firstLayer_(firstLayer), rows_(fluid.blocks()[1]) {
    for (int k = firstLayer; k <= lastLayer; ++k) {
      found_.resize(found_.size() + static_cast<std::size_t>(rows_));
      fluid.forEachBlock(k, [&](int i, int j) { found_[index(j, k)].push_back(i); });
    }
  }
  [[nodiscard]] const std::vector<int>& at(int y, int z) const {
    return found_[index(y / BitLattice::blockRows, z / BitLattice::blockPlanes)];
  }

 private:
  [[nodiscard]] std::size_t index(int j, int k) const {
    return static_cast<std::size_t>(j + rows_ * (k - firstLayer_));
  }
  int firstLayer_, rows_;
  std::vector<std::vector<int>> found_;
};

// Masks of one row of tiles.
class TileRow {
 public:
  explicit TileRow(const TileMesh& mesh)
      : edge_(mesh.tileSize[0]),
        shift_(mesh.offset[0]),
        masks_(static_cast<std::size_t>((mesh.nodes[0] + 63) / 64 + 1) *
               static_cast<std::size_t>(64 / edge_)) {}
  // Adds word w of a row of nodes whose first node in a tile is firstLocal.
  void add(int w, std::uint64_t bits, int firstLocal) {
    if (bits == 0) return;
    const std::size_t first = static_cast<std::size_t>(w) * static_cast<std::size_t>(64 / edge_);
    const std::uint64_t group = (std::uint64_t{1} << edge_) - 1;
    // The offset shifts nodes up; bits shifted out of a word enter the next.
    if (shift_ > 0)
      masks_[first + static_cast<std::size_t>(64 / edge_)] |= bits >> (64 - shift_) << firstLocal;
    bits <<= shift_;
    for (std::size_t tile = first; bits != 0; ++tile, bits >>= edge_)
      masks_[tile] |= (bits & group) << firstLocal;
    begin_ = std::min(begin_, first);
    end_ = std::max(end_, first + static_cast<std::size_t>(64 / edge_) + 1);
  }
  // Appends the non-empty tiles and clears them.
  void moveTo(std::vector<MaskedTile>& tiles, int gy, int gz) {
    for (std::size_t tile = begin_; tile < end_; ++tile)
      if (masks_[tile] != 0)
        tiles.push_back({{static_cast<int>(tile), gy, gz}, std::exchange(masks_[tile], 0)});
    begin_ = masks_.size();
    end_ = 0;
  }

 private:
  int edge_, shift_;
  std::vector<std::uint64_t> masks_;
  std::size_t begin_ = masks_.size(), end_ = 0;  // range of masks that may be non-zero
};

std::vector<MaskedTile> tilesOfPlane(const BitLattice& fluid, const TileMesh& mesh, int gz) {
  const Int3& size = mesh.tileSize;
  const int firstZ = std::max(gz * size[2] - mesh.offset[2], 0);
  const int lastZ = std::min((gz + 1) * size[2] - mesh.offset[2], fluid.size[2]) - 1;
  const NearBlocks near(fluid, firstZ / BitLattice::blockPlanes, lastZ / BitLattice::blockPlanes);
  std::vector<MaskedTile> tiles;
  TileRow row(mesh);
  for (int gy = 0; gy < mesh.grid[1]; ++gy) {
    const int firstY = std::max(gy * size[1] - mesh.offset[1], 0);
    const int lastY = std::min((gy + 1) * size[1] - mesh.offset[1], fluid.size[1]) - 1;
    for (int z = firstZ; z <= lastZ; ++z)
      for (int y = firstY; y <= lastY; ++y) {
        const int localY = (y + mesh.offset[1]) % size[1];
        const int localZ = (z + mesh.offset[2]) % size[2];
        for (const int w : near.at(y, z))
          row.add(w, fluid.word(w, y, z), size[0] * (localY + size[1] * localZ));
      }
    row.moveTo(tiles, gy, gz);
  }
  return tiles;
}

// Adds the nodes of a word to the masks of the tiles it crosses. A tile's nodes on x are contiguous
// for any shift of its row.
void addWord(const TileMesh& mesh, Int3 node, std::uint64_t bits,
             std::vector<std::uint64_t>& masks) {
  while (bits != 0) {
    const TilePlace place = mesh.placeOf(node);
    const int run = mesh.tileSize[0] - place.local % mesh.tileSize[0];
    const std::uint64_t group = bits & ((std::uint64_t{1} << run) - 1);
    if (group != 0) {
      std::atomic_ref<std::uint64_t> mask(
          masks[mesh.position(place.tile[0], place.tile[1], place.tile[2])]);
      mask.fetch_or(group << place.local, std::memory_order_relaxed);
    }
    bits >>= run;
    node[0] += run;
  }
}

// A word per grid position, then the non-empty ones.
std::vector<MaskedTile> tileMasksOfShifted(const BitLattice& fluid, const TileMesh& mesh) {
  stage::requireMemory(8.0 * static_cast<double>(mesh.positions()),
                       "a word for each tile of the box",
                       "use a larger spacing or --placement global");
  std::vector<std::uint64_t> masks(mesh.positions());
  tbb::parallel_for(0, fluid.blocks()[2], [&](int k) {
    fluid.forEachWord(k, [&](int w, int y, int z, std::uint64_t bits) {
      addWord(mesh, {64 * w, y, z}, bits, masks);
    });
  });
  std::vector<MaskedTile> tiles;
  const std::uint64_t* mask = masks.data();
  for (int z = 0; z < mesh.grid[2]; ++z)
    for (int y = 0; y < mesh.grid[1]; ++y)
      for (int x = 0; x < mesh.grid[0]; ++x, ++mask)
        if (*mask != 0) tiles.push_back({{x, y, z}, *mask});
  return tiles;
}

}  // namespace

std::vector<MaskedTile> tileMasks(const BitLattice& fluid, const TileMesh& mesh) {
  if (mesh.isShifted()) return tileMasksOfShifted(fluid, mesh);
  std::vector<std::vector<MaskedTile>> plane(static_cast<std::size_t>(mesh.grid[2]));
  tbb::parallel_for(std::size_t{0}, plane.size(), [&](std::size_t gz) {
    plane[gz] = tilesOfPlane(fluid, mesh, static_cast<int>(gz));
  });
  std::vector<MaskedTile> tiles;
  for (std::vector<MaskedTile>& part : plane) {
    tiles.insert(tiles.end(), part.begin(), part.end());
    part = {};
  }
  return tiles;
}

}  // namespace tessera::tiler
