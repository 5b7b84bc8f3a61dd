// SPDX-License-Identifier: GPL-3.0-or-later
// What was monitored while the run went on, against time.
#pragma once

#include <optional>

#include "pipelines/picture/drawing.hpp"
#include "postprocess/results/results.hpp"

namespace tessera::postprocess::picture {

// The pressure of each opening above; kinetic energy and largest Mach number below. What was not
// monitored is left out; nothing with fewer than two rows.
std::optional<tessera::picture::Drawing> drawMonitors(const results::Results& results);

}  // namespace tessera::postprocess::picture
