// SPDX-License-Identifier: GPL-3.0-or-later
// OpenVDB part of geom.vdb, for other programs; Tessera does not read it back.
#pragma once

#include <string>

#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::preprocess::file {

// Bytes of a .vdb with one bool grid "fluid": true and active where a node is not solid, its
// transform from node indices to metres (micrometres for spacings up to 20 um; metadata "units").
// Deterministic: the UUID derives from the content. writer: program and version, for its metadata.
std::string fluidToVdb(const geometry::BitLattice& fluid, const geometry::Frame& frame,
                       const std::string& writer);

}  // namespace tessera::preprocess::file
