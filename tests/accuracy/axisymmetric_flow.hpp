// SPDX-License-Identifier: GPL-3.0-or-later
// Steady flow of a Newtonian fluid through a round vessel of varying radius, by finite elements in
// cylindrical coordinates: a reference for lattice Boltzmann that shares no method with it.
#pragma once

#include <functional>

namespace tessera::accuracy {

// Lengths in radii of the inlet, velocities in means of the inlet, along which the profile is
// Poiseuille's; at the outlet the stress mu du/dn - p n is zero. reynolds: by these units.
struct RoundVessel {
  double length = 0.0;
  double reynolds = 0.0;
  std::function<double(double)> radius;  // at a way along the axis
  std::function<double(double)> slope;   // its derivative
};

// pressureDrop: mean over the inlet less mean over the outlet, in density times velocity squared.
// Wall shear in viscosity times velocity over radius: mean and 95th percentile by area.
struct RoundVesselFlow {
  double pressureDrop = 0.0;
  double shearMean = 0.0;
  double shear95 = 0.0;
};

// Velocities biquadratic, pressure bilinear (Taylor & Hood 1973) on columns x rows elements, of
// equal length along the axis, finer towards the wall; Newton's method. Memory 3 x 10^2 x columns x
// rows^2 bytes. Throws std::runtime_error when Newton's method does not converge.
RoundVesselFlow solveRoundVessel(const RoundVessel& vessel, int columns, int rows);

}  // namespace tessera::accuracy
