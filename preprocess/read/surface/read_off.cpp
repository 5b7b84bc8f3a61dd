// SPDX-License-Identifier: GPL-3.0-or-later
// OFF (Geomview) as text, with or without colours (COFF), normals (NOFF) and texture coordinates
// (STOFF); one vertex and one face per line, comments from #. Refused: binary, other dimensions
// than three.
#include "preprocess/read/surface/surface_readers.hpp"

#include <algorithm>

#include "pipelines/stage/error.hpp"
#include "preprocess/read/decode.hpp"
#include "preprocess/read/surface/polygon_soup.hpp"
#include "preprocess/read/text.hpp"
#include "preprocess/read/whole_file.hpp"

namespace tessera::preprocess::read {
namespace {

// Words after the keyword, which the first count may touch, as in the files of ModelNet40.
TextWords wordsAfterKeyword(std::string_view bytes, const std::string& name) {
  TextWords words(bytes, name, '#');
  std::string_view word = words.take();
  if (word.starts_with("ST")) word.remove_prefix(2);
  if (word.starts_with("C")) word.remove_prefix(1);
  if (word.starts_with("N")) word.remove_prefix(1);
  const bool isOff = word.starts_with("OFF");
  if (isOff) word.remove_prefix(3);
  if (!isOff || (!word.empty() && (word.front() < '0' || word.front() > '9')))
    stage::fail(stage::ExitCode::BadInput,
                name + " does not start with OFF (or COFF, NOFF, STOFF)" + butWithStart(bytes) +
                    " and is not a three-dimensional OFF; export the surface as OFF again.");
  const std::size_t start = bytes.size() - words.left() - word.size();
  if (TextWords(bytes, name, '#', start).takeInLine() == "BINARY")
    stage::fail(stage::ExitCode::BadInput,
                name + " is a binary OFF, which is not read; export it as text, or as PLY.");
  return {bytes, name, '#', start};
}

void readFaces(TextWords& words, std::size_t faces, PolygonSoup& soup) {
  std::vector<std::int64_t> ring;
  for (std::size_t f = 0; f < faces; ++f) {
    const std::size_t corners = words.count("number of a face's corners", 2);
    soup.chargeReader(corners * sizeof(std::int64_t));
    ring.resize(corners);
    for (std::int64_t& index : ring) index = words.integer("vertex of a face");
    soup.addPolygon(ring);
    words.takeLine();  // colours
  }
}

}  // namespace

TriangleSoup parseOff(std::string_view bytes, const std::string& name) {
  TextWords words = wordsAfterKeyword(bytes, name);
  const std::size_t vertices = words.count("number of vertices", 6);
  const std::size_t faces = words.count("number of faces", 2);
  words.takeLine();  // number of edges, often invalid
  PolygonSoup soup(bytes.size(), name);
  soup.reserve(vertices, std::min(faces, bytes.size() / 7));  // a triangle is "3 0 1 2"
  for (std::size_t v = 0; v < vertices; ++v) {
    Double3 point{};
    for (double& x : point) x = words.number("coordinate of a vertex");
    soup.addVertex(point);
    words.takeLine();  // normal, colour, texture
  }
  readFaces(words, faces, soup);
  return std::move(soup).finish();
}

TriangleSoup readOff(const std::filesystem::path& path) {
  const WholeFile file = readUncompressed(path);
  return parseOff(file.text(), path.string());
}

}  // namespace tessera::preprocess::read
