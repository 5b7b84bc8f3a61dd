// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/preprocess_options.hpp"

#include <algorithm>
#include <charconv>

#include "pipelines/stage/case/case_file.hpp"
#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "preprocess/given_options.hpp"
#include "preprocess/option_values.hpp"
#include "preprocess/read/formats.hpp"

namespace tessera::preprocess {

using read::InputKind;
using stage::CaseTable;
using stage::ExitCode;
using stage::fail;
using surface::Side;

namespace {

std::optional<stage::CommonOptions> parseCommandLine(int argc, const char* const* argv,
                                                     GivenOptions& given) {
  stage::CommandLine line("tessera-preprocess",
                          "From surfaces or an image to the lattice geom.vdb.", 1, 1000, true);
  line.option("--unit", given.unit, "unit of a surface's coordinates: mm, cm, m or um");
  line.option("--spacing", given.spacing, "node spacing, e.g. \"0.1 mm\"");
  line.option("--longest", given.longest, "nodes on the longest side of the surface's box");
  line.option("--across", given.across, "nodes across the smallest opening");
  line.option("--weld", given.weld,
              "surface: corners on open edges this close are one, e.g. \"0.01 mm\" (a millionth of "
              "the extent, of all corners)");
  line.repeated("--cut", given.cut,
                "the vessel ends at this point, \"X,Y,Z;NX,NY,NZ\" (images: mm in LPS, with "
                "--smooth); cut away is "
                "what lies in that direction");
  line.repeated("--extend", given.extend,
                "a straight tube over each opening, 5 diameters long, or OPENING=5");
  line.repeated("--name", given.name, "name an opening, as 1=inlet");
  line.option("--voxel", given.voxel, "image: size of a voxel, e.g. \"3 um\"");
  line.option("--dims", given.dims, "RAW: voxels on x,y,z, e.g. 256,256,256");
  line.option("--type", given.type, "RAW: u8, u16, i16 or f32 (little-endian)");
  line.option("--pore", given.pore, "image: this value is fluid");
  line.option("--threshold", given.threshold, "image: values from A to B are fluid, as A,B");
  line.option("--mirror", given.mirror,
              "image: append its mirror image along these axes, which makes them periodic");
  line.flag("--smooth", given.smooth,
            "image: a surface through the voxels' steps, so that wall distances mean something");
  line.repeated("--wall", given.wall,
                "image: a side of the box is a wall with a name of its own, as y+=lid");
  line.option("--keep", given.keep,
              "all fluid, or only what is connected to an opening (surfaces: connected, images: "
              "all)");
  line.option("--periodic", given.periodic, "periodic axes, e.g. x or xyz");
  line.option("--faces", given.faces, "sides of the box that are openings, e.g. x-,x+");
  line.example("tessera-preprocess --unit mm --across 20 vessel.stl -o geom.vdb");
  line.example(
      "tessera-preprocess --voxel \"3 um\" --dims 110,110,110 --type u8 --pore 0 "
      "rock.raw -o geom.vdb");
  return line.parse(argc, argv);
}

std::optional<std::string> metresText(std::optional<double> metres) {
  if (!metres) return std::nullopt;
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, *metres);
  return std::string(text, end.ptr) + " m";
}

// What is wrong with a text is told with its line of the file.
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

// A length, which cannot be 0 or less.
std::optional<std::string> lengthText(CaseTable& table, const char* key) {
  const std::optional<double> metres = table.quantity(key, stage::Dimension::Length);
  if (metres && !(*metres > 0.0))
    fail(ExitCode::Usage, table.where(key) + ": " + key + " must be more than 0.");
  return metresText(metres);
}

// A number or a text, as a text.
std::optional<std::string> numberText(CaseTable& table, const char* key) {
  if (table.isText(key)) return table.text(key);
  const auto value = table.quantity(key, stage::Dimension::None);
  if (!value) return std::nullopt;
  char text[40];
  return std::string(text, std::to_chars(text, text + sizeof text, *value).ptr);
}

void addSpacing(CaseTable& table, GivenOptions& given) {
  const bool onCommandLine = given.spacing || given.longest || given.across;
  const auto spacing = lengthText(table, "spacing");
  const auto longest = table.integer("longest", 1, 1 << 30);
  const auto across = table.integer("across", 1, 1 << 30);
  if (onCommandLine) return;
  given.spacing = spacing;
  given.longest = longest;
  given.across = across;
}

void addFluidValues(CaseTable& table, GivenOptions& given) {
  const bool onCommandLine = given.pore || given.threshold;
  const auto pore = numberText(table, "pore");
  if (pore)
    checkAt(table, "pore", *pore, [](const std::string& text) { parseNumbers("--pore", text, 1); });
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

// Fills in what the command line left open.
void addCase(CaseTable table, GivenOptions& given) {
  const auto fill = [](auto& target, auto value) {
    if (!target && value) target = value;
  };
  fill(given.unit, table.word("unit", {"mm", "cm", "m", "um"}));
  addSpacing(table, given);
  fill(given.weld, lengthText(table, "weld"));
  addListsOfCase(table, given);
  fill(given.voxel, lengthText(table, "voxel"));
  fill(given.dims, checkedText(table, "dims", [](const std::string& text) {
         parseWholeNumbers("--dims", text, 3, 1, 1 << 20);
       }));
  fill(given.type, table.word("type", {"u8", "u16", "i16", "f32"}));
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
      fail(ExitCode::Usage, name +
                                " cannot be a wall on a periodic axis; leave one of the two "
                                "options out.");
    const auto same = [&](const Side& other) { return other.name() == side.name(); };
    const bool opening = std::any_of(options.faces.begin(), options.faces.end(), same);
    const bool twice =
        std::any_of(options.walls.begin(), options.walls.begin() + static_cast<std::ptrdiff_t>(k),
                    [&](const SideWall& other) { return same(other.side); });
    if (opening || twice)
      fail(ExitCode::Usage, name + " names a side that is " +
                                (opening ? "an opening by --faces" : "named already") +
                                "; leave one of the two out.");
  }
}

void requireFacesClosed(const PreprocessOptions& options) {
  for (const Side& side : options.faces)
    if (options.periodic[static_cast<std::size_t>(side.axis)])
      fail(ExitCode::Usage, "--faces " + side.name() +
                                " cannot be an opening on a periodic axis; leave one of the two "
                                "options out.");
}

void readSharedOptions(const GivenOptions& given, PreprocessOptions& options) {
  options.periodic = parseAxes("--periodic", given.periodic.value_or(""));
  options.faces = parseFaces(given.faces.value_or(""));
  for (const std::string& text : given.extend) options.extensions.push_back(parseExtension(text));
  for (const std::string& text : given.name) options.names.push_back(parseName(text));
  const std::string keep =
      given.keep.value_or(options.kind == InputKind::Surface ? "connected" : "all");
  if (keep != "all" && keep != "connected")
    fail(ExitCode::Usage, "--keep was given \"" + keep + "\", expected all or connected.");
  options.keepConnected = keep == "connected";
}

std::string exactText(double value) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string axesText(const std::array<bool, 3>& axes) {
  std::string text;
  for (std::size_t a = 0; a < 3; ++a)
    if (axes[a]) text += "xyz"[a];
  return text;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : " ") + text;
  return all;
}

