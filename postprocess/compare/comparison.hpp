// SPDX-License-Identifier: GPL-3.0-or-later
// Comparison of runs: data of its table, curves and mesh convergence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "postprocess/compare/mesh_convergence.hpp"
#include "postprocess/compare/run_summary.hpp"

namespace tessera::postprocess::compare {

// One value per run, in the order given; absent if a run does not have it.
struct ComparedQuantity {
  std::string name;  // as in Scalar
  std::vector<std::optional<double>> value;
  // (value - first) / |first|, first: value of the first run; absent if that is 0 or absent.
  std::vector<std::optional<double>> relative;
  std::optional<double> halfRange;             // of the known values, if at least two
  std::optional<MeshConvergence> convergence;  // from the finest different spacings
};

struct Comparison {
  std::vector<RunSummary> runs;              // names are unique
  std::vector<std::size_t> meshStudy;        // indices of two to four runs of different spacings,
                                             // finest first; empty with one spacing
  std::vector<ComparedQuantity> quantities;  // those of the first run, then additional ones
  std::vector<std::string> warnings;
};

// At least two runs. Throws StageError(BadInput) if their formats differ.
Comparison compareRuns(std::vector<RunSummary> runs);

// Settings rather than results ("run.nodes.x", but not "run.velocity_max_m_s"): no convergence.
bool isSetting(const std::string& name);

// Headline results in order; the others are in the tables.
std::vector<const ComparedQuantity*> headlines(const Comparison& comparison);

}  // namespace tessera::postprocess::compare
