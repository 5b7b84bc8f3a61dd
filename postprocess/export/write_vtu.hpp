// SPDX-License-Identifier: GPL-3.0-or-later
// fields.vtu: the selected nodes as cells of an UnstructuredGrid, for every VTK and ParaView.
#pragma once

#include <filesystem>
#include <vector>

#include "postprocess/fields/field_arrays.hpp"
#include "postprocess/fields/field_selection.hpp"

namespace tessera::postprocess::exports {

// Cells and points as in CellMesh, the arrays as cell data. Same input, same bytes. Throws
// StageError(OutputFailed).
void writeVtu(const std::filesystem::path& path, const fields::SelectedNodes& nodes,
              const std::vector<fields::FieldArray>& arrays);

}  // namespace tessera::postprocess::exports
