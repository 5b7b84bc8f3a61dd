// SPDX-License-Identifier: GPL-3.0-or-later
// Expected errors of the main numbers of a single run, from known scalings: resolution and walls,
// inertia at the openings, Mach number, sound, distance from the steady state, precision. Bounds
// that nine of ten runs keep, calibrated by the trials of tests/accuracy/bars.sh; several spacings
// and tessera-compare give a narrower one.
#pragma once

#include <vector>

#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::postprocess::quantity {

// Sets results.expected and the errors of the openings, after all other results are known.
void addExpectedErrors(const solver::file::Fields& fields, const tiler::TiledGeometry& geometry,
                       results::Results& results);

// Distance from the limit of a series that is approached geometrically, from its last three equally
// spaced values: d r / (1 - r), d the last difference and r its ratio to the one before, at most
// 0.98 and at least 0; relative to scale. 0 with fewer values.
double remainder(const std::vector<double>& series, double scale);

}  // namespace tessera::postprocess::quantity
