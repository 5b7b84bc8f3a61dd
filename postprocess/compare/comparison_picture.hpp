// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of a comparison: monitors over time, and values over the node spacing.
#pragma once

#include <filesystem>
#include <optional>

#include "pipelines/picture/drawing.hpp"
#include "postprocess/compare/comparison.hpp"

namespace tessera::postprocess::compare {

// Largest number of runs per chart (curve colours repeat beyond) and of charts.
constexpr std::size_t mostCurves = 7, mostCharts = 24;

// One chart per monitored quantity, one curve per run, over physical time; nullopt if fewer than
// two runs have a monitor.
std::optional<tessera::picture::Drawing> drawMonitors(const Comparison& comparison);

// Headline values with an observed order, relative to their Richardson value, over the spacing;
// nullopt without any.
std::optional<tessera::picture::Drawing> drawMeshConvergence(const Comparison& comparison);

// monitors.svg, .png and mesh_convergence.svg, .png, if they exist. Throws
// StageError(OutputFailed).
void writeComparisonPictures(const Comparison& comparison, const std::filesystem::path& folder);

}  // namespace tessera::postprocess::compare
