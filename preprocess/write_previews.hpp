// SPDX-License-Identifier: GPL-3.0-or-later
// --picture and --page: a geometry before a run, with its openings and what resembles one.
#pragma once

#include "preprocess/preprocess_options.hpp"
#include "preprocess/preprocess_report.hpp"

namespace tessera::preprocess {

// Throws StageError(Usage) if they would replace an input, the case, the output or one another, and
// (OutputFailed) where they cannot be written.
void checkPreviewTargets(const PreprocessOptions& options);

// Writes the files that are asked for, each whole or not at all.
void writePreviews(const geometry::LatticeGeometry& geometry, const PreprocessOptions& options,
                   const PreprocessReport& report);

}  // namespace tessera::preprocess
