// SPDX-License-Identifier: GPL-3.0-or-later
// fields.vtkhdf: the selected nodes as cells, in the VTKHDF 1.0 form of an UnstructuredGrid
// (https://examples.vtk.org/site/VTKFileFormats/, "VTKHDF"), for ParaView 5.10 or VTK 9.1 and
// newer.
#pragma once

#include <filesystem>
#include <vector>

#include "postprocess/fields/field_arrays.hpp"
#include "postprocess/fields/field_selection.hpp"

namespace tessera::postprocess::exports {

// Cells and points as in CellMesh, the arrays as cell data. Same input, same bytes. Throws
// StageError(OutputFailed).
void writeVtkhdf(const std::filesystem::path& path, const fields::SelectedNodes& nodes,
                 const std::vector<fields::FieldArray>& arrays);

}  // namespace tessera::postprocess::exports
