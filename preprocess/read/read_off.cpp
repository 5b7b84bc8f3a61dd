// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/read_off.hpp"

#include <algorithm>

#include "pipelines/stage/error.hpp"
#include "preprocess/read/polygon_soup.hpp"
#include "preprocess/read/text_words.hpp"
#include "preprocess/read/whole_file.hpp"

namespace tessera {
namespace {

// Leaves the words behind the keyword.
void requireKeyword(TextWords& words, std::string_view bytes, const std::string& name) {
  std::string_view word = words.take();
  if (word.starts_with("ST")) word.remove_prefix(2);
  if (word.starts_with("C")) word.remove_prefix(1);
  if (word.starts_with("N")) word.remove_prefix(1);
  if (word != "OFF")
    fail(ExitCode::BadInput, name +
                                 " does not start with OFF (or COFF, NOFF, STOFF) and is no OFF "
                                 "of three dimensions; export the surface as OFF again.");
  TextWords next(bytes, name, '#', bytes.size() - words.left());
  if (next.takeInLine() == "BINARY")
    fail(ExitCode::BadInput,
         name + " is a binary OFF, which is not read; export it as text, or as PLY.");
}

void readFaces(TextWords& words, std::size_t faces, PolygonSoup& soup) {
  std::vector<std::int64_t> ring;
  for (std::size_t f = 0; f < faces; ++f) {
    ring.resize(words.count("number of a face's corners", 2));
    for (std::int64_t& index : ring) index = words.integer("vertex of a face");
    soup.addPolygon(ring);
    words.takeLine();  // colours
  }
}

}  // namespace

TriangleSoup parseOff(std::string_view bytes, const std::string& name) {
  TextWords words(bytes, name, '#');
  requireKeyword(words, bytes, name);
  const std::size_t vertices = words.count("number of vertices", 6);
  const std::size_t faces = words.count("number of faces", 2);
  words.takeLine();  // the number of edges, which few programs fill in
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
  const WholeFile file = readWholeFile(path);
  return parseOff(file.text(), path.string());
}

}  // namespace tessera
