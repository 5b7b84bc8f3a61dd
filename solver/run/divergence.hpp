// SPDX-License-Identifier: GPL-3.0-or-later
// Divergence: detection, location and likely causes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "solver/case/pre_run_checks.hpp"
#include "solver/run/monitor.hpp"
#include "solver/run/simulation.hpp"
#include "solver/tiles/tile_order.hpp"

namespace tessera::solver::run {

// Values that are not numbers, a velocity above 0.4 or a density outside 0.5 to 2 in lattice units:
// nothing physical is left then.
bool hasDiverged(const backend::GlobalSample& nodes);

// Still in bounds but not likely to stay there: sample again soon, so that the location is found
// before the divergence has spread.
bool mayDiverge(const backend::GlobalSample& nodes);

// Location of a divergence, collected node by node: the centre of values that are not numbers,
// which spread by one node per step, or else the node with the velocity or density furthest out.
// There is no location when hardly any value is a number.
class DivergenceLocation {
 public:
  // r = rho - 1 and u in lattice units.
  void add(const Int3& node, double r, const std::array<double, 3>& u);
  struct Found {
    Double3 position{};   // lattice coordinates
    bool numbers = true;  // false: values there are not numbers, speed and density not known
    Double3 low{};        // bounding box of values that are not numbers
    Double3 high{};
    double speed = 0.0;  // lattice units
    double density = 1.0;
  };
  [[nodiscard]] std::optional<Found> found() const;
  // other: of other nodes.
  void add(const DivergenceLocation& other);

 private:
  std::uint64_t nodes_ = 0;
  std::uint64_t notNumbers_ = 0;
  Double3 sum_{};  // of positions of nodes whose values are not numbers
  Double3 low_{};  // their bounding box
  Double3 high_{};
  double worst_ = -1.0;
  Found furthest_;
};

// Location in the state of all ranks. Collective.
DivergenceLocation divergenceLocation(Simulation& simulation);

struct DivergedRun {
  const cases::SolverCase& run;
  const cases::LatticeRun& lattice;
  const tiler::TiledGeometry& geometry;
  const tiles::TileOrder& order;
  std::uint64_t rampSteps;
  const MonitorSample& now;
  const std::optional<MonitorSample>& lastGood;
  comm::Ranks& ranks;  // each with a part of the geometry
  const std::vector<file::Recovery>& recoveries;
};

// When, what, where (node, mm, opening or wall near it). Collective.
std::string divergenceFound(const DivergedRun& diverged,
                            const std::optional<DivergenceLocation::Found>& place);

// One sentence: the same, likely cause, remedy.
// Collective.
std::string divergenceText(const DivergedRun& diverged,
                           const std::optional<DivergenceLocation::Found>& place);

}  // namespace tessera::solver::run
