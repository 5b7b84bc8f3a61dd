// SPDX-License-Identifier: GPL-3.0-or-later
// What tessera-sample tells about what it made: text on stdout, JSON for --report.
#pragma once

#include <optional>
#include <string>

#include "preprocess/sample.hpp"

namespace tessera {

// A hole in a surface, as a flat cap would close it.
struct Rim {
  Double3 centre{};   // m, area centroid
  Double3 normal{};   // unit, out of the surface
  double area = 0.0;  // m2
};
// Sorted by descending area. The mesh is manifold, so each rim is one loop of edges.
std::vector<Rim> rimsOf(const TriangleMesh& mesh);
// m3, with flat caps on the rims.
double cappedVolume(const TriangleMesh& mesh, const std::vector<Rim>& rims);

struct Summary {
  std::string text;  // lines "name  value ..."
  std::string json;
};
// nodes: says the spacing that gives about so many fluid nodes. file: as in the next command line.
Summary describeMesh(const std::string& kind, const TriangleMesh& mesh, const std::string& file,
                     std::optional<std::int64_t> nodes);
// options: what preprocess needs besides dimensions, type and label, such as " --periodic xyz".
Summary describeImage(const std::string& kind, const SampleImage& image, const std::string& file,
                      const std::string& options);

}  // namespace tessera
