// SPDX-License-Identifier: GPL-3.0-or-later
// What a simulation asks of a backend. One virtual call a step or less often, never one a node.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solver/boundary/outlets.hpp"
#include "solver/boundary/wall_links.hpp"
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
  std::vector<std::array<std::int32_t, 3>> positions;  // of slots in the grid of tiles
  int stateCopies = 2;
  bool meetsItself = false;  // an axis closes on a single tile, its own neighbour
  std::vector<IncomingLink> links;
  std::vector<PopulationCopy> copies;
  // What openings are driven by: OpeningDrive says it for each step.
  std::uint32_t coefficients = 0;  // of a step
  std::vector<DrivenOpening> driven;
  std::vector<double> basis;
  std::vector<std::uint64_t> sources;  // OpeningValues::sources; empty without links by Zou & He
  // Openings whose pressure follows from their flow rate, and what that needs.
  std::vector<Outlet> outlets;
  std::vector<OutletState> outletStates;  // to begin with
  std::vector<std::uint32_t> outletLinks;
  std::vector<FlowChunk> flowChunks;
  std::vector<std::uint32_t> prescribedPressures;  // their coefficients
  std::uint32_t rampCoefficient = 0;
  Walls walls;

  [[nodiscard]] OutletShape outletShape() const {
    return {static_cast<std::uint32_t>(outlets.size()),
            static_cast<std::uint32_t>(prescribedPressures.size()), rampCoefficient};
  }
};

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

// What a look at a state finds.
struct Look {
  std::vector<LinkSample> links;  // of Domain::links
  GlobalSample nodes;
  double reference = 0.0;  // OutletReport::reference
  double seconds = 0.0;    // that steps waited for it
};

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
  // moments before the collision of the next step.
  virtual void observeTiles(std::span<const double> coefficients, std::uint32_t first,
                            std::uint32_t count, std::vector<float>& values) = 0;
  // The same of all tiles, left in the backend's own memory until the next call.
  virtual const float* observeAll(std::span<const double> coefficients) = 0;
  virtual OutletReport outlets() = 0;
  virtual void setOutlets(const std::vector<OutletState>& states) = 0;
  // What is stored of all slots, widened to double: post-collision deviations, q x 64 a slot, or
  // the values of solver/state/moments.hpp.
  virtual std::vector<double> state() = 0;
  virtual void setState(std::span<const double> values) = 0;
  // What is stored of slots 0 .. Domain::tiles - 1, tile after tile, as it is stored: copied into
  // memory of the backend's own, which stays as it is until the next call while steps go on.
  virtual std::span<const std::byte> savedState() = 0;
  // As setState, of such bytes.
  virtual void restoreState(std::span<const std::byte> saved) = 0;
  // What walls remember from the step before, one number a link of Domain::walls; empty where they
  // need not, or before the first step. setState makes them forget.
  virtual std::vector<double> wallMemory() = 0;
  virtual void setWallMemory(std::span<const double> memory) = 0;
  // Bytes per second of a plain copy in the backend's memory, reads and writes counted; a median.
  virtual double copyBandwidth() = 0;
};

}  // namespace tessera
