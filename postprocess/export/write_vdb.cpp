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

preprocess::file::VdbGrid gridOf(const fields::SelectedNodes& nodes, const FieldArray& array) {
  preprocess::file::VdbGrid grid;
  preprocess::geometry::Frame cells = nodes.frame();
  cells.spacing *= nodes.every();
  grid.name = array.quantity;
  setWorld(grid, cells);
  grid.metadata.emplace_back("unit", array.unit);
  grid.components = array.components;
  grid.forEachValue = [&](const preprocess::file::VdbGrid::Put& put) {
    nodes.forEach([&](const Int3& cell, const Int3& node, std::uint64_t index) {
      std::array<float, 3> values{};
      array.valueAt(node, index, values.data());
      put(cell, values.data());
    });
  };
  return grid;
}

}  // namespace

void writeVdb(const std::filesystem::path& path, const fields::SelectedNodes& nodes,
              const std::vector<FieldArray>& arrays) {
  const stage::MemoryWatch memory;
  std::vector<preprocess::file::VdbGrid> grids;
  for (const FieldArray& array : arrays) grids.push_back(gridOf(nodes, array));
  stage::AtomicFile file(path);
  std::ofstream stream(file.temporaryPath(), std::ios::binary | std::ios::trunc);
  preprocess::file::writeVdbGrids(stream, grids);
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
