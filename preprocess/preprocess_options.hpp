// SPDX-License-Identifier: GPL-3.0-or-later
// What tessera-preprocess was asked to do: the command line, and the case's [preprocess] for what
// it does not say.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipelines/stage/command_line.hpp"
#include "preprocess/lattice/choose_lattice.hpp"
#include "preprocess/surface/openings.hpp"

namespace tessera {

enum class InputKind { Stl, Raw, Pgm };

struct PreprocessOptions {
  CommonOptions common;
  std::filesystem::path input;
  InputKind kind = InputKind::Stl;
  std::array<bool, 3> periodic{false, false, false};
  std::vector<Side> faces;
  bool keepConnected = true;
  // surfaces
  std::string unit;
  double metresPerUnit = 1.0;
  SpacingRequest spacing;
  // images
  double voxel = 0.0;  // m
  Int3 dims{0, 0, 0};
  int bytesPerVoxel = 1;
  int lowestLabel = 0;  // fluid labels, inclusive
  int highestLabel = 0;

  // Those that change the content, for the provenance.
  std::vector<std::pair<std::string, std::string>> effective;
};

// nullopt: --help or --version was answered. Throws StageError(Usage) for anything missing,
// malformed or without effect, (BadInput) for an input of a format that is not read.
std::optional<PreprocessOptions> parsePreprocessOptions(int argc, const char* const* argv);

}  // namespace tessera
