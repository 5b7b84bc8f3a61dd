// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/opening_marks.hpp"

namespace tessera::postprocess::picture {

void drawOpenings(const std::vector<results::OpeningSummary>& openings,
                  const tessera::picture::Camera& camera, tessera::picture::Drawing& drawing) {
  std::vector<tessera::picture::OpeningMark> marks;
  for (const results::OpeningSummary& opening : openings)
    marks.push_back({opening.name.empty() ? std::to_string(opening.id) : opening.name,
                     opening.centre, opening.normal, opening.radius, opening.flowRate < 0.0});
  tessera::picture::drawOpeningMarks(marks, camera, drawing);
}

}  // namespace tessera::postprocess::picture
