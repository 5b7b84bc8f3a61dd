// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/preprocess_options.hpp"

#include <algorithm>
#include <charconv>

#include "pipelines/stage/case_file.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/quantity.hpp"

namespace tessera {
namespace {

// As given, before anything is made of it.
struct Given {
  std::optional<std::string> unit, spacing, voxel, dims, type, threshold, keep, periodic, faces;
  std::optional<std::int64_t> longest, across, pore;
};

std::optional<CommonOptions> parseCommandLine(int argc, const char* const* argv, Given& given) {
  CommandLine line("tessera-preprocess", "From a surface or an image to the lattice geom.vdb.", 1,
                   1, true);
  line.option("--unit", given.unit, "unit of a surface's coordinates: mm, cm, m or um");
  line.option("--spacing", given.spacing, "surface: node spacing, e.g. \"0.1 mm\"");
  line.option("--longest", given.longest, "surface: nodes on the longest side of its box");
  line.option("--across", given.across, "surface: nodes across the smallest opening");
  line.option("--voxel", given.voxel, "image: size of a voxel, e.g. \"3 um\"");
  line.option("--dims", given.dims, "RAW: voxels on x,y,z, e.g. 256,256,256");
  line.option("--type", given.type, "RAW: u8 or u16 (little-endian)");
  line.option("--pore", given.pore, "image: this label is fluid");
  line.option("--threshold", given.threshold, "image: labels from A to B are fluid, as A,B");
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

// Fills in what the command line left open.
void addCase(CaseTable table, Given& given) {
  const bool spacingGiven = given.spacing || given.longest || given.across;
  const bool labelsGiven = given.pore || given.threshold;
  const auto fill = [](auto& target, auto value) {
    if (!target && value) target = value;
  };
  const auto metres = [&](const char* key) -> std::optional<std::string> {
    if (const auto value = table.quantity(key, Dimension::Length)) {
      char text[40];
      const auto end = std::to_chars(text, text + sizeof text, *value);
      return std::string(text, end.ptr) + " m";
    }
    return std::nullopt;
  };
  fill(given.unit, table.text("unit"));
  const auto spacing = metres("spacing");
  const auto longest = table.integer("longest", 1, 1 << 30);
  const auto across = table.integer("across", 1, 1 << 30);
  if (!spacingGiven) {
    given.spacing = spacing;
    given.longest = longest;
    given.across = across;
  }
  fill(given.voxel, metres("voxel"));
  fill(given.dims, table.text("dims"));
  fill(given.type, table.text("type"));
  const auto pore = table.integer("pore", 0, 65535);
  const auto threshold = table.text("threshold");
  if (!labelsGiven) {
    given.pore = pore;
    given.threshold = threshold;
  }
  fill(given.keep, table.text("keep"));
  fill(given.periodic, table.text("periodic"));
  fill(given.faces, table.text("faces"));
  table.rejectUnknown();
}

InputKind kindOf(const std::filesystem::path& input) {
  std::string extension = input.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (extension == ".stl") return InputKind::Stl;
  if (extension == ".raw") return InputKind::Raw;
  if (extension == ".pgm") return InputKind::Pgm;
  fail(ExitCode::BadInput,
       input.string() +
           " is of no format that is read (.stl surfaces, .raw and .pgm images); "
           "convert it to one of these.");
}

// "A,B,C" to whole numbers from lowest to highest.
std::vector<int> parseList(const std::string& name, const std::string& text, std::size_t count,
                           int lowest, int highest) {
  std::vector<int> values;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (values.size() < count) {
    int value = 0;
    const auto result = std::from_chars(at, end, value);
    const bool last = values.size() + 1 == count;
    const bool separated = last ? result.ptr == end : result.ptr != end && *result.ptr == ',';
    if (result.ec != std::errc{} || !separated || value < lowest || value > highest)
      fail(ExitCode::Usage, name + " was given \"" + text + "\", expected are " +
                                std::to_string(count) + " whole numbers from " +
                                std::to_string(lowest) + " to " + std::to_string(highest) +
                                " with commas between them.");
    values.push_back(value);
    at = result.ptr + 1;
  }
  return values;
}

std::array<bool, 3> parsePeriodic(const std::string& text) {
  std::array<bool, 3> periodic{false, false, false};
  for (const char c : text) {
    if (c < 'x' || c > 'z')
      fail(ExitCode::Usage, "--periodic was given \"" + text +
                                "\", expected are the letters of the axes, e.g. x or xyz.");
    periodic[static_cast<std::size_t>(c - 'x')] = true;
  }
  return periodic;
}

std::vector<Side> parseFaces(const std::string& text) {
  std::vector<Side> sides;
  for (std::size_t at = 0; at < text.size(); at += 3) {
    const std::string word = text.substr(at, text.find(',', at) - at);
    if (word.size() != 2 || word[0] < 'x' || word[0] > 'z' || (word[1] != '-' && word[1] != '+'))
      fail(ExitCode::Usage,
           "--faces was given \"" + text + "\", expected are sides of the box such as x-,x+.");
    const Side side{word[0] - 'x', word[1] == '+'};
    const bool twice = std::any_of(sides.begin(), sides.end(),
                                   [&](const Side& s) { return s.name() == side.name(); });
    if (!twice) sides.push_back(side);
  }
  return sides;
}

void rejectGiven(bool isGiven, const std::string& name, const std::string& why) {
  if (isGiven) fail(ExitCode::Usage, name + " " + why + "; leave it out.");
}

void readSurfaceOptions(const Given& given, PreprocessOptions& options) {
  const std::string why = "is for images and has no effect on a surface";
  rejectGiven(given.voxel.has_value(), "--voxel", why);
  rejectGiven(given.dims.has_value(), "--dims", why);
  rejectGiven(given.type.has_value(), "--type", why);
  rejectGiven(given.pore.has_value(), "--pore", why);
  rejectGiven(given.threshold.has_value(), "--threshold", why);
  const std::pair<const char*, double> units[] = {
      {"mm", 1e-3}, {"cm", 1e-2}, {"m", 1.0}, {"um", 1e-6}};
  options.unit = given.unit.value_or("");
  const auto unit = std::find_if(std::begin(units), std::end(units),
                                 [&](const auto& u) { return u.first == options.unit; });
  if (unit == std::end(units))
    fail(ExitCode::Usage,
         (given.unit ? "--unit was given \"" + options.unit + "\"" : "no --unit was given") +
             ", expected is one of mm, cm, m, um: an STL does not say in which unit its "
             "coordinates are.");
  options.metresPerUnit = unit->second;
  if (given.spacing) options.spacing.spacing = parseQuantity(*given.spacing, Dimension::Length);
  options.spacing.longest = given.longest;
  options.spacing.across = given.across;
  const int ways = given.spacing.has_value() + given.longest.has_value() + given.across.has_value();
  if (ways != 1)
    fail(ExitCode::Usage, std::string(ways == 0 ? "no node spacing was given"
                                                : "more than one node spacing was given") +
                              ", expected is one of --spacing, --longest and --across.");
  if (options.spacing.spacing && !(*options.spacing.spacing > 0.0))
    fail(ExitCode::Usage,
         "--spacing was given \"" + *given.spacing + "\", expected is more than 0.");
  if (given.longest.value_or(1) < 1 || given.across.value_or(1) < 1)
    fail(ExitCode::Usage, "--longest and --across count nodes, expected is 1 or more.");
}

void readFluidLabels(const Given& given, PreprocessOptions& options) {
  if (given.pore.has_value() == given.threshold.has_value())
    fail(ExitCode::Usage,
         std::string(given.pore ? "both --pore and --threshold were given"
                                : "it was not said which labels of the image are fluid") +
             ", expected is one of --pore V and --threshold A,B.");
  if (given.pore) {
    if (*given.pore < 0 || *given.pore > 65535)
      fail(ExitCode::Usage, "--pore was given " + std::to_string(*given.pore) +
                                ", expected is a label from 0 to 65535.");
    options.lowestLabel = options.highestLabel = static_cast<int>(*given.pore);
    return;
  }
  const std::vector<int> range = parseList("--threshold", *given.threshold, 2, 0, 65535);
  if (range[0] > range[1])
    fail(ExitCode::Usage,
         "--threshold was given \"" + *given.threshold + "\", expected is the lower label first.");
  options.lowestLabel = range[0];
  options.highestLabel = range[1];
}

void readImageOptions(const Given& given, PreprocessOptions& options) {
  const std::string why = "is for surfaces; in an image one voxel is one node";
  rejectGiven(given.unit.has_value(), "--unit", why);
  rejectGiven(given.spacing.has_value(), "--spacing", why);
  rejectGiven(given.longest.has_value(), "--longest", why);
  rejectGiven(given.across.has_value(), "--across", why);
  if (!given.voxel)
    fail(ExitCode::Usage,
         "no --voxel was given and the image does not say how large a voxel is; add e.g. --voxel "
         "\"3 um\".");
  options.voxel = parseQuantity(*given.voxel, Dimension::Length);
  if (!(options.voxel > 0.0))
    fail(ExitCode::Usage, "--voxel was given \"" + *given.voxel + "\", expected is more than 0.");
  readFluidLabels(given, options);
  if (options.kind == InputKind::Pgm) {
    const std::string known = "is for RAW; a PGM says it itself";
    rejectGiven(given.dims.has_value(), "--dims", known);
    rejectGiven(given.type.has_value(), "--type", known);
    return;
  }
  if (!given.dims || !given.type)
    fail(ExitCode::Usage,
         std::string("no ") + (given.dims ? "--type" : "--dims") +
             " was given, and a RAW image does not say it; add e.g. --dims 256,256,256 --type u8.");
  const std::vector<int> dims = parseList("--dims", *given.dims, 3, 1, 1 << 20);
  options.dims = {dims[0], dims[1], dims[2]};
  if (*given.type != "u8" && *given.type != "u16")
    fail(ExitCode::Usage, "--type was given \"" + *given.type + "\", expected is u8 or u16.");
  options.bytesPerVoxel = *given.type == "u8" ? 1 : 2;
}

void readSharedOptions(const Given& given, PreprocessOptions& options) {
  options.periodic = parsePeriodic(given.periodic.value_or(""));
  options.faces = parseFaces(given.faces.value_or(""));
  for (const Side& side : options.faces)
    if (options.periodic[static_cast<std::size_t>(side.axis)])
      fail(ExitCode::Usage, "--faces " + side.name() +
                                " cannot be an opening on a periodic axis; leave one of the two "
                                "options out.");
  const std::string keep =
      given.keep.value_or(options.kind == InputKind::Stl ? "connected" : "all");
  if (keep != "all" && keep != "connected")
    fail(ExitCode::Usage, "--keep was given \"" + keep + "\", expected is all or connected.");
  options.keepConnected = keep == "connected";
}

std::string exactText(double value) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

// In one order, whichever way they were given.
void listEffective(const Given& given, PreprocessOptions& options) {
  auto& list = options.effective;
  if (options.kind == InputKind::Stl) {
    list.emplace_back("unit", options.unit);
    if (options.spacing.spacing) list.emplace_back("spacing", exactText(*options.spacing.spacing));
    if (given.longest) list.emplace_back("longest", std::to_string(*given.longest));
    if (given.across) list.emplace_back("across", std::to_string(*given.across));
  } else {
    list.emplace_back("voxel", exactText(options.voxel));
    list.emplace_back(
        "labels", std::to_string(options.lowestLabel) + "," + std::to_string(options.highestLabel));
  }
  if (options.kind == InputKind::Raw) {
    list.emplace_back("dims", *given.dims);
    list.emplace_back("type", *given.type);
  }
  list.emplace_back("keep", options.keepConnected ? "connected" : "all");
  std::string axes, faces;
  for (std::size_t a = 0; a < 3; ++a)
    if (options.periodic[a]) axes += "xyz"[a];
  for (const Side& side : options.faces) faces += (faces.empty() ? "" : ",") + side.name();
  list.emplace_back("periodic", axes);
  list.emplace_back("faces", faces);
}

}  // namespace

std::optional<PreprocessOptions> parsePreprocessOptions(int argc, const char* const* argv) {
  Given given;
  const std::optional<CommonOptions> common = parseCommandLine(argc, argv, given);
  if (!common) return std::nullopt;
  PreprocessOptions options;
  options.common = *common;
  options.input = common->inputs.front();
  if (!common->caseFile.empty())
    addCase(CaseFile::load(common->caseFile).table("preprocess"), given);
  options.kind = kindOf(options.input);
  readSharedOptions(given, options);
  if (options.kind == InputKind::Stl)
    readSurfaceOptions(given, options);
  else
    readImageOptions(given, options);
  listEffective(given, options);
  return options;
}

}  // namespace tessera
