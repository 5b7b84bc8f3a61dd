// SPDX-License-Identifier: GPL-3.0-or-later
// Grids of a .vdb file without OpenVDB's types: what the writers of .vdb files hand to the module
// libtessera_openvdb.so, which alone links OpenVDB. Its library starts threads when it is loaded,
// so programs load it only to write.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera::preprocess::file {

struct VdbGrid {
  std::string name;
  std::vector<std::pair<std::string, std::string>> metadata;
  // From node indices to the world, for row vectors: row a is the image of index axis a, row 3 that
  // of the origin.
  std::array<std::array<double, 4>, 4> transform{};

  // A bool grid, true and active in these nodes: leaves of 8 x 8 x 8 nodes, node (x, y, z) in bit
  // 8 y + z of word x, and leaves that are wholly so.
  struct Leaf {
    std::array<int, 3> origin{};
    std::array<std::uint64_t, 8> nodes{};
  };
  std::vector<Leaf> leaf;
  std::vector<std::array<int, 3>> full;

  // Or a grid of floats (1 component) or vectors of floats (3), active where a value is put.
  using Put = std::function<void(const std::array<int, 3>& node, const float* value)>;
  int components = 0;
  std::function<void(const Put&)> forEachValue;
};

// Entry of the module. Writes to a seekable stream, so that other programs can read metadata
// without the grids; the UUID is random. Throws std::exception of OpenVDB.
using WriteVdbGrids = void(std::ostream& stream, std::span<const VdbGrid> grids);
#define TESSERA_WRITE_VDB_GRIDS_NAME "tesseraWriteVdbGrids"

}  // namespace tessera::preprocess::file
