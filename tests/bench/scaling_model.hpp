// SPDX-License-Identifier: GPL-3.0-or-later
// Geometries too large to be held, foretold from those that can be: the statistics of each rank's
// part are counted on a small one and made larger, tiles as the volume, borders and what crosses
// them as its power 2/3. That is what a finer spacing of a vessel or a channel does, and a larger
// piece of a rock; what it leaves out is that ranges along a curve have a somewhat rougher border
// the more tiles they hold, which grownError measures.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "solver/bench/prediction.hpp"
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
Row foretell(const std::string& geometry, const std::vector<RankStatistics>& counted, double nodes,
             const StoredState& state, const Machine& machine);

// What crosses of the slowest rank on the large geometry, over what the small one foretells of it.
double grownError(const ByRanks& small, const ByRanks& large, int ranks);

}  // namespace tessera::scaling
