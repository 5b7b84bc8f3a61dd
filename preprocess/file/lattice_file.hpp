// SPDX-License-Identifier: GPL-3.0-or-later
// geom.vdb: an OpenVDB file that other programs open, with one Int32 grid "nodeType" (0 solid, in
// the background; see NodeType), followed by our container (kind "lattice": boundary nodes, links,
// surface, openings, provenance) and a trailer of 48 bytes: magic "TESSVDB\n", bytes of the
// OpenVDB part u64, bytes of the whole file u64, zeros u64, XXH3-128 of all before the hash.
#pragma once

#include <cstdint>
#include <filesystem>

#include "pipelines/stage/io/provenance.hpp"
#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::preprocess::file {

// Also the values of nodeType in .tiles.
enum class NodeType : std::uint8_t {
  Solid = 0,
  Fluid = 1,    // all 26 neighbours are fluid
  Wall = 2,     // at least one link ends on a wall, none on an opening
  Opening = 3,  // at least one link ends on an opening
};

struct LatticeFile {
  geometry::LatticeGeometry geometry;
  stage::Provenance provenance;
  std::string contentHash;  // of the whole file
};

// Atomic. Same geometry and provenance, same bytes. Throws StageError(OutputFailed).
void writeLatticeFile(const std::filesystem::path& path, const geometry::LatticeGeometry& geometry,
                      const stage::Provenance& provenance);
// Throws StageError(BadInput) when missing, truncated, altered, or not one of ours.
LatticeFile readLatticeFile(const std::filesystem::path& path);

}  // namespace tessera::preprocess::file
