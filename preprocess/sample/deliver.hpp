// SPDX-License-Identifier: GPL-3.0-or-later
// The end of every kind: write the file, tell what is in it.
#pragma once

#include <string>

#include "pipelines/stage/cli/command_line.hpp"
#include "preprocess/sample/summary.hpp"

namespace tessera::preprocess::sample {

// Each writes -o, unless it is a plan, and the report, and prints the summary; returns the exit
// status. A surface is written as STL in millimetres, an image as RAW or, named .pgm, as PGM.
int deliver(const stage::CommonOptions& common, const std::string& kind,
            const geometry::TriangleMesh& mesh, const Told& told);
int deliver(const stage::CommonOptions& common, const std::string& kind, const SampleImage& image,
            const std::string& extension, const Told& told);

}  // namespace tessera::preprocess::sample
