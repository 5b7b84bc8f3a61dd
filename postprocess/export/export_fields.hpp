// SPDX-License-Identifier: GPL-3.0-or-later
// Export of the fields in the requested formats: fields.vtkhdf, fields.vtu, fields.vti, fields.vdb.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "postprocess/export/file_metadata.hpp"
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
                  const fields::NodeLookup& lookup, const solver::file::Fields& fields,
                  const FileMetadata& metadata);

// Name of a file of moment k in the folder "series" of a result folder: "series/wall_0003.vtp".
std::string seriesName(const std::string& stem, std::size_t k, const std::string& ending);

// The same at several times: fields.vtkhdf with all of them, files of the other formats one per
// time, those of VTK listed in fields.pvd.
class FieldsSeries {
 public:
  // lookup must outlive it.
  FieldsSeries(std::filesystem::path folder, const ExportRequest& request,
               const fields::NodeLookup& lookup, std::vector<double> times,
               const FileMetadata& metadata);
  FieldsSeries(const FieldsSeries&) = delete;
  FieldsSeries& operator=(const FieldsSeries&) = delete;
  ~FieldsSeries();
  void add(std::size_t k, const solver::file::Fields& fields);
  // Names of the files to open.
  std::vector<std::string> finish();

 private:
  struct Open;
  std::unique_ptr<Open> open_;
};

}  // namespace tessera::postprocess::exports
