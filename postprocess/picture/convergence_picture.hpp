// SPDX-License-Identifier: GPL-3.0-or-later
// How the run settled: flow rates and residuals against the step.
#pragma once

#include <optional>

#include "pipelines/picture/drawing.hpp"
#include "postprocess/results/results.hpp"

namespace tessera::postprocess::picture {

// Flow rate of each opening above; below, on a logarithmic axis, the mass residual and the largest
// change of a flow rate between rows (of a pulsatile run: from period to period), relative to the
// largest flow rate. Kinetic energy where there
// are no openings. Nothing with fewer than two monitor rows.
std::optional<tessera::picture::Drawing> drawConvergence(const results::Results& results);

}  // namespace tessera::postprocess::picture
