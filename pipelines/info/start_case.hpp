// SPDX-License-Identifier: GPL-3.0-or-later
// --case and --page: a case to start from and a page of a geometry.
#pragma once

#include <filesystem>
#include <string>

#include "pipelines/stage/cli/command_line.hpp"

namespace tessera::info {

struct StartOptions {
  bool printsCase = false;  // --case
  std::string recipe;       // --recipe; empty: the one that suits the geometry
  std::string waveform;     // --waveform, or empty
  std::string page;         // --page, or empty
  [[nodiscard]] bool any() const { return printsCase || !page.empty(); }
};

// Throws StageError(Usage) for options that lack or exclude one another.
void checkStartOptions(const StartOptions& start, const stage::CommonOptions& options);

// Prints the case and writes the page and the waveform that are asked for. A waveform that exists
// is named in the case and left as it is.
void startFrom(const StartOptions& start, const stage::CommonOptions& options);

}  // namespace tessera::info
