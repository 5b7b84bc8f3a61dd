// SPDX-License-Identifier: GPL-3.0-or-later
// fields.vdb: the selected nodes as OpenVDB grids, for Houdini, Blender and whoever has OpenVDB.
// OpenVDB stays behind write_vdb.cpp.
#pragma once

#include <filesystem>
#include <vector>

#include "postprocess/fields/field_arrays.hpp"
#include "postprocess/fields/field_selection.hpp"

namespace tessera::postprocess::exports {

// One float or vector grid an array, named by its quantity, its unit as metadata "unit"; active
// where a node is selected, background 0. Metres, or for spacings up to 20 um micrometres, as the
// metadata "units" says. Same input, same bytes. Throws StageError(OutputFailed).
void writeVdb(const std::filesystem::path& path, const fields::SelectedNodes& nodes,
              const std::vector<fields::FieldArray>& arrays);

}  // namespace tessera::postprocess::exports
