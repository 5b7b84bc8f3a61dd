// SPDX-License-Identifier: GPL-3.0-or-later
// Estimate of the flow through all branches before any of it is known: the network of cells of
// flow_cells.hpp, each pair of neighbours with the resistance of locally developed flow, between
// the conditions of the openings. Junctions, loops and narrow places count as they are. Momentum is
// carried from cell to cell with the flow: jets pass side branches, pressure is lost where flow
// widens, and what comes in at an opening keeps its velocity.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/case/flow_cells.hpp"
#include "solver/case/solver_case.hpp"

namespace tessera::solver::cases {

// Condition of an opening at one moment.
struct OpeningDrive {
  enum class Kind : std::uint8_t { Closed, Flow, Pressure };
  Kind kind = Kind::Closed;
  double value = 0.0;       // m3/s into the fluid, or Pa (beyond the resistance)
  double resistance = 0.0;  // Pa.s/m3
};

struct NetworkFlow {
  bool known = false;           // what the cells join was enough
  std::vector<double> outflow;  // m3/s of each opening, out of the fluid
  double velocity = 0.0;        // m/s, largest at a cell
};

// viscosity: dynamic, Pa.s.
NetworkFlow flowThrough(const FlowCells& cells, const std::vector<OpeningDrive>& openings,
                        double density, double viscosity);

// Conditions of a case: constant ones, of waveforms the largest flows at once and the pressures of
// the moment in the period at which these differ most; a Windkessel is its resistance.
std::vector<OpeningDrive> openingDrives(const SolverCase& run,
                                        const tiler::TiledGeometry& geometry);

// Cells of the network: with more it is nearer, with fewer soon done.
constexpr std::size_t cellsOfPlan = 20'000, cellsOfTimeStep = 12'000;

// Both for a case, with about mostCells cells at most; without openings, or where no two are
// connected, not known. The same on all ranks; collective.
NetworkFlow networkFlow(const SolverCase& run, const tiler::TiledGeometry& geometry,
                        std::size_t mostCells, comm::Ranks& ranks);

}  // namespace tessera::solver::cases
