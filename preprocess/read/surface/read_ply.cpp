// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/surface/read_ply.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "pipelines/stage/error.hpp"
#include "preprocess/read/surface/ply_header.hpp"
#include "preprocess/read/surface/polygon_soup.hpp"
#include "preprocess/read/text_words.hpp"
#include "preprocess/read/whole_file.hpp"

namespace tessera::preprocess::read {
namespace {

class AsciiValues {
 public:
  AsciiValues(std::string_view file, std::size_t start, std::string name)
      : words_(file, std::move(name), '\0', start) {}
  static constexpr bool isBinary = false;
  [[nodiscard]] std::size_t left() const { return words_.left(); }
  double real(PlyType) { return words_.number("number"); }
  std::int64_t integer(PlyType) { return words_.integer("integer"); }
  // How many values a list can still have.
  [[nodiscard]] std::size_t most(PlyType) const { return (words_.left() + 1) / 2; }
  void skip(std::size_t count, PlyType) {  // whatever is there, e.g. 1.#QNAN
    for (; count > 0; --count)
      if (words_.take().empty()) words_.refuse("value");
  }
  // One record a line; what VCGLIB writes beyond its header's properties is passed over.
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
  [[nodiscard]] std::size_t most(PlyType type) const {
    return (file_.size() - at_) / bytesOf(type);
  }
  void skip(std::size_t count, PlyType type) {
    if (count > most(type)) refuse("value");
    at_ += count * bytesOf(type);
  }
  void endRecord() {}
  [[noreturn]] void refuse(const std::string& expected) const {
    stage::fail(stage::ExitCode::BadInput, name_ + " has no " + expected + " at byte " +
                                               std::to_string(at_) + " of " +
                                               std::to_string(file_.size()) +
                                               "; it is truncated or damaged: export it again.");
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
  if (size < 0 || static_cast<std::uint64_t>(size) > values.most(property.type))
    values.refuse("list of " + std::to_string(size) + " values");
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

// As many as there are in binary when the faces, of any number of corners, are all that is left;
// else as if all faces were triangles.
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
      soup.holdBeside(size * sizeof(std::int64_t));
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
  const WholeFile file = readWholeFile(path);
  return parsePly(file.text(), path.string());
}

}  // namespace tessera::preprocess::read
