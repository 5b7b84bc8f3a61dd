// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/stations.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/quantity/cross_section.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::postprocess::quantity {

using results::Centreline;
using results::OpeningSummary;

namespace {

std::optional<results::Station> stationAt(double distance, const Double3& point,
                                          const Double3& normal, const fields::NodeLookup& lookup,
                                          const solver::file::Fields& fields) {
  const auto section = crossSection(lookup, fields, point, normal);
  if (!section) return std::nullopt;
  results::Station station;
  station.distance = distance;
  station.point = point;
  station.normal = normal;
  station.radius = std::sqrt(section->area / std::numbers::pi);
  station.area = section->area;
  station.flowRate = section->flowRate;
  station.meanVelocity = section->meanVelocity;
  station.peakVelocity = section->peakVelocity;
  station.meanPressure = section->meanPressure;
  return station;
}

const OpeningSummary* mainOpening(const std::vector<OpeningSummary>& openings) {
  const OpeningSummary* main = nullptr;
  for (const OpeningSummary& opening : openings) {
    const bool more = main == nullptr || opening.flowRate < main->flowRate ||
                      (opening.flowRate == main->flowRate && opening.area > main->area);
    if (more) main = &opening;
  }
  return main;
}

const preprocess::geometry::Opening& openingOf(const tiler::TiledGeometry& geometry, int id) {
  return *std::find_if(
      geometry.openings.begin(), geometry.openings.end(),
      [&](const preprocess::geometry::Opening& opening) { return opening.id == id; });
}

}  // namespace

Centreline stationsAlong(const Polyline& line, const std::string& name, int stations,
                         const fields::NodeLookup& lookup, const solver::file::Fields& fields) {
  // Four steps per station; stations in the middle of each part, normal to the chord of the
  // adjacent steps.
  const Polyline fine = resampled(line, 4 * stations + 1);
  std::vector<std::optional<results::Station>> found(static_cast<std::size_t>(stations));
  Centreline result{name, lengthOf(line), {}};
  stage::parallelFor(found.size(), [&](std::size_t k) {
    const std::size_t i = 4 * k + 2;
    const Double3 chord = fine[i + 1] - fine[i - 1];
    if (!(length(chord) > 0.0)) return;
    const double distance =
        result.length * (static_cast<double>(k) + 0.5) / static_cast<double>(stations);
    found[k] = stationAt(distance, fine[i], (1.0 / length(chord)) * chord, lookup, fields);
  });
  for (const auto& station : found)
    if (station) result.stations.push_back(*station);
  if (result.stations.empty())
    stage::fail(
        stage::ExitCode::Usage,
        fmt::format(
            "the centreline {} passes through no fluid; give its points in metres, in the world "
            "frame of the geometry",
            name));
  return result;
}

std::vector<Centreline> stationsBetween(const std::vector<OpeningSummary>& openings, int stations,
                                        const fields::NodeLookup& lookup,
                                        const solver::file::Fields& fields) {
  std::vector<Centreline> centrelines;
  const OpeningSummary* from = mainOpening(openings);
  for (const OpeningSummary& to : openings) {
    if (to.id == from->id) continue;
    const auto line = findCentreline(lookup, fields, openingOf(lookup.geometry, from->id),
                                     openingOf(lookup.geometry, to.id));
    if (line)
      centrelines.push_back(
          stationsAlong(*line, fmt::format("{}-{}", from->id, to.id), stations, lookup, fields));
  }
  if (centrelines.empty())
    stage::fail(stage::ExitCode::Usage,
                "--stations needs two openings that the fluid connects, which this geometry does "
                "not have; give "
                "a polyline with --centreline FILE.csv");
  return centrelines;
}

}  // namespace tessera::postprocess::quantity
