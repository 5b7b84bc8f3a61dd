// SPDX-License-Identifier: GPL-3.0-or-later
// OBJ (Wavefront): vertices and polygons; of "v/vt/vn" only the position. Groups (g), else
// materials (usemtl), else objects (o) become faces if there are several of them. Refused: curved
// surfaces (curv, surf), a vertex that is defined after its face.
#include "preprocess/read/surface/surface_readers.hpp"

#include <algorithm>
#include <array>

#include "pipelines/stage/error.hpp"
#include "preprocess/read/decode.hpp"
#include "preprocess/read/surface/polygon_soup.hpp"
#include "preprocess/read/text.hpp"
#include "preprocess/read/whole_file.hpp"

namespace tessera::preprocess::read {
namespace {

// g, usemtl, o, by precedence.
constexpr std::array<std::string_view, 3> groupings = {"g", "usemtl", "o"};

class ObjReader {
 public:
  ObjReader(std::string_view text, const std::string& name)
      : words_(text, name, '#'), soup_(text.size(), name, 3 * sizeof(group_[0])) {
    for (std::size_t k = 0; k < groupings.size(); ++k) current_[k] = names_[k].numberOf("default");
    reserve(text);
  }

  TriangleSoup read() {
    for (std::string_view word = words_.take(); !word.empty(); word = words_.take()) {
      readStatement(word);
      words_.takeLine();
    }
    TriangleSoup soup = std::move(soup_).finish();
    setFaces(soup);
    return soup;
  }

 private:
  // Reserves vertices and triangles, assuming that all faces are triangles, to avoid reallocation.
  void reserve(std::string_view text) {
    std::size_t vertices = 0;
    std::size_t faces = 0;
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
      const bool isLast = text[at + 1] == ' ' || text[at + 1] == '\t';
      vertices += isLast && text[at] == 'v' ? 1 : 0;
      faces += isLast && text[at] == 'f' ? 1 : 0;
      at = std::min(text.find('\n', at), text.size());
    }
    soup_.reserve(std::min(vertices, text.size() / 8), std::min(faces, text.size() / 8));
  }

  void readStatement(std::string_view word) {
    if (word == "v") return readVertex();
    if (word == "f") return readFace();
    if (word == "curv" || word == "curv2" || word == "surf")
      words_.refuse("polygon (curved surfaces are not read: mesh them on export)");
    const auto grouping = std::find(groupings.begin(), groupings.end(), word);
    if (grouping != groupings.end()) {
      const auto k = static_cast<std::size_t>(grouping - groupings.begin());
      const std::string name = takeName();
      current_[k] = names_[k].numberOf(name.empty() ? "default" : name);
    } else if (!std::all_of(word.begin(), word.end(), isLetter)) {
      words_.refuse("statement of an OBJ (v, vt, vn, f, g, ...)");
    }
    while (!takeInStatement().empty()) {  // of ignored statements
    }
  }

  static bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  // All words of the line: "o Left part".
  std::string takeName() {
    std::string name;
    for (std::string_view word = words_.takeInLine(); !word.empty(); word = words_.takeInLine())
      name += (name.empty() ? "" : " ") + std::string(word);
    return name;
  }

  // A backslash at the end of a line, after a blank or not, continues the statement on the next
  // line.
  std::string_view takeInStatement() {
    for (std::string_view word = words_.takeInLine();; word = words_.takeInLine()) {
      if (!word.ends_with('\\')) return word;
      word.remove_suffix(1);
      words_.takeLine();
      if (!word.empty()) return word;
    }
  }

  void readVertex() {
    Double3 point{};
    for (double& x : point)
      if (!parseNumber(takeInStatement(), x)) words_.refuse("coordinate of a vertex");
    soup_.addVertex(point);
  }

  void readFace() {
    ring_.clear();
    for (std::string_view word = takeInStatement();
         !word.empty() && ring_.size() <= PolygonSoup::maxCorners; word = takeInStatement()) {
      std::int64_t index = 0;
      if (!parseInteger(word.substr(0, word.find('/')), index) || index == 0)
        words_.refuse("vertex of a face (its number from 1, or from -1 backwards)");
      ring_.push_back(index > 0 ? index - 1 : static_cast<std::int64_t>(soup_.vertices()) + index);
    }
    if (ring_.size() < 3) words_.refuse("third corner of a face");
    soup_.addPolygon(ring_);
    group_.resize(soup_.triangles(), current_);
  }

  void setFaces(TriangleSoup& soup) const {
    for (std::size_t k = 0; k < groupings.size(); ++k) {
      FaceNames used;  // without unused ones
      if (names_[k].areTooMany()) continue;
      for (const auto& group : group_)
        soup.face.push_back(used.numberOf(names_[k].names()[group[k]]));
      soup.faceName = used.names();
      if (used.areUseful()) return;
      soup.face.clear();
      soup.faceName.clear();
    }
  }

  TextWords words_;
  PolygonSoup soup_;
  std::vector<std::int64_t> ring_;
  std::array<FaceNames, 3> names_;
  std::array<std::uint16_t, 3> current_{};
  std::vector<std::array<std::uint16_t, 3>> group_;  // of each triangle
};

}  // namespace

TriangleSoup parseObj(std::string_view bytes, const std::string& name) {
  return ObjReader(bytes, name).read();
}

TriangleSoup readObj(const std::filesystem::path& path) {
  const WholeFile file = readUncompressed(path);
  return parseObj(file.text(), path.string());
}

}  // namespace tessera::preprocess::read
