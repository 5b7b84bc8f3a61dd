// SPDX-License-Identifier: GPL-3.0-or-later
// What tessera-sample tells about what it made: text on stdout, JSON for --report.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/sample/image.hpp"

namespace tessera::preprocess::sample {

// The holes of a manifold surface as flat caps would close them, numbered as preprocess does.
std::vector<geometry::Opening> rimsOf(const geometry::TriangleMesh& mesh);
// m3, with flat caps on the rims.
double cappedVolume(const geometry::TriangleMesh& mesh, const std::vector<geometry::Opening>& rims);

struct Summary {
  std::string text;  // lines "name  value ..."
  std::string json;
};
// What a kind says besides what can be measured.
struct Told {
  // Options for preprocess. Of a surface: all but the unit, such as "--longest 200"; of an image:
  // all but dimensions, voxel, type and label, such as "--periodic xyz".
  std::string options;
  std::vector<std::pair<std::string, double>> facts;  // by their name in the report
  std::int64_t nodes = 0;  // not 0: say the spacing that gives about so many fluid nodes
};
// file: as in the next command line.
Summary describeMesh(const std::string& kind, const geometry::TriangleMesh& mesh,
                     const std::string& file, const Told& told);
Summary describeImage(const std::string& kind, const SampleImage& image, const std::string& file,
                      const Told& told);

}  // namespace tessera::preprocess::sample
