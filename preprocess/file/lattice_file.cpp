// SPDX-License-Identifier: GPL-3.0-or-later
// geom.vdb: the OpenVDB part, our container, the trailer.
#include "preprocess/file/lattice_file.hpp"

#include <fstream>
#include <stdexcept>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/container.hpp"
#include "preprocess/file/geometry_meta.hpp"
#include "preprocess/file/vdb_grid.hpp"
#include "preprocess/file/vdb_trailer.hpp"
#include "preprocess/geometry/check_geometry.hpp"

namespace tessera::preprocess::file {

using geometry::LatticeGeometry;

namespace {

constexpr std::uint16_t majorVersion = 1;
constexpr std::uint16_t minorVersion = 0;

void readArrays(const stage::ContainerReader& reader, const GeometryCounts& counts,
                LatticeGeometry& geometry) {
  geometry::BoundaryNodes& boundary = geometry.boundary;
  boundary.node = reader.read<std::uint64_t>("boundaryNode", counts.boundaryNodes);
  boundary.mask = reader.read<std::uint32_t>("boundaryMask", counts.boundaryNodes);
  boundary.normal = reader.read<std::uint32_t>("boundaryNormal", counts.boundaryNodes);
  boundary.distance = reader.read<std::uint16_t>("linkDistance", counts.links);
  boundary.patch = reader.read<geometry::Patch>("linkPatch", counts.links);
  geometry.surface.vertex = reader.read<Float3>("surfaceVertex", counts.vertices);
  geometry.surface.triangle =
      reader.read<std::array<std::uint32_t, 3>>("surfaceTriangle", counts.triangles);
  geometry.surface.label = reader.read<geometry::Patch>("surfaceLabel", counts.triangles);
}

LatticeGeometry readGeometry(const std::filesystem::path& path,
                             const stage::ContainerReader& reader) {
  LatticeGeometry geometry;
  const GeometryCounts counts = metaFromJson(reader.text("meta"), geometry);
  readArrays(reader, counts, geometry);
  std::ifstream vdb(path, std::ios::binary);
  geometry.fluid = nodesFromVdb(vdb, counts.nodes);
  if (geometry.fluid.count() != counts.fluidNodes)
    throw std::runtime_error("\"nodeType\" has another number of nodes than our part says");
  const std::string defect = geometry::defectOf(geometry);
  if (!defect.empty()) throw std::runtime_error(defect);
  return geometry;
}

}  // namespace

void writeLatticeFile(const std::filesystem::path& path, const LatticeGeometry& geometry,
                      const stage::Provenance& provenance) {
  stage::AtomicFile file(path);
  const std::string vdb = nodeTypesToVdb(geometry, provenance.program + " " + provenance.version);
  file.write(vdb);
  stage::ContainerWriter writer("lattice", majorVersion, minorVersion);
  writer.addText("meta", metaToJson(geometry));
  writer.addText("provenance", provenance.toJson());
  writer.add("boundaryNode", geometry.boundary.node);
  writer.add("boundaryMask", geometry.boundary.mask);
  writer.add("boundaryNormal", geometry.boundary.normal);
  writer.add("linkDistance", geometry.boundary.distance);
  writer.add("linkPatch", geometry.boundary.patch);
  writer.add("surfaceVertex", geometry.surface.vertex);
  writer.add("surfaceTriangle", geometry.surface.triangle);
  writer.add("surfaceLabel", geometry.surface.label);
  writer.write(file);
  VdbTrailer trailer;
  trailer.vdbBytes = vdb.size();
  trailer.fileBytes = file.size() + sizeof trailer;
  const auto bytes = std::as_bytes(std::span(&trailer, 1));
  file.write(bytes.first(sizeof trailer - sizeof trailer.hash));
  trailer.hash = stage::hashFileRange(file.temporaryPath(), 0, file.size());
  file.write(bytes.last(sizeof trailer.hash));
  file.commit();
}

LatticeFile readLatticeFile(const std::filesystem::path& path) try {
  const VdbTrailer trailer = readVdbTrailer(path);
  const stage::ContainerReader reader(path, "lattice", majorVersion, trailer.vdbBytes,
                                      sizeof trailer);
  LatticeFile file;
  file.contentHash = stage::toHex(trailer.hash);
  file.provenance = stage::Provenance::fromJson(reader.text("provenance"));
  file.geometry = readGeometry(path, reader);
  return file;
} catch (const stage::StageError&) {
  throw;
} catch (const std::bad_alloc&) {
  throw;
} catch (const std::exception& error) {
  stage::fail(stage::ExitCode::BadInput,
              path.string() + " is not as tessera-preprocess writes it: " + error.what() +
                  "; make it again with tessera-preprocess.");
}

}  // namespace tessera::preprocess::file
