// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/plane_flow.hpp"

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "postprocess/quantity/cross_section.hpp"
#include "postprocess/results/parse_place.hpp"

namespace tessera::postprocess::quantity {

using results::PlaneSummary;

Plane parsePlane(const std::string& text, std::size_t index) {
  const auto refuse = [&] {
    stage::fail(stage::ExitCode::Usage,
                "--plane \"" + text +
                    "\" is not a point and a normal; write it as "
                    "\"x,y,z;nx,ny,nz\" (metres, or with units) or \"name=x,y,z;nx,ny,nz\"");
  };
  Plane plane;
  const std::size_t equals = text.find('=');
  plane.name =
      equals == std::string::npos ? "plane" + std::to_string(index + 1) : text.substr(0, equals);
  const std::string body = equals == std::string::npos ? text : text.substr(equals + 1);
  const std::vector<std::string_view> parts = results::partsOf(body, ';');
  if (parts.size() != 2 || plane.name.empty()) refuse();
  const std::optional<Double3> point = results::parseTriple(parts[0], stage::Dimension::Length);
  const std::optional<Double3> normal = results::parseDirection(parts[1]);
  if (!point || !normal) refuse();
  plane.point = *point;
  plane.normal = *normal;
  return plane;
}

std::optional<PlaneSummary> planeFlow(const Plane& plane, const fields::NodeLookup& lookup,
                                      const solver::file::Fields& fields) {
  const auto section = crossSection(lookup, fields, plane.point, plane.normal);
  if (!section) return std::nullopt;
  return PlaneSummary{
      plane.name,           plane.point,           plane.normal,          section->area,
      section->flowRate,    section->meanVelocity, section->meanPressure, section->peakVelocity,
      section->peakPressure};
}

std::vector<PlaneSummary> planeSummaries(const std::vector<Plane>& planes,
                                         const fields::NodeLookup& lookup,
                                         const solver::file::Fields& fields) {
  std::vector<PlaneSummary> summaries(planes.size());
  stage::parallelFor(planes.size(), [&](std::size_t i) {
    const auto summary = planeFlow(planes[i], lookup, fields);
    if (!summary)
      stage::fail(stage::ExitCode::Usage,
                  "plane \"" + planes[i].name +
                      "\": its point does not lie in the fluid; give a point inside the "
                      "vessel or pore, in metres or with units, in the world frame");
    summaries[i] = *summary;
  });
  return summaries;
}

}  // namespace tessera::postprocess::quantity
