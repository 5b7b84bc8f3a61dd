// SPDX-License-Identifier: GPL-3.0-or-later
// Reports of a run: plan before it, results after it (for a person, and as JSON).
#pragma once

#include <filesystem>
#include <string>

#include "solver/run/output.hpp"
#include "solver/run_plan.hpp"

namespace tessera::solver {

// Size, memory, time step, dimensionless numbers, predicted speed and time.
std::string planText(const run::Setup& setup, const tiler::TiledGeometry& geometry);

// A table of flow rate and pressure per opening, speed, convergence.
std::string resultText(const run::Setup& setup, const run::RunResult& result,
                       const tiler::TiledGeometry& geometry);

// The keys of the contract in SI units, the plan, and what stopped a run that was asked to stop.
// fieldsHash: content hash of the fields that the run has written; empty: none. Throws
// StageError(OutputFailed).
void writeSolverReport(const std::filesystem::path& path, const run::Setup& setup,
                       const run::RunResult& result, const tiler::TiledGeometry& geometry,
                       const RunPlan& plan, const std::string& fieldsHash);

}  // namespace tessera::solver
