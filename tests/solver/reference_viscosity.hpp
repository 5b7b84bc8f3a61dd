// SPDX-License-Identifier: GPL-3.0-or-later
// The plain reference of local viscosity: the relation between shear rate and relaxation time,
// solved by halving.
#pragma once

#include "solver/model/viscosity/law.hpp"

namespace tessera::testing {

using namespace tessera::solver::model;

// The relaxation time at which it times the shear rate, tau gamma, is `product`; lattice units.
double relaxationTimeOf(const ViscosityLaw& law, double product);

}  // namespace tessera::testing
