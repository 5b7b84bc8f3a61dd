// SPDX-License-Identifier: GPL-3.0-or-later
// Geometries with walls of every kind: obstacles at any distance, a lid that slides and one that
// turns, a symmetry plane; closed, periodic, with openings, in 2D, with cut links, in rows.
#pragma once

#include <string>
#include <vector>

#include "solver/run/simulation.hpp"

namespace tessera::testing {

using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::run;
using namespace tessera::tiler::file;

struct Situation {
  std::string name;
  TilesFile tiles;
  std::vector<WallCondition> walls;
  bool forced = false;
};

std::vector<Situation> situations();

// The same kinds of walls with openings in 2,000 tiles, more than one thread plans at a time.
Situation ofManyTiles();

// Variants of a constant viscosity that store populations.
std::vector<VariantInfo> variantsFor(const Situation& situation);

SolverCase caseFor(const VariantInfo& variant, const Situation& situation, WallScheme scheme);

// The case on a backend, from random populations.
Simulation started(const Situation& situation, const VariantInfo& variant, WallScheme scheme,
                   const std::string& backend);

constexpr WallScheme schemes[] = {WallScheme::Halfway, WallScheme::Bouzidi, WallScheme::SingleNode,
                                  WallScheme::Multireflection};

}  // namespace tessera::testing
