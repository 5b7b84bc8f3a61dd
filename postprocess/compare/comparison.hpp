// SPDX-License-Identifier: GPL-3.0-or-later
// Runs beside each other: what table, curves and mesh convergence are made of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "postprocess/compare/mesh_convergence.hpp"
#include "postprocess/compare/run_summary.hpp"

namespace tessera::postprocess::compare {

// One value a run, in the order the runs were given; absent where a run does not have it.
struct ComparedQuantity {
  std::string name;  // as in Scalar
  std::vector<std::optional<double>> value;
  // (value - first) / |first|, first: of the first run given; absent where that is 0 or absent.
  std::vector<std::optional<double>> relative;
  std::optional<double> halfRange;             // of the values there are, when at least two
  std::optional<MeshConvergence> convergence;  // from the three finest of different spacings
};

struct Comparison {
  std::vector<RunSummary> runs;        // names are unique
  std::vector<std::size_t> meshStudy;  // indices of three runs, finest first; empty when there are
                                       // no three different spacings
  std::vector<ComparedQuantity> quantities;  // of the first run, then what others have besides
  std::vector<std::string> warnings;
};

// At least two runs. Throws StageError(BadInput) when their formats differ.
Comparison compareRuns(std::vector<RunSummary> runs);

// What was set and not found out ("run.nodes.x", but not "run.velocity_max_m_s"): no convergence.
bool isSetting(const std::string& name);

// What people look at first, in this order; the rest is in the tables.
std::vector<const ComparedQuantity*> headlines(const Comparison& comparison);

}  // namespace tessera::postprocess::compare
