// SPDX-License-Identifier: GPL-3.0-or-later
// What a simulation asks of a backend. One virtual call a step or less often, never one a node.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solver/domain/domain.hpp"

namespace tessera {

// Of the outlets, as of the last step or sample.
struct OutletReport {
  std::vector<OutletState> states;
  double reference = 0.0;  // r of the mean pressure of the openings
};

// Reduced over all non-solid nodes, lattice units.
struct GlobalSample {
  double speedMax = 0.0;
  double densityMin = 1.0;
  double densityMax = 1.0;
  double kineticEnergy = 0.0;  // sum of rho u^2 / 2
};

// The same of some tiles; addSample (sample.hpp) adds up. Energy: in multiples of 2^-20, 2^-50
// and 2^-80, whole numbers, so that their sums do not depend on their order.
struct PartialSample {
  double speedSquared = 0.0;
  double densityMin = HUGE_VAL;  // of no node
  double densityMax = -HUGE_VAL;
  std::int64_t energy[3] = {0, 0, 0};
};

// What a look at a state finds here.
struct Look {
  std::vector<LinkSample> links;  // of Domain::links, the sampled ones
  PartialSample nodes;
  double reference = 0.0;  // OutletReport::reference
  double seconds = 0.0;    // that steps waited for it
};

constexpr std::uint32_t allSlots = ~std::uint32_t{0};
constexpr int observedValues = 10;  // r, u[3], stress[6], see observe()

class Backend {
 public:
  virtual ~Backend() = default;
  // A number of steps; coefficients: Domain::coefficients for each, one step after the other.
  virtual void advance(std::uint64_t steps, std::span<const double> coefficients) = 0;
  // Waits until all steps are done.
  virtual void finish() = 0;
  // A look at the current state, with the coefficients of its step; steps may follow before it is
  // ended. One at a time.
  virtual void beginLook(std::span<const double> coefficients) = 0;
  virtual Look endLook() = 0;
  // For slots first .. first + count - 1, observedValues x 64 floats a slot (value after value):
  // moments before the collision of the next step. With outlets whose pressure follows from their
  // flow rate all ranks call this together, as advance and beginLook; count may be 0.
  virtual void observeTiles(std::span<const double> coefficients, std::uint32_t first,
                            std::uint32_t count, std::vector<float>& values) = 0;
  // The same of all tiles, left in the backend's own memory until the next call.
  virtual const float* observeAll(std::span<const double> coefficients) = 0;
  virtual OutletReport outlets() = 0;
  virtual void setOutlets(const std::vector<OutletState>& states) = 0;
  // What is stored of slots first .. first + count - 1 (as many as there are), widened to double:
  // post-collision deviations, q x 64 a slot, or the values of solver/state/moments.hpp.
  virtual std::vector<double> state(std::uint32_t first = 0, std::uint32_t count = allSlots) = 0;
  // The same from slot `first` on; takeHalo() follows the last part.
  virtual void setState(std::span<const double> values, std::uint32_t first = 0) = 0;
  // Value k of what is stored of all tiles becomes noiseAt(k) of solver/noise.hpp; takeHalo()
  // follows.
  virtual void setNoise() = 0;
  // What is stored of slots 0 .. Domain::tiles - 1, tile after tile, as it is stored: copied into
  // memory of the backend's own, which stays as it is until the next call while steps go on.
  virtual std::span<const std::byte> savedState() = 0;
  // As setState, of such bytes.
  virtual void restoreState(std::span<const std::byte> saved) = 0;
  // What others step of a state that was set: all ranks together.
  virtual void takeHalo() = 0;
  // What walls remember from the step before, one number a link of Domain::walls; empty where they
  // need not, or before the first step. setState makes them forget.
  virtual std::vector<double> wallMemory() = 0;
  virtual void setWallMemory(std::span<const double> memory) = 0;
  // Bytes per second of a plain copy in the backend's memory, reads and writes counted; a median.
  virtual double copyBandwidth() = 0;
};

}  // namespace tessera
