// SPDX-License-Identifier: GPL-3.0-or-later
// What a simulation asks of a backend. One virtual call a step or less often, never one a node.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solver/boundary/incoming.hpp"
#include "solver/order.hpp"
#include "solver/step_parameters.hpp"

namespace tessera {

struct PopulationCopy {
  std::uint64_t from;
  std::uint64_t to;
};

// Everything a backend walks over, built once on the host.
struct Domain {
  std::uint32_t tiles = 0;
  std::uint32_t slots = 0;  // tiles and ghosts
  std::vector<std::int32_t> rows;
  std::array<int, 3> rowAxes{0, 1, 2};  // of tiles in rows
  std::vector<std::uint32_t> masks;
  std::vector<IncomingLink> links;
  std::vector<PopulationCopy> copies;
};

// Reduced over all non-solid nodes, lattice units.
struct GlobalSample {
  double speedMax = 0.0;
  double densityMin = 1.0;
  double densityMax = 1.0;
  double kineticEnergy = 0.0;  // sum of rho u^2 / 2
};

constexpr int observedValues = 10;  // r, u[3], stress[6], see observe()

class Backend {
 public:
  virtual ~Backend() = default;
  // One step each for ramp factors[0], factors[1], ... (of velocities and pressures at openings).
  virtual void advance(std::span<const double> ramp) = 0;
  // Waits until all steps are done.
  virtual void finish() = 0;
  // Values per link of Domain::links, of the current state with the given ramp factor.
  virtual void sampleLinks(double ramp, std::vector<LinkSample>& samples) = 0;
  virtual GlobalSample sampleNodes() = 0;
  // For slots first .. first + count - 1, observedValues x 64 floats a slot (value after value):
  // moments before the collision of the next step.
  virtual void observeTiles(double ramp, std::uint32_t first, std::uint32_t count,
                            std::vector<float>& values) = 0;
  // Post-collision deviations of all slots, q x 64 a slot, widened to double.
  virtual std::vector<double> populations() = 0;
  virtual void setPopulations(std::span<const double> populations) = 0;
  // Bytes per second of a plain copy in the backend's memory, reads and writes counted; a median.
  virtual double copyBandwidth() = 0;
};

}  // namespace tessera
