// SPDX-License-Identifier: GPL-3.0-or-later
// Flow expected at each opening and throat before a run: prescribed, or estimated by the network of
// flow_network.hpp.
#pragma once

#include <string>
#include <vector>

#include "solver/case/flow_network.hpp"
#include "solver/case/time_step.hpp"

namespace tessera::solver::cases {

// Pulsatile flow: at the largest flow or difference of pressures.
struct ExpectedFlow {
  std::vector<int> openings;  // its id; of a throat those on one side of it
  std::string name;           // of an opening
  std::string condition;      // "velocity 0.1 m/s"; empty: a throat
  double area = 0.0;          // m2, of all passages
  double outflow = 0.0;       // m3/s, out of the fluid; of a throat towards its openings
  double mean = 0.0;          // m/s, magnitude
  double peak = 0.0;          // m/s, of the profile
  double reynolds = 0.0;      // of the mean and the diameter (2D: width)
  double womersley = 0.0;     // radius (omega / nu)^1/2; 0: steady
  double mach = 0.0;          // of the lattice, at the peak
  double nodesAcross = 0.0;
  bool known = false;  // false: nothing prescribes it and the network has no way there
};

struct FlowPlan {
  std::vector<ExpectedFlow> openings;  // without those closed by a wall
  std::vector<ExpectedFlow> throats;
  bool estimated = false;  // some flow rate is the network's
};

// network: networkFlow() of the case, with cellsOfPlan.
FlowPlan flowPlan(const SolverCase& run, const LatticeRun& lattice,
                  const tiler::TiledGeometry& geometry, const NetworkFlow& network);

}  // namespace tessera::solver::cases
