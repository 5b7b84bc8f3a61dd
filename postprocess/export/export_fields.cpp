// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/export/export_fields.hpp"

#include <algorithm>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/export/writers.hpp"
#include "postprocess/fields/field_selection.hpp"
#include "postprocess/results/text.hpp"

namespace tessera::postprocess::exports {

namespace {

struct Format {
  const char* name;
  void (*write)(const std::filesystem::path&, const fields::SelectedNodes&,
                const std::vector<fields::FieldArray>&);
};

constexpr Format formats[] = {
    {"vtkhdf", writeVtkhdf}, {"vtu", writeVtu}, {"vti", writeVti}, {"vdb", writeVdb}};

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
                  const fields::NodeLookup& lookup, const solver::file::Fields& fields) {
  const fields::SelectedNodes nodes(lookup, request.selection);
  const std::vector<fields::FieldArray> arrays =
      fields::fieldArrays(lookup, fields, request.derived);
  for (const Format& format : formats) {
    const auto& asked = request.formats;
    if (std::find(asked.begin(), asked.end(), format.name) == asked.end()) continue;
    const std::string name = std::string("fields.") + format.name;
    stage::logInfo(fmt::format("writing {}, {} nodes", name, nodes.count()));
    format.write(folder / name, nodes, arrays);
  }
}

}  // namespace tessera::postprocess::exports
