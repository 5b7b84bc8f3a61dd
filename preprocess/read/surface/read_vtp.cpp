// SPDX-License-Identifier: GPL-3.0-or-later
// VTP: PolyData in VTK's XML format. Polys and Strips of all Pieces; Verts and Lines are ignored.
// VTU: UnstructuredGrid in the same format, with cells on a surface only.
//
// Faces come from the first of these cell arrays that all pieces have: ModelFaceID (SimVascular; 3
// becomes "face3"), CellEntityIds (VMTK, likewise), CapID (SimVascular: positive ones "cap2", all
// others "wall").
#include "preprocess/read/surface/surface_readers.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <pugixml.hpp>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/read/decode.hpp"
#include "preprocess/read/surface/polygon_soup.hpp"
#include "preprocess/read/surface/vtk_array.hpp"
#include "preprocess/read/surface/vtk_cell.hpp"
#include "preprocess/read/text.hpp"

namespace tessera::preprocess::read {
namespace {

constexpr const char* faceArrays[] = {"ModelFaceID", "CellEntityIds", "CapID"};
// Limits on XML: ten tags per piece. pugixml takes up to 128 bytes per tag and 40 per attribute.
constexpr std::ptrdiff_t maxTags = 250'000;
constexpr std::ptrdiff_t maxAttributes = 1'000'000;

class VtpReader {
 public:
  // kind: of the data set, PolyData or UnstructuredGrid.
  VtpReader(WholeFile file, const std::string& name, const char* kind)
      : file_(std::move(file)),
        name_(name),
        kind_(kind),
        isGrid_(std::string_view(kind) == "UnstructuredGrid"),
        soup_(file_.size, name, sizeof(std::int64_t)) {
    encoding_.name = name;
  }

  TriangleSoup read() {
    loadXml();
    const pugi::xml_node root = xml_.child("VTKFile");
    readEncoding(root);
    const pugi::xml_node data = root.child(kind_);
    faceArray_ = chooseFaceArray(data);
    for (const pugi::xml_node piece : data.children("Piece"))
      isGrid_ ? readGridPiece(piece) : readPiece(piece);
    TriangleSoup soup = std::move(soup_).finish();
    if (faceArray_ != nullptr) setFaces(soup);
    return soup;
  }

 private:
  [[noreturn]] void refuse(const std::string& found) const {
    stage::fail(stage::ExitCode::BadInput, name_ + " " + found);
  }

  // Raw data after AppendedData is not XML: the tag is overwritten by the end of the document.
  void loadXml() {
    constexpr std::string_view tag = "<AppendedData";
    constexpr std::string_view end = "</VTKFile>";
    const std::string_view text = file_.text();
    const std::size_t at = text.find(tag);
    std::size_t parsed = text.size();
    if (at != text.npos) {
      readAppended(text.substr(at));
      end.copy(file_.bytes.get() + at, end.size());
      parsed = at + end.size();
    }
    requireFewTags(text.substr(0, parsed));
    const pugi::xml_parse_result result = xml_.load_buffer_inplace(
        file_.bytes.get(), parsed, pugi::parse_minimal, pugi::encoding_utf8);
    if (!result)
      refuse(fmt::format(
          "is not well-formed XML at byte {} ({}); it is truncated or damaged: export it again.",
          result.offset, result.description()));
  }

  void readAppended(std::string_view text) {
    const std::size_t end = std::min(text.find('>'), text.size());
    encoding_.isAppendedBase64 = text.substr(0, end).find("base64") != text.npos;
    const std::size_t mark = text.find('_', end);
    if (mark == text.npos)
      refuse(
          "has appended data without the \"_\" before it; "
          "it is truncated: export it again.");
    encoding_.appended = text.substr(mark + 1);
  }

  void requireFewTags(std::string_view xml) const {
    if (std::count(xml.begin(), xml.end(), '<') > maxTags ||
        std::count(xml.begin(), xml.end(), '=') > maxAttributes)
      refuse(
          fmt::format("has more than {} XML tags or {} attributes, more than a surface has; it is "
                      "damaged: export it again.",
                      maxTags, maxAttributes));
  }

  void readEncoding(const pugi::xml_node& root) {
    if (root.attribute("type").value() != std::string_view(kind_) || !root.child(kind_))
      refuse(fmt::format("holds no VTK {}; export the surface as VTP.", kind_));
    const std::string_view compressor = root.attribute("compressor").value();
    encoding_.isCompressed = compressor == "vtkZLibDataCompressor";
    if (!compressor.empty() && !encoding_.isCompressed)
      refuse("is compressed by " + std::string(compressor.substr(0, 60)) +
             ", expected zlib or nothing; set the compressor to zlib on export.");
    const std::string_view order = root.attribute("byte_order").value();
    if (order != "LittleEndian" && order != "BigEndian" && !order.empty())
      refuse("has the byte_order \"" + std::string(order.substr(0, 60)) +
             "\", expected LittleEndian or BigEndian; export it again.");
    encoding_.isSwapped = (order == "BigEndian") != (std::endian::native == std::endian::big);
    const std::string_view header = root.attribute("header_type").value();
    if (header != "UInt32" && header != "UInt64" && !header.empty())
      refuse("has the header_type \"" + std::string(header.substr(0, 60)) +
             "\", expected UInt32 or UInt64; export it again.");
    encoding_.headerBytes = header == "UInt64" ? 8 : 4;
  }

