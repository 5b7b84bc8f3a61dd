// SPDX-License-Identifier: GPL-3.0-or-later
// VTK's legacy files (VTK User's Guide, "VTK File Formats"): PolyData, and UnstructuredGrid with
// cells on a surface; as text or binary, big-endian. Cells up to version 4.2 are lists of a number
// of points and the points, from version 5.1 on an array of OFFSETS and one of CONNECTIVITY.
// Polygons, triangle strips and points are read; vertices, lines, metadata, fields and all data of
// points and cells are skipped.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/read/decode.hpp"
#include "preprocess/read/surface/polygon_soup.hpp"
#include "preprocess/read/surface/surface_readers.hpp"
#include "preprocess/read/surface/vtk_array.hpp"
#include "preprocess/read/surface/vtk_cell.hpp"
#include "preprocess/read/text.hpp"

namespace tessera::preprocess::read {
namespace {

// Values of a binary array, big-endian, or those of a text, already parsed.
struct LegacyValues {
  VtkType type = VtkType::I32;
  std::string_view raw;
  std::vector<std::int64_t> parsed;
  [[nodiscard]] std::size_t size() const {
    return parsed.empty() ? raw.size() / bytesOf(type) : parsed.size();
  }
  [[nodiscard]] std::int64_t integer(std::size_t i) const;
};

template <class Stored>
Stored bigEndian(const char* at) {
  std::array<char, sizeof(Stored)> bytes;
  std::memcpy(bytes.data(), at, sizeof(Stored));
  if constexpr (std::endian::native == std::endian::little)
    std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<Stored>(bytes);
}

// Calls use(value) with the value as stored.
template <class Use>
auto withStored(VtkType type, const char* at, const Use& use) {
  switch (type) {
    case VtkType::I8:
      return use(bigEndian<std::int8_t>(at));
    case VtkType::U8:
      return use(bigEndian<std::uint8_t>(at));
    case VtkType::I16:
      return use(bigEndian<std::int16_t>(at));
    case VtkType::U16:
      return use(bigEndian<std::uint16_t>(at));
    case VtkType::I32:
      return use(bigEndian<std::int32_t>(at));
    case VtkType::U32:
      return use(bigEndian<std::uint32_t>(at));
    case VtkType::I64:
      return use(bigEndian<std::int64_t>(at));
    case VtkType::U64:
      return use(bigEndian<std::uint64_t>(at));
    case VtkType::F32:
      return use(bigEndian<float>(at));
    case VtkType::F64:
      break;
  }
  return use(bigEndian<double>(at));
}

// -1 for fractions and numbers beyond 2^53.
std::int64_t LegacyValues::integer(std::size_t i) const {
  if (!parsed.empty()) return parsed[i];
  return withStored(type, raw.data() + i * bytesOf(type), [](auto value) -> std::int64_t {
    if constexpr (std::is_integral_v<decltype(value)>) return static_cast<std::int64_t>(value);
    const auto real = static_cast<double>(value);
    return std::abs(real) < 9007199254740992.0 && real == std::floor(real)
               ? static_cast<std::int64_t>(real)
               : -1;
  });
}

// Cells of one section; offset: empty in the older layout.
struct LegacyCells {
  std::size_t count = 0;
  LegacyValues offset, points;
};

class VtkReader {
 public:
  VtkReader(std::string_view bytes, const std::string& name)
      : bytes_(bytes), name_(name), words_(bytes, name), soup_(bytes.size(), name) {}

  TriangleSoup read() {
    readHeader();
    while (readSection()) continue;
    if (cells_.count > 0)
      refuse("has CELLS without CELL_TYPES; it is truncated or damaged: export it again.");
    TriangleSoup soup = std::move(soup_).finish();
    soup.space = space_;
    return soup;
  }

 private:
  [[noreturn]] void refuse(const std::string& found) const {
    stage::fail(stage::ExitCode::BadInput, name_ + " " + found);
  }
  [[nodiscard]] std::size_t position() const { return bytes_.size() - words_.left(); }

  void readHeader() {
    if (!sameWord(bytes_.substr(0, 14), "# vtk datafile"))
      refuse("does not start with \"# vtk DataFile\"" + butWithStart(bytes_) +
             " and is no legacy VTK file; export the surface as .vtk or .vtp again.");
    words_.takeLine();
    space_ = spaceIn(words_.takeLine());  // title
    const std::string_view encoding = words_.take();
    isBinary_ = sameWord(encoding, "binary");
    if (!isBinary_ && !sameWord(encoding, "ascii")) words_.refuse("ASCII or BINARY");
    if (!sameWord(words_.take(), "dataset")) words_.refuse("DATASET");
    const std::string_view kind = words_.takeInLine();
    if (!sameWord(kind, "polydata") && !sameWord(kind, "unstructured_grid"))
      refuse("holds a data set of the kind \"" + std::string(kind.substr(0, 40)) +
             "\", expected POLYDATA or UNSTRUCTURED_GRID; export the surface as PolyData.");
    words_.takeLine();
  }

