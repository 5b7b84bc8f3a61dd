// SPDX-License-Identifier: GPL-3.0-or-later
// Output of a comparison: JSON, tables, console.
#pragma once

#include <filesystem>
#include <string>

#include "pipelines/stage/io/provenance.hpp"
#include "postprocess/compare/comparison.hpp"

namespace tessera::postprocess::compare {

// JSON of a comparison (summary.json).
std::string comparisonJson(const Comparison& comparison, const stage::Provenance& provenance);

// comparison.csv: one row per quantity with values, relative differences and convergence;
// values.csv: the same values tidy (run, quantity, value). Throws StageError(OutputFailed).
void writeComparisonTables(const Comparison& comparison, const std::filesystem::path& folder);

// The headlines of the first six runs, and the paths of the rest.
std::string comparisonForPeople(const Comparison& comparison, const std::filesystem::path& target);

}  // namespace tessera::postprocess::compare
