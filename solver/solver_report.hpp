// SPDX-License-Identifier: GPL-3.0-or-later
// Reports of a run: plan before it, results after it (for a person, and as JSON).
#pragma once

#include <filesystem>
#include <string>

#include "solver/run/output.hpp"

namespace tessera {

// Size, memory, time step, dimensionless numbers, predicted speed and time.
std::string planText(const Setup& setup, const TiledGeometry& geometry);

// A table of flow rate and pressure per opening, speed, convergence.
std::string resultText(const Setup& setup, const RunResult& result, const TiledGeometry& geometry);

// The keys of the contract in SI units, and what stopped a run that was asked to stop. Throws
// StageError(OutputFailed).
void writeSolverReport(const std::filesystem::path& path, const Setup& setup,
                       const RunResult& result, const TiledGeometry& geometry);

}  // namespace tessera
