// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/case/force_case.hpp"

#include <algorithm>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::solver::cases {

using stage::CaseTable;
using stage::Dimension;
using stage::ExitCode;
using stage::fail;
using tiler::TiledGeometry;

namespace {

std::size_t bodyLabel(const CaseTable& table, const std::string& name,
                      const TiledGeometry& geometry) {
  const auto& names = geometry.wallNames;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  for (std::size_t k = 0; k < names.size(); ++k)
    if (std::to_string(k) == name) return k;
  std::string list;
  for (std::size_t k = 0; k < names.size(); ++k)
    list += fmt::format("{}{} ({})", k == 0 ? "" : ", ", k, names[k]);
  fail(ExitCode::Usage, fmt::format("{}: the geometry has no wall \"{}\"; it has {}",
                                    table.where("walls"), name, list));
}

std::optional<Double3> unitVector(CaseTable& table, const char* key) {
  const auto given = table.vector(key, Dimension::None);
  if (!given) return std::nullopt;
  const double size = length(*given);
  if (!(size > 0.0))
    fail(ExitCode::Usage, fmt::format("{}: {} is [0, 0, 0], expected a direction of any length",
                                      table.where(key), key));
  return (1.0 / size) * *given;
}

// Perpendicular to the flow; by default in 2D a quarter turn to its left.
Double3 liftDirection(CaseTable& table, const TiledGeometry& geometry, const Double3& flow) {
  const auto given = unitVector(table, "lift_direction");
  if (!given) return geometry.dimensions == 2 ? cross({0.0, 0.0, 1.0}, flow) : Double3{};
  const Double3 rest = *given - dot(*given, flow) * flow;
  if (!(length(rest) > 1e-6))
    fail(ExitCode::Usage, table.where("lift_direction") +
                              ": lift_direction points along flow_direction; give a direction "
                              "across the flow");
  return (1.0 / length(rest)) * rest;
}

// In 2D forces are those on a slice of one spacing, whose area follows from the length.
void setSizes(CaseTable& table, const TiledGeometry& geometry, ForceCase& forces) {
  constexpr double least = 1e-15, most = 1e9;
  const auto size = table.quantity("length", Dimension::Length, least, most);
  const auto area = table.quantity("area", Dimension::Area, least * least, most * most);
  const bool flat = geometry.dimensions == 2;
  forces.length = size.value_or(flat ? area.value_or(0.0) / geometry.frame.spacing : 0.0);
  forces.area = area.value_or(flat ? forces.length * geometry.frame.spacing : 0.0);
}

}  // namespace

ForceCase readForces(CaseTable table, const TiledGeometry& geometry) {
  ForceCase forces;
  if (const auto about = table.vector("torque_about", Dimension::Length))
    forces.torqueAbout = *about;
  forces.velocity = table.quantity("velocity", Dimension::Velocity, 1e-15, 1e9).value_or(0.0);
  setSizes(table, geometry, forces);
  const auto flow = unitVector(table, "flow_direction");
  if (flow) {
    forces.flow = *flow;
    forces.across = liftDirection(table, geometry, *flow);
  }
  for (const std::string& name : table.textsOrNumbers("walls")) {
    const std::size_t label = bodyLabel(table, name, geometry);
    if (std::find(forces.walls.begin(), forces.walls.end(), label) != forces.walls.end())
      fail(ExitCode::Usage,
           fmt::format("{}: walls names wall {} ({}) twice; each wall once is required",
                       table.where("walls"), label, geometry.wallNames[label]));
    forces.walls.push_back(label);
  }
  const bool any = forces.velocity > 0.0 || forces.area > 0.0 || forces.length > 0.0 || flow ||
                   table.has("lift_direction") || !forces.walls.empty();
  if (any && !(forces.velocity > 0.0 && forces.area > 0.0 && flow))
    fail(ExitCode::Usage,
         fmt::format("{}: drag and lift coefficients need velocity, {} and flow_direction, for "
                     "instance velocity = \"0.2 m/s\", {}, flow_direction = [1, 0, 0]",
                     table.where(), geometry.dimensions == 2 ? "length (or area)" : "area",
                     geometry.dimensions == 2 ? "length = \"0.1 m\"" : "area = \"1 cm2\""));
  table.rejectUnknown();
  return forces;
}

}  // namespace tessera::solver::cases
