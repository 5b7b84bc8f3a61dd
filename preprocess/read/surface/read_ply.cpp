// SPDX-License-Identifier: GPL-3.0-or-later
// PLY (Turk 1994, "The PLY polygon file format"): ASCII and binary of either byte order, any types
// of properties and lists. Used: x, y, z of the vertices, vertex_indices (or vertex_index) of the
// faces, tristrips. Polygons are triangulated; below three corners they are dropped.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/read/decode.hpp"
#include "preprocess/read/surface/polygon_soup.hpp"
#include "preprocess/read/surface/surface_readers.hpp"
#include "preprocess/read/text.hpp"
#include "preprocess/read/whole_file.hpp"

namespace tessera::preprocess::read {

namespace {

enum class PlyType { I8, U8, I16, U16, I32, U32, F32, F64 };
constexpr std::size_t bytesOf(PlyType type) {
  constexpr std::size_t bytes[] = {1, 1, 2, 2, 4, 4, 4, 8};
  return bytes[static_cast<std::size_t>(type)];
}

struct PlyProperty {
  std::string name;
  PlyType type = PlyType::F32;
  bool isList = false;
  PlyType countType = PlyType::U8;  // of a list
};

struct PlyElement {
  std::string name;
  std::size_t count = 0;
  std::vector<PlyProperty> property;
};

enum class PlyFormat { Ascii, LittleEndian, BigEndian };

struct PlyHeader {
  PlyFormat format = PlyFormat::Ascii;
  std::vector<PlyElement> element;  // in the file's order
  std::size_t bytes = 0;            // of the header itself
};

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
                fmt::format("{} declares {} of \"{}\", of at least {} bytes each, but only {} "
                            "bytes follow; it is truncated or damaged: export it again.",
                            name, element.count, element.name.substr(0, 40), least, left));
  }
}

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

class AsciiValues {
 public:
  AsciiValues(std::string_view file, std::size_t start, std::string name)
      : words_(file, std::move(name), '\0', start) {}
  static constexpr bool isBinary = false;
  [[nodiscard]] std::size_t left() const { return words_.left(); }
  double real(PlyType) { return words_.number("number"); }
  std::int64_t integer(PlyType) { return words_.integer("integer"); }
  // Longest list that the rest of the file can hold.
  [[nodiscard]] std::size_t longestList(PlyType) const { return (words_.left() + 1) / 2; }
  void skip(std::size_t count, PlyType) {  // any word, e.g. 1.#QNAN
    for (; count > 0; --count)
      if (words_.take().empty()) words_.refuse("value");
  }
  // One record per line; VCGLIB writes values beyond the header's properties, which are ignored.
  void endRecord() { words_.takeLine(); }
  [[noreturn]] void refuse(const std::string& expected) const { words_.refuse(expected); }

 private:
  TextWords words_;
};

class BinaryValues {
 public:
  BinaryValues(std::string_view file, std::size_t start, std::string name, bool swapped)
      : file_(file), at_(start), name_(std::move(name)), swapped_(swapped) {}
  static constexpr bool isBinary = true;
  [[nodiscard]] std::size_t left() const { return file_.size() - at_; }
  [[nodiscard]] std::size_t longestList(PlyType type) const {
    return (file_.size() - at_) / bytesOf(type);
  }
  void skip(std::size_t count, PlyType type) {
    if (count > longestList(type)) refuse("value");
    at_ += count * bytesOf(type);
  }
  void endRecord() {}
  [[noreturn]] void refuse(const std::string& expected) const {
    stage::fail(
        stage::ExitCode::BadInput,
        fmt::format("{} has no {} at byte {} of {}; it is truncated or damaged: export it again.",
                    name_, expected, at_, file_.size()));
  }

 private:
  template <class Stored>
  Stored take() {
    if (file_.size() - at_ < sizeof(Stored)) refuse("value");
    std::array<char, sizeof(Stored)> bytes;
    std::memcpy(bytes.data(), file_.data() + at_, sizeof(Stored));
    if (swapped_) std::reverse(bytes.begin(), bytes.end());
    at_ += sizeof(Stored);
    return std::bit_cast<Stored>(bytes);
  }
  template <class Use>
  auto visit(PlyType type, Use use) {
    switch (type) {
      case PlyType::I8:
        return use(take<std::int8_t>());
      case PlyType::U8:
        return use(take<std::uint8_t>());
      case PlyType::I16:
        return use(take<std::int16_t>());
      case PlyType::U16:
        return use(take<std::uint16_t>());
      case PlyType::I32:
        return use(take<std::int32_t>());
      case PlyType::U32:
        return use(take<std::uint32_t>());
      case PlyType::F32:
        return use(take<float>());
      case PlyType::F64:
        return use(take<double>());
    }
    return use(0);
  }

 public:
  double real(PlyType type) {
    return visit(type, [](auto stored) { return static_cast<double>(stored); });
  }
  std::int64_t integer(PlyType type) {
    if (type == PlyType::F32 || type == PlyType::F64) {
      const double value = real(type);
      return std::abs(value) < 4294967296.0 ? static_cast<std::int64_t>(value) : -1;
    }
    return visit(type, [](auto stored) { return static_cast<std::int64_t>(stored); });
  }

