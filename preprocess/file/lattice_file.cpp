// SPDX-License-Identifier: GPL-3.0-or-later
// Reader of geom.vdb.
#include "preprocess/file/lattice_file.hpp"

#include <stdexcept>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/container.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/file/meta.hpp"
#include "preprocess/file/vdb_trailer.hpp"

namespace tessera::preprocess::file {

using geometry::LatticeGeometry;

namespace {

void readLinksAndSurface(const stage::ContainerReader& reader, const GeometryCounts& counts,
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

LatticeGeometry readGeometry(const stage::ContainerReader& reader) {
  LatticeGeometry geometry;
  const GeometryCounts counts = metaFromJson(reader.text("meta"), geometry);
  NodeTypes types;
  types.block = reader.read<std::uint64_t>("nodeBlock");
  types.bits = reader.read<std::uint64_t>("nodeTypes");
  geometry.fluid = nonSolidNodes(types, counts.nodes);
  if (geometry.fluid.count() != counts.fluidNodes)
    throw std::runtime_error(
        "section nodeTypes has a number of fluid nodes that differs from meta");
  readLinksAndSurface(reader, counts, geometry);
  const std::string defect = geometry::defectOf(geometry);
  if (!defect.empty()) throw std::runtime_error(defect);
  if (nodeTypesOf(geometry) != types)
    throw std::runtime_error("section nodeTypes does not match the links");
  return geometry;
}

[[noreturn]] void refuseVersion1(const std::filesystem::path& path,
                                 const stage::Provenance& provenance) {
  const std::string command = commandThatMade(provenance, path.filename().string());
  stage::fail(stage::ExitCode::BadInput,
              fmt::format("{} has version 1 of the format, of Tessera 0.1, where version {} is "
                          "required; make it anew{}",
                          path.string(), latticeMajorVersion,
                          command.empty() ? " with tessera-preprocess" : " by `" + command + "`"));
}

}  // namespace

LatticeFile readLatticeFile(const std::filesystem::path& path) try {
  const VdbTrailer trailer = readVdbTrailer(path);
  const stage::ContainerReader reader(path, "lattice", latticeMajorVersion, trailer.vdbBytes,
                                      sizeof trailer);
  LatticeFile file;
  file.contentHash = stage::toHex(trailer.hash);
  file.provenance = stage::Provenance::fromJson(reader.text("provenance"));
  if (reader.major() < latticeMajorVersion) refuseVersion1(path, file.provenance);
  file.geometry = readGeometry(reader);
  return file;
} catch (const stage::StageError&) {
  throw;
} catch (const std::bad_alloc&) {
  throw;
} catch (const std::exception& error) {
  stage::fail(stage::ExitCode::BadInput, path.string() +
                                             " is not a valid geom.vdb: " + error.what() +
                                             "; regenerate it with tessera-preprocess.");
}

}  // namespace tessera::preprocess::file
