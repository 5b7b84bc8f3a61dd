// SPDX-License-Identifier: GPL-3.0-or-later
// Planning of wall forces: the links of each wall label, and where their reflected populations are.
#pragma once

#include "solver/boundary/wall_condition.hpp"
#include "solver/boundary/wall_force.hpp"
#include "solver/comm/ranks.hpp"
#include "solver/model/lattice_info.hpp"
#include "solver/tiles/tile_order.hpp"

namespace tessera::solver::boundary {

struct WallForceInput {
  const Walls& walls;                            // as planned for the same order
  const std::vector<WallCondition>& conditions;  // one per wall label; empty: all at rest
  const model::Scales& scales;
  Double3 torqueAbout{};  // m, world
};

// For the tiles of this rank; ranks: all. Collective.
WallForces planWallForces(const tiles::TileOrder& order, const tiler::TiledGeometry& geometry,
                          const WallForceInput& input, const model::LatticeInfo& info,
                          comm::Ranks& ranks = comm::noOthers());

// Sums of labels as numbers.
std::vector<LatticeForce> forcesOf(std::span<const WallForceSum> sums);

// Force and torque of the fluid on a wall, SI units, world axes.
struct ForceOnWall {
  Double3 force{};   // N
  Double3 torque{};  // N.m, about WallForceInput::torqueAbout
};

// The mean over some steps, one by one. areas: forces of a pressure of 1; sums: over these steps
// and all ranks; reference: Pa that lattice pressure 0 stands for.
std::vector<ForceOnWall> inSiUnits(std::span<const LatticeForce> areas,
                                   std::span<const LatticeForce> sums, int steps,
                                   const preprocess::geometry::Frame& frame,
                                   const model::Scales& scales, double reference);

}  // namespace tessera::solver::boundary