 private:
  std::string_view file_;
  std::size_t at_;
  std::string name_;
  bool swapped_;
};

template <class Values>
std::size_t listSize(Values& values, const PlyProperty& property) {
  const std::int64_t size = values.integer(property.countType);
  if (size < 0 || static_cast<std::uint64_t>(size) > values.longestList(property.type))
    values.refuse(fmt::format("list of {} values", size));
  return static_cast<std::size_t>(size);
}

template <class Values>
void skipProperty(Values& values, const PlyProperty& property) {
  values.skip(property.isList ? listSize(values, property) : 1, property.type);
}

template <class Values>
void readVertices(Values& values, const PlyElement& element, PolygonSoup& soup) {
  std::vector<int> axis;  // of each property; -1: none
  for (const PlyProperty& property : element.property)
    axis.push_back(property.isList || property.name.size() != 1 || property.name < "x" ||
                           property.name > "z"
                       ? -1
                       : property.name[0] - 'x');
  for (const int wanted : {0, 1, 2})
    if (std::count(axis.begin(), axis.end(), wanted) != 1)
      values.refuse("one property each of x, y and z in the vertices");
  soup.reserve(element.count, 0);
  for (std::size_t v = 0; v < element.count; ++v) {
    Double3 point{};
    for (std::size_t p = 0; p < axis.size(); ++p)
      if (axis[p] < 0)
        skipProperty(values, element.property[p]);
      else
        point[static_cast<std::size_t>(axis[p])] = values.real(element.property[p].type);
    soup.addVertex(point);
    values.endRecord();
  }
}

void addStrips(const std::vector<std::int64_t>& list, PolygonSoup& soup) {
  auto begin = list.begin();
  while (begin != list.end()) {  // -1 ends a strip
    const auto end = std::find(begin, list.end(), -1);
    soup.addStrip({begin, end});
    begin = end == list.end() ? end : end + 1;
  }
}

bool isIndices(const PlyProperty& property) {
  return property.isList && (property.name == "vertex_indices" || property.name == "vertex_index");
}

// Estimate: exact in binary where faces are the last element, with any number of corners; else all
// faces count as triangles.
template <class Values>
std::size_t trianglesIn(const Values& values, const PlyElement& element) {
  const PlyProperty& list = element.property.front();
  const std::size_t least = 3 * bytesOf(list.type) + bytesOf(list.countType);
  const std::size_t counts = element.count * bytesOf(list.countType);
  if (element.property.size() > 1 || !Values::isBinary || values.left() < element.count * least)
    return element.count;
  const std::size_t corners = (values.left() - counts) / bytesOf(list.type);
  return std::min(corners - 2 * element.count, 2 * element.count);
}

template <class Values>
void readFaces(Values& values, const PlyElement& element, PolygonSoup& soup) {
  if (std::count_if(element.property.begin(), element.property.end(), isIndices) != 1)
    values.refuse("list of vertex_indices in the element \"" + element.name + "\"");
  if (soup.vertices() == 0) values.refuse("vertex before the faces");
  const bool areStrips = element.name == "tristrips";
  if (!areStrips) soup.reserve(0, trianglesIn(values, element));
  std::vector<std::int64_t> list;
  for (std::size_t f = 0; f < element.count; ++f) {
    for (const PlyProperty& property : element.property) {
      if (!isIndices(property)) {
        skipProperty(values, property);
        continue;
      }
      const std::size_t size = listSize(values, property);
      soup.chargeReader(size * sizeof(std::int64_t));
      list.resize(size);
      for (std::int64_t& index : list) index = values.integer(property.type);
      if (areStrips)
        addStrips(list, soup);
      else
        soup.addPolygon(list);
    }
    values.endRecord();
  }
}

template <class Values>
void readElements(Values values, const PlyHeader& header, PolygonSoup& soup) {
  for (const PlyElement& element : header.element) {
    if (element.property.empty()) continue;
    if (element.name == "vertex")
      readVertices(values, element, soup);
    else if (element.name == "face" || element.name == "tristrips")
      readFaces(values, element, soup);
    else
      for (std::size_t i = 0; i < element.count; ++i) {
        for (const PlyProperty& property : element.property) skipProperty(values, property);
        values.endRecord();
      }
  }
}

}  // namespace

TriangleSoup parsePly(std::string_view bytes, const std::string& name) {
  const PlyHeader header = parsePlyHeader(bytes, name);
  PolygonSoup soup(bytes.size(), name);
  if (header.format == PlyFormat::Ascii) {
    readElements(AsciiValues(bytes, header.bytes, name), header, soup);
  } else {
    const bool isBig = header.format == PlyFormat::BigEndian;
    const bool swapped = isBig != (std::endian::native == std::endian::big);
    readElements(BinaryValues(bytes, header.bytes, name, swapped), header, soup);
  }
  return std::move(soup).finish();
}

TriangleSoup readPly(const std::filesystem::path& path) {
  const WholeFile file = readUncompressed(path);
  return parsePly(file.text(), path.string());
}

}  // namespace tessera::preprocess::read
