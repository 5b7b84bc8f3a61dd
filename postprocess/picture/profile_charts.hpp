// SPDX-License-Identifier: GPL-3.0-or-later
// Charts of a medium: velocities in its pores, pressure and porosity along it; of a vessel:
// pressure ratio along its centrelines.
#pragma once

#include <optional>

#include "pipelines/picture/drawing.hpp"
#include "postprocess/results/results.hpp"

namespace tessera::postprocess::picture {

// Density of the velocity along the driving force over its mean, logarithmic. nullopt unless the
// run is of a medium with flow.
std::optional<tessera::picture::Drawing> drawVelocityHistogram(const results::Results& results);

// Above the pressure that drives the flow, below the porosity of each layer. nullopt unless the run
// is of a medium with two layers or more.
std::optional<tessera::picture::Drawing> drawAlongSample(const results::Results& results);

// A curve for each centreline. nullopt without pressure ratios.
std::optional<tessera::picture::Drawing> drawPressureRatio(const results::Results& results);

}  // namespace tessera::postprocess::picture
