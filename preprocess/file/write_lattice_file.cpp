// SPDX-License-Identifier: GPL-3.0-or-later
// Writer of geom.vdb; a library of its own, so that no reader of it loads OpenVDB.
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/container.hpp"
#include "preprocess/file/fluid_grid.hpp"
#include "preprocess/file/lattice_file.hpp"
#include "preprocess/file/meta.hpp"
#include "preprocess/file/vdb_trailer.hpp"

namespace tessera::preprocess::file {

void writeLatticeFile(const std::filesystem::path& path, const geometry::LatticeGeometry& geometry,
                      const stage::Provenance& provenance) {
  stage::AtomicFile file(path);
  const std::string vdb =
      fluidToVdb(geometry.fluid, geometry.frame, provenance.program + " " + provenance.version);
  file.write(vdb);
  const NodeTypes types = nodeTypesOf(geometry);
  stage::ContainerWriter writer("lattice", latticeMajorVersion, latticeMinorVersion);
  writer.addText("meta", metaToJson(geometry));
  writer.addText("provenance", provenance.toJson());
  writer.add("nodeBlock", types.block);
  writer.add("nodeTypes", types.bits);
  writer.add("boundaryNode", geometry.boundary.node);
  writer.add("boundaryMask", geometry.boundary.mask);
  writer.add("boundaryNormal", geometry.boundary.normal);
  writer.add("linkDistance", geometry.boundary.distance);
  writer.add("linkPatch", geometry.boundary.patch);
  writer.add("surfaceVertex", geometry.surface.vertex);
  writer.add("surfaceTriangle", geometry.surface.triangle);
  writer.add("surfaceLabel", geometry.surface.label);
  writer.write(file);
  writeVdbTrailer(file, vdb.size());
  file.commit();
}

}  // namespace tessera::preprocess::file
