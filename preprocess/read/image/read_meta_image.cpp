// SPDX-License-Identifier: GPL-3.0-or-later
// MetaImage: .mha, and .mhd with a separate voxel file (ITK's MetaIO,
// https://itk.org/Wiki/MetaIO/Documentation). Lengths are in millimetres unless DistanceUnits is
// set; coordinates are LPS. Each row of TransformMatrix is the direction of an axis, as in ITK.
// Refused: shear, several channels or volumes, voxels as text or in several files.
#include "preprocess/read/image/image_readers.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/read/decode.hpp"
#include "preprocess/read/image/image.hpp"
#include "preprocess/read/text.hpp"

namespace tessera::preprocess::read {
namespace {

struct MetaHeader {
  std::map<std::string, std::string, std::less<>> field;  // names in lower case
  std::size_t end = 0;                                    // of the first byte after it
  std::string name;

  // The first of these fields that exists, or empty.
  [[nodiscard]] std::string_view of(std::initializer_list<const char*> keys) const {
    for (const char* key : keys)
      if (const auto found = field.find(key); found != field.end()) return found->second;
    return {};
  }
  [[nodiscard]] std::string_view of(const char* key) const { return of({key}); }
  [[nodiscard]] bool isTrue(std::initializer_list<const char*> keys) const {
    const std::string_view text = of(keys);
    return text.starts_with('T') || text.starts_with('t') || text.starts_with('1');
  }
};

[[noreturn]] void refuse(const MetaHeader& header, const std::string& found,
                         const std::string& remedy) {
  stage::fail(stage::ExitCode::BadInput, header.name + " " + found + "; " + remedy + ".");
}

// Fields that are used; others are ignored.
bool isMetaKey(const std::string& key) {
  constexpr const char* known[] = {"ndims",
                                   "dimsize",
                                   "elementtype",
                                   "elementnumberofchannels",
                                   "elementspacing",
                                   "elementsize",
                                   "offset",
                                   "position",
                                   "origin",
                                   "transformmatrix",
                                   "orientation",
                                   "rotation",
                                   "distanceunits",
                                   "binarydata",
                                   "compresseddata",
                                   "binarydatabyteordermsb",
                                   "elementbyteordermsb",
                                   "elementtointensityfunctionslope",
                                   "elementtointensityfunctionoffset",
                                   "headersize",
                                   "elementdatafile"};
  return std::find(std::begin(known), std::end(known), key) != std::end(known);
}

MetaHeader metaHeaderOf(std::string_view text, const std::string& name) {
  MetaHeader header;
  header.name = name;
  HeaderLines lines(text);
  while (const auto line = lines.next()) {
    const std::size_t equals = line->find('=');
    if (equals == std::string_view::npos) break;
    const std::string key =
        inLowerCase(withoutBlanks(line->substr(0, std::min<std::size_t>(equals, 60))));
    const std::string_view value = withoutBlanks(line->substr(equals + 1));
    if (!isMetaKey(key)) continue;
    if (value.size() > 4000)
      refuse(header, "has a field \"" + key + "\" of more than 4000 characters",
             "it is damaged: export it again");
    header.field[key] = value;
    header.end = lines.position();
    if (key == "elementdatafile") return header;
  }
  refuse(header, "has no line \"ElementDataFile = ...\": it is truncated or not a MetaImage",
         "export it again");
}

// That many numbers; empty if none of these fields exists.
std::vector<double> numbersOf(const MetaHeader& header, std::initializer_list<const char*> keys,
                              std::size_t count) {
  const std::vector<std::string_view> words = wordsOf(header.of(keys));
  std::vector<double> numbers;
  numbers.reserve(words.size());
  for (const std::string_view word : words) numbers.push_back(numberOf(word).value_or(NAN));
  const bool all =
      std::all_of(numbers.begin(), numbers.end(), [](double n) { return std::isfinite(n); });
  if (!words.empty() && (words.size() != count || !all))
    refuse(header,
           std::string("has \"") + std::string(header.of(keys).substr(0, 100)) + "\" as its " +
               *keys.begin() +
               (count == 1 ? ", expected 1 number" : fmt::format(", expected {} numbers", count)),
           "it is damaged: export it again");
  return numbers;
}

VoxelType typeOf(const MetaHeader& header) {
  constexpr std::pair<const char*, VoxelType> known[] = {
      {"met_uchar", VoxelType::U8},       {"met_char", VoxelType::I8},
      {"met_ushort", VoxelType::U16},     {"met_short", VoxelType::I16},
      {"met_uint", VoxelType::U32},       {"met_int", VoxelType::I32},
      {"met_ulong", VoxelType::U32},      {"met_long", VoxelType::I32},
      {"met_ulong_long", VoxelType::U64}, {"met_long_long", VoxelType::I64},
      {"met_float", VoxelType::F32},      {"met_double", VoxelType::F64}};
  const std::string type = inLowerCase(header.of("elementtype"));
  for (const auto& [name, voxel] : known)
    if (type == name) return voxel;
  refuse(header,
         "has elements of type \"" + type.substr(0, 40) +
             "\", expected whole numbers of 8 to 64 bits, float or double",
         "export it as labels or grey values");
}

void requirePlain(const MetaHeader& header) {
  const std::string_view channels = header.of("elementnumberofchannels");
  if (!channels.empty() && channels != "1")
    refuse(header, "has " + std::string(channels.substr(0, 20)) + " channels, expected one",
           "export a single one of them");
  if (header.field.contains("binarydata") && !header.isTrue({"binarydata"}))
    refuse(header, "stores its voxels as text, expected BinaryData = True", "save it as binary");
  if (numberOf(header.of("elementtointensityfunctionslope")).value_or(1.0) != 1.0 ||
      numberOf(header.of("elementtointensityfunctionoffset")).value_or(0.0) != 0.0)
    refuse(header,
           "scales its values (ElementToIntensityFunction), which programs read differently",
           "save it with the scaled values");
}

void setSize(Image& image, const MetaHeader& header) {
  const std::int64_t axes = wholeNumberOf(header.of("ndims")).value_or(0);
  if (axes != 2 && axes != 3)
    refuse(header, fmt::format("has {} axes, expected 2 or 3", axes), "export a single volume");
  std::vector<std::int64_t> sizes;
  for (const std::string_view word : wordsOf(header.of("dimsize")))
    sizes.push_back(wholeNumberOf(word).value_or(0));
  if (sizes.size() != static_cast<std::size_t>(axes))
    refuse(header, fmt::format("has {} numbers in DimSize, expected {}", sizes.size(), axes),
           "it is damaged: export it again");
  setImageSize(image, sizes, header.name);
}

// file: contains the voxels, from start on.
void takeVoxels(Image& image, const MetaHeader& header, WholeFile file, std::size_t start) {
  const std::size_t bytes = image.voxels() * bytesOf(image.type);
  image.bigEndian = header.isTrue({"elementbyteordermsb", "binarydatabyteordermsb"});
  if (header.isTrue({"compresseddata"})) {
    image.file = inflateBytes(file.text().substr(start), bytes, header.name);
    return;
  }
  const std::int64_t skip = wholeNumberOf(header.of("headersize")).value_or(0);
  image.start = start;
  if (skip < 0)  // the voxels end the file
    image.start = std::max(start, file.size - std::min(bytes, file.size));
  else if (skip > 0)
    image.start = static_cast<std::size_t>(skip);
  image.file = std::move(file);
  requireVoxelBytes(image, header.name);
}

void place(Image& image, const MetaHeader& header) {
  const auto axes = static_cast<std::size_t>(image.dimensions);
  const std::vector<double> spacing = numbersOf(header, {"elementspacing", "elementsize"}, axes);
  const std::vector<double> offset = numbersOf(header, {"offset", "position", "origin"}, axes);
  const std::vector<double> matrix =
      numbersOf(header, {"transformmatrix", "orientation", "rotation"}, axes * axes);
  if (spacing.empty()) return;
  const std::string_view unit = header.of("distanceunits");
  const std::optional<double> metres = metresOf(unit.empty() ? "mm" : unit);
  if (!metres) {
    image.warnings.push_back(fmt::format(
        "the MetaImage has the unknown unit \"{}\"; its voxel size and position are ignored.",
        unit.substr(0, 40)));
    return;
  }
  std::array<Double3, 3> step{};
  Double3 origin{};
  for (std::size_t a = 0; a < axes; ++a) {
    for (std::size_t c = 0; c < axes; ++c)
      step[a][c] =
          *metres * spacing[a] * (matrix.empty() ? (a == c ? 1.0 : 0.0) : matrix[a * axes + c]);
    origin[a] = offset.empty() ? 0.0 : *metres * offset[a];
  }
  image.space = "LPS";
  image.lengthUnit = stage::lengthUnitOf(*metres);
  placeInWorld(image, step, origin, header.name);
}

}  // namespace

Image parseMetaImage(WholeFile file, const std::string& name, const std::filesystem::path& folder) {
  const MetaHeader header = metaHeaderOf(file.text(), name);
  requirePlain(header);
  Image image;
  image.type = typeOf(header);
  setSize(image, header);
  const std::string_view dataFile = header.of("elementdatafile");
  if (inLowerCase(dataFile) == "local") {
    takeVoxels(image, header, std::move(file), header.end);
  } else {
    if (dataFile.starts_with("LIST") || dataFile.find('%') != std::string_view::npos)
      refuse(header, "has its voxels in several files", "save it as one .mha file");
    image.parts.push_back(dataPath(folder, dataFile, name));
    takeVoxels(image, header, readWholeFile(image.parts.back()), 0);
  }
  place(image, header);
  return image;
}

Image readMetaImage(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  return parseMetaImage(readUncompressed(path), path.string(), folder);
}

}  // namespace tessera::preprocess::read
