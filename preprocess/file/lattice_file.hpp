// SPDX-License-Identifier: GPL-3.0-or-later
// geom.vdb: a standard OpenVDB file with one Int32 grid "nodeType" (background 0, solid; see
// NodeType), followed by Tessera's container (kind "lattice": boundary nodes, links, surface,
// openings, provenance) and a trailer of 48 bytes: magic "TESSVDB\n", u64 bytes of the OpenVDB
// part, u64 bytes of the file, u64 zero, XXH3-128 of everything before the hash.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <string>

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

// Atomic and deterministic: the same geometry and provenance give the same bytes. Throws
// StageError(OutputFailed).
void writeLatticeFile(const std::filesystem::path& path, const geometry::LatticeGeometry& geometry,
                      const stage::Provenance& provenance);
// Throws StageError(BadInput) when the file is missing, truncated, altered or of another program.
LatticeFile readLatticeFile(const std::filesystem::path& path);

// OpenVDB part of geom.vdb: one Int32 grid "nodeType", background 0, active where non-solid, its
// transform from node indices to metres (micrometres for spacings up to 20 um; metadata "units").
// OpenVDB's headers are included in lattice_file.cpp only.

// Bytes of a .vdb, deterministic (its UUID derives from the content).
std::string nodeTypesToVdb(const geometry::LatticeGeometry& geometry, const std::string& writer);

// Active nodes of "nodeType" in a box. Throws std::runtime_error: no such grid, a node outside of
// the box, a value that is no node type, a defect that OpenVDB found.
geometry::BitLattice nodesFromVdb(std::istream& vdb, const Int3& nodes);

}  // namespace tessera::preprocess::file