  void warnAboutFaces() const {
    if (bytes_.find("ModelFaceID", position()) != std::string_view::npos)
      stage::logWarning(name_ +
                        " names faces by ModelFaceID, which legacy .vtk files are read without; "
                        "save it as .vtp or .vtu to keep their names.");
  }

  // False at the end of the geometry.
  bool readSection() {
    const std::string_view word = words_.take();
    const auto is = [&](std::string_view known) { return sameWord(word, known); };
    if (word.empty() || is("cell_data") || is("point_data")) {
      warnAboutFaces();
      return false;
    }
    if (is("points"))
      readPoints();
    else if (is("polygons") || is("triangle_strips"))
      addCells(takeCells(), is("polygons"));
    else if (is("vertices") || is("lines"))
      takeCells();
    else if (is("cells"))
      cells_ = takeCells();
    else if (is("cell_types"))
      addTypedCells();
    else if (is("field"))
      skipField();
    else if (is("metadata"))
      skipMetadata();
    else
      words_.refuse("section such as POINTS, POLYGONS or CELLS");
    return true;
  }

  VtkType takeType() {
    constexpr std::pair<std::string_view, VtkType> known[] = {{"char", VtkType::I8},
                                                              {"signed_char", VtkType::I8},
                                                              {"unsigned_char", VtkType::U8},
                                                              {"short", VtkType::I16},
                                                              {"unsigned_short", VtkType::U16},
                                                              {"int", VtkType::I32},
                                                              {"unsigned_int", VtkType::U32},
                                                              {"long", VtkType::I64},
                                                              {"unsigned_long", VtkType::U64},
                                                              {"vtkidtype", VtkType::I32},
                                                              {"vtktypeint64", VtkType::I64},
                                                              {"vtktypeuint64", VtkType::U64},
                                                              {"float", VtkType::F32},
                                                              {"double", VtkType::F64}};
    const std::string_view word = words_.takeInLine();
    for (const auto& [name, type] : known)
      if (sameWord(word, name)) return type;
    words_.refuse("type of values such as int, float or vtktypeint64");
  }

  std::size_t takeCount(const std::string& title) {
    const std::int64_t count = words_.integer(title);
    if (count < 0) words_.refuse(title + " of at least 0");
    return static_cast<std::size_t>(count);
  }

  // Binary values begin on the next line, text may follow on the same one.
  void endHeader() {
    if (isBinary_) words_.takeLine();
  }

  // Refuses more values than the rest of the file can hold.
  void requireRoom(std::size_t values, VtkType type, const std::string& title) const {
    const std::size_t width = isBinary_ ? bytesOf(type) : 2;
    const std::size_t room = (words_.left() + (isBinary_ ? 0 : 1)) / width;
    if (values > room)
      refuse(
          fmt::format("has {} values of {}, more than the remaining {} bytes can hold; it is "
                      "truncated or damaged: export it again.",
                      values, title, words_.left()));
  }

  // The next bytes of a binary file, from the start of a line.
  std::string_view takeRaw(std::size_t bytes) {
    const std::size_t start = position();
    words_ = TextWords(bytes_, name_, '\0', start + bytes);
    return bytes_.substr(start, bytes);
  }

  void readPoints() {
    const std::size_t points = takeCount("number of points");
    const VtkType type = takeType();
    endHeader();
    if (points > bytes_.size()) requireRoom(points, type, "points");  // 3 x points fits
    requireRoom(3 * points, type, "points");
    soup_.reserve(points, 0);
    const std::size_t width = bytesOf(type);
    const std::string_view raw = isBinary_ ? takeRaw(3 * points * width) : std::string_view{};
    const std::string expected = "coordinate of a point";
    for (std::size_t i = 0; i < points; ++i) {
      Double3 point{};
      for (std::size_t a = 0; a < 3; ++a)
        point[a] = isBinary_ ? withStored(type, raw.data() + (3 * i + a) * width,
                                          [](auto value) { return static_cast<double>(value); })
                             : words_.number(expected);
      soup_.addVertex(point);
    }
  }

  LegacyValues takeValues(std::size_t count, VtkType type, const std::string& title) {
    requireRoom(count, type, title);
    LegacyValues values;
    values.type = type;
    if (isBinary_) {
      values.raw = takeRaw(count * bytesOf(type));
      return values;
    }
    parsedBytes_ += count * sizeof(std::int64_t);
    soup_.chargeReader(parsedBytes_);
    values.parsed.resize(count);
    const std::string expected = "value of " + title;
    for (std::int64_t& value : values.parsed) value = words_.integer(expected);
    return values;
  }

  LegacyValues takeArray(const char* keyword, std::size_t count, const std::string& title) {
    if (!sameWord(words_.take(), keyword)) words_.refuse(title);
    const VtkType type = takeType();
    endHeader();
    return takeValues(count, type, title);
  }