void listSpacing(const PreprocessOptions& options,
                 std::vector<std::pair<std::string, std::string>>& list) {
  if (options.spacing.spacing) list.emplace_back("spacing", exactText(*options.spacing.spacing));
  if (options.spacing.longest)
    list.emplace_back("longest", std::to_string(*options.spacing.longest));
  if (options.spacing.across) list.emplace_back("across", std::to_string(*options.spacing.across));
}

// In one order, whichever way they were given.
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
    list.emplace_back("values",
                      exactText(options.lowestValue) + "," + exactText(options.highestValue));
    listGiven("dims", given.dims.value_or(""));
    listGiven("type", options.type);
    listGiven("mirror", axesText(options.mirror));
    if (options.smooth) list.emplace_back("smooth", "true");
  }
  listGiven("cut", joined(given.cut));
  listGiven("extend", joined(given.extend));
  listGiven("name", joined(given.name));
  listGiven("wall", joined(given.wall));
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
      fail(ExitCode::Usage, inputs.front().string() + " and " + input.string() +
                                " are a surface and an image, which cannot be united; give "
                                "surfaces, or one image.");
  return kind;
}

}  // namespace

void rejectGiven(bool isGiven, const std::string& name, const std::string& why) {
  if (isGiven) fail(ExitCode::Usage, name + " " + why + "; leave it out.");
}

void readSpacing(const GivenOptions& given, PreprocessOptions& options) {
  if (given.spacing)
    options.spacing.spacing = stage::parseQuantity(*given.spacing, stage::Dimension::Length);
  options.spacing.longest = given.longest;
  options.spacing.across = given.across;
  const int ways = given.spacing.has_value() + given.longest.has_value() + given.across.has_value();
  if (ways > 1)
    fail(ExitCode::Usage,
         "more than one node spacing was given, expected one of --spacing, --longest and "
         "--across.");
  if (options.spacing.spacing && !(*options.spacing.spacing > 0.0))
    fail(ExitCode::Usage, "--spacing was given \"" + *given.spacing + "\", expected more than 0.");
  if (given.longest.value_or(1) < 1 || given.across.value_or(1) < 1)
    fail(ExitCode::Usage, "--longest and --across count nodes, expected 1 or more.");
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

}  // namespace tessera::preprocess
