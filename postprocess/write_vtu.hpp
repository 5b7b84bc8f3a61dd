// SPDX-License-Identifier: GPL-3.0-or-later
// fields.vtu: the selected nodes as cells of an UnstructuredGrid, for every VTK and ParaView.
#pragma once

#include <filesystem>
#include <vector>

#include "postprocess/field_arrays.hpp"
#include "postprocess/field_selection.hpp"

namespace tessera {

// Cells and points as in CellMesh, the arrays as cell data. Same input, same bytes. Throws
// StageError(OutputFailed).
void writeVtu(const std::filesystem::path& path, const SelectedNodes& nodes,
              const std::vector<FieldArray>& arrays);

}  // namespace tessera
