// SPDX-License-Identifier: GPL-3.0-or-later
// fields.vtkhdf: the non-solid nodes as cells, in the VTKHDF 1.0 form of an UnstructuredGrid
// (https://examples.vtk.org/site/VTKFileFormats/, "VTKHDF"), for ParaView 5.10 or VTK 9.1 and
// newer.
#pragma once

#include <filesystem>

#include "postprocess/node_lookup.hpp"
#include "solver/fields_file.hpp"

namespace tessera {

// One VTK_VOXEL (VTK_HEXAHEDRON when the lattice is turned in the world) a node, shared points
// once; cell data "velocity" [m/s], world axes, and "pressure" [Pa]; points in metres. Same input,
// same bytes. Throws StageError(OutputFailed).
void writeVtkhdf(const std::filesystem::path& path, const NodeLookup& lookup, const Fields& fields);

}  // namespace tessera
