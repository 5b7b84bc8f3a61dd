// SPDX-License-Identifier: GPL-3.0-or-later
// Forces and moments of the fluid on the wall by label; drag and lift of bodies.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "postprocess/quantity/wall_stress.hpp"
#include "postprocess/quantity/wall_surface.hpp"
#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::quantity {

// Stress integrals: quadrature of p n - sigma.n over the triangles of each label. about: world, m.
std::vector<results::WallForce> wallForces(const WallSurface& wall,
                                           const std::vector<StressAtWall>& stress,
                                           const preprocess::geometry::Frame& frame,
                                           const std::vector<std::string>& names,
                                           const Double3& about = {});

// Reference of the coefficients.
struct ForceReference {
  std::vector<std::string> bodies;  // wall labels by name; empty: all
  double velocity = 0.0;            // m/s
  double area = 0.0;                // m2
  Double3 flow{};                   // unit
  std::optional<Double3> across;    // unit; its part perpendicular to flow is used
  double length = 0.0;              // m, of the Strouhal number; 0: unknown
};

// The reference of the case that the fields are of, if it has one.
std::optional<ForceReference> referenceOfCase(const solver::file::Fields& fields,
                                              const std::vector<std::string>& names);

// Forces by momentum exchange of the fields. about: of the torque, world, m.
void addExchanged(const solver::file::Fields& fields, const Double3& about,
                  std::vector<results::WallForce>& forces);

// Labels of the bodies. Throws StageError(Usage) for an unknown wall label.
std::vector<std::size_t> bodyLabels(const std::vector<results::WallForce>& forces,
                                    const ForceReference& reference);
// 1/2 rho U^2 A.
double unitForce(double density, const ForceReference& reference);
// Throws StageError(Usage) for a lift direction along the flow.
std::optional<Double3> liftDirection(const ForceReference& reference);

// Throws StageError(Usage) for an unknown wall label, and for a lift direction along the flow.
results::ForceCoefficients forceCoefficients(const std::vector<results::WallForce>& forces,
                                             double density, const ForceReference& reference);

}  // namespace tessera::postprocess::quantity
