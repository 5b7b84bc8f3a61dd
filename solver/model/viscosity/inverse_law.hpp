// SPDX-License-Identifier: GPL-3.0-or-later
// The law of a fluid read the other way round, from the stress: once a node, on the host.
#pragma once

#include "solver/model/viscosity/law.hpp"

namespace tessera::solver::model {

// The viscosity at a shear stress over the density, Smagorinsky's share for a spacing of 1
// included.
double viscosityAtStress(const ViscosityLaw& law, double stress);

}  // namespace tessera::solver::model
