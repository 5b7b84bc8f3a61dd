// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/export/writers.hpp"

#include <fstream>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/file/vdb_archive.hpp"

namespace tessera::postprocess::exports {

using fields::FieldArray;

namespace {

template <class Grid, class Value>
openvdb::GridBase::Ptr gridOf(const fields::SelectedNodes& nodes, const FieldArray& array,
                              const Value& valueFrom) {
  // The library's own instance; Grid::create would compile every function of its tree here.
  const auto grid = openvdb::StaticPtrCast<Grid>(openvdb::GridBase::createGrid(Grid::gridType()));
  auto accessor = grid->getAccessor();
  nodes.forEach([&](const Int3& cell, const Int3& node, std::uint64_t index) {
    std::array<float, 3> values{};
    array.valueAt(node, index, values.data());
    accessor.setValue(openvdb::Coord(cell[0], cell[1], cell[2]), valueFrom(values));
  });
  return grid;
}

openvdb::GridBase::Ptr gridOf(const fields::SelectedNodes& nodes, const FieldArray& array) {
  openvdb::GridBase::Ptr grid =
      array.components == 1
          ? gridOf<openvdb::FloatGrid>(nodes, array,
                                       [](const std::array<float, 3>& v) { return v[0]; })
          : gridOf<openvdb::Vec3SGrid>(nodes, array, [](const std::array<float, 3>& v) {
              return openvdb::Vec3s(v[0], v[1], v[2]);
            });
  preprocess::geometry::Frame cells = nodes.frame();
  cells.spacing *= nodes.every();
  const preprocess::file::WorldUnit unit = preprocess::file::worldUnitFor(cells.spacing);
  grid->setName(array.quantity);
  grid->setTransform(preprocess::file::transformOf(cells, unit.perMetre));
  grid->insertMeta("units", openvdb::StringMetadata(unit.name));
  grid->insertMeta("unit", openvdb::StringMetadata(array.unit));
  return grid;
}

}  // namespace

void writeVdb(const std::filesystem::path& path, const fields::SelectedNodes& nodes,
              const std::vector<FieldArray>& arrays) {
  const stage::MemoryWatch memory;
  openvdb::initialize();
  openvdb::GridCPtrVec grids;
  for (const FieldArray& array : arrays) grids.push_back(gridOf(nodes, array));
  stage::AtomicFile file(path);
  std::ofstream stream(file.temporaryPath(), std::ios::binary | std::ios::trunc);
  preprocess::file::writeGrids(stream, grids);
  stream.close();
  memory.requireEnough();
  if (!stream)
    stage::fail(stage::ExitCode::OutputFailed,
                fmt::format("{} cannot be written by OpenVDB; check the free space of its folder",
                            path.string()));
  preprocess::file::setContentUuid(file.temporaryPath());
  file.commit();
}

}  // namespace tessera::postprocess::exports
