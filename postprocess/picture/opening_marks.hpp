// SPDX-License-Identifier: GPL-3.0-or-later
// Openings of a run in a picture: name, else id, and an arrow along the mean flow.
#pragma once

#include <vector>

#include "pipelines/picture/annotate.hpp"
#include "postprocess/results.hpp"

namespace tessera {

void drawOpenings(const std::vector<OpeningSummary>& openings, const Camera& camera,
                  Drawing& drawing);

}  // namespace tessera
