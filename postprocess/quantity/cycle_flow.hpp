// SPDX-License-Identifier: GPL-3.0-or-later
// Flow rates, pressures, pressure drop and resistance over the last period of a pulsatile run.
#pragma once

#include <optional>

#include "postprocess/results/results.hpp"

namespace tessera::postprocess::quantity {

// From the monitor's rows of every opening; nothing when the run has no period, or the monitor
// no whole one with four rows or more. Inlets are the openings that take fluid in on the mean; the
// pressure drop at a moment is their mean by area minus that of the outlets by mean flow rate, so
// that its mean over the period is what a steady run of the mean flow rates and pressures would be
// given.
std::optional<results::CycleFlow> cycleFlow(const results::Results& results);

}  // namespace tessera::postprocess::quantity
