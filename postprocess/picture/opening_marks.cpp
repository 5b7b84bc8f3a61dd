// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/opening_marks.hpp"

namespace tessera {

void drawOpenings(const std::vector<OpeningSummary>& openings, const Camera& camera,
                  Drawing& drawing) {
  std::vector<OpeningMark> marks;
  for (const OpeningSummary& opening : openings)
    marks.push_back({opening.name.empty() ? std::to_string(opening.id) : opening.name,
                     opening.centre, opening.normal, opening.radius, opening.flowRate < 0.0});
  drawOpeningMarks(marks, camera, drawing);
}

}  // namespace tessera
