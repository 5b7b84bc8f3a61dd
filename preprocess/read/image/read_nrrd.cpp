// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/image/read_nrrd.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "pipelines/stage/error.hpp"
#include "preprocess/read/image/nrrd_header.hpp"
#include "preprocess/read/inflate.hpp"
#include "preprocess/read/text_header.hpp"

namespace tessera::preprocess::read {
namespace {

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
  refuseField(header, "type", "is a whole number of 8 to 64 bits, float or double");
}

void setSize(Image& image, const NrrdHeader& header) {
  const std::int64_t axes = wholeNumberOf(header.of("dimension")).value_or(0);
  if (axes != 2 && axes != 3)
    refuse(header,
           "has " + std::to_string(axes) +
               " axes, expected 2 or 3: one value a voxel, one "
               "volume",
           "export a single volume, from 3D Slicer a single segment as a binary labelmap");
  for (const std::string_view kind : wordsOf(header.of("kinds"))) {
    const std::string key = inLowerCase(kind);
    if (key != "domain" && key != "space" && key != "none" && key != "???")
      refuse(header, "has an axis of kind \"" + key.substr(0, 40) + "\", expected axes of space",
             "export a single volume of one value a voxel");
  }
  std::vector<std::int64_t> sizes;
  for (const std::string_view word : wordsOf(header.of("sizes")))
    sizes.push_back(wholeNumberOf(word).value_or(0));
  if (sizes.size() != static_cast<std::size_t>(axes))
    refuseField(header, "sizes", "are " + std::to_string(axes) + " whole numbers");
  setImageSize(image, sizes, header.name);
}

// Lines and bytes to leave out before the voxels.
std::int64_t skipOf(const NrrdHeader& header, const char* key, std::int64_t lowest) {
  if (!header.has(key)) return 0;
  const std::optional<std::int64_t> skip = wholeNumberOf(header.of(key));
  if (!skip || *skip < lowest || *skip > 1'000'000'000'000)
    refuseField(header, key, "is a whole number from " + std::to_string(lowest));
  return *skip;
}

template <class Stored>
void parseValues(const NrrdHeader& header, std::string_view text, Image& image) {
  WholeFile voxels;
  voxels.size = image.voxels() * sizeof(Stored);
  voxels.bytes = std::make_unique_for_overwrite<char[]>(voxels.size + 1);
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < image.voxels(); ++i) {
    while (at != end && (*at == ' ' || *at == ',' || (*at >= '\t' && *at <= '\r'))) ++at;
    Stored value{};
    const auto result = std::from_chars(at, end, value);
    if (result.ec != std::errc{})
      refuse(header, "has no value of its type as voxel " + std::to_string(i),
             "it is damaged or truncated: export it again");
    std::memcpy(voxels.bytes.get() + i * sizeof(Stored), &value, sizeof(Stored));
    at = result.ptr;
  }
  voxels.bytes[voxels.size] = '\0';
  image.file = std::move(voxels);
  image.bigEndian = std::endian::native == std::endian::big;
}

void parseText(const NrrdHeader& header, std::string_view text, Image& image) {
  // At least a digit and a blank each, so that no more is allocated than the file can fill.
  if ((text.size() + 1) / 2 < image.voxels())
    refuse(header, "is too short for " + std::to_string(image.voxels()) + " values",
           "it is truncated: export it again");
  withVoxelType(image.type, [&]<class Stored>(std::type_identity<Stored>) {
    parseValues<Stored>(header, text, image);
  });
}

void setByteOrder(Image& image, const NrrdHeader& header) {
  const std::string order = inLowerCase(header.of("endian"));
  image.bigEndian = order == "big";
  if (bytesOf(image.type) > 1 && order != "big" && order != "little")
    refuseField(header, "endian", "is big or little");
}

// file: what holds the voxels, from start on.
void takeVoxels(Image& image, const NrrdHeader& header, WholeFile file, std::size_t start) {
  const std::string encoding = inLowerCase(header.of("encoding"));
  const std::size_t bytes = image.voxels() * bytesOf(image.type);
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
  image.parts.push_back(pathBeside(folder, dataFile, name));
  takeVoxels(image, header, readWholeFile(image.parts.back()), 0);
  placeNrrd(image, header);
  return image;
}

Image readNrrd(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  return parseNrrd(readWholeFile(path), path.string(), folder);
}

}  // namespace tessera::preprocess::read
