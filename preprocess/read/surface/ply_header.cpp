// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/surface/ply_header.hpp"

#include <algorithm>

#include "pipelines/stage/error.hpp"
#include "preprocess/read/text_words.hpp"

namespace tessera::preprocess::read {
namespace {

PlyType typeOf(std::string_view word, const TextWords& words) {
  constexpr struct {
    std::string_view name;
    PlyType type;
  } known[] = {{"char", PlyType::I8},    {"int8", PlyType::I8},     {"uchar", PlyType::U8},
               {"uint8", PlyType::U8},   {"short", PlyType::I16},   {"int16", PlyType::I16},
               {"ushort", PlyType::U16}, {"uint16", PlyType::U16},  {"int", PlyType::I32},
               {"int32", PlyType::I32},  {"uint", PlyType::U32},    {"uint32", PlyType::U32},
               {"float", PlyType::F32},  {"float32", PlyType::F32}, {"double", PlyType::F64},
               {"float64", PlyType::F64}};
  for (const auto& [name, type] : known)
    if (word == name) return type;
  words.refuse("type of a property (char, uchar, short, ushort, int, uint, float, double)");
}

PlyProperty parseProperty(TextWords& words) {
  PlyProperty property;
  std::string_view word = words.takeInLine();
  property.isList = word == "list";
  if (property.isList) {
    property.countType = typeOf(words.takeInLine(), words);
    word = words.takeInLine();
  }
  property.type = typeOf(word, words);
  property.name = words.takeInLine();
  if (property.name.empty()) words.refuse("name of a property");
  return property;
}

PlyFormat parseFormat(TextWords& words) {
  const std::string_view word = words.takeInLine();
  if (word == "ascii") return PlyFormat::Ascii;
  if (word == "binary_little_endian") return PlyFormat::LittleEndian;
  if (word == "binary_big_endian") return PlyFormat::BigEndian;
  words.refuse("format (ascii, binary_little_endian or binary_big_endian)");
}

PlyElement parseElement(TextWords& words) {
  PlyElement element;
  element.name = words.takeInLine();
  std::int64_t count = 0;
  if (!parseInteger(words.takeInLine(), count) || count < 0)
    words.refuse("number of an element's records");
  element.count = static_cast<std::size_t>(count);
  return element;
}

std::size_t leastBytes(const PlyElement& element, PlyFormat format) {
  std::size_t bytes = 0;
  for (const PlyProperty& property : element.property)
    bytes += format == PlyFormat::Ascii
                 ? 2
                 : bytesOf(property.isList ? property.countType : property.type);
  return bytes;
}

void requireCounts(const PlyHeader& header, std::size_t fileBytes, const std::string& name) {
  const std::size_t left = fileBytes - header.bytes;
  for (const PlyElement& element : header.element) {
    const std::size_t least = leastBytes(element, header.format);
    if (least == 0 || element.count <= (left + 1) / least) continue;
    stage::fail(stage::ExitCode::BadInput,
                name + " says it has " + std::to_string(element.count) + " of \"" +
                    element.name.substr(0, 40) + "\", which need at least " +
                    std::to_string(least) + " bytes each, but only " + std::to_string(left) +
                    " bytes follow; it is truncated or damaged: export it again.");
  }
}

}  // namespace

PlyHeader parsePlyHeader(std::string_view file, const std::string& name) {
  TextWords words(file, name);
  if (words.takeLine() != "ply")
    stage::fail(stage::ExitCode::BadInput, name + " does not start with \"ply\"" +
                                               butWithStart(file) +
                                               " and is no PLY; export the surface as PLY again.");
  PlyHeader header;
  bool formatIsKnown = false;
  for (std::string_view word = words.take(); word != "end_header"; word = words.take()) {
    if (word == "format") {
      header.format = parseFormat(words);
      formatIsKnown = true;
    } else if (word == "element") {
      header.element.push_back(parseElement(words));
    } else if (word == "property") {
      if (header.element.empty()) words.refuse("element before its property");
      header.element.back().property.push_back(parseProperty(words));
    } else if (word != "comment" && word != "obj_info") {
      words.refuse("line of a PLY's header (format, element, property, comment, end_header)");
    }
    words.takeLine();
  }
  words.takeLine();
  if (!formatIsKnown) words.refuse("line with the format before end_header");
  header.bytes = file.size() - words.left();
  requireCounts(header, file.size(), name);
  return header;
}

}  // namespace tessera::preprocess::read
