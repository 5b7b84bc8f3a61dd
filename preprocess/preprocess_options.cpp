// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/preprocess_options.hpp"

#include <algorithm>

#include "pipelines/picture/typeset.hpp"
#include "pipelines/stage/case/case_file.hpp"
#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/given_options.hpp"
#include "preprocess/option_values.hpp"
#include "preprocess/read/formats.hpp"
#include "preprocess/read/image/dicom_files.hpp"
#include "preprocess/read/image/slices.hpp"

namespace tessera::preprocess {

using read::InputKind;
using stage::ExitCode;
using stage::fail;
using surface::Side;

namespace {

// Endings of the files that are read.
std::vector<std::string> inputEndings() {
  std::vector<std::string> endings;
  for (const stage::FileFormat& format : read::inputFormats())
    for (const char* packed : {"", ".gz"})
      endings.push_back(std::string(format.extension) + packed);
  return endings;
}

// Options that the inputs require and that neither the command line nor the case gives.
std::vector<std::string> missingOptions(GivenOptions given, const stage::CommonOptions& common) {
  if (common.inputs.empty()) return {};
  if (!common.caseFile.empty())
    addCase(stage::CaseFile::load(common.caseFile).table("preprocess"), given);
  const auto all = [&](auto holds) {
    return std::all_of(common.inputs.begin(), common.inputs.end(), holds);
  };
  const auto endsIn = [](const char* extension) {
    return [extension](const auto& input) { return read::extensionOf(input) == extension; };
  };
  const auto isSurface = [](const auto& input) {
    return read::hasKnownFormat(input) && read::kindOfFile(input) == InputKind::Surface;
  };
  std::vector<std::string> missing;
  if (all(isSurface)) {
    if (!given.unit && !all(endsIn("3mf")))
      missing.emplace_back("--unit mm|cm|m|um (of the coordinates)");
    if (!given.spacing && !given.longest && !given.across)
      missing.emplace_back("one of --spacing, --longest and --across (the node spacing)");
  } else if (all(endsIn("raw"))) {
    if (!given.dims) missing.emplace_back("--dims X,Y,Z");
    if (!given.type) missing.emplace_back("--type u8|u16|i16|f32");
    if (!given.voxel) missing.emplace_back("--voxel, e.g. \"3 um\"");
    if (!given.pore && !given.threshold)
      missing.emplace_back("one of --pore V and --threshold A,B (the fluid values)");
  }
  return missing;
}

std::optional<stage::CommonOptions> parseCommandLine(int argc, const char* const* argv,
                                                     GivenOptions& given) {
  stage::CommandLine line(
      "tessera-preprocess",
      "Makes the lattice geom.vdb from surfaces, an image, a DICOM series, or slices of an image: "
      "files of PNG, TIFF or PGM, or their folder.",
      1, 1'000'000, true);
  line.inputs("INPUT...", inputEndings());
  line.output("FILE.vdb");
  line.environment(tessera::picture::fontsVariable, tessera::picture::fontsEffect);
  line.file("geom.vdb",
            "the lattice: opens in any OpenVDB program, and has links, surface and openings behind "
            "the grid");
  line.group("Resolution");
  line.option(
      "--unit mm|cm|m|um", given.unit,
      "unit of a surface's coordinates: mm, cm, m or um (3MF defines its own, and is converted)");
  line.option("--spacing LENGTH", given.spacing, "node spacing, e.g. \"0.1 mm\"");
  line.option("--longest", given.longest, "nodes on the longest side of the surface's box");
  line.option(
      "--across [OPENING=]N", given.across,
      "nodes across the smallest opening, as 20, or across another one, as inlet=20: by id, "
      "name, smallest or largest (inlet, unless an opening has that name: the largest)");
  line.option("--max-nodes NUMBER", given.maxNodes,
              "most fluid nodes, e.g. 5e8 or 500M; a finer node spacing is refused (default: 200M, "
              "images of one node per voxel: no limit)");
  line.group("Repair of surfaces");
  line.option(
      "--weld LENGTH", given.weld,
      "surface: tolerance for joining corners on open edges, e.g. \"0.01 mm\" (default, for all "
      "corners: a millionth of the extent)");
  line.option("--wrap LENGTH", given.wrap,
              "surface: wrap triangles that nothing else can close, e.g. \"0.5 mm\", the radius of "
              "the gaps that are bridged; openings stay");
  line.option("--sheets keep|drop", given.sheets,
              "surface: walls without thickness inside it, such as valves, flaps and membranes "
              "(default: keep)");
  line.group("Openings and walls");
  line.repeated("--cut POINT;NORMAL", given.cut,
                "end the vessel at this point, \"X,Y,Z;NX,NY,NZ\", and remove the part in "
                "direction N (images: "
                "mm in the file's space, with --smooth)");
  line.option("--openings N", given.openings,
              "number of openings that must be found; another one ends with a list of them and of "
              "the candidates");
  line.repeated("--open CANDIDATE|POINT", given.open,
                "make a candidate an opening, by its number, or the end at a point, \"X,Y,Z\" "
                "(images: mm in the file's space, with --smooth)");
  line.repeated("--close OPENING", given.close, "make an opening wall, by id or name");
  line.repeated("--extend [OPENING=]N", given.extend,
                "straight tube at each opening, length in diameters, as 5 or OPENING=5");
  line.repeated("--name ID=NAME", given.name, "name an opening, as 1=inlet");
  line.group("Images");
  line.option("--voxel LENGTH", given.voxel, "image: size of a voxel, e.g. \"3 um\"");
  line.option("--dims X,Y,Z", given.dims, "RAW: voxels on x,y,z, e.g. 256,256,256");
  line.option(
      "--series N", given.series,
      "DICOM: number of the series, where the files have several; without it they are listed");
  line.option("--type u8|u16|i16|f32", given.type, "RAW: type of a voxel (little-endian)");
  line.option("--crop X0,Y0,Z0,X1,Y1,Z1", given.crop,
              "image: keep the voxels from x0,y0,z0 to before x1,y1,z1, counted from 0 as in the "
              "file, e.g. 0,0,0,100,100,100");
  line.option("--pore LABELS", given.pore,
              "image: values of fluid voxels: a label, several labels or ranges, as 1,3,5-8, or "
              "segments of a .seg.nrrd by name, as \"artery,vein\"");
  line.option("--threshold A,B", given.threshold, "image: values from A to B are fluid, as A,B");
  line.option("--mirror AXES", given.mirror,
              "image: append its mirror image along these axes, which makes them periodic");
  line.flag("--smooth", given.smooth,
            "image: smooth the voxels' surface for accurate wall distances");
  line.repeated("--wall SIDE=NAME", given.wall,
                "image: name a side of the box as a separate wall, as y+=lid");
  line.repeated("--wall-label LABELS=NAME", given.wallLabel,
                "image: name the walls next to solid voxels of these labels, as 3=stent");
  line.repeated("--branch LABELS=NAME", given.branch,
                "image: name the openings in fluid voxels of these labels, as 2=aorta");
  line.group("Domain");
  line.option("--keep all|connected", given.keep,
              "all fluid, or only fluid connected to an opening (default: surfaces connected, "
              "images all)");
  line.option("--periodic AXES", given.periodic, "periodic axes, e.g. x or xyz");
  line.option("--faces SIDES", given.faces, "sides of the box that are openings, e.g. x-,x+");
  line.group("Preview");
  line.option("--picture FILE.png", given.picture,
              "also write a picture with numbered openings and candidates");
  line.option("--page FILE.html", given.page,
              "also write a page to turn the geometry and to write a case");
  line.alsoRequired(
      [&given](const stage::CommonOptions& common) { return missingOptions(given, common); });
  line.example("tessera-preprocess --unit mm --across 20 vessel.stl -o geom.vdb");
  line.example(
      "tessera-preprocess --unit mm --across 20 vessel.stl -o geom.vdb --page vessel.html");
  line.example(
      "tessera-preprocess --voxel \"3 um\" --dims 110,110,110 --type u8 --pore 0 "
      "rock.raw -o geom.vdb");
  return line.parse(argc, argv);
}

void requireWallsClosed(const PreprocessOptions& options) {
  for (std::size_t k = 0; k < options.walls.size(); ++k) {
    const Side& side = options.walls[k].side;
    const std::string name = "--wall " + side.name() + "=" + options.walls[k].name;
    if (options.periodic[static_cast<std::size_t>(side.axis)])
      fail(ExitCode::Usage,
           name + " cannot be a wall on a periodic axis; omit one of the two options.");
    const auto same = [&](const Side& other) { return other.name() == side.name(); };
    const bool opening = std::any_of(options.faces.begin(), options.faces.end(), same);
    const bool twice =
        std::any_of(options.walls.begin(), options.walls.begin() + static_cast<std::ptrdiff_t>(k),
                    [&](const SideWall& other) { return same(other.side); });
    if (opening || twice)
      fail(ExitCode::Usage, fmt::format("{} names a side that is {}; omit one of the two.", name,
                                        opening ? "an opening by --faces" : "already named"));
  }
}

void requireFacesClosed(const PreprocessOptions& options) {
  for (const Side& side : options.faces)
    if (options.periodic[static_cast<std::size_t>(side.axis)])
      fail(ExitCode::Usage,
           "--faces " + side.name() +
               " cannot be an opening on a periodic axis; omit one of the two options.");
}

// A file that is written apart from geom.vdb; asked for by the case, with the name of the output.
std::filesystem::path previewFile(const char* name, const std::optional<std::string>& given,
                                  bool ofOutput, std::filesystem::path output,
                                  const char* extension) {
  if (!given)
    return ofOutput ? (output.empty() ? output = "geom.vdb" : output).replace_extension(extension)
                    : std::filesystem::path();
  std::filesystem::path path = *given;
  if (path.extension() != extension || path.stem().empty())
    fail(ExitCode::Usage,
         fmt::format("{} is \"{}\"; expected the name of a {} file.", name, *given, extension));
  return path;
}

void readSharedOptions(const GivenOptions& given, PreprocessOptions& options) {
  options.periodic = parseAxes("--periodic", given.periodic.value_or(""));
  options.faces = parseFaces(given.faces.value_or(""));
  for (const std::string& text : given.extend) options.extensions.push_back(parseExtension(text));
  for (const std::string& text : given.name) options.names.push_back(parseName(text));
  const std::string keep =
      given.keep.value_or(options.kind == InputKind::Surface ? "connected" : "all");
  if (keep != "all" && keep != "connected")
    fail(ExitCode::Usage, "--keep is \"" + keep + "\"; expected all or connected.");
  options.keepConnected = keep == "connected";
  const std::filesystem::path& output = options.common.output;
  options.picture = previewFile("--picture", given.picture, given.pictureOfOutput, output, ".png");
  options.page = previewFile("--page", given.page, given.pageOfOutput, output, ".html");
}

std::string axesText(const std::array<bool, 3>& axes) {
  std::string text;
  for (std::size_t a = 0; a < 3; ++a)
    if (axes[a]) text += "xyz"[a];
  return text;
}

void listSpacing(const PreprocessOptions& options,
                 std::vector<std::pair<std::string, std::string>>& list) {
  if (options.spacing.spacing) list.emplace_back("spacing", exactText(*options.spacing.spacing));
  if (options.spacing.longest)
    list.emplace_back("longest", std::to_string(*options.spacing.longest));
  if (options.spacing.across) {
    const std::string& opening = options.spacing.opening;
    list.emplace_back("across", fmt::format("{}{}{}", opening, opening.empty() ? "" : "=",
                                            *options.spacing.across));
  }
}

// Lists the options in a fixed order.
void listEffective(const GivenOptions& given, PreprocessOptions& options) {
  auto& list = options.effective;
  const auto listGiven = [&](const char* name, const std::string& text) {
    if (!text.empty()) list.emplace_back(name, text);
  };
  listSpacing(options, list);
  if (options.kind == InputKind::Surface) {
    list.emplace_back("unit", options.unit);
    if (options.weld) list.emplace_back("weld", exactText(*options.weld));
    if (options.wrap) list.emplace_back("wrap", exactText(*options.wrap));
    if (!options.keepSheets) list.emplace_back("sheets", "drop");
  } else {
    if (options.voxel) list.emplace_back("voxel", exactText(*options.voxel));
    std::string values;
    for (const image::ValueRange& range : options.fluidLabels.ranges)
      values += (values.empty() ? "" : " ") + exactText(range.low) + "," + exactText(range.high);
    listGiven("values", values);
    listGiven("segments", stage::joined(options.fluidLabels.names, ","));
    listGiven("dims", given.dims.value_or(""));
    listGiven("type", options.type);
    if (options.series) list.emplace_back("series", std::to_string(*options.series));
    listGiven("crop", given.crop.value_or(""));
    listGiven("mirror", axesText(options.mirror));
    if (options.smooth) list.emplace_back("smooth", "true");
  }
  listGiven("cut", stage::joined(given.cut, " "));
  if (options.openings) list.emplace_back("openings", std::to_string(*options.openings));
  listGiven("open", stage::joined(given.open, " "));
  listGiven("close", stage::joined(given.close, " "));
  listGiven("extend", stage::joined(given.extend, " "));
  listGiven("name", stage::joined(given.name, " "));
  listGiven("wall", stage::joined(given.wall, " "));
  listGiven("wall-label", stage::joined(given.wallLabel, " "));
  listGiven("branch", stage::joined(given.branch, " "));
  list.emplace_back("keep", options.keepConnected ? "connected" : "all");
  list.emplace_back("periodic", axesText(options.periodic));
  std::string faces;
  for (const Side& side : options.faces) faces += (faces.empty() ? "" : ",") + side.name();
  list.emplace_back("faces", faces);
}

InputKind commonKind(const std::vector<std::filesystem::path>& inputs) {
  const InputKind kind = read::kindOfFile(inputs.front());
  for (const std::filesystem::path& input : inputs)
    if (read::kindOfFile(input) != kind)
      fail(ExitCode::Usage, fmt::format("{} and {}: a surface and an image cannot be "
                                        "united; give surfaces, one image, or slices.",
                                        inputs.front().string(), input.string()));
  return kind;
}

}  // namespace

void rejectGiven(bool isGiven, const std::string& name, const std::string& why) {
  if (isGiven) fail(ExitCode::Usage, name + " " + why + "; omit it.");
}

void readSpacing(const GivenOptions& given, PreprocessOptions& options) {
  if (given.across) options.spacing = parseAcross(*given.across);
  if (given.spacing)
    options.spacing.spacing = stage::parseQuantity(*given.spacing, stage::Dimension::Length);
  options.spacing.longest = given.longest;
  if (given.maxNodes) options.maxNodes = parseNodeCount("--max-nodes", *given.maxNodes);
  const int ways = given.spacing.has_value() + given.longest.has_value() + given.across.has_value();
  if (ways > 1)
    fail(ExitCode::Usage,
         "more than one node spacing is given; expected one of --spacing, --longest and --across.");
  if (options.spacing.spacing && !(*options.spacing.spacing > 0.0))
    fail(ExitCode::Usage, "--spacing is \"" + *given.spacing + "\"; expected more than 0.");
  if (given.longest.value_or(1) < 1)
    fail(ExitCode::Usage, "--longest is a number of nodes; expected 1 or more.");
}

void readOverrules(const GivenOptions& given, double metresPerUnit, PreprocessOptions& options) {
  if (given.openings.value_or(0) < 0)
    fail(ExitCode::Usage, "--openings is a number of openings; expected 0 or more.");
  options.openings = given.openings;
  for (const std::string& text : given.open)
    options.opened.push_back(parseOpen(text, metresPerUnit));
  options.closed = given.close;
  options.ofCase = given.ofCase;
}

std::optional<PreprocessOptions> parsePreprocessOptions(int argc, const char* const* argv) {
  GivenOptions given;
  const std::optional<stage::CommonOptions> common = parseCommandLine(argc, argv, given);
  if (!common) return std::nullopt;
  PreprocessOptions options;
  options.common = *common;
  options.inputs = common->inputs;
  std::error_code unreadable;  // reported by the reader
  if (options.inputs.size() == 1 &&
      std::filesystem::is_directory(options.inputs.front(), unreadable) &&
      !read::isDicom(options.inputs.front()))
    options.inputs = read::slicesIn(options.inputs.front());
  if (!common->caseFile.empty())
    addCase(stage::CaseFile::load(common->caseFile).table("preprocess"), given);
  options.kind = commonKind(options.inputs);
  readSharedOptions(given, options);
  if (options.kind == InputKind::Surface)
    readSurfaceOptions(given, options);
  else
    readImageOptions(given, options);
  requireFacesClosed(options);
  requireWallsClosed(options);
  listEffective(given, options);
  return options;
}

}  // namespace tessera::preprocess
