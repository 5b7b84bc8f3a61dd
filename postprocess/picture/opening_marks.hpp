// SPDX-License-Identifier: GPL-3.0-or-later
// Openings of a run in a picture: name, else id, and an arrow along the mean flow.
#pragma once

#include <vector>

#include "pipelines/picture/annotate.hpp"
#include "postprocess/results/results.hpp"

namespace tessera::postprocess::picture {

void drawOpenings(const std::vector<results::OpeningSummary>& openings,
                  const tessera::picture::Camera& camera, tessera::picture::Drawing& drawing);

}  // namespace tessera::postprocess::picture
