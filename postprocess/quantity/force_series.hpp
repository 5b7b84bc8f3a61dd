// SPDX-License-Identifier: GPL-3.0-or-later
// Drag and lift in time, from the forces in the monitor: mean, amplitude and Strouhal number.
#pragma once

#include <optional>
#include <vector>

#include "postprocess/quantity/wall_forces.hpp"

namespace tessera::postprocess::quantity {

// Coefficients at each row of the monitor; empty where it has no forces of these bodies.
std::vector<results::CoefficientMoment> coefficientSeries(
    const results::Monitor& monitor, const std::vector<results::WallForce>& forces, double density,
    const ForceReference& reference);

// Over the last whole periods of the lift (of the drag where it does not oscillate, or there is no
// lift), which agree in length and height within 5 %; without any, over the last tenth of the
// rows. Extremes between rows by a parabola, means by trapezoids. nullopt for fewer than two rows.
std::optional<results::CoefficientCourse> coefficientCourse(
    const std::vector<results::CoefficientMoment>& series, const ForceReference& reference);

}  // namespace tessera::postprocess::quantity
