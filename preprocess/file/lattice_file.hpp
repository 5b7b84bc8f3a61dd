// SPDX-License-Identifier: GPL-3.0-or-later
// geom.vdb, version 2: a standard OpenVDB file for other programs (fluid_grid.hpp), then Tessera's
// container (kind "lattice"), which alone is read back, then a trailer (vdb_trailer.hpp).
//
//   meta, provenance   JSON; meta.hpp: frame, sizes, counts, openings, walls, throats
//   nodeBlock          u64, blocks of 64 x 32 x 8 nodes with fluid (node_types.hpp)
//   nodeTypes          u64, 512 a block: type of each node, two bits
//   boundaryNode, boundaryMask, boundaryNormal    of each boundary node (lattice_geometry.hpp)
//   linkDistance, linkPatch    of each link of these; a link between two fluid nodes that a wall
//                              crosses is one at both ends
//   surfaceVertex, surfaceTriangle, surfaceLabel  the surface, its sheets last
//
// Version 1 (Tessera 0.1) had the node types in the OpenVDB part only and is refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "pipelines/stage/io/provenance.hpp"
#include "preprocess/file/node_types.hpp"
#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::preprocess::file {

constexpr std::uint16_t latticeMajorVersion = 2;
constexpr std::uint16_t latticeMinorVersion = 1;  // since 0.3: length_unit

struct LatticeFile {
  geometry::LatticeGeometry geometry;
  stage::Provenance provenance;
  std::string contentHash;  // of the whole file
};

// Atomic and deterministic: the same geometry and provenance give the same bytes. Throws
// StageError(OutputFailed).
void writeLatticeFile(const std::filesystem::path& path, const geometry::LatticeGeometry& geometry,
                      const stage::Provenance& provenance);
// Throws StageError(BadInput) when the file is missing, truncated, altered, inconsistent, of
// version 1 or of another program.
LatticeFile readLatticeFile(const std::filesystem::path& path);

// Shell command that made a file of version 1 from its inputs, by its provenance; empty when a
// name or an option cannot stand in a command.
std::string commandThatMade(const stage::Provenance& provenance, const std::string& output);

}  // namespace tessera::preprocess::file
