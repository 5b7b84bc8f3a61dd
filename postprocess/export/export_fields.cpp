// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/export/export_fields.hpp"

#include <algorithm>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/export/vtk_xml.hpp"
#include "postprocess/export/writers.hpp"
#include "postprocess/fields/field_selection.hpp"
#include "postprocess/results/text.hpp"

namespace tessera::postprocess::exports {

namespace {

struct Format {
  const char* name;
  void (*write)(const std::filesystem::path&, const fields::SelectedNodes&,
                const std::vector<fields::FieldArray>&, const FileMetadata&);
};

constexpr Format formats[] = {
    {"vtkhdf", writeVtkhdf},
    {"vtu", writeVtu},
    {"vti", writeVti},
    {"vdb", [](const std::filesystem::path& path, const fields::SelectedNodes& nodes,
               const std::vector<fields::FieldArray>& arrays,
               const FileMetadata& /*metres*/) { writeVdb(path, nodes, arrays); }}};

}  // namespace

std::vector<std::string> exportFormats() {
  std::vector<std::string> names;
  for (const Format& format : formats) names.emplace_back(format.name);
  return names;
}

std::vector<std::string> parseFormats(const std::string& text) {
  const std::vector<std::string> known = exportFormats();
  std::vector<std::string> names;
  for (const std::string_view part : results::partsOf(text, ',')) {
    const std::string name(part);
    if (std::find(known.begin(), known.end(), name) == known.end())
      stage::fail(stage::ExitCode::Usage,
                  fmt::format("--export \"{}\" is not a format of fields; expected one of {}", name,
                              stage::enumeration(known)));
    names.push_back(name);
  }
  return names;
}

void exportFields(const std::filesystem::path& folder, const ExportRequest& request,
                  const fields::NodeLookup& lookup, const solver::file::Fields& fields,
                  const FileMetadata& metadata) {
  const fields::SelectedNodes nodes(lookup, request.selection);
  const std::vector<fields::FieldArray> arrays =
      fields::fieldArrays(lookup, fields, request.derived);
  for (const Format& format : formats) {
    const auto& asked = request.formats;
    if (std::find(asked.begin(), asked.end(), format.name) == asked.end()) continue;
    const std::string name = std::string("fields.") + format.name;
    stage::logInfo(fmt::format("writing {}, {} nodes", name, nodes.count()));
    format.write(folder / name, nodes, arrays, metadata);
  }
}

std::string seriesName(const std::string& stem, std::size_t k, const std::string& ending) {
  return fmt::format("series/{}_{:04}.{}", stem, k, ending);
}

struct FieldsSeries::Open {
  std::filesystem::path folder;
  ExportRequest request;
  std::vector<double> times;
  FileMetadata metadata;
  fields::SelectedNodes nodes;
  const fields::NodeLookup& lookup;
  std::unique_ptr<VtkhdfSeries> vtkhdf{};  // from the first time on

  [[nodiscard]] bool wants(const std::string& format) const {
    return std::find(request.formats.begin(), request.formats.end(), format) !=
           request.formats.end();
  }
};

FieldsSeries::FieldsSeries(std::filesystem::path folder, const ExportRequest& request,
                           const fields::NodeLookup& lookup, std::vector<double> times,
                           const FileMetadata& metadata)
    : open_(new Open{std::move(folder), request, std::move(times), metadata,
                     fields::SelectedNodes(lookup, request.selection), lookup}) {}

FieldsSeries::~FieldsSeries() = default;

void FieldsSeries::add(std::size_t k, const solver::file::Fields& fields) {
  const std::vector<fields::FieldArray> arrays =
      fields::fieldArrays(open_->lookup, fields, open_->request.derived);
  open_->metadata.time = open_->times[k];
  for (const Format& format : formats) {
    if (!open_->wants(format.name)) continue;
    if (std::string_view(format.name) != "vtkhdf") {
      format.write(open_->folder / seriesName("fields", k, format.name), open_->nodes, arrays,
                   open_->metadata);
      continue;
    }
    if (!open_->vtkhdf)
      open_->vtkhdf = std::make_unique<VtkhdfSeries>(open_->folder / "fields.vtkhdf", open_->nodes,
                                                     arrays, open_->times, open_->metadata);
    open_->vtkhdf->write(k, arrays);
  }
}

std::vector<std::string> FieldsSeries::finish() {
  std::vector<std::string> names;
  if (open_->vtkhdf) {
    open_->vtkhdf->finish();
    names.emplace_back("fields.vtkhdf");
  }
  for (const std::string format : {"vtu", "vti"}) {
    if (!open_->wants(format)) continue;
    std::vector<std::pair<double, std::string>> files;
    for (std::size_t k = 0; k < open_->times.size(); ++k)
      files.emplace_back(open_->times[k], seriesName("fields", k, format));
    names.push_back(format == "vti" && open_->wants("vtu") ? "fields_vti.pvd" : "fields.pvd");
    writePvd(open_->folder / names.back(), files);
  }
  if (open_->wants("vdb")) names.push_back(seriesName("fields", 0, "vdb"));
  return names;
}

}  // namespace tessera::postprocess::exports
