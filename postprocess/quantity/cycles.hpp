// SPDX-License-Identifier: GPL-3.0-or-later
// Pulsatile runs: flow and pressure over the last period, wall shear over the recorded cycle.
#pragma once

#include <optional>

#include "postprocess/quantity/wall_stress.hpp"
#include "postprocess/quantity/wall_surface.hpp"
#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::quantity {

// Flow rates, pressures, pressure drop and resistance over the last period of a pulsatile run, from
// the monitor rows of every opening; nullopt without a period, or without a whole one of at least
// four rows. Inlets are openings with mean inflow; the pressure drop at a moment is their
// area-weighted pressure minus that of the outlets weighted with mean flow rate, so that its mean
// is the drop of a steady run with the mean values.
std::optional<results::CycleFlow> cycleFlow(const results::Results& results);

// For the measured triangles of wallShear(): weighted mean of the surrounding nodes with a wall
// link; NaN without any. The fields must have means.
results::CycleShear cycleShear(const fields::NodeLookup& lookup, const solver::file::Fields& fields,
                               const WallSurface& wall, const std::vector<StressAtWall>& stress);

}  // namespace tessera::postprocess::quantity
