// SPDX-License-Identifier: GPL-3.0-or-later
// Export of the fields in the requested formats: fields.vtkhdf, fields.vtu, fields.vti, fields.vdb.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "postprocess/fields/field_selection.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::exports {

struct ExportRequest {
  std::vector<std::string> formats{"vtkhdf"};
  std::vector<std::string> derived;  // in addition to velocity and pressure
  fields::FieldSelection selection;
};

// Names of all formats.
std::vector<std::string> exportFormats();

// Parses "vtkhdf,vtu". Throws StageError(Usage) for an unknown one.
std::vector<std::string> parseFormats(const std::string& text);

// Writes into an existing folder. Throws StageError(Usage) if no node is selected or a box is too
// large, (OutputFailed).
void exportFields(const std::filesystem::path& folder, const ExportRequest& request,
                  const fields::NodeLookup& lookup, const solver::file::Fields& fields);

}  // namespace tessera::postprocess::exports
