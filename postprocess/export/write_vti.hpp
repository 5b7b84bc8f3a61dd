// SPDX-License-Identifier: GPL-3.0-or-later
// fields.vti: the box round the selected nodes as an ImageData, solid nodes included.
#pragma once

#include <filesystem>
#include <vector>

#include "postprocess/fields/field_arrays.hpp"
#include "postprocess/fields/field_selection.hpp"

namespace tessera::postprocess::exports {

// A point a node; the arrays as point data, 0 in the solid and where not selected, which
// "vtkGhostType" hides. Same input, same bytes. Throws StageError(Usage) for a box of more than 4
// GB, (OutputFailed).
void writeVti(const std::filesystem::path& path, const fields::SelectedNodes& nodes,
              const std::vector<fields::FieldArray>& arrays);

}  // namespace tessera::postprocess::exports
