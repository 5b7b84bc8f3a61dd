// SPDX-License-Identifier: GPL-3.0-or-later
// Velocity profiles across an opening, relative to their mean.
#pragma once

#include <complex>

#include "solver/boundary/prescription.hpp"
#include "solver/model/lattice_info.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::boundary {

// An opening in lattice coordinates and axes.
struct LatticeOpening {
  Double3 centre{};
  Double3 normal{};
  double radius = 0.0;  // spacings; in 2D half the width
  double area = 0.0;    // squared spacings; in 2D the width
  int dimensions = 3;
};

LatticeOpening inLattice(const preprocess::geometry::Opening& opening,
                         const tiler::TiledGeometry& geometry);

Double3 velocityOf(const model::LatticeInfo& info, std::size_t direction);

// Squared distance from the axis through the opening's centre, in squared radii.
double squaredRadiusAt(const LatticeOpening& opening, const Double3& position);

// Poiseuille's parabola, which goes on beyond 1, as Womersley's profile does.
double parabola(int dimensions, double squaredRadius);

// Amplitude and phase of the oscillating flow in a round tube (Womersley 1955), in 2D in a plane
// channel, relative to its mean over the cross-section. alpha = radius sqrt(omega /
// nu).
//   tube: (I0(z) - I0(z s)) / I2(z), channel: (cosh z - cosh z s) / (cosh z - sinh z / z),
//   z = alpha sqrt(i)
std::complex<double> womersley(int dimensions, double alpha, double squaredRadius);

}  // namespace tessera::solver::boundary
