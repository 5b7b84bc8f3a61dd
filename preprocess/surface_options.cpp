// SPDX-License-Identifier: GPL-3.0-or-later
// Options of tessera-preprocess for surfaces.
#include <algorithm>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "preprocess/given_options.hpp"
#include "preprocess/option_values.hpp"
#include "preprocess/read/formats.hpp"

namespace tessera::preprocess {

namespace {

void readUnit(const GivenOptions& given, PreprocessOptions& options) {
  const std::pair<const char*, double> units[] = {
      {"mm", 1e-3}, {"cm", 1e-2}, {"m", 1.0}, {"um", 1e-6}};
  const bool defineUnits =
      std::all_of(options.inputs.begin(), options.inputs.end(),
                  [](const auto& input) { return read::extensionOf(input) == "3mf"; });
  // With files that define no unit it is theirs, and the others are converted.
  options.unitIsOfFiles = given.unit && defineUnits;
  options.unit = given.unit.value_or(defineUnits ? "mm" : "");
  const auto unit = std::find_if(std::begin(units), std::end(units),
                                 [&](const auto& u) { return u.first == options.unit; });
  if (unit == std::end(units))
    stage::fail(
        stage::ExitCode::Usage,
        (given.unit ? "--unit is \"" + options.unit + "\"" : std::string("--unit is missing")) +
            "; expected one of mm, cm, m, um, for files that do not define their unit.");
  options.metresPerUnit = unit->second;
}

// A length above 0.
std::optional<double> readLength(const char* name, const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const double metres = stage::parseQuantity(*text, stage::Dimension::Length);
  if (!(metres > 0.0))
    stage::fail(stage::ExitCode::Usage,
                std::string(name) + " is \"" + *text + "\"; expected more than 0.");
  return metres;
}

void readWrap(const GivenOptions& given, PreprocessOptions& options) {
  options.wrap = readLength("--wrap", given.wrap);
  if (!options.wrap) return;
  const std::array<bool, 3>& periodic = options.periodic;
  rejectGiven(periodic[0] || periodic[1] || periodic[2], "--periodic",
              "requires flat ends at the sides of the box, which --wrap closes and rounds");
  rejectGiven(!options.faces.empty(), "--faces",
              "requires flat ends at the sides of the box, which --wrap rounds; openings of the "
              "surface are found without it, and --cut makes others");
}

}  // namespace

void readSurfaceOptions(const GivenOptions& given, PreprocessOptions& options) {
  const std::string why = "is for images and has no effect on a surface";
  rejectGiven(given.voxel.has_value(), "--voxel", why);
  rejectGiven(given.dims.has_value(), "--dims", why);
  rejectGiven(given.type.has_value(), "--type", why);
  rejectGiven(given.series.has_value(), "--series", why);
  rejectGiven(given.crop.has_value(), "--crop", "is for images; a surface is shortened by --cut");
  rejectGiven(given.pore.has_value(), "--pore", why);
  rejectGiven(given.threshold.has_value(), "--threshold", why);
  rejectGiven(given.mirror.has_value(), "--mirror", why);
  rejectGiven(given.smooth, "--smooth", why);
  rejectGiven(!given.wall.empty(), "--wall",
              "is for images; the walls of a surface have the names of its faces or files");
  rejectGiven(!given.wallLabel.empty(), "--wall-label", why);
  rejectGiven(!given.branch.empty(), "--branch", why);
  readUnit(given, options);
  const std::string sheets = given.sheets.value_or("keep");
  if (sheets != "keep" && sheets != "drop")
    stage::fail(stage::ExitCode::Usage, "--sheets is \"" + sheets + "\"; expected keep or drop.");
  options.keepSheets = sheets == "keep";
  for (const std::string& text : given.cut)
    options.cuts.push_back(parseCut(text, options.metresPerUnit));
  readOverrules(given, options.metresPerUnit, options);
  readSpacing(given, options);
  if (!options.spacing.any())
    stage::fail(stage::ExitCode::Usage,
                "the node spacing is missing; expected one of --spacing, --longest and --across.");
  options.weld = readLength("--weld", given.weld);
  readWrap(given, options);
}

}  // namespace tessera::preprocess