  static pugi::xml_node arrayOf(const pugi::xml_node& parent, const char* name) {
    return parent.find_child_by_attribute("DataArray", "Name", name);
  }

  static const char* chooseFaceArray(const pugi::xml_node& data) {
    for (const char* name : faceArrays) {
      bool isPresent = true;
      for (const pugi::xml_node piece : data.children("Piece"))
        isPresent = isPresent && arrayOf(piece.child("CellData"), name);
      if (isPresent) return name;
    }
    return nullptr;
  }

  std::size_t number(const pugi::xml_node& node, const char* attribute) const {
    const std::string_view text = node.attribute(attribute).value();
    if (text.empty()) return 0;
    std::int64_t value = 0;
    if (!parseInteger(text, value) || value < 0)
      refuse("has \"" + std::string(text.substr(0, 60)) + "\" as " + attribute +
             ", expected a number from 0; export it again.");
    return static_cast<std::size_t>(value);
  }

  VtkType typeOf(const pugi::xml_node& array) const {
    constexpr std::string_view known[] = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                          "UInt32", "Int64", "UInt64", "Float32", "Float64"};
    const std::string_view type = array.attribute("type").value();
    const auto found = std::find(std::begin(known), std::end(known), type);
    if (found == std::end(known))
      refuse("has an array of the type \"" + std::string(type.substr(0, 60)) +
             "\", expected one from Int8 to Float64; export it again.");
    return static_cast<VtkType>(found - std::begin(known));
  }

  VtkArray decode(const pugi::xml_node& array, const char* title, std::size_t values) {
    if (values == 0) return {};
    if (!array) refuse(std::string("has no array of ") + title + "; export it again.");
    VtkSource source;
    source.name = title;
    source.type = typeOf(array);
    source.text = array.child_value();
    const std::string_view format = array.attribute("format").value();
    if (format == "appended")
      source.format = VtkFormat::Appended;
    else if (format == "binary")
      source.format = VtkFormat::Binary;
    else if (format != "ascii" && !format.empty())
      refuse("has an array in the format \"" + std::string(format.substr(0, 60)) +
             "\", expected ascii, binary or appended; export it again.");
    source.offset = number(array, "offset");
    requireDecodable(source, values);
    return decodeArray(source, encoding_, values);
  }

  // Checks the sizes before anything is allocated.
  void requireDecodable(const VtkSource& source, std::size_t values) {
    const std::size_t width = source.format == VtkFormat::Ascii ? 8 : bytesOf(source.type);
    if (values > (std::size_t{1} << 62U) / width)
      refuse(fmt::format(
          "has {} values in \"{}\", more than a file can hold; it is damaged: export it again.",
          values, source.name));
    if (encoding_.isCompressed && source.format != VtkFormat::Ascii) {
      decoded_ += values * width;
      if (decoded_ > 64 * file_.size + (std::size_t{16} << 20U))
        refuse("would grow to more than 64 times its size when \"" + source.name +
               "\" is uncompressed, which no surface does; it is damaged: export it again.");
      soup_.addFileBytes(values * width);
    }
    arrays_ += values * width;
    soup_.chargeReader(arrays_);
  }

  void readPiece(const pugi::xml_node& piece) {
    const std::size_t points = number(piece, "NumberOfPoints");
    const std::size_t polys = number(piece, "NumberOfPolys");
    const std::size_t strips = number(piece, "NumberOfStrips");
    const std::size_t ignored = number(piece, "NumberOfVerts") + number(piece, "NumberOfLines");
    requireCountable({points, polys, strips, ignored});
    const auto range = readPoints(piece, points);
    const VtkArray ids = readFaceIds(piece, ignored + polys + strips);
    // VTK's order of cells: vertices, lines, polygons, strips.
    readCells(piece.child("Polys"), polys, range, ids, ignored,
              [&](std::size_t, const auto& ring) { soup_.addPolygon(ring); });
    readCells(piece.child("Strips"), strips, range, ids, ignored + polys,
              [&](std::size_t, const auto& ring) { soup_.addStrip(ring); });
  }

  void readGridPiece(const pugi::xml_node& piece) {
    const std::size_t points = number(piece, "NumberOfPoints");
    const std::size_t count = number(piece, "NumberOfCells");
    requireCountable({points, count});
    const auto range = readPoints(piece, points);
    const VtkArray ids = readFaceIds(piece, count);
    const pugi::xml_node cells = piece.child("Cells");
    const VtkArray types = decode(arrayOf(cells, "types"), "types", count);
    readCells(cells, count, range, ids, 0, [&](std::size_t c, const auto& ring) {
      addVtkCell(soup_, types.integer(c), ring, name_);
    });
  }

