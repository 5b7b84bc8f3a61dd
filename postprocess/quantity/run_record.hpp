// SPDX-License-Identifier: GPL-3.0-or-later
// Run time, machine and date of a run, from the report of tessera-solver.
#pragma once

#include <filesystem>
#include <optional>

#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::quantity {

// Record of the given report; otherwise of STEM.solver.json next to STEM.fields, if it exists and
// is of this run. Throws StageError(BadInput) for a given one that is missing, malformed or of
// another run; an unsuitable one that was not given is ignored with a warning.
std::optional<results::RunRecord> findRunRecord(const std::filesystem::path& given,
                                                const std::filesystem::path& fieldsPath,
                                                const solver::file::Fields& fields);

}  // namespace tessera::postprocess::quantity
