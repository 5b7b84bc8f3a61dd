// SPDX-License-Identifier: GPL-3.0-or-later
// NRRD: .nrrd, and .nhdr with a separate voxel file (teem.sourceforge.net/nrrd/format.html).
// Encodings raw, gzip and ascii; two or three spatial axes. RAS stays RAS, LAS is converted to LPS;
// lengths default to millimetres where a patient space is given without unit. Segments of 3D
// Slicer's .seg.nrrd are named labels; overlapping ones are layers, listed by the first axis.
// Refused: shear, vectors, several volumes, other encodings.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/read/decode.hpp"
#include "preprocess/read/image/image.hpp"
#include "preprocess/read/image/image_readers.hpp"
#include "preprocess/read/image/segments.hpp"
#include "preprocess/read/text.hpp"

namespace tessera::preprocess::read {

namespace {

struct NrrdHeader {
  std::map<std::string, std::string, std::less<>> field;  // names in lower case, no blanks
  SegmentKeys segments;
  std::size_t end = 0;  // of the first byte after it
  std::string name;

  [[nodiscard]] std::string_view of(std::string_view key) const {
    const auto found = field.find(key);
    return found == field.end() ? std::string_view{} : std::string_view(found->second);
  }
  [[nodiscard]] bool has(std::string_view key) const { return field.contains(key); }
};

[[noreturn]] void refuse(const NrrdHeader& header, const std::string& found,
                         const std::string& remedy);
[[noreturn]] void refuseField(const NrrdHeader& header, const std::string& field,
                              const std::string& expected);

// Fields that are used; others are ignored.
bool isNrrdKey(const std::string& key) {
  constexpr const char* known[] = {"type",     "dimension",  "kinds",       "sizes",
                                   "encoding", "endian",     "lineskip",    "byteskip",
                                   "datafile", "space",      "units",       "spacedimension",
                                   "spacings", "spaceunits", "spaceorigin", "spacedirections"};
  return std::find(std::begin(known), std::end(known), key) != std::end(known);
}

// "(1,0,0) none (0,0,1)" without the "none".
std::vector<Double3> vectorsOf(std::string_view text, std::size_t dimension) {
  std::vector<Double3> vectors;
  for (std::size_t at = text.find('('); at != std::string_view::npos; at = text.find('(', at)) {
    const std::size_t end = std::min(text.find(')', at), text.size());
    const std::vector<std::string_view> words = wordsOf(text.substr(at + 1, end - at - 1), ", \t");
    if (words.size() != dimension) return {};
    Double3 vector{};
    for (std::size_t c = 0; c < dimension; ++c) vector[c] = numberOf(words[c]).value_or(NAN);
    vectors.push_back(vector);
    at = end;
  }
  return vectors;
}

// The unit named by all the quoted words; absent when none is named.
std::optional<std::string> unitOf(std::string_view quoted) {
  const std::vector<std::string_view> parts = wordsOf(quoted, "\"");
  std::optional<std::string> unit;
  for (const std::string_view part : parts) {
    const std::string_view word = withoutBlanks(part);
    if (word.empty() || word == "???") continue;
    if (unit && *unit != word) return "of several units";
    unit = std::string(word);
  }
  return unit;
}

// Whether the first axis lists layers of segments.
bool hasLayers(const NrrdHeader& header) {
  const std::vector<std::string_view> kinds = wordsOf(header.of("kinds"));
  return !header.segments.empty() && !kinds.empty() && inLowerCase(kinds.front()) == "list";
}

struct Space {
  const char* name;
  const char* acronym;
  const char* is;  // Image::space
  Double3 sign;    // to it
};
constexpr Space spaces[] = {
    {"left-posterior-superior", "lps", "LPS", {1, 1, 1}},
    {"right-anterior-superior", "ras", "RAS", {1, 1, 1}},
    {"left-anterior-superior", "las", "LPS", {1, -1, 1}},
    {"scanner-xyz", "scanner-xyz", "", {1, 1, 1}},
    {"3d-right-handed", "3d-right-handed", "", {1, 1, 1}},
};
constexpr Space noSpace{"", "", "", {1, 1, 1}};

const Space& spaceOf(const NrrdHeader& header) {
  if (!header.has("space")) return noSpace;
  const std::string name = inLowerCase(header.of("space"));
  for (const Space& space : spaces)
    if (name == space.name || name == space.acronym) return space;
  refuseField(header, "space", "LPS, RAS, LAS, scanner-xyz or 3D-right-handed");
}

// Metres per unit; absent for an unknown unit.
std::optional<double> lengthUnit(Image& image, const NrrdHeader& header, const char* key) {
  const std::optional<std::string> unit = unitOf(header.of(key));
  const std::optional<double> metres = metresOf(unit.value_or("mm"));
  if (!metres)
    image.warnings.push_back(fmt::format(
        "the NRRD file has the unknown unit \"{}\"; its voxel size and position are ignored.",
        unit->substr(0, 40)));
  else if (!unit && image.space.empty())
    image.warnings.emplace_back("the NRRD file does not define its unit of length; mm assumed.");
  return metres;
}

// Steps in the file's unit; empty if undefined.
std::vector<Double3> stepsOf(const NrrdHeader& header, std::size_t axes,
                             std::size_t spaceDimension) {
  std::vector<Double3> steps;
  if (header.has("spacedirections")) {
    steps = vectorsOf(header.of("spacedirections"), spaceDimension);
    if (steps.size() != axes)
      refuseField(header, "spacedirections", fmt::format("{} vectors of {}", axes, spaceDimension));
    return steps;
  }
  std::vector<std::string_view> words = wordsOf(header.of("spacings"));
  if (hasLayers(header) && !words.empty()) words.erase(words.begin());
  for (std::size_t a = 0; a < axes && words.size() == axes; ++a) {
    const double size = std::abs(numberOf(words[a]).value_or(NAN));
    if (std::isnan(size)) return {};
    Double3 step{};
    step[a] = size;
    steps.push_back(step);
  }
  return steps;
}

void refuse(const NrrdHeader& header, const std::string& found, const std::string& remedy) {
  stage::fail(stage::ExitCode::BadInput, header.name + " " + found + "; " + remedy + ".");
}

void refuseField(const NrrdHeader& header, const std::string& field, const std::string& expected) {
  refuse(header,
         "has \"" + std::string(header.of(field).substr(0, 100)) + "\" as its " + field +
             ", expected " + expected,
         "it is damaged or of a kind that is not read: export it again");
}

std::string nrrdKey(std::string_view name) {
  std::string key = inLowerCase(name);
  std::erase_if(key, [](char c) { return c == ' ' || c == '\t'; });
  return key;
}

NrrdHeader nrrdHeader(std::string_view text, const std::string& name) {
  NrrdHeader header;
  header.name = name;
  header.segments = SegmentKeys(name);
  HeaderLines lines(text);
  const std::string_view magic = lines.next().value_or("");
  if (!magic.starts_with("NRRD000"))
    refuse(header, "does not begin with NRRD000 and is no NRRD", "export it as NRRD");
  while (const auto line = lines.next()) {
    if (line->empty()) break;
    const std::size_t colon = line->find(':');
    if (line->front() == '#' || colon == std::string_view::npos) continue;
    if (line->substr(colon + 1).starts_with('=')) {  // a user-defined key and value
      header.segments.take(line->substr(0, colon), line->substr(colon + 2));
      continue;
    }
    const std::string key = nrrdKey(line->substr(0, std::min<std::size_t>(colon, 40)));
    const std::string_view value = withoutBlanks(line->substr(colon + 1));
    if (!isNrrdKey(key)) continue;
    if (value.size() > 4000)
      refuse(header, "has a field \"" + key + "\" of more than 4000 characters",
             "it is damaged: export it again");
    header.field[key] = value;
  }
  header.end = lines.position();
  return header;
}

void placeNrrd(Image& image, const NrrdHeader& header) {
  const Space& space = spaceOf(header);
  image.space = header.has("spacedirections") ? space.is : "";
  const std::size_t spaceDimension =
      header.has("space") ? 3
                          : static_cast<std::size_t>(std::clamp<std::int64_t>(
                                wholeNumberOf(header.of("spacedimension")).value_or(0), 0, 3));
  std::vector<Double3> steps =
      stepsOf(header, static_cast<std::size_t>(image.dimensions), spaceDimension);
  if (steps.empty()) return;
  const bool directed = header.has("spacedirections");
  const std::optional<double> metres = lengthUnit(image, header, directed ? "spaceunits" : "units");
  if (!metres) {
    image.space = "";
    return;
  }
  image.lengthUnit = stage::lengthUnitOf(*metres);
  const auto toWorld = [&](Double3 v) {
    for (std::size_t c = 0; c < 3; ++c) v[c] *= *metres * (directed ? space.sign[c] : 1.0);
    return v;
  };
  std::array<Double3, 3> step{};
  std::transform(steps.begin(), steps.end(), step.begin(), toWorld);
  Double3 origin{};
  if (directed && header.has("spaceorigin")) {
    const std::vector<Double3> found = vectorsOf(header.of("spaceorigin"), spaceDimension);
    if (found.size() != 1)
      refuseField(header, "spaceorigin", fmt::format("a vector of {}", spaceDimension));
    origin = toWorld(found.front());
  }
  placeInWorld(image, step, origin, header.name);
}

VoxelType typeOf(const NrrdHeader& header) {
  constexpr std::pair<const char*, VoxelType> known[] = {{"uchar", VoxelType::U8},
                                                         {"unsignedchar", VoxelType::U8},
                                                         {"uint8", VoxelType::U8},
                                                         {"uint8_t", VoxelType::U8},
                                                         {"signedchar", VoxelType::I8},
                                                         {"int8", VoxelType::I8},
                                                         {"int8_t", VoxelType::I8},
                                                         {"ushort", VoxelType::U16},
                                                         {"unsignedshort", VoxelType::U16},
                                                         {"unsignedshortint", VoxelType::U16},
                                                         {"uint16", VoxelType::U16},
                                                         {"uint16_t", VoxelType::U16},
                                                         {"short", VoxelType::I16},
                                                         {"shortint", VoxelType::I16},
                                                         {"signedshort", VoxelType::I16},
                                                         {"signedshortint", VoxelType::I16},
                                                         {"int16", VoxelType::I16},
                                                         {"int16_t", VoxelType::I16},
                                                         {"uint", VoxelType::U32},
                                                         {"unsignedint", VoxelType::U32},
                                                         {"uint32", VoxelType::U32},
                                                         {"uint32_t", VoxelType::U32},
                                                         {"int", VoxelType::I32},
                                                         {"signedint", VoxelType::I32},
                                                         {"int32", VoxelType::I32},
                                                         {"int32_t", VoxelType::I32},
                                                         {"ulonglong", VoxelType::U64},
                                                         {"unsignedlonglong", VoxelType::U64},
                                                         {"unsignedlonglongint", VoxelType::U64},
                                                         {"uint64", VoxelType::U64},
                                                         {"uint64_t", VoxelType::U64},
                                                         {"longlong", VoxelType::I64},
                                                         {"longlongint", VoxelType::I64},
                                                         {"signedlonglong", VoxelType::I64},
                                                         {"signedlonglongint", VoxelType::I64},
                                                         {"int64", VoxelType::I64},
                                                         {"int64_t", VoxelType::I64},
                                                         {"float", VoxelType::F32},
                                                         {"double", VoxelType::F64}};
  const std::string key = nrrdKey(header.of("type"));
  for (const auto& [name, type] : known)
    if (key == name) return type;
  refuseField(header, "type", "an integer of 8 to 64 bits, float or double");
}

// Layers of segments; 1 without.
std::int64_t layersOf(const NrrdHeader& header, std::vector<std::int64_t>& sizes) {
  constexpr std::int64_t most = 1024;
  if (!hasLayers(header) || sizes.empty()) return 1;
  const std::int64_t layers = sizes.front();
  if (layers < 1 || layers > most)
    refuse(header, fmt::format("has {} layers of segments, expected from 1 to {}", layers, most),
           "it is damaged: export it again");
  sizes.erase(sizes.begin());
  return layers;
}

void requireSpatial(const NrrdHeader& header) {
  std::vector<std::string_view> kinds = wordsOf(header.of("kinds"));
  if (hasLayers(header)) kinds.erase(kinds.begin());
  for (const std::string_view kind : kinds) {
    const std::string key = inLowerCase(kind);
    if (key != "domain" && key != "space" && key != "none" && key != "???")
      refuse(header, "has an axis of kind \"" + key.substr(0, 40) + "\", expected spatial axes",
             "export a single volume with one value per voxel");
  }
}

// Size and layers; requires the type.
void setSize(Image& image, const NrrdHeader& header) {
  const std::int64_t axes =
      std::clamp<std::int64_t>(wholeNumberOf(header.of("dimension")).value_or(0), 0, 1000);
  const std::int64_t spatial = axes - (hasLayers(header) ? 1 : 0);
  if (spatial != 2 && spatial != 3)
    refuse(header,
           fmt::format("has {} axes, expected 2 or 3 (a single volume with one value per voxel, or "
                       "segments of 3D Slicer)",
                       axes),
           "export a single volume, from 3D Slicer a segmentation as .seg.nrrd");
  requireSpatial(header);
  std::vector<std::int64_t> sizes;
  for (const std::string_view word : wordsOf(header.of("sizes")))
    sizes.push_back(wholeNumberOf(word).value_or(0));
  if (sizes.size() != static_cast<std::size_t>(axes))
    refuseField(header, "sizes", fmt::format("{} integers", axes));
  image.layers = static_cast<int>(layersOf(header, sizes));
  setImageSize(image, sizes, header.name);
  constexpr double mostBytes = 1e18;  // 2^60 voxels of 8 bytes and layers would overflow
  if (static_cast<double>(image.voxels()) * static_cast<double>(image.bytesOfVoxel()) > mostBytes)
    refuse(header, "declares more voxels than any file holds", "it is damaged: export it again");
  image.segments = header.segments.segments(image.layers);
}

// Number of lines or bytes before the voxels.
std::int64_t skipOf(const NrrdHeader& header, const char* key, std::int64_t lowest) {
  if (!header.has(key)) return 0;
  const std::optional<std::int64_t> skip = wholeNumberOf(header.of(key));
  if (!skip || *skip < lowest || *skip > 1'000'000'000'000)
    refuseField(header, key, fmt::format("an integer from {}", lowest));
  return *skip;
}

template <class Stored>
void parseValues(const NrrdHeader& header, std::string_view text, Image& image) {
  const std::size_t values = image.voxels() * static_cast<std::size_t>(image.layers);
  if (values / 2 > text.size())
    stage::fail(stage::ExitCode::BadInput,
                fmt::format("{} declares {} values, more than its {} bytes of text can hold; it is "
                            "truncated or damaged: export it again.",
                            header.name, values, text.size()));
  WholeFile voxels = roomFor(values * sizeof(Stored), header.name, "give a part of it");
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < values; ++i) {
    while (at != end && (*at == ' ' || *at == ',' || (*at >= '\t' && *at <= '\r'))) ++at;
    Stored value{};
    const auto result = std::from_chars(at, end, value);
    if (result.ec != std::errc{})
      refuse(header,
             fmt::format("has no valid value for voxel {}",
                         i / static_cast<std::size_t>(image.layers)),
             "it is damaged or truncated: export it again");
    std::memcpy(voxels.bytes.get() + i * sizeof(Stored), &value, sizeof(Stored));
    at = result.ptr;
  }
  voxels.bytes[voxels.size] = '\0';
  image.file = std::move(voxels);
  image.bigEndian = std::endian::native == std::endian::big;
}

void parseText(const NrrdHeader& header, std::string_view text, Image& image) {
  // At least a digit and a blank per value: bounds the allocation by the file size.
  const std::size_t values = image.voxels() * static_cast<std::size_t>(image.layers);
  if ((text.size() + 1) / 2 < values)
    refuse(header, fmt::format("is too short for {} values", values),
           "it is truncated: export it again");
  withVoxelType(image.type, [&]<class Stored>(std::type_identity<Stored>) {
    parseValues<Stored>(header, text, image);
  });
}

void setByteOrder(Image& image, const NrrdHeader& header) {
  const std::string order = inLowerCase(header.of("endian"));
  image.bigEndian = order == "big";
  if (bytesOf(image.type) > 1 && order != "big" && order != "little")
    refuseField(header, "endian", "big or little");
}

// file: contains the voxels, from start on.
void takeVoxels(Image& image, const NrrdHeader& header, WholeFile file, std::size_t start) {
  const std::string encoding = inLowerCase(header.of("encoding"));
  const std::size_t bytes = image.voxels() * image.bytesOfVoxel();
  HeaderLines lines(file.text().substr(start));
  for (std::int64_t skip = skipOf(header, "lineskip", 0); skip > 0 && lines.next(); --skip) {
  }
  start += lines.position();
  const std::int64_t byteSkip = skipOf(header, "byteskip", -1);
  if (encoding == "raw") {
    setByteOrder(image, header);
    image.start = byteSkip >= 0 ? start + static_cast<std::size_t>(byteSkip)
                                : std::max(start, file.size - std::min(bytes, file.size));
    image.file = std::move(file);
    requireVoxelBytes(image, header.name);
  } else if (encoding == "gzip" || encoding == "gz") {
    setByteOrder(image, header);
    image.start = static_cast<std::size_t>(std::max<std::int64_t>(byteSkip, 0));
    image.file = inflateBytes(file.text().substr(start), image.start + bytes, header.name);
  } else if (encoding == "ascii" || encoding == "text" || encoding == "txt") {
    parseText(header, file.text().substr(start), image);
  } else {
    refuse(header, "is encoded as \"" + encoding.substr(0, 40) + "\", expected raw, gzip or ascii",
           "save it with one of these");
  }
}

}  // namespace

Image parseNrrd(WholeFile file, const std::string& name, const std::filesystem::path& folder) {
  const NrrdHeader header = nrrdHeader(file.text(), name);
  Image image;
  image.type = typeOf(header);
  setSize(image, header);
  if (!header.has("datafile")) {
    takeVoxels(image, header, std::move(file), header.end);
    placeNrrd(image, header);
    return image;
  }
  const std::string_view dataFile = header.of("datafile");
  if (dataFile == "LIST" || dataFile.find('%') != std::string_view::npos)
    refuse(header, "has its voxels in several files", "save it as one .nrrd file");
  image.parts.push_back(dataPath(folder, dataFile, name));
  takeVoxels(image, header, readWholeFile(image.parts.back()), 0);
  placeNrrd(image, header);
  return image;
}

Image readNrrd(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  return parseNrrd(readUncompressed(path), path.string(), folder);
}

}  // namespace tessera::preprocess::read
