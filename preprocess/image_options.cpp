// SPDX-License-Identifier: GPL-3.0-or-later
// The options of images.
#include <algorithm>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "preprocess/given_options.hpp"
#include "preprocess/option_values.hpp"

namespace tessera::preprocess {

using stage::ExitCode;
using stage::fail;

namespace {

void readFluidValues(const GivenOptions& given, PreprocessOptions& options) {
  if (given.pore.has_value() == given.threshold.has_value())
    fail(ExitCode::Usage,
         std::string(given.pore ? "both --pore and --threshold were given"
                                : "it was not said which values of the image are fluid") +
             ", expected one of --pore V and --threshold A,B.");
  if (given.pore) {
    options.lowestValue = options.highestValue = parseNumbers("--pore", *given.pore, 1)[0];
    return;
  }
  const std::vector<double> range = parseNumbers("--threshold", *given.threshold, 2);
  if (range[0] > range[1])
    fail(ExitCode::Usage,
         "--threshold was given \"" + *given.threshold + "\", expected the lower value first.");
  options.lowestValue = range[0];
  options.highestValue = range[1];
}

void readRawLayout(const GivenOptions& given, PreprocessOptions& options) {
  if (read::extensionOf(options.inputs.front()) != "raw") {
    const std::string known = "is for RAW; this format says it itself";
    rejectGiven(given.dims.has_value(), "--dims", known);
    rejectGiven(given.type.has_value(), "--type", known);
    return;
  }
  if (!given.dims || !given.type)
    fail(ExitCode::Usage,
         std::string("no ") + (given.dims ? "--type" : "--dims") +
             " was given, and a RAW image does not say it; add e.g. --dims 256,256,256 --type u8.");
  const std::vector<int> dims = parseWholeNumbers("--dims", *given.dims, 3, 1, 1 << 20);
  options.dims = {dims[0], dims[1], dims[2]};
  options.type = *given.type;
  const char* const types[] = {"u8", "u16", "i16", "f32"};
  if (std::none_of(std::begin(types), std::end(types),
                   [&](const char* type) { return options.type == type; }))
    fail(ExitCode::Usage,
         "--type was given \"" + options.type + "\", expected one of u8, u16, i16, f32.");
}

void readMirror(const GivenOptions& given, PreprocessOptions& options) {
  options.mirror = parseAxes("--mirror", given.mirror.value_or(""));
  for (std::size_t a = 0; a < 3; ++a)
    if (options.mirror[a]) options.periodic[a] = true;
}

// They change the surface that --smooth makes; cuts are in millimetres of the image's world.
void readCutsAndExtensions(const GivenOptions& given, PreprocessOptions& options) {
  constexpr double metresPerMillimetre = 1e-3;
  const std::string why = "needs a surface, which an image has with --smooth only";
  rejectGiven(!given.smooth && !given.cut.empty(), "--cut", why);
  rejectGiven(!given.smooth && !given.extend.empty(), "--extend", why);
  for (const std::string& cut : given.cut)
    options.cuts.push_back(parseCut(cut, metresPerMillimetre));
  const std::array<bool, 3>& periodic = options.periodic;
  rejectGiven(!given.extend.empty() && (periodic[0] || periodic[1] || periodic[2]), "--extend",
              "does not go with the periodic axes of an image");
}

}  // namespace

void readImageOptions(const GivenOptions& given, PreprocessOptions& options) {
  const std::string why = "is for surfaces and has no effect on an image";
  rejectGiven(given.unit.has_value(), "--unit", why);
  rejectGiven(given.weld.has_value(), "--weld", why);
  if (options.inputs.size() > 1)
    fail(ExitCode::Usage,
         "several images were given, and only surfaces can be united; give one image (slices of "
         "one file each as the pages of one TIFF).");
  readSpacing(given, options);
  if (given.voxel) {
    options.voxel = stage::parseQuantity(*given.voxel, stage::Dimension::Length);
    if (!(*options.voxel > 0.0))
      fail(ExitCode::Usage, "--voxel was given \"" + *given.voxel + "\", expected more than 0.");
  }
  readFluidValues(given, options);
  readRawLayout(given, options);
  readMirror(given, options);
  options.smooth = given.smooth;
  rejectGiven(given.smooth && !given.wall.empty(), "--wall",
              "does not go with --smooth, whose walls are one surface");
  for (const std::string& text : given.wall) options.walls.push_back(parseWall(text));
  readCutsAndExtensions(given, options);
}

}  // namespace tessera::preprocess
