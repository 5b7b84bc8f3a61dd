// SPDX-License-Identifier: GPL-3.0-or-later
// A run that has diverged: how it is told, where it broke, why that may be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "solver/monitor.hpp"
#include "solver/order.hpp"
#include "solver/run_numbers.hpp"

namespace tessera {

// Values that are not numbers, a velocity above 0.4 or a density outside 0.5 to 2, lattice units:
// nothing physical is left then.
bool hasDiverged(const GlobalSample& nodes);

// Still in bounds but not likely to stay there: look again soon, so that the place can be told
// before what breaks there has spread.
bool mayDiverge(const GlobalSample& nodes);

// Collects, node by node, where a state broke: where values are not numbers, or else where velocity
// or density are furthest out. What is not a number spreads by a node a step, so its middle is
// where it began; where hardly anything is a number any more there is no place.
class BrokenPlace {
 public:
  // r = rho - 1 and u in lattice units.
  void add(const Int3& node, double r, const std::array<double, 3>& u);
  struct Found {
    Double3 position{};   // lattice coordinates
    bool numbers = true;  // false: values there are not numbers, speed and density not known
    Double3 low{};        // the box around all that is broken, when they are not
    Double3 high{};
    double speed = 0.0;  // lattice units
    double density = 1.0;
  };
  [[nodiscard]] std::optional<Found> found() const;
  // Of other nodes.
  void add(const BrokenPlace& other);

 private:
  std::uint64_t nodes_ = 0;
  std::uint64_t notNumbers_ = 0;
  Double3 sum_{};  // of positions of nodes that hold no numbers
  Double3 low_{};  // the box around them
  Double3 high_{};
  double worst_ = -1.0;
  Found furthest_;
};

struct DivergedRun {
  const SolverCase& run;
  const LatticeRun& lattice;
  const TiledGeometry& geometry;
  const TileOrder& order;
  std::uint64_t rampSteps;
  const MonitorSample& now;
  const std::optional<MonitorSample>& lastGood;
  Ranks& ranks;  // each with a part of the geometry
};

// Collective. One sentence: when, what, where (node, mm, opening or wall near it), likely cause,
// what to do.
std::string divergenceText(const DivergedRun& diverged,
                           const std::optional<BrokenPlace::Found>& place);

}  // namespace tessera
