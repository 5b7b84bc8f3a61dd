// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/wall_condition.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "tiler/opening_links.hpp"

namespace tessera::solver::boundary {

using stage::CaseTable;
using stage::Dimension;
using stage::ExitCode;
using stage::fail;
using tiler::TiledGeometry;

namespace {

double length(const Double3& v) {
  return std::hypot(v[0], v[1], v[2]);
}

std::string knownWalls(const TiledGeometry& geometry) {
  std::string list;
  for (std::size_t k = 0; k < geometry.wallNames.size(); ++k)
    list += fmt::format("{}{} ({})", k == 0 ? "" : ", ", k, geometry.wallNames[k]);
  return "the geometry has walls " + list;
}

std::size_t wallIndex(CaseTable& table, const TiledGeometry& geometry) {
  const auto id = table.integer("id", 0, preprocess::geometry::openingBit - 1);
  const auto name = table.text("name");
  if (id.has_value() == name.has_value())
    fail(ExitCode::Usage,
         table.where() + ": [[wall]] needs either id or name; " + knownWalls(geometry));
  const auto& names = geometry.wallNames;
  const std::size_t k =
      id ? static_cast<std::size_t>(*id)
         : static_cast<std::size_t>(std::find(names.begin(), names.end(), *name) - names.begin());
  if (k >= names.size())
    fail(ExitCode::Usage, table.where() + ": the geometry has no wall " +
                              (id ? std::to_string(*id) : "\"" + *name + "\"") + "; " +
                              knownWalls(geometry));
  return k;
}

// Walls that turn: centre, axis and rate.
void readRotation(CaseTable& table, WallCondition& wall) {
  const auto rate = table.quantity("rate", Dimension::AngularVelocity);
  const auto axis = table.vector("axis", Dimension::None);
  const auto centre = table.vector("centre", Dimension::Length);
  if (!rate && !axis && !centre) return;
  if (!rate || !axis || !(length(*axis) > 0.0))
    fail(ExitCode::Usage, table.where() +
                              ": a wall that turns needs rate, for instance rate = \"10 rad/s\", "
                              "and axis, a direction, for instance axis = [0, 0, 1]");
  wall.centre = centre.value_or(Double3{});
  for (std::size_t a = 0; a < 3; ++a) wall.rate[a] = *rate * (*axis)[a] / length(*axis);
}

WallCondition readWall(CaseTable& table, int dimensions) {
  WallCondition wall;
  const auto kind = table.word("kind", {"moving", "symmetry"});
  if (!kind)
    fail(ExitCode::Usage, table.where() + ": [[wall]] needs kind = \"moving\" or \"symmetry\"");
  wall.kind = *kind == "moving" ? WallKind::Moving : WallKind::Symmetry;
  if (wall.kind == WallKind::Symmetry) return wall;
  const auto velocity = table.vector("velocity", Dimension::Velocity);
  wall.velocity = velocity.value_or(Double3{});
  readRotation(table, wall);
  if (!velocity && length(wall.rate) == 0.0)
    fail(ExitCode::Usage, table.where() +
                              ": a moving wall needs velocity, for instance velocity = [\"0.1 "
                              "m/s\", 0, 0], or rate and axis");
  if (dimensions == 2 && (wall.velocity[2] != 0.0 || wall.rate[0] != 0.0 || wall.rate[1] != 0.0))
    fail(ExitCode::Usage,
         table.where() + ": the geometry is 2D, where walls move in x and y and turn about z");
  return wall;
}

}  // namespace

Double3 WallCondition::velocityAt(const Double3& world) const {
  const Double3 turning =
      cross(rate, {world[0] - centre[0], world[1] - centre[1], world[2] - centre[2]});
  return {velocity[0] + turning[0], velocity[1] + turning[1], velocity[2] + turning[2]};
}

std::vector<WallCondition> readWalls(const stage::CaseFile& file, const TiledGeometry& geometry) {
  std::vector<WallCondition> walls(geometry.wallNames.size());
  const auto read = [&](CaseTable& table) {
    const std::size_t k = wallIndex(table, geometry);
    if (walls[k].kind != WallKind::Rest)
      fail(ExitCode::Usage, fmt::format("{}: wall {} ({}) has a condition already", table.where(),
                                        k, geometry.wallNames[k]));
    walls[k] = readWall(table, geometry.dimensions);
    table.rejectUnknown();
  };
  for (CaseTable& table : file.tables("wall")) file.part([&] { read(table); });
  return walls;
}

WallScheme automaticWalls(const TiledGeometry& geometry, comm::Ranks& ranks) {
  bool between = false;
  tiler::forWallLinks(geometry, [&](const tiler::BoundaryLink& link) {
    between = between || link.distance != 0.5;
  });
  const bool anywhere = comm::largestOf(ranks, between ? 1.0 : 0.0) > 0.0;
  return anywhere ? WallScheme::Multireflection : WallScheme::Halfway;
}

bool needWallLinks(WallScheme scheme, const std::vector<WallCondition>& conditions) {
  return scheme != WallScheme::Halfway ||
         std::any_of(conditions.begin(), conditions.end(),
                     [](const WallCondition& wall) { return wall.kind != WallKind::Rest; });
}

double fastestWall(const std::vector<WallCondition>& conditions, const TiledGeometry& geometry) {
  double fastest = 0.0;
  bool turning = false;
  for (const WallCondition& wall : conditions) {
    fastest = std::max(fastest, length(wall.velocity));
    turning |= length(wall.rate) > 0.0;
  }
  if (!turning) return fastest;
  tiler::forWallLinks(geometry, [&](const tiler::BoundaryLink& link) {
    const WallCondition& wall = conditions[link.patch];
    if (length(wall.rate) == 0.0) return;
    const Double3 at = geometry.frame.toWorld(link.end());
    fastest = std::max(fastest, length(wall.velocityAt(at)));
  });
  return fastest;
}

}  // namespace tessera::solver::boundary
