// SPDX-License-Identifier: GPL-3.0-or-later
// Interface between Simulation and a backend: stepping, sampling and storing state, kept apart. At
// most one virtual call per step.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solver/domain/domain.hpp"

namespace tessera::solver::backend {

// State of the outlets after the last step or sample.
struct OutletReport {
  std::vector<boundary::OutletState> states;
  double reference = 0.0;  // r of the mean pressure of the openings
};

// Reductions over all non-solid nodes, in lattice units.
struct GlobalSample {
  double speedMax = 0.0;
  double densityMin = 1.0;
  double densityMax = 1.0;
  double kineticEnergy = 0.0;  // sum of rho u^2 / 2
};

// The same over some tiles; combined by addSample (sample.hpp). The energy is kept in multiples of
// 2^-20, 2^-50 and 2^-80, integers, so that sums do not depend on their order.
struct PartialSample {
  double speedSquared = 0.0;
  double densityMin = HUGE_VAL;  // without nodes
  double densityMax = -HUGE_VAL;
  std::int64_t energy[3] = {0, 0, 0};
};

// A sample of this rank's state: reductions over its nodes, its openings' links and its walls.
struct StateSample {
  std::vector<boundary::LinkSample> links;    // the first Domain::sampledLinks of Domain::links
  std::vector<boundary::WallForceSum> walls;  // by label, of this rank's nodes, over wallSteps
  int wallSteps = 1;  // 2: the step before, whose forces were kept, and the one that follows
  PartialSample nodes;
  double reference = 0.0;  // OutletReport::reference
  double seconds = 0.0;    // time that steps waited for it
};

constexpr std::uint32_t allSlots = ~std::uint32_t{0};
constexpr int observedValues = 10;  // r, u[3], stress[6]: macroscopic fields of a node

// Advances the state.
class Stepper {
 public:
  virtual ~Stepper() = default;
  // coefficients: Domain::coefficients for each step, one step after the other.
  virtual void advance(std::uint64_t steps, std::span<const double> coefficients) = 0;
  // Waits until all steps are done.
  virtual void finish() = 0;
  // How its passes are made, where that was chosen by a measurement; otherwise empty.
  [[nodiscard]] virtual std::string form() const = 0;
  // Exchanges the halo after setState(), setRandomState() or restoreState(). Collective.
  virtual void exchangeHalo() = 0;
};

// Reads macroscopic quantities of the current state. coefficients: of its step. Collective where
// pressures of outlets follow from their flow rates.
class Sampler {
 public:
  virtual ~Sampler() = default;
  // Steps may follow before the sample is ended; one sample at a time.
  virtual void beginSample(std::span<const double> coefficients) = 0;
  // Keeps the forces on walls in the step that follows, for a sample after that step. Forgotten
  // when a state is set.
  virtual void keepForces(std::span<const double> coefficients) = 0;
  virtual StateSample endSample() = 0;
  // For slots first .. first + count - 1, observedValues x 64 floats per slot (value after value):
  // macroscopic fields before the collision of the next step. count may be 0.
  virtual void sampleTiles(std::span<const double> coefficients, std::uint32_t first,
                           std::uint32_t count, std::vector<float>& values) = 0;
  // The same for all tiles, kept in the backend's memory until the next call.
  virtual const float* sampleAllTiles(std::span<const double> coefficients) = 0;
};

// Reads and writes the stored state.
class StateStore {
 public:
  virtual ~StateStore() = default;
  // Stored values of slots first .. first + count - 1 (as many as there are), widened to double:
  // post-collision deviations, q x 64 per slot, or the values of solver/model/moments.hpp.
  virtual std::vector<double> state(std::uint32_t first = 0, std::uint32_t count = allSlots) = 0;
  // Stores values from slot `first` on; exchangeHalo() follows the last part. Walls forget.
  virtual void setState(std::span<const double> values, std::uint32_t first = 0) = 0;
  // Random state for benchmarks: stored value k of all tiles becomes noiseAt(k) of
  // solver/model/stored_values.hpp; exchangeHalo() follows.
  virtual void setRandomState() = 0;
  // Stored bytes of slots 0 .. Domain::tiles - 1, tile after tile, copied into memory of the
  // backend, which is unchanged until the next call while steps go on.
  virtual std::span<const std::byte> savedState() = 0;
  // Restores such bytes, as setState does.
  virtual void restoreState(std::span<const std::byte> saved) = 0;
  // Memory of walls from the step before, one number per link of Domain::walls; empty where walls
  // keep none, or before the first step.
  virtual std::vector<double> wallMemory() = 0;
  virtual void setWallMemory(std::span<const double> memory) = 0;
  virtual OutletReport outlets() = 0;
  virtual void setOutlets(const std::vector<boundary::OutletState>& states) = 0;
  // Bytes per second of a plain copy in the backend's memory, reads and writes counted; a median.
  virtual double copyBandwidth() = 0;
};

class Backend : public Stepper, public Sampler, public StateStore {};

}  // namespace tessera::solver::backend
