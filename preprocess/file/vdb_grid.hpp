// SPDX-License-Identifier: GPL-3.0-or-later
// The OpenVDB part of geom.vdb: one Int32 grid "nodeType", background 0, active where non-solid,
// its transform from node indices to metres (micrometres for spacings up to 20 um), as its metadata
// "units" says. OpenVDB's headers stay behind vdb_grid.cpp.
#pragma once

#include <istream>
#include <string>

#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::preprocess::file {

// The bytes of a .vdb, the same for the same geometry (its UUID comes from the content).
std::string nodeTypesToVdb(const geometry::LatticeGeometry& geometry, const std::string& writer);

// The active nodes of "nodeType" over a box of nodes. Throws std::runtime_error that says what is
// wrong: no such grid, a node outside of the box, a value that is no node type, a defect that
// OpenVDB found.
geometry::BitLattice nodesFromVdb(std::istream& vdb, const Int3& nodes);

}  // namespace tessera::preprocess::file
