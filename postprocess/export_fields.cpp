// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/export_fields.hpp"

#include <algorithm>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/nearest.hpp"
#include "pipelines/stage/progress.hpp"
#include "postprocess/field_arrays.hpp"
#include "postprocess/parse_place.hpp"
#include "postprocess/write_vdb.hpp"
#include "postprocess/write_vti.hpp"
#include "postprocess/write_vtkhdf.hpp"
#include "postprocess/write_vtu.hpp"

namespace tessera {

namespace {

struct Format {
  const char* name;
  void (*write)(const std::filesystem::path&, const SelectedNodes&, const std::vector<FieldArray>&);
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
  for (const std::string_view part : partsOf(text, ',')) {
    const std::string name(part);
    if (std::find(known.begin(), known.end(), name) == known.end())
      fail(ExitCode::Usage,
           "--export \"" + name + "\" is no format of fields; there are " + listOfWords(known));
    names.push_back(name);
  }
  return names;
}

void exportFields(const std::filesystem::path& folder, const ExportRequest& request,
                  const NodeLookup& lookup, const Fields& fields) {
  const SelectedNodes nodes(lookup, request.selection);
  const std::vector<FieldArray> arrays = fieldArrays(lookup, fields, request.derived);
  for (const Format& format : formats) {
    const auto& asked = request.formats;
    if (std::find(asked.begin(), asked.end(), format.name) == asked.end()) continue;
    const std::string name = std::string("fields.") + format.name;
    logInfo("writing " + name + ", " + std::to_string(nodes.count()) + " nodes");
    format.write(folder / name, nodes, arrays);
  }
}

}  // namespace tessera
