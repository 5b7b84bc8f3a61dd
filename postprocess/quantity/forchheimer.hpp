// SPDX-License-Identifier: GPL-3.0-or-later
// Forchheimer's law over runs of one medium at several forces along one direction,
//   G / (mu U) = 1 / k + beta rho U / mu
// (P. Forchheimer, Z. Ver. Dtsch. Ing. 45 (1901) 1782), by least squares over the runs' apparent
// permeabilities mu U / G. beta sqrt(k) is about 0.55 in many media (J. C. Ward, J. Hydraul. Div.
// ASCE 90 (1964) HY5, 1). Below Reynolds numbers on sqrt(k) of about 0.1 inertia grows with U^2
// instead, so runs should reach beyond it.
#pragma once

#include <vector>

#include "postprocess/quantity/permeability_tensor.hpp"
#include "postprocess/results/results.hpp"

namespace tessera::postprocess::quantity {

// Two runs or more. Throws StageError(Usage) for fewer, (BadInput) where the runs are not driven
// along one direction, do not flow, or flow alike.
results::Forchheimer forchheimerFit(const std::vector<DarcyRun>& runs);

}  // namespace tessera::postprocess::quantity
