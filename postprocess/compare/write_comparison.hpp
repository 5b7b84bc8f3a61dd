// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison as JSON, as tables and for a person.
#pragma once

#include <filesystem>
#include <string>

#include "pipelines/stage/io/provenance.hpp"
#include "postprocess/compare/comparison.hpp"

namespace tessera::postprocess::compare {

// summary.json of a comparison.
std::string comparisonJson(const Comparison& comparison, const stage::Provenance& provenance);

// comparison.csv, a row a quantity with values, relative differences and convergence; values.csv,
// the same values tidy: run, quantity, value. Throws StageError(OutputFailed).
void writeComparisonTables(const Comparison& comparison, const std::filesystem::path& folder);

// The headlines of the first six runs, and where the rest is.
std::string comparisonForPeople(const Comparison& comparison, const std::filesystem::path& target);

}  // namespace tessera::postprocess::compare
