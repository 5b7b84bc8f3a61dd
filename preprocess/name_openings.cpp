// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/name_openings.hpp"

#include <algorithm>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/numbers_apart.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/option_values.hpp"
#include "preprocess/surface/edit/extension_tube.hpp"

namespace tessera::preprocess {

using geometry::Opening;

bool refersTo(const std::string& text, const Opening& opening) {
  return isWholeNumber(text) ? text == std::to_string(opening.id) : text == opening.name;
}

std::string listOf(const std::vector<Opening>& openings) {
  std::vector<std::string> list;
  for (const Opening& opening : openings)
    list.push_back(fmt::format("{} ({})", opening.id, opening.name));
  return "it has " + (list.empty() ? "none" : stage::joined(list));
}

void nameOpenings(const std::vector<OpeningName>& requests, std::vector<Opening>& openings) {
  const std::vector<Opening> before = openings;
  std::vector<bool> named(openings.size(), false);
  for (const OpeningName& request : requests) {
    const auto found = std::find_if(before.begin(), before.end(), [&](const Opening& opening) {
      return refersTo(request.opening, opening);
    });
    if (found == before.end())
      stage::fail(stage::ExitCode::Usage,
                  fmt::format("--name {}={}: the geometry has no such opening; {}.",
                              request.opening, request.name, listOf(before)));
    const auto k = static_cast<std::size_t>(found - before.begin());
    if (named[k])
      stage::fail(
          stage::ExitCode::Usage,
          fmt::format("--name {}={}: opening {} is already named \"{}\"; omit one of the two.",
                      request.opening, request.name, before[k].id, openings[k].name));
    named[k] = true;
    openings[k].name = request.name;
  }
  if (requests.empty()) return;
  for (std::size_t a = 0; a < openings.size(); ++a)
    for (std::size_t b = a + 1; b < openings.size(); ++b)
      if (openings[a].name == openings[b].name)
        stage::fail(
            stage::ExitCode::Usage,
            fmt::format(
                "--name: openings {} and {} would both be \"{}\"; give them different names.",
                openings[a].id, openings[b].id, openings[a].name));
}

namespace {

// Requested length in diameters; 0: not to be extended.
double diametersOf(const std::vector<OpeningExtension>& requests, const Opening& opening) {
  double diameters = 0.0;
  for (const OpeningExtension& request : requests)
    if (request.opening.empty()) diameters = request.diameters;
  for (const OpeningExtension& request : requests)
    if (refersTo(request.opening, opening)) diameters = request.diameters;
  return diameters;
}

void requireOpenings(const std::vector<OpeningExtension>& requests,
                     const std::vector<Opening>& openings) {
  for (const OpeningExtension& request : requests) {
    const bool found = std::any_of(openings.begin(), openings.end(), [&](const Opening& opening) {
      return request.opening.empty() || refersTo(request.opening, opening);
    });
    if (!found)
      stage::fail(stage::ExitCode::Usage,
                  fmt::format("--extend {}{:.3g}: the geometry has no such opening; {}.",
                              request.opening.empty() ? "" : request.opening + "=",
                              request.diameters, listOf(openings)));
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
    if (const auto hit = surface::firstObstacle(mesh, opening, lengths.back())) {
      const auto [own, most] = stage::numbersApart(diameters, *hit / diameter);
      stage::fail(
          stage::ExitCode::Usage,
          fmt::format("--extend: the tube at opening {0} ({1}) must be shorter than {2} "
                      "diameters, not {3}: it would run into the surface or another tube; give "
                      "it a separate length, such as --extend {0}={4:.3g}.",
                      opening.id, opening.name, most, own, 0.5 * *hit / diameter));
    }
    surface::extendBy(mesh, opening, lengths.back());
  }
  return lengths;
}

}  // namespace tessera::preprocess
