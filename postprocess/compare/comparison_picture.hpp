// SPDX-License-Identifier: GPL-3.0-or-later
// Curves of a comparison: the monitors over time, and values over the node spacing.
#pragma once

#include <filesystem>
#include <optional>

#include "pipelines/picture/drawing.hpp"
#include "postprocess/compare/comparison.hpp"

namespace tessera::postprocess::compare {

// The most runs one chart shows; curve colours would repeat beyond. And the most charts.
constexpr std::size_t mostCurves = 7, mostCharts = 24;

// A chart a monitored quantity, a curve a run, over physical time; nullopt when fewer than two runs
// have a monitor.
std::optional<tessera::picture::Drawing> drawMonitors(const Comparison& comparison);

// Headline values with an observed order, as parts of their Richardson value, over the spacing;
// nullopt when there is none.
std::optional<tessera::picture::Drawing> drawMeshConvergence(const Comparison& comparison);

// monitors.svg, .png and mesh_convergence.svg, .png, as far as there are any. Throws
// StageError(OutputFailed).
void writeComparisonPictures(const Comparison& comparison, const std::filesystem::path& folder);

}  // namespace tessera::postprocess::compare
