// SPDX-License-Identifier: GPL-3.0-or-later
// Small runs of every kind, to be made by any number of ranks.
#pragma once

#include <string>
#include <vector>

#include "tiler/file/tiles_file.hpp"

namespace tessera::testing {

using namespace tessera::tiler::file;

struct RankCase {
  std::string name;
  TilesFile tiles;
  std::string toml;
  bool inPlace = false;  // on devices, in one copy
};

std::vector<RankCase> rankCases();
// More for devices, which step moments twice in a pass.
std::vector<RankCase> deviceCases();
// A box of two tiles.
RankCase smallCase();

}  // namespace tessera::testing
