// SPDX-License-Identifier: GPL-3.0-or-later
// The fields in the formats asked for: fields.vtkhdf, fields.vtu, fields.vti, fields.vdb.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "postprocess/field_selection.hpp"
#include "solver/fields_file.hpp"

namespace tessera {

struct ExportRequest {
  std::vector<std::string> formats{"vtkhdf"};
  std::vector<std::string> derived;  // beside velocity and pressure
  FieldSelection selection;
};

// Names of all formats.
std::vector<std::string> exportFormats();

// "vtkhdf,vtu" as names. Throws StageError(Usage) for an unknown one.
std::vector<std::string> parseFormats(const std::string& text);

// Into the folder, which must exist. Throws StageError(Usage) when no node is selected or a box is
// too large, (OutputFailed).
void exportFields(const std::filesystem::path& folder, const ExportRequest& request,
                  const NodeLookup& lookup, const Fields& fields);

}  // namespace tessera
