// SPDX-License-Identifier: GPL-3.0-or-later
// Pressure ratio: mean pressure over that of the inlets, both gauge. In a coronary artery at
// hyperaemia it is the fractional flow reserve (N. H. J. Pijls et al. 1996); venous pressure counts
// as that of the surroundings.
#pragma once

#include <optional>

#include "postprocess/results/results.hpp"

namespace tessera::postprocess::quantity {

// Flow-weighted mean pressure of the inlets in Pa where ratios to it mean something: a steady flow
// from inlets to outlets of a vessel whose pressures are not relative to one of them, that is none
// is below a tenth of it.
std::optional<double> referenceOfRatios(const results::Results& results);

// Ratios of outlets and stations; of a pulsatile run those of the outlets' means over its last
// period, because its stations are of one moment.
void addPressureRatios(results::Results& results);

}  // namespace tessera::postprocess::quantity
