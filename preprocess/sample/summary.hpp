// SPDX-License-Identifier: GPL-3.0-or-later
// What tessera-sample tells about what it made: text on stdout, JSON for --report.
#pragma once

#include <optional>
#include <string>

#include "preprocess/sample/sample.hpp"

namespace tessera {

// The holes of a manifold surface as flat caps would close them, numbered as preprocess does.
std::vector<Opening> rimsOf(const TriangleMesh& mesh);
// m3, with flat caps on the rims.
double cappedVolume(const TriangleMesh& mesh, const std::vector<Opening>& rims);

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
