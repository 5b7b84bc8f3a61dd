// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/preprocess_options.hpp"

#include <algorithm>
#include <charconv>

#include "pipelines/stage/case/case_file.hpp"
#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/option_values.hpp"
#include "preprocess/read/formats.hpp"

namespace tessera::preprocess {

using read::InputKind;
using stage::CaseTable;
using stage::ExitCode;
using stage::fail;
using surface::Side;

// Options of tessera-preprocess as given, before interpretation.

struct GivenOptions {
  std::optional<std::string> unit, spacing, across, maxNodes, voxel, dims, type, crop, pore,
      threshold, keep, periodic, faces, weld, mirror;
  std::optional<std::int64_t> longest;
  std::vector<std::string> cut, extend, name, wall;
  bool smooth = false;
};

// Throws StageError(Usage) for an option that has no effect on this kind of input.
void rejectGiven(bool isGiven, const std::string& name, const std::string& why);

// Reads --spacing, --longest or --across, at most one of them.
void readSpacing(const GivenOptions& given, PreprocessOptions& options);

void readSurfaceOptions(const GivenOptions& given, PreprocessOptions& options);
void readImageOptions(const GivenOptions& given, PreprocessOptions& options);

namespace {

std::optional<stage::CommonOptions> parseCommandLine(int argc, const char* const* argv,
                                                     GivenOptions& given) {
  stage::CommandLine line("tessera-preprocess",
                          "Makes the lattice geom.vdb from surfaces or an image.", 1, 1000, true);
  line.option("--unit", given.unit, "unit of a surface's coordinates: mm, cm, m or um");
  line.option("--spacing", given.spacing, "node spacing, e.g. \"0.1 mm\"");
  line.option("--longest", given.longest, "nodes on the longest side of the surface's box");
  line.option(
      "--across", given.across,
      "nodes across the smallest opening, as 20, or across another one, as inlet=20: by id, "
      "name, smallest or largest (inlet, unless an opening has that name: the largest)");
  line.option("--max-nodes", given.maxNodes,
              "most fluid nodes, e.g. 5e8 or 500M; a finer node spacing is refused (default: 200M, "
              "images of one node per voxel: no limit)");
  line.option(
      "--weld", given.weld,
      "surface: tolerance for joining corners on open edges, e.g. \"0.01 mm\" (default, for all "
      "corners: a millionth of the extent)");
  line.repeated("--cut", given.cut,
                "end the vessel at this point, \"X,Y,Z;NX,NY,NZ\", and remove the part in "
                "direction N (images: "
                "mm in LPS, with --smooth)");
  line.repeated("--extend", given.extend,
                "straight tube at each opening, length in diameters, as 5 or OPENING=5");
  line.repeated("--name", given.name, "name an opening, as 1=inlet");
  line.option("--voxel", given.voxel, "image: size of a voxel, e.g. \"3 um\"");
  line.option("--dims", given.dims, "RAW: voxels on x,y,z, e.g. 256,256,256");
  line.option("--type", given.type, "RAW: u8, u16, i16 or f32 (little-endian)");
  line.option("--crop", given.crop,
              "image: keep the voxels from x0,y0,z0 to before x1,y1,z1, counted from 0 as in the "
              "file, e.g. 0,0,0,100,100,100");
  line.option("--pore", given.pore,
              "image: values of fluid voxels: a label, several labels or ranges, as 1,3,5-8");
  line.option("--threshold", given.threshold, "image: values from A to B are fluid, as A,B");
  line.option("--mirror", given.mirror,
              "image: append its mirror image along these axes, which makes them periodic");
  line.flag("--smooth", given.smooth,
            "image: smooth the voxels' surface for accurate wall distances");
  line.repeated("--wall", given.wall,
                "image: name a side of the box as a separate wall, as y+=lid");
  line.option("--keep", given.keep,
              "all fluid, or only fluid connected to an opening: all, connected (default: surfaces "
              "connected, "
              "images all)");
  line.option("--periodic", given.periodic, "periodic axes, e.g. x or xyz");
  line.option("--faces", given.faces, "sides of the box that are openings, e.g. x-,x+");
  line.example("tessera-preprocess --unit mm --across 20 vessel.stl -o geom.vdb");
  line.example(
      "tessera-preprocess --voxel \"3 um\" --dims 110,110,110 --type u8 --pore 0 "
      "rock.raw -o geom.vdb");
  return line.parse(argc, argv);
}

std::string exactText(double value) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

// Runs a check and adds the line of the case file to its error.
template <class Check>
void checkAt(const CaseTable& table, const char* key, const std::string& text, const Check& check) {
  try {
    check(text);
  } catch (const stage::StageError& error) {
    fail(error.code(), table.where(key) + ": " + error.what());
  }
}

template <class Check>
std::optional<std::string> checkedText(CaseTable& table, const char* key, const Check& check) {
  const std::optional<std::string> text = table.text(key);
  if (text) checkAt(table, key, *text, check);
  return text;
}

template <class Check>
std::vector<std::string> checkedTexts(CaseTable& table, const char* key, const Check& check) {
  const std::vector<std::string> texts = table.texts(key);
  for (const std::string& text : texts) checkAt(table, key, text, check);
  return texts;
}

// A length above 0.
std::optional<std::string> lengthText(CaseTable& table, const char* key) {
  const std::optional<double> metres = table.quantity(key, stage::Dimension::Length);
  if (metres && !(*metres > 0.0))
    fail(ExitCode::Usage, table.where(key) + ": " + key + " must be more than 0.");
  return metres ? std::optional(exactText(*metres) + " m") : std::nullopt;
}

// A number or a text, as a text.
std::optional<std::string> numberText(CaseTable& table, const char* key) {
  if (table.isText(key)) return table.text(key);
  const auto value = table.quantity(key, stage::Dimension::None);
  if (!value) return std::nullopt;
  return exactText(*value);
}

std::optional<std::string> wholeNumberText(std::optional<std::int64_t> value) {
  return value ? std::optional(std::to_string(*value)) : std::nullopt;
}

std::optional<std::string> nodeCountText(CaseTable& table, const char* key) {
  const auto nodes = numberText(table, key);
  if (nodes)
    checkAt(table, key, *nodes, [&](const std::string& text) { parseNodeCount(key, text); });
  return nodes;
}

void addSpacing(CaseTable& table, GivenOptions& given) {
  const bool onCommandLine = given.spacing || given.longest || given.across;
  const auto spacing = lengthText(table, "spacing");
  const auto longest = table.integer("longest", 1, 1 << 30);
  const auto across = table.isText("across") ? checkedText(table, "across", parseAcross)
                                             : wholeNumberText(table.integer("across", 1, 1 << 30));
  if (onCommandLine) return;
  given.spacing = spacing;
  given.longest = longest;
  given.across = across;
}

void addFluidValues(CaseTable& table, GivenOptions& given) {
  const bool onCommandLine = given.pore || given.threshold;
  const auto pore = numberText(table, "pore");
  if (pore) checkAt(table, "pore", *pore, parseFluidLabels);
  const auto threshold = checkedText(
      table, "threshold", [](const std::string& text) { parseNumbers("--threshold", text, 2); });
  if (onCommandLine) return;
  given.pore = pore;
  given.threshold = threshold;
}

const auto checkAxes = [](const char* name) {
  return [name](const std::string& text) { parseAxes(name, text); };
};

void addListsOfCase(CaseTable& table, GivenOptions& given) {
  const auto fill = [](std::vector<std::string>& target, std::vector<std::string> texts) {
    if (target.empty()) target = std::move(texts);
  };
  fill(given.cut, checkedTexts(table, "cut", [](const std::string& text) { parseCut(text, 1.0); }));
  fill(given.extend, checkedTexts(table, "extend", parseExtension));
  fill(given.name, checkedTexts(table, "name", parseName));
  fill(given.wall, checkedTexts(table, "wall", parseWall));
}

// Adds values of the case for options missing on the command line.
void addCase(CaseTable table, GivenOptions& given) {
  const auto fill = [](auto& target, auto value) {
    if (!target && value) target = value;
  };
  fill(given.unit, table.word("unit", {"mm", "cm", "m", "um"}));
  addSpacing(table, given);
  fill(given.maxNodes, nodeCountText(table, "max_nodes"));
  fill(given.weld, lengthText(table, "weld"));
  addListsOfCase(table, given);
  fill(given.voxel, lengthText(table, "voxel"));
  fill(given.dims, checkedText(table, "dims", [](const std::string& text) {
         parseWholeNumbers("--dims", text, 3, 1, 1 << 20);
       }));
  fill(given.type, table.word("type", {"u8", "u16", "i16", "f32"}));
  fill(given.crop, checkedText(table, "crop", parseCrop));
  addFluidValues(table, given);
  fill(given.mirror, checkedText(table, "mirror", checkAxes("--mirror")));
  given.smooth |= table.flag("smooth").value_or(false);
  fill(given.keep, table.word("keep", {"all", "connected"}));
  fill(given.periodic, checkedText(table, "periodic", checkAxes("--periodic")));
  fill(given.faces, checkedText(table, "faces", parseFaces));
  table.rejectUnknown();
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
  } else {
    if (options.voxel) list.emplace_back("voxel", exactText(*options.voxel));
    std::string values;
    for (const image::ValueRange& range : options.fluidValues)
      values += (values.empty() ? "" : " ") + exactText(range.low) + "," + exactText(range.high);
    list.emplace_back("values", values);
    listGiven("dims", given.dims.value_or(""));
    listGiven("type", options.type);
    listGiven("crop", given.crop.value_or(""));
    listGiven("mirror", axesText(options.mirror));
    if (options.smooth) list.emplace_back("smooth", "true");
  }
  listGiven("cut", stage::joined(given.cut, " "));
  listGiven("extend", stage::joined(given.extend, " "));
  listGiven("name", stage::joined(given.name, " "));
  listGiven("wall", stage::joined(given.wall, " "));
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
      fail(ExitCode::Usage, fmt::format("{} and {} are a surface and an image, which cannot be "
                                        "united; give surfaces, or one image.",
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

std::optional<PreprocessOptions> parsePreprocessOptions(int argc, const char* const* argv) {
  GivenOptions given;
  const std::optional<stage::CommonOptions> common = parseCommandLine(argc, argv, given);
  if (!common) return std::nullopt;
  PreprocessOptions options;
  options.common = *common;
  options.inputs = common->inputs;
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

namespace {

void readUnit(const GivenOptions& given, PreprocessOptions& options) {
  const std::pair<const char*, double> units[] = {
      {"mm", 1e-3}, {"cm", 1e-2}, {"m", 1.0}, {"um", 1e-6}};
  options.unit = given.unit.value_or("");
  const auto unit = std::find_if(std::begin(units), std::end(units),
                                 [&](const auto& u) { return u.first == options.unit; });
  if (unit == std::end(units))
    stage::fail(
        stage::ExitCode::Usage,
        (given.unit ? "--unit is \"" + options.unit + "\"" : std::string("--unit is missing")) +
            "; expected one of mm, cm, m, um, since a surface's file does not define its unit.");
  options.metresPerUnit = unit->second;
}

}  // namespace

void readSurfaceOptions(const GivenOptions& given, PreprocessOptions& options) {
  const std::string why = "is for images and has no effect on a surface";
  rejectGiven(given.voxel.has_value(), "--voxel", why);
  rejectGiven(given.dims.has_value(), "--dims", why);
  rejectGiven(given.type.has_value(), "--type", why);
  rejectGiven(given.crop.has_value(), "--crop", "is for images; a surface is shortened by --cut");
  rejectGiven(given.pore.has_value(), "--pore", why);
  rejectGiven(given.threshold.has_value(), "--threshold", why);
  rejectGiven(given.mirror.has_value(), "--mirror", why);
  rejectGiven(given.smooth, "--smooth", why);
  rejectGiven(!given.wall.empty(), "--wall",
              "is for images; the walls of a surface have the names of its faces or files");
  readUnit(given, options);
  for (const std::string& text : given.cut)
    options.cuts.push_back(parseCut(text, options.metresPerUnit));
  readSpacing(given, options);
  if (!options.spacing.any())
    stage::fail(stage::ExitCode::Usage,
                "the node spacing is missing; expected one of --spacing, --longest and --across.");
  if (given.weld) {
    options.weld = stage::parseQuantity(*given.weld, stage::Dimension::Length);
    if (!(*options.weld > 0.0))
      stage::fail(stage::ExitCode::Usage,
                  "--weld is \"" + *given.weld + "\"; expected more than 0.");
  }
}

namespace {

void readFluidValues(const GivenOptions& given, PreprocessOptions& options) {
  if (given.pore.has_value() == given.threshold.has_value())
    fail(ExitCode::Usage, fmt::format("{}; expected one of --pore V and --threshold A,B.",
                                      given.pore ? "both --pore and --threshold are given"
                                                 : "the fluid values of the image are missing"));
  if (given.pore) {
    options.fluidValues = parseFluidLabels(*given.pore);
    return;
  }
  const std::vector<double> range = parseNumbers("--threshold", *given.threshold, 2);
  if (range[0] > range[1])
    fail(ExitCode::Usage,
         fmt::format("--threshold is \"{}\"; expected the lower value first.", *given.threshold));
  options.fluidValues = {{range[0], range[1]}};
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

void readMirror(const GivenOptions& given, PreprocessOptions& options) {
  options.mirror = parseAxes("--mirror", given.mirror.value_or(""));
  for (std::size_t a = 0; a < 3; ++a)
    if (options.mirror[a]) options.periodic[a] = true;
}

// --cut and --extend modify the surface of --smooth; cuts are in millimetres of the image's world.
void readCutsAndExtensions(const GivenOptions& given, PreprocessOptions& options) {
  constexpr double metresPerMillimetre = 1e-3;
  const std::string why = "requires a surface, for an image --smooth";
  rejectGiven(!given.smooth && !given.cut.empty(), "--cut", why);
  rejectGiven(!given.smooth && !given.extend.empty(), "--extend", why);
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
  rejectGiven(given.weld.has_value(), "--weld", why);
  if (options.inputs.size() > 1)
    fail(ExitCode::Usage,
         "several images are given, but only surfaces can be united; give one image (slices as the "
         "pages of one TIFF).");
  readSpacing(given, options);
  if (given.voxel) {
    options.voxel = stage::parseQuantity(*given.voxel, stage::Dimension::Length);
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
  readCutsAndExtensions(given, options);
}

}  // namespace tessera::preprocess