  LegacyCells takeCells() {
    if (cells_.points.size() > 0) words_.refuse("CELL_TYPES after CELLS");
    parsedBytes_ = 0;
    LegacyCells cells;
    const std::size_t first = takeCount("number of cells");
    const std::size_t second = takeCount("number of values of the cells");
    endHeader();
    if (!sameWord(bytes_.substr(nextWord(), 7), "offsets")) {
      cells.count = first;
      cells.points = takeValues(second, VtkType::I32, "cells");
      return cells;
    }
    cells.count = std::max<std::size_t>(first, 1) - 1;
    cells.offset = takeArray("offsets", first, "OFFSETS of cells");
    cells.points = takeArray("connectivity", second, "CONNECTIVITY of cells");
    return cells;
  }

  // Calls visit(cell, points) for each cell.
  template <class Visit>
  void forEachCell(const LegacyCells& cells, const Visit& visit) {
    const std::size_t last = cells.points.size();
    const bool hasOffsets = cells.offset.size() > 0;
    std::vector<std::int64_t> ring;
    std::size_t at = 0;
    if (hasOffsets && cells.offset.integer(0) != 0) refuseCell(0, cells);
    for (std::size_t c = 0; c < cells.count; ++c) {
      if (!hasOffsets && at == last) refuseCell(c, cells);
      const std::int64_t size = hasOffsets ? 0 : cells.points.integer(at++);
      if (size < 0 || static_cast<std::uint64_t>(size) > last - at) refuseCell(c, cells);
      const std::int64_t end =
          hasOffsets ? cells.offset.integer(c + 1) : static_cast<std::int64_t>(at) + size;
      if (end < static_cast<std::int64_t>(at) || static_cast<std::uint64_t>(end) > last)
        refuseCell(c, cells);
      const std::size_t corners = static_cast<std::size_t>(end) - at;
      soup_.chargeReader(parsedBytes_ + corners * sizeof(std::int64_t));
      ring.resize(corners);
      for (std::int64_t& point : ring) point = cells.points.integer(at++);
      visit(c, ring);
    }
    if (at != last) refuseCell(cells.count, cells);
    soup_.chargeReader(0);
  }

  [[noreturn]] void refuseCell(std::size_t cell, const LegacyCells& cells) const {
    refuse(
        fmt::format("has a list of {2} values that cell {0} of {1} does not fit or fill; it is "
                    "damaged: export it again.",
                    std::min(cell + 1, cells.count), cells.count, cells.points.size()));
  }

  void addCells(const LegacyCells& cells, bool arePolygons) {
    forEachCell(cells, [&](std::size_t, const std::vector<std::int64_t>& ring) {
      arePolygons ? soup_.addPolygon(ring) : soup_.addStrip(ring);
    });
  }

  void addTypedCells() {
    const std::size_t count = takeCount("number of cell types");
    endHeader();
    if (count != cells_.count)
      refuse(fmt::format("has {} cell types for {} cells; it is damaged: export it again.", count,
                         cells_.count));
    const LegacyValues types = takeValues(count, VtkType::I32, "cell types");
    forEachCell(cells_, [&](std::size_t c, const std::vector<std::int64_t>& ring) {
      addVtkCell(soup_, types.integer(c), ring, name_);
    });
    cells_ = {};
  }

  // Arrays of the data set as a whole, such as the time.
  void skipField() {
    words_.takeInLine();  // name
    const std::size_t arrays = takeCount("number of arrays of a field");
    endHeader();
    for (std::size_t k = 0; k < arrays; ++k) {
      if (words_.take().empty()) words_.refuse("name of an array of a field");
      const std::size_t components = takeCount("number of components");
      const std::size_t tuples = takeCount("number of tuples");
      const VtkType type = takeType();
      endHeader();
      requireRoom(components, type, "a field");
      if (tuples > 0 && components > 0) requireRoom(tuples, type, "a field");
      const std::size_t values = components * tuples;  // no overflow: both fit into the file
      requireRoom(values, type, "a field");
      if (isBinary_) takeRaw(values * bytesOf(type));
      for (std::size_t i = 0; i < values && !isBinary_; ++i)
        if (words_.take().empty()) words_.refuse("value of a field");
      while (sameWord(bytes_.substr(nextWord(), 8), "metadata")) {
        words_.take();
        skipMetadata();
      }
    }
  }

  [[nodiscard]] std::size_t nextWord() const {
    std::size_t at = position();
    while (at < bytes_.size() && isBlank(bytes_[at])) ++at;
    return std::min(at, bytes_.size());
  }

  // Up to the next empty line.
  void skipMetadata() {
    words_.takeLine();
    while (words_.left() > 0 && !words_.takeLine().empty()) continue;
  }

  std::string_view bytes_;
  const std::string& name_;
  TextWords words_;
  bool isBinary_ = false;
  std::string space_;
  PolygonSoup soup_;
  LegacyCells cells_;            // of an unstructured grid, until their types are known
  std::size_t parsedBytes_ = 0;  // of the lists in memory
};

}  // namespace

TriangleSoup parseVtk(std::string_view bytes, const std::string& name) {
  return VtkReader(bytes, name).read();
}

TriangleSoup readVtk(const std::filesystem::path& path) {
  const WholeFile file = readUncompressed(path);
  return parseVtk(file.text(), path.string());
}

}  // namespace tessera::preprocess::read
