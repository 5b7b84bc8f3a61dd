// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/preprocess/polygon_files.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <sstream>

namespace tessera::test {

using namespace tessera::preprocess::geometry;
using namespace tessera::stage;
namespace {

template <class Value>
void put(std::string& bytes, Value value, bool big) {
  char stored[sizeof value];
  std::memcpy(stored, &value, sizeof value);
  if (big) std::reverse(stored, stored + sizeof value);
  bytes.append(stored, sizeof value);
}

std::string numberText(double value) {
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str();
}

// Values one after the other, in text or in binary.
class PlyBody {
 public:
  PlyBody(Bytes bytes, std::string newline) : bytes_(bytes), newline_(std::move(newline)) {}
  template <class Value>
  void add(Value value) {
    if (bytes_ == Bytes::Text)
      text_ += numberText(static_cast<double>(value)) + ' ';
    else
      put(text_, value, bytes_ == Bytes::Big);
  }
  void endRecord() {
    if (bytes_ == Bytes::Text) text_ += newline_;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  Bytes bytes_;
  std::string newline_;
  std::string text_;
};

void addPlyVertices(const TriangleMesh& mesh, bool rich, PlyBody& body) {
  for (const Double3& p : mesh.vertex) {
    if (rich) body.add(std::uint8_t{200});
    for (const double x : p)
      if (rich)
        body.add(x);
      else
        body.add(static_cast<float>(x));
    if (rich) body.add(std::int16_t{-7});
    body.endRecord();
  }
}

void addPlyFaces(const TriangleMesh& mesh, bool rich, PlyBody& body) {
  for (const Triangle& t : mesh.triangle) {
    if (rich) {
      body.add(std::uint8_t{6});
      for (int k = 0; k < 6; ++k) body.add(0.5F);
    }
    body.add(std::uint8_t{3});
    for (const std::uint32_t v : t) body.add(static_cast<std::int32_t>(v));
    if (rich) body.add(std::uint32_t{4000000000U});
    body.endRecord();
  }
}

std::string base64(const std::string& bytes) {
  const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k <= bytes.size() ? digits[bits >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

class VtpWriter {
 public:
  explicit VtpWriter(const VtpStyle& style) : style_(style) {}

  std::string write(const TriangleMesh& mesh) {
    std::string pieces;
    for (int p = 0; p < style_.pieces; ++p) pieces += piece(mesh, p);
    std::string file = "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\"";
    file +=
        std::string(" byte_order=\"") + (style_.bigEndian ? "BigEndian" : "LittleEndian") + "\"";
    file += std::string(" header_type=\"") + (style_.header64 ? "UInt64" : "UInt32") + "\"";
    if (style_.compressed) file += " compressor=\"vtkZLibDataCompressor\"";
    file += ">\n<PolyData>\n" + pieces + "</PolyData>\n";
    if (style_.place == VtpPlace::AppendedRaw)
      file += "<AppendedData encoding=\"raw\">\n_" + appended_ + "\n</AppendedData>\n";
    if (style_.place == VtpPlace::AppendedBase64)
      file += "<AppendedData encoding=\"base64\">\n_" + appended_ + "\n</AppendedData>\n";
    return file + "</VTKFile>\n";
  }

  [[nodiscard]] std::string encoded(const std::string& bytes) const {
    const bool raw = style_.place == VtpPlace::AppendedRaw;
    std::string header;
    if (!style_.compressed) {
      putHeader(header, bytes.size());
      return raw ? header + bytes : base64(header + bytes);
    }
    const std::size_t block = style_.blockBytes;
    const std::size_t blocks = (bytes.size() + block - 1) / block;
    putHeader(header, blocks);
    putHeader(header, block);
    putHeader(header, bytes.size() % block);
    std::string data;
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::string part = bytes.substr(b * block, block);
      uLongf length = ::compressBound(part.size());
      std::string packed(length, '\0');
      ::compress(reinterpret_cast<Bytef*>(packed.data()), &length,
                 reinterpret_cast<const Bytef*>(part.data()), part.size());
      putHeader(header, length);
      data.append(packed, 0, length);
    }
    return raw ? header + data : base64(header) + base64(data);  // each padded on its own
  }

 private:
  // So many of the triangles, from the piece's first.
  std::string piece(const TriangleMesh& mesh, int p) {
    const std::size_t all = mesh.triangle.size();
    const auto share = [&](int q) {
      return all * static_cast<std::size_t>(q) / static_cast<std::size_t>(style_.pieces);
    };
    std::vector<double> points;
    std::vector<double> connectivity;
    std::vector<double> offsets;
    std::vector<double> ids;
    for (const Double3& v : mesh.vertex) points.insert(points.end(), v.begin(), v.end());
    for (std::size_t t = share(p); t < share(p + 1); ++t) {
      for (const std::uint32_t v : mesh.triangle[t]) connectivity.push_back(v);
      offsets.push_back(static_cast<double>(connectivity.size()));
      ids.push_back(mesh.label[t]);
    }
    const std::string cells = style_.wide ? "Int64" : "Int32";
    std::string text = "<Piece NumberOfPoints=\"" + std::to_string(mesh.vertex.size()) +
                       "\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
                       "NumberOfPolys=\"" +
                       std::to_string(offsets.size()) + "\">\n<Points>\n" +
                       array("Points", style_.doubles ? "Float64" : "Float32", 3, points) +
                       "</Points>\n";
    if (!style_.faceArray.empty())
      text += "<CellData>\n" + array(style_.faceArray, "Int32", 1, ids) + "</CellData>\n";
    return text + "<Polys>\n" + array("connectivity", cells, 1, connectivity) +
           array("offsets", cells, 1, offsets) + "</Polys>\n</Piece>\n";
  }

  std::string array(const std::string& name, const std::string& type, int components,
                    const std::vector<double>& values) {
    std::string tag = "<DataArray type=\"" + type + "\" Name=\"" + name +
                      "\" NumberOfComponents=\"" + std::to_string(components) + "\" format=\"";
    if (style_.place == VtpPlace::Ascii) {
      tag += "ascii\">\n";
      for (const double value : values) tag += numberText(value) + "\n";
      return tag + "</DataArray>\n";
    }
    const std::string stored = encoded(bytesOf(type, values));
    if (style_.place == VtpPlace::Inline) return tag + "binary\">" + stored + "</DataArray>\n";
    tag += "appended\" offset=\"" + std::to_string(appended_.size()) + "\"/>\n";
    appended_ += stored;
    return tag;
  }

  std::string bytesOf(const std::string& type, const std::vector<double>& values) const {
    std::string bytes;
    for (const double value : values)
      if (type == "Float64")
        put(bytes, value, style_.bigEndian);
      else if (type == "Float32")
        put(bytes, static_cast<float>(value), style_.bigEndian);
      else if (type == "Int64")
        put(bytes, static_cast<std::int64_t>(value), style_.bigEndian);
      else
        put(bytes, static_cast<std::int32_t>(value), style_.bigEndian);
    return bytes;
  }

  void putHeader(std::string& bytes, std::size_t value) const {
    if (style_.header64)
      put(bytes, static_cast<std::uint64_t>(value), style_.bigEndian);
    else
      put(bytes, static_cast<std::uint32_t>(value), style_.bigEndian);
  }

  VtpStyle style_;
  std::string appended_;
};

}  // namespace

std::string plyFile(const TriangleMesh& mesh, Bytes bytes, bool rich, const std::string& newline) {
  constexpr const char* names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
  const auto line = [&](const std::string& text) { return text + newline; };
  std::string head = line("ply") +
                     line(std::string("format ") + names[static_cast<int>(bytes)] + " 1.0") +
                     line("comment element vertex 7");
  if (rich) head += line("element material 2") + line("property ushort kind");
  head += line("element vertex " + std::to_string(mesh.vertex.size()));
  if (rich) head += line("property uchar red");
  for (const char* axis : {"x", "y", "z"})
    head += line(std::string("property ") + (rich ? "double " : "float ") + axis);
  if (rich)
    head += line("property int16 quality") + line("obj_info made for a test") +
            line("element edge 1") + line("property list uint8 int32 pair");
  head += line("element face " + std::to_string(mesh.triangle.size()));
  if (rich) head += line("property list uchar float texcoord");
  head +=
      line(std::string("property list uchar int ") + (rich ? "vertex_index" : "vertex_indices"));
  if (rich) head += line("property uint flags");
  PlyBody body(bytes, newline);
  for (int i = 0; rich && i < 2; ++i) {
    body.add(std::uint16_t{65535});
    body.endRecord();
  }
  addPlyVertices(mesh, rich, body);
  if (rich) {
    body.add(std::uint8_t{2});
    body.add(std::int32_t{0});
    body.add(std::int32_t{1});
    body.endRecord();
  }
  addPlyFaces(mesh, rich, body);
  return head + line("end_header") + body.text();
}

std::string objFile(const TriangleMesh& mesh, const ObjStyle& style) {
  std::string text = "# made for a test" + style.newline + "mtllib none.mtl" + style.newline;
  for (const Double3& p : mesh.vertex)
    text +=
        "v " + numberText(p[0]) + " " + numberText(p[1]) + "  " + numberText(p[2]) + style.newline;
  text += "vt 0 0" + style.newline + "vn 0 0 1" + style.newline;
  const auto count = static_cast<long>(mesh.vertex.size());
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
    if (!style.group.empty())
      text += style.group + " part" + std::to_string(mesh.label[t]) + style.newline;
    text += "f";
    for (std::size_t k = 0; k < 3; ++k) {
      if (style.continued && k == 1) text += " \\" + style.newline;
      const auto v = static_cast<long>(mesh.triangle[t][k]);
      text += ' ' + std::to_string(style.backwards ? v - count : v + 1) + style.corner;
    }
    text += (t % 2 == 0 ? " # a face" : "") + style.newline;
  }
  return text;
}

std::string offFile(const TriangleMesh& mesh, const std::string& keyword) {
  const auto has = [&](const char* letter) { return keyword.find(letter) != keyword.npos; };
  std::string text = keyword + "  # made for a test\n\n# vertices, faces, edges\n" +
                     std::to_string(mesh.vertex.size()) + " " +
                     std::to_string(mesh.triangle.size()) + " 0\n";
  for (const Double3& p : mesh.vertex) {
    text += numberText(p[0]) + " " + numberText(p[1]) + " " + numberText(p[2]);
    if (has("N")) text += " 0 0 1";
    if (has("C")) text += " 255 0 0 255";
    if (has("ST")) text += " 0.5 0.5";
    text += "\n";
  }
  for (const Triangle& t : mesh.triangle)
    text += "3 " + std::to_string(t[0]) + " " + std::to_string(t[1]) + " " + std::to_string(t[2]) +
            " 0.1 0.2 0.3  # coloured\n";
  return text;
}

std::string vtpFile(const TriangleMesh& mesh, const VtpStyle& style) {
  return VtpWriter(style).write(mesh);
}

std::string vtpArray(const std::string& bytes, const VtpStyle& style) {
  return VtpWriter(style).encoded(bytes);
}

std::string polygonFile(const std::vector<Double3>& ring, const std::string& format) {
  const std::string n = std::to_string(ring.size());
  std::string points;
  std::string places;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    points += (format == "obj" ? "v " : "") + numberText(ring[i][0]) + " " +
              numberText(ring[i][1]) + " " + numberText(ring[i][2]) + "\n";
    places += " " + std::to_string(format == "obj" ? i + 1 : i);
  }
  if (format == "obj") return points + "f" + places + "\n";
  if (format == "off") return "OFF\n" + n + " 1 0\n" + points + n + places + "\n";
  if (format == "ply")
    return "ply\nformat ascii 1.0\nelement vertex " + n +
           "\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list "
           "int int vertex_indices\nend_header\n" +
           points + n + places + "\n";
  return "<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"" + n +
         "\" NumberOfPolys=\"1\"><Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" "
         "format=\"ascii\">" +
         points + "</DataArray></Points><Polys><DataArray type=\"Int32\" Name=\"connectivity\">" +
         places + "</DataArray><DataArray type=\"Int32\" Name=\"offsets\">" + n +
         "</DataArray></Polys></Piece></PolyData></VTKFile>";
}

}  // namespace tessera::test
