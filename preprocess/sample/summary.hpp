// SPDX-License-Identifier: GPL-3.0-or-later
// Output of tessera-sample: the files, a text on stdout, JSON for --report.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pipelines/stage/cli/command_line.hpp"
#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/sample/image.hpp"
#include "preprocess/sample/scan.hpp"

namespace tessera::preprocess::sample {

// Holes of a manifold surface as closed by flat caps, numbered as in preprocess.
std::vector<geometry::Opening> rimsOf(const geometry::TriangleMesh& mesh);
// Volume in m3, with flat caps on the rims.
double cappedVolume(const geometry::TriangleMesh& mesh, const std::vector<geometry::Opening>& rims);

struct Summary {
  std::string text;  // lines "name  value ..."
  std::string json;
};
// Additional information about a sample.
struct Notes {
  // Options for preprocess. Of a surface: all but the unit, such as "--longest 200"; of an image:
  // all but dimensions, voxel, type and label, such as "--periodic xyz".
  std::string options;
  std::vector<std::pair<std::string, double>> facts;  // by their name in the report
  std::int64_t nodes = 0;  // if not 0: print the spacing for about that many fluid nodes
};
// file: as in the suggested command line.
Summary describeMesh(const std::string& kind, const geometry::TriangleMesh& mesh,
                     const std::string& file, const Notes& notes);
Summary describeImage(const std::string& kind, const SampleImage& image, const std::string& file,
                      const Notes& notes);

// Output of a sample: the file, the report and the summary.

// Writes -o (unless --plan) and the report, and prints the summary; returns the exit status. A
// surface is written as STL in millimetres, an image as RAW or, named .pgm, as PGM, a scan as
// MetaImage.
int deliver(const stage::CommonOptions& common, const std::string& kind,
            const geometry::TriangleMesh& mesh, const Notes& notes);
int deliver(const stage::CommonOptions& common, const std::string& kind, const SampleImage& image,
            const std::string& extension, const Notes& notes);
int deliver(const stage::CommonOptions& common, const std::string& kind, const Scan& scan);

}  // namespace tessera::preprocess::sample
