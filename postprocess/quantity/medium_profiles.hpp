// SPDX-License-Identifier: GPL-3.0-or-later
// Velocities in the pores of a medium, and pressure and porosity along it.
#pragma once

#include <vector>

#include "postprocess/fields/node_lookup.hpp"
#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::quantity {

// Distribution of the velocity along the driving force over its mean in the pores, in bins of 0.1
// from the lowest, at least -10, to the highest, at most 40; what lies beyond is in the end bins.
// Empty without flow.
std::vector<results::VelocityBin> velocityHistogram(const fields::NodeLookup& lookup,
                                                    const solver::file::Fields& fields,
                                                    const results::Permeability& of);

// Layers across the lattice axis nearest to the driving force, in its direction; those without
// fluid are left out. A body force keeps the pressure of a periodic medium from falling: what falls
// is the potential p - F s.
std::vector<results::SampleLayer> sampleLayers(const fields::NodeLookup& lookup,
                                               const solver::file::Fields& fields,
                                               const results::Permeability& of);

}  // namespace tessera::postprocess::quantity
