// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/info/lattice_of_file.hpp"

#include "pipelines/info/inspect.hpp"
#include "pipelines/info/recognise.hpp"
#include "pipelines/stage/error.hpp"
#include "preprocess/file/lattice_file.hpp"
#include "preprocess/file/node_types.hpp"
#include "tiler/file/tiles_file.hpp"

namespace tessera::info {

using preprocess::geometry::BitLattice;
using preprocess::geometry::BoundaryNodes;
using preprocess::geometry::LatticeGeometry;
using tiler::TiledGeometry;

namespace {

void takeNodes(const TiledGeometry& tiled, LatticeGeometry& lattice) {
  lattice.fluid = BitLattice(tiled.nodes);
  BoundaryNodes& boundary = lattice.boundary;
  boundary.node.reserve(tiled.boundaryLocal.size());
  for (std::size_t t = 0; t < tiled.tiles(); ++t) {
    for (int l = 0; l < tiler::tileNodes; ++l) {
      const Int3 node = tiled.nodeOf(t, l);
      if (tiled.nodeType[t * tiler::tileNodes + static_cast<std::size_t>(l)] !=
          static_cast<std::uint8_t>(preprocess::file::NodeType::Solid))
        lattice.fluid.set(node[0], node[1], node[2]);
    }
    for (std::uint64_t k = tiled.boundaryStart[t]; k < tiled.boundaryStart[t + 1]; ++k) {
      const Int3 node = tiled.nodeOf(t, tiled.boundaryLocal[k]);
      boundary.node.push_back(lattice.fluid.nodeIndex(node[0], node[1], node[2]));
    }
  }
}

}  // namespace

LatticeGeometry latticeOf(TiledGeometry&& tiled) {
  LatticeGeometry lattice;
  lattice.dimensions = tiled.dimensions;
  lattice.frame = tiled.frame;
  lattice.periodic = tiled.periodic;
  takeNodes(tiled, lattice);
  lattice.boundary.mask = std::move(tiled.boundaryMask);
  lattice.boundary.normal = std::move(tiled.boundaryNormal);
  lattice.boundary.distance = std::move(tiled.linkDistance);
  lattice.boundary.patch = std::move(tiled.linkPatch);
  lattice.cutLinks = tiled.cutLinks;
  lattice.surface = std::move(tiled.surface);
  lattice.openings = std::move(tiled.openings);
  lattice.throats = std::move(tiled.throats);
  lattice.throatsNotSearched = std::move(tiled.throatsNotSearched);
  lattice.wallNames = std::move(tiled.wallNames);
  return lattice;
}

FileGeometry geometryOfFile(const std::filesystem::path& path) {
  const std::string kind = recognise(path) ? "" : inspectFile(path, false).kind;
  FileGeometry geometry;
  if (kind == "lattice") {
    geometry.lattice = preprocess::file::readLatticeFile(path).geometry;
  } else if (kind == "tiles") {
    TiledGeometry tiled = tiler::file::readTilesFile(path).geometry;
    geometry.tileEdge = tiled.tileSize;
    for (const std::array<std::int32_t, 3>& tile : tiled.nonEmptyTiles)
      geometry.tiles.push_back(tiled.cornerOf(tile));
    geometry.lattice = latticeOf(std::move(tiled));
  } else {
    stage::fail(stage::ExitCode::Usage,
                path.string() + " is no geometry; --page and --case expect a .tiles or .vdb file.");
  }
  return geometry;
}

}  // namespace tessera::info