  // Sums of such counts do not overflow.
  void requireCountable(std::initializer_list<std::size_t> counts) const {
    if (std::max(counts) > std::size_t{1} << 60U)
      refuse("has a piece of more than 2^60 points or cells; it is damaged: export it again.");
  }

  // Face numbers of all cells of a piece; empty where no array has them.
  VtkArray readFaceIds(const pugi::xml_node& piece, std::size_t cells) {
    if (faceArray_ == nullptr) return {};
    return decode(arrayOf(piece.child("CellData"), faceArray_), faceArray_, cells);
  }

  // The piece's first point in the soup, and their number.
  std::pair<std::int64_t, std::int64_t> readPoints(const pugi::xml_node& piece,
                                                   std::size_t points) {
    const auto first = static_cast<std::int64_t>(soup_.vertices());
    arrays_ = 0;
    const pugi::xml_node array = piece.child("Points").child("DataArray");
    if (points > 0 && number(array, "NumberOfComponents") != 3)
      refuse("has points without three components; export it again.");
    const VtkArray coordinates = decode(array, "points", 3 * points);
    soup_.reserve(points, 0);
    for (std::size_t i = 0; i < points; ++i)
      soup_.addVertex(
          {coordinates.real(3 * i), coordinates.real(3 * i + 1), coordinates.real(3 * i + 2)});
    arrays_ = 0;
    return {first, static_cast<std::int64_t>(points)};
  }

  // points: see readPoints(). ids: of all cells of the piece. Calls add(cell, ring) for each.
  template <class Add>
  void readCells(const pugi::xml_node& cells, std::size_t count,
                 const std::pair<std::int64_t, std::int64_t>& points, const VtkArray& ids,
                 std::size_t firstCell, const Add& add) {
    const std::size_t others = arrays_;
    const VtkArray offsets = decode(arrayOf(cells, "offsets"), "offsets", count);
    const std::int64_t last = count == 0 ? 0 : offsets.integer(count - 1);
    if (last < 0) refuse("has negative cell offsets; it is damaged: export it again.");
    const VtkArray connectivity =
        decode(arrayOf(cells, "connectivity"), "connectivity", static_cast<std::size_t>(last));
    reserveTriangles(count, static_cast<std::size_t>(last));
    std::vector<std::int64_t> ring;
    std::int64_t begin = 0;
    for (std::size_t c = 0; c < count; ++c) {
      const std::int64_t end = offsets.integer(c);
      if (end < begin || end > last)
        refuse("has cell offsets that do not ascend; it is damaged: export it again.");
      soup_.chargeReader(arrays_ + static_cast<std::size_t>(end - begin) * sizeof(std::int64_t));
      ring.clear();
      for (; begin < end; ++begin) {
        const std::int64_t index = connectivity.integer(static_cast<std::size_t>(begin));
        if (index < 0 || index >= points.second)
          refuse(fmt::format(
              "has a cell with point {}, expected 0 to {}; it is damaged: export it again.", index,
              points.second - 1));
        ring.push_back(points.first + index);
      }
      add(c, ring);
      if (ids.size() > 0) id_.resize(soup_.triangles(), ids.integer(firstCell + c));
    }
    arrays_ = others;
  }

  void reserveTriangles(std::size_t cells, std::size_t corners) {
    if (corners >= 2 * cells) soup_.reserve(0, corners - 2 * cells);
  }

  void setFaces(TriangleSoup& soup) {
    const bool areCaps = faceArray_ == std::string_view("CapID");
    FaceNames names;
    for (const std::int64_t id : id_)
      soup.face.push_back(names.numberOf(!areCaps ? fmt::format("face{}", id)
                                         : id > 0 ? fmt::format("cap{}", id)
                                                  : "wall"));
    if (names.areTooMany())
      refuse(fmt::format("has more than {} faces in {}; use fewer face numbers.", maxFaceNames,
                         faceArray_));
    soup.faceName = names.names();
  }

  WholeFile file_;
  const std::string& name_;
  const char* kind_;
  bool isGrid_;
  pugi::xml_document xml_;
  VtkEncoding encoding_;
  const char* faceArray_ = nullptr;
  PolygonSoup soup_;
  std::vector<std::int64_t> id_;  // of each triangle
  std::size_t decoded_ = 0;       // bytes of all compressed arrays
  std::size_t arrays_ = 0;        // bytes of the arrays in memory
};

}  // namespace

TriangleSoup parseVtp(WholeFile file, const std::string& name) {
  return VtpReader(std::move(file), name, "PolyData").read();
}

TriangleSoup parseVtu(WholeFile file, const std::string& name) {
  return VtpReader(std::move(file), name, "UnstructuredGrid").read();
}

TriangleSoup readVtp(const std::filesystem::path& path) {
  return parseVtp(readUncompressed(path), path.string());
}

TriangleSoup readVtu(const std::filesystem::path& path) {
  return parseVtu(readUncompressed(path), path.string());
}

}  // namespace tessera::preprocess::read
