// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes as a file would hold them: loose triangles, and the bytes of an STL.
#pragma once

#include <cstring>
#include <sstream>
#include <string>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/read/surface/read_stl.hpp"

namespace tessera::test {

using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::read;
using namespace tessera::stage;

inline TriangleSoup soupOf(const TriangleMesh& mesh) {
  TriangleSoup soup;
  for (const Triangle& t : mesh.triangle)
    for (const std::uint32_t v : t)
      soup.corner.push_back({static_cast<float>(mesh.vertex[v][0]),
                             static_cast<float>(mesh.vertex[v][1]),
                             static_cast<float>(mesh.vertex[v][2])});
  return soup;
}

inline std::string binaryStl(const TriangleSoup& soup, const std::string& header = "") {
  std::string bytes = header;
  bytes.resize(80, ' ');
  const auto count = static_cast<std::uint32_t>(soup.triangles());
  bytes.append(reinterpret_cast<const char*>(&count), 4);
  for (std::size_t t = 0; t < soup.triangles(); ++t) {
    bytes.append(12, '\0');
    bytes.append(reinterpret_cast<const char*>(&soup.corner[3 * t]), 36);
    bytes.append(2, '\x7f');  // attribute bytes, which mean nothing
  }
  return bytes;
}

inline std::string asciiStl(const TriangleSoup& soup, const std::string& newline = "\n") {
  std::ostringstream text;
  text.precision(9);
  text << "solid made for a test" << newline;
  for (std::size_t t = 0; t < soup.triangles(); ++t) {
    text << "  facet normal 0 0 1" << newline << "    outer loop" << newline;
    for (std::size_t k = 0; k < 3; ++k) {
      const Float3& p = soup.corner[3 * t + k];
      text << "      vertex " << p[0] << ' ' << p[1] << ' ' << p[2] << newline;
    }
    text << "    endloop" << newline << "  endfacet" << newline;
  }
  text << "endsolid made for a test" << newline;
  return text.str();
}

}  // namespace tessera::test
