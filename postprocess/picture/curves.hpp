// SPDX-License-Identifier: GPL-3.0-or-later
// Curves of a run: convergence against the step, monitored quantities against time.
#pragma once

#include <optional>

#include "pipelines/picture/drawing.hpp"
#include "postprocess/results/results.hpp"

namespace tessera::postprocess::picture {

// Convergence of the run against the step: flow rate of each opening (kinetic energy without
// openings); below, on a logarithmic axis, the mass residual and the largest change of a flow rate
// between rows (pulsatile: between periods), relative to the largest flow rate. nullopt with fewer
// than two rows.
std::optional<tessera::picture::Drawing> drawConvergence(const results::Results& results);

// Monitored quantities against time: pressure of each opening above; kinetic energy and largest
// Mach number below. Quantities not monitored are omitted; nullopt with fewer than two rows.
std::optional<tessera::picture::Drawing> drawMonitors(const results::Results& results);

// Probes and stations of the case against time: flow rates and pressures of stations, pressures and
// velocities of probes, the first eight of each. nullopt without any, or with fewer than two rows.
std::optional<tessera::picture::Drawing> drawPlaces(const results::Results& results);

// Fields of a series against time: flow rate and pressure of each opening, wall shear stress (mean
// and 99th percentile of the area), largest velocity. nullopt with fewer than two.
std::optional<tessera::picture::Drawing> drawSeries(const results::Results& results);

}  // namespace tessera::postprocess::picture
