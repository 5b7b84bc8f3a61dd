// SPDX-License-Identifier: GPL-3.0-or-later
// The end of every kind: write the file, tell what is in it.
#pragma once

#include <string>

#include "pipelines/stage/command_line.hpp"
#include "preprocess/sample/summary.hpp"

namespace tessera {

// Each writes -o, unless it is a plan, and the report, and prints the summary; returns the exit
// status. A surface is written as STL in millimetres, an image as RAW or, named .pgm, as PGM.
int deliver(const CommonOptions& common, const std::string& kind, const TriangleMesh& mesh,
            const Told& told);
int deliver(const CommonOptions& common, const std::string& kind, const SampleImage& image,
            const std::string& extension, const Told& told);

}  // namespace tessera
