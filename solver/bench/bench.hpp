// SPDX-License-Identifier: GPL-3.0-or-later
// --bench: speed of this machine on the tiles of a geometry, without a case.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solver/backend/registry.hpp"
#include "solver/bench/trial.hpp"
#include "solver/comm/ranks.hpp"
#include "solver/tiles/rank_part.hpp"
#include "tiler/file/tiles_file.hpp"

namespace tessera::solver::bench {

// copy: the copy bandwidth. read-write, propagation: see solver/bench/trial.hpp. step: all
// variants that fit the geometry; moments: those of them that store moments; comparators: the
// structures that tiles are compared with (compare_structures.hpp).
const std::vector<std::string>& benchOperations();

// Runs an operation (for one precision if given) with all openings closed. Returns CSV with a
// header: medians and spread over repeated runs, and the fraction of the bound given by the copy
// bandwidth measured before each. On a CPU the state should exceed the last cache several times.
// copies: "1", "2" or "auto" (all available). speeds: file in which the speeds of step and moments
// are kept (stored_speeds.hpp); empty: none. Throws StageError(Usage) with the known operations
// for an unknown one.
std::string runBench(const std::string& operation, tiler::file::TilesFile tiles,
                     const std::string& backend, const std::optional<std::string>& precision,
                     const std::string& copies = "auto", comm::Ranks& ranks = comm::noOthers(),
                     const std::filesystem::path& speeds = {});

// "step" of several tilings of one geometry in turn, for the variants that exist for aligned and
// shifted tiling.
std::string benchPlacements(std::span<const tiler::file::TilesFile> tilings,
                            const std::string& backend,
                            const std::optional<std::string>& precision);

// --- one measurement -----------------------------------------------------------------------------

struct BenchEffort {
  int repeats = 5;
  double seconds = 0.3;  // approximate duration of each run
};

struct Spread {
  double median = 0.0, least = 0.0, most = 0.0;
};
Spread spreadOf(std::vector<double> values);

struct BenchLine {
  std::string operation;  // "step", "read-write", "propagation"
  model::VariantAxes axes;
  bool collides = true;   // false: collision, equilibrium and viscosity are "none"
  std::string placement;  // "global" or "rows-xyz": along x, across y, in layers on z
  int copies = 2;         // of the state
  bool cuda = false;
  int ranks = 1;
  std::size_t tiles = 0;
  double utilisation = 0.0;
  Spread mflups;
  int stepsInPass = 1;
  double bytesPerNode = 0.0, flopsPerNode = 0.0;  // of a step
  Spread bandwidth;                               // of a copy, bytes per second
  Spread fraction;                                // of the bound: MFLUPS x bytesPerNode / bandwidth
  // With several ranks: duration of an exchange of all halos alone, s, median.
  double exchange = 0.0;
};

// The geometry with its openings closed by walls.
tiler::file::TilesFile withoutOpenings(tiler::file::TilesFile tiles);
// copies: "1" or "2". closed: this rank's part of the closed geometry; collective. stepsInPass: 1,
// 2 or 0, what is faster, of schemes that may make either.
BenchLine benchVariant(const tiler::file::TilesFile& closed, const backend::VariantInfo& variant,
                       const std::string& backend, const std::string& copies,
                       const BenchEffort& effort, comm::Ranks& ranks = comm::noOthers(),
                       const tiles::RankPart& part = {}, int stepsInPass = 0);
BenchLine benchTrial(const tiler::file::TilesFile& closed, const Trial& trial,
                     const std::string& backend, const BenchEffort& effort);

// MFLUPS of single steps, each waited for.
std::vector<double> benchSingleSteps(const tiler::file::TilesFile& closed,
                                     const backend::VariantInfo& variant,
                                     const std::string& backend, int steps);

}  // namespace tessera::solver::bench
