// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics of geometries that exceed memory, extrapolated from small ones: those of each rank's
// part are counted and scaled, tiles as the volume, borders and their exchange as its power 2/3.
// This corresponds to a finer spacing of a vessel or a channel and to a larger piece of a rock. It
// neglects that ranges along a curve have a somewhat rougher border the more tiles they hold, which
// grownError measures.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "solver/bench/scaling.hpp"
#include "tiler/file/tiles_file.hpp"

namespace tessera::scaling {

using namespace tessera::solver::bench;
using namespace tessera::solver::tiles;
using namespace tessera::tiler::file;

// A rank's part with so many times its tiles.
RankStatistics grown(const RankStatistics& rank, double factor);

struct Geometry {
  std::string name;
  std::string builtIn;  // solver/bench/bench_geometry.hpp
  TilesFile tiles;
};
Geometry geometryOf(const std::string& name, const std::string& builtIn);

// Statistics of D3Q19 by number of ranks.
using ByRanks = std::map<int, std::vector<RankStatistics>>;
ByRanks countParts(const Geometry& geometry, const std::vector<int>& ranks, const TileCosts& costs);

struct Row {
  std::string part;  // "weak" or "strong"
  std::string geometry;
  std::string machine;
  int ranks = 1;
  double nodes = 0.0;         // fluid, of all ranks
  double countedTiles = 0.0;  // of a rank of the geometry that was counted
  double factor = 1.0;        // by which it was made larger
  double borderPart = 0.0;    // largest part of a rank's cost that is at its border
  double haloBytes = 0.0;     // largest of a rank, each way and step
  double neighbours = 0.0;    // most
  Prediction time;
  double mflupsPerRank = 0.0;
};
// With so many fluid nodes in all. counted: with the costs of that state.
Row predict(const std::string& geometry, const std::vector<RankStatistics>& counted, double nodes,
            const StoredState& state, const Machine& machine);

// Exchange of the slowest rank on the large geometry, relative to its prediction from the small
// one.
double grownError(const ByRanks& small, const ByRanks& large, int ranks);

}  // namespace tessera::scaling
