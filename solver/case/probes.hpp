// SPDX-License-Identifier: GPL-3.0-or-later
// [[probe]] and [[station]]: points whose velocity and pressure, and cross-sections whose flow rate
// and pressure the monitor follows.
#pragma once

#include <string>
#include <vector>

#include "pipelines/stage/case/case_file.hpp"
#include "solver/comm/ranks.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::cases {

struct Probe {
  std::string name;  // unique; letters, digits, "_", "-" and "."; by default its number from 1
  Double3 at{};      // m, world
};

// Cross-section of the fluid that is connected with a point in the plane through it.
struct Station {
  std::string name;     // as of a probe, unique among stations
  Double3 at{};         // m, world
  Double3 normal{};     // unit, world; flow along it is positive
  double radius = 0.0;  // m, around the point; 0: no limit
};

// Throws StageError(Usage) with file and line.
std::vector<Probe> readProbes(const stage::CaseFile& file);
std::vector<Station> readStations(const stage::CaseFile& file);

// Columns of the monitor: a pressure and three components; a flow rate, a pressure and a velocity.
inline std::size_t columnsOf(const std::vector<Probe>& probes,
                             const std::vector<Station>& stations) {
  return 4 * probes.size() + 3 * stations.size();
}

// Throws StageError(Usage) with file and line for a probe or station without a fluid node around
// its point, in 2D for a station whose normal leaves the plane. geometry: of this rank; ranks: all.
// Collective.
void checkProbes(const stage::CaseFile& file, const tiler::TiledGeometry& geometry,
                 comm::Ranks& ranks = comm::noOthers());

}  // namespace tessera::solver::cases
