// SPDX-License-Identifier: GPL-3.0-or-later
// libtessera_openvdb.so, the only code that includes OpenVDB.
#include <openvdb/io/Archive.h>
#include <openvdb/openvdb.h>

#include <algorithm>

#include "preprocess/file/vdb_grids.hpp"

namespace tessera::preprocess::file {

namespace {

openvdb::Coord coordOf(const std::array<int, 3>& node) {
  return {node[0], node[1], node[2]};
}

// The library's own instance; Grid::create would compile every function of its tree here.
template <class Grid>
typename Grid::Ptr newGrid() {
  return openvdb::StaticPtrCast<Grid>(openvdb::GridBase::createGrid(Grid::gridType()));
}

openvdb::GridBase::Ptr nodesOf(const VdbGrid& from) {
  using Leaf = openvdb::BoolGrid::TreeType::LeafNodeType;
  const auto grid = newGrid<openvdb::BoolGrid>();
  for (const VdbGrid::Leaf& each : from.leaf) {
    auto leaf = std::make_unique<Leaf>(coordOf(each.origin), false, false);
    for (std::size_t x = 0; x < each.nodes.size(); ++x)
      leaf->getValueMask().getWord<std::uint64_t>(static_cast<openvdb::Index>(x)) = each.nodes[x];
    std::copy(each.nodes.begin(), each.nodes.end(), leaf->buffer().data());
    grid->tree().addLeaf(leaf.release());
  }
  for (const auto& origin : from.full) grid->tree().addTile(1, coordOf(origin), true, true);
  return grid;
}

template <class Grid, class Value>
openvdb::GridBase::Ptr valuesOf(const VdbGrid& from, const Value& valueFrom) {
  const auto grid = newGrid<Grid>();
  auto accessor = grid->getAccessor();
  from.forEachValue([&](const std::array<int, 3>& node, const float* value) {
    accessor.setValue(coordOf(node), valueFrom(value));
  });
  return grid;
}

openvdb::GridBase::Ptr gridOf(const VdbGrid& from) {
  if (from.components == 0) return nodesOf(from);
  if (from.components == 1)
    return valuesOf<openvdb::FloatGrid>(from, [](const float* value) { return value[0]; });
  return valuesOf<openvdb::Vec3SGrid>(
      from, [](const float* value) { return openvdb::Vec3s(value[0], value[1], value[2]); });
}

class SeekableArchive : public openvdb::io::Archive {
 public:
  void writeTo(std::ostream& stream, const openvdb::GridCPtrVec& grids) const {
    Archive::write(stream, grids, true);
  }
};

void writeVdbGrids(std::ostream& stream, std::span<const VdbGrid> from) {
  openvdb::initialize();
  openvdb::GridCPtrVec grids;
  for (const VdbGrid& each : from) {
    const openvdb::GridBase::Ptr grid = gridOf(each);
    grid->setName(each.name);
    openvdb::Mat4R matrix;
    for (int a = 0; a < 4; ++a)
      for (int c = 0; c < 4; ++c)
        matrix[a][c] = each.transform[static_cast<std::size_t>(a)][static_cast<std::size_t>(c)];
    grid->setTransform(openvdb::math::Transform::createLinearTransform(matrix));
    for (const auto& [key, value] : each.metadata)
      grid->insertMeta(key, openvdb::StringMetadata(value));
    grids.push_back(grid);
  }
  SeekableArchive archive;
  archive.setCompression(openvdb::io::COMPRESS_ACTIVE_MASK | openvdb::io::COMPRESS_BLOSC);
  archive.writeTo(stream, grids);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void tesseraWriteVdbGrids(
    std::ostream& stream, std::span<const VdbGrid> grids) {
  writeVdbGrids(stream, grids);
}

}  // namespace tessera::preprocess::file
