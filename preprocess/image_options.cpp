// SPDX-License-Identifier: GPL-3.0-or-later
// Options of tessera-preprocess for images.
#include <algorithm>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/given_options.hpp"
#include "preprocess/option_values.hpp"
#include "preprocess/read/formats.hpp"
#include "preprocess/read/image/dicom_files.hpp"
#include "preprocess/read/image/slices.hpp"

namespace tessera::preprocess {

using stage::ExitCode;
using stage::fail;

namespace {

void readFluidValues(const GivenOptions& given, PreprocessOptions& options) {
  if (given.pore.has_value() == given.threshold.has_value())
    fail(ExitCode::Usage, fmt::format("{}; expected one of --pore V and --threshold A,B.",
                                      given.pore ? "both --pore and --threshold are given"
                                                 : "the fluid values of the image are missing"));
  if (given.pore) {
    options.fluidLabels = parseFluidLabels(*given.pore);
    return;
  }
  const std::vector<double> range = parseNumbers("--threshold", *given.threshold, 2);
  if (range[0] > range[1])
    fail(ExitCode::Usage,
         fmt::format("--threshold is \"{}\"; expected the lower value first.", *given.threshold));
  options.fluidLabels.ranges = {{range[0], range[1]}};
}

void readRawLayout(const GivenOptions& given, PreprocessOptions& options) {
  if (read::extensionOf(options.inputs.front()) != "raw") {
    const std::string known = "is for RAW; this format defines it";
    rejectGiven(given.dims.has_value(), "--dims", known);
    rejectGiven(given.type.has_value(), "--type", known);
    return;
  }
  if (!given.dims || !given.type)
    fail(ExitCode::Usage,
         fmt::format(
             "{} is missing, which a RAW image requires; add e.g. --dims 256,256,256 --type u8.",
             given.dims ? "--type" : "--dims"));
  const std::vector<int> dims = parseWholeNumbers("--dims", *given.dims, 3, 1, 1 << 20);
  options.dims = {dims[0], dims[1], dims[2]};
  options.type = *given.type;
  const char* const types[] = {"u8", "u16", "i16", "f32"};
  if (std::none_of(std::begin(types), std::end(types),
                   [&](const char* type) { return options.type == type; }))
    fail(ExitCode::Usage,
         fmt::format("--type is \"{}\"; expected one of u8, u16, i16, f32.", options.type));
}

// Several files are DICOM's slices, or those of one stack.
void readSeries(const GivenOptions& given, PreprocessOptions& options) {
  const bool areDicom = std::all_of(options.inputs.begin(), options.inputs.end(), read::isDicom);
  rejectGiven(given.series && !areDicom, "--series", "is for DICOM files and folders");
  options.series = given.series;
  if (options.inputs.size() > 1 && !areDicom)
    options.inputs = read::inOrder(std::move(options.inputs));
}

void readMirror(const GivenOptions& given, PreprocessOptions& options) {
  options.mirror = parseAxes("--mirror", given.mirror.value_or(""));
  for (std::size_t a = 0; a < 3; ++a)
    if (options.mirror[a]) options.periodic[a] = true;
}

// Options that modify the surface of --smooth; their points are in millimetres of the image's
// world.
void readSurfaceEdits(const GivenOptions& given, PreprocessOptions& options) {
  constexpr double metresPerMillimetre = 1e-3;
  const std::string why = "requires a surface, for an image --smooth";
  rejectGiven(!given.smooth && !given.cut.empty(), "--cut", why);
  rejectGiven(!given.smooth && !given.extend.empty(), "--extend", why);
  rejectGiven(!given.smooth && given.openings.has_value(), "--openings", why);
  rejectGiven(!given.smooth && !given.open.empty(), "--open", why);
  rejectGiven(!given.smooth && !given.close.empty(), "--close", why);
  readOverrules(given, metresPerMillimetre, options);
  for (const std::string& cut : given.cut)
    options.cuts.push_back(parseCut(cut, metresPerMillimetre));
  const std::array<bool, 3>& periodic = options.periodic;
  rejectGiven(!given.extend.empty() && (periodic[0] || periodic[1] || periodic[2]), "--extend",
              "cannot be combined with periodic axes of an image");
}

}  // namespace

void readImageOptions(const GivenOptions& given, PreprocessOptions& options) {
  const std::string why = "is for surfaces and has no effect on an image";
  rejectGiven(given.unit.has_value(), "--unit", why);
  rejectGiven(given.wrap.has_value(), "--wrap", "is for surfaces and has no effect on an image");
  rejectGiven(given.weld.has_value(), "--weld", why);
  rejectGiven(given.sheets.has_value(), "--sheets", why);
  readSeries(given, options);
  readSpacing(given, options);
  if (given.voxel) {
    options.voxel = stage::parseQuantity(*given.voxel, stage::Dimension::Length);
    const std::string_view unit =
        std::string_view(*given.voxel).substr(given.voxel->find_last_of("0123456789. ") + 1);
    options.voxelUnit = unit.empty() ? "m" : unit;
    if (!(*options.voxel > 0.0))
      fail(ExitCode::Usage, "--voxel is \"" + *given.voxel + "\"; expected more than 0.");
  }
  if (given.crop) options.crop = parseCrop(*given.crop);
  readFluidValues(given, options);
  readRawLayout(given, options);
  readMirror(given, options);
  options.smooth = given.smooth;
  rejectGiven(given.smooth && !given.wall.empty(), "--wall",
              "cannot be combined with --smooth, whose walls are one surface");
  for (const std::string& text : given.wall) options.walls.push_back(parseWall(text));
  for (const std::string& text : given.wallLabel)
    options.wallLabels.push_back(parseLabelName("--wall-label", text));
  for (const std::string& text : given.branch)
    options.branches.push_back(parseLabelName("--branch", text));
  readSurfaceEdits(given, options);
}

}  // namespace tessera::preprocess
