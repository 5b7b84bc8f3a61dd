// SPDX-License-Identifier: GPL-3.0-or-later
// Several fields of one run: one folder with files, tables, curves and animations over time.
#pragma once

#include "pipelines/stage/cli/command_line.hpp"
#include "postprocess/options.hpp"

namespace tessera::postprocess {

// Inputs are those of isSeries(). Throws StageError(Usage) also for options of single runs.
void postprocessSeries(const stage::CommonOptions& common, const PostprocessOptions& options,
                       const quantity::Request& request, const exports::ExportRequest& exports);

}  // namespace tessera::postprocess
