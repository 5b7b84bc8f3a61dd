// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/extend_openings.hpp"

#include <algorithm>
#include <cstdio>

#include "pipelines/stage/error.hpp"
#include "preprocess/name_openings.hpp"
#include "preprocess/surface/edit/extension_tube.hpp"

namespace tessera::preprocess {

using geometry::Opening;

namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

// 0: not to be extended.
double diametersOf(const std::vector<OpeningExtension>& requests, const Opening& opening) {
  double diameters = 0.0;
  for (const OpeningExtension& request : requests)
    if (request.opening.empty()) diameters = request.diameters;
  for (const OpeningExtension& request : requests)
    if (isMeant(request.opening, opening)) diameters = request.diameters;
  return diameters;
}

void requireOpenings(const std::vector<OpeningExtension>& requests,
                     const std::vector<Opening>& openings) {
  for (const OpeningExtension& request : requests) {
    const bool found = std::any_of(openings.begin(), openings.end(), [&](const Opening& opening) {
      return request.opening.empty() || isMeant(request.opening, opening);
    });
    if (!found)
      stage::fail(stage::ExitCode::Usage,
                  "--extend " + (request.opening.empty() ? "" : request.opening + "=") +
                      number(request.diameters) + ": the geometry has no such opening; " +
                      listOf(openings) + ".");
  }
}

}  // namespace

std::vector<double> extendOpenings(const std::vector<OpeningExtension>& requests,
                                   geometry::TriangleMesh& mesh, std::vector<Opening>& openings) {
  requireOpenings(requests, openings);
  std::vector<double> lengths;
  for (std::size_t k = 0; !requests.empty() && k < openings.size(); ++k) {
    Opening& opening = openings[k];
    const double diameters = diametersOf(requests, opening);
    if (!(diameters > 0.0)) {
      lengths.push_back(0.0);
      continue;
    }
    const double diameter = surface::hydraulicDiameter(mesh, opening);
    lengths.push_back(diameters * diameter);
    if (const auto hit = surface::firstObstacle(mesh, opening, lengths.back()))
      stage::fail(stage::ExitCode::Usage,
                  "--extend: opening " + std::to_string(opening.id) + " (" + opening.name +
                      ") can be extended by less than " + number(*hit / diameter) +
                      " diameters, not by " + number(diameters) +
                      ": its tube would run into the surface or another tube there; "
                      "give it a length of its own, as --extend " +
                      std::to_string(opening.id) + "=" + number(0.5 * *hit / diameter) + ".");
    surface::extendBy(mesh, opening, lengths.back());
  }
  return lengths;
}

}  // namespace tessera::preprocess
