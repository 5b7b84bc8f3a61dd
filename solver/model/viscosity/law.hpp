// SPDX-License-Identifier: GPL-3.0-or-later
// Fluids: how viscosity depends on the shear rate gamma = sqrt(2 D : D), D the rate of strain.
//   Carreau-Yasuda  nu = nu_inf + (nu_0 - nu_inf) (1 + (lambda gamma)^a)^((n - 1) / a)
//                   (Carreau 1972, Yasuda, Armstrong & Cohen 1981)
//   Casson          sqrt(nu gamma) = sqrt(s) + sqrt(nu_p gamma), s the yield stress over the
//                   density, nu at most `highest` (Casson 1959)
//   power law       nu = K gamma^(n - 1), between `lowest` and `highest` (Ostwald 1925)
//   Smagorinsky     nu = nu_0 + (C h)^2 gamma on top of a Newtonian fluid, h the spacing
//                   (Smagorinsky 1963)
#pragma once

#include "solver/model/platform.hpp"

namespace tessera::solver::model {

enum class FluidModel { Newtonian, CarreauYasuda, Casson, PowerLaw };
const char* nameOf(FluidModel model);  // as the case file writes it

// Kinematic, in SI or in lattice units; only what the model needs is set.
struct ViscosityLaw {
  FluidModel model = FluidModel::Newtonian;
  double lowest = 0.0;   // least viscosity, m2/s: Newtonian's own, Carreau-Yasuda's at infinity,
                         // Casson's plastic one
  double highest = 0.0;  // largest viscosity, m2/s: Carreau-Yasuda's at rest
  double timeConstant = 0.0;  // lambda, s
  double a = 2.0;
  double n = 1.0;            // exponent of Carreau-Yasuda and of the power law
  double yield = 0.0;        // yield stress over density, m2/s2
  double consistency = 0.0;  // K over density, m2 s^(n - 2)
  double smagorinsky = 0.0;  // C, dimensionless; with Newtonian only

  [[nodiscard]] bool local() const { return model != FluidModel::Newtonian || smagorinsky > 0.0; }
};

// The viscosity at a shear rate, without Smagorinsky's share, which needs a spacing.
double viscosityAt(const ViscosityLaw& law, double shearRate);

// The law for lengths in spacings and times in time steps.
ViscosityLaw inLatticeUnits(ViscosityLaw law, double spacing, double timeStep);

// The law of a fluid read the other way round, from the stress: once a node, on the host.

// The viscosity at a shear stress over the density, Smagorinsky's share for a spacing of 1
// included.
double viscosityAtStress(const ViscosityLaw& law, double stress);

}  // namespace tessera::solver::model
