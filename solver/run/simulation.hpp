// SPDX-License-Identifier: GPL-3.0-or-later
// Simulation: steps, samples and observes the state. Duration and output are decided in
// time_loop.hpp, checkpoints.hpp and output.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "solver/backend/backend.hpp"
#include "solver/boundary/opening_force.hpp"
#include "solver/boundary/time_series.hpp"
#include "solver/run/monitor.hpp"
#include "solver/run/place_sampler.hpp"
#include "solver/run/setup.hpp"
#include "tiler/file/tiles_file.hpp"

namespace tessera::solver::run {

class Simulation {
 public:
  // tiles must outlive this. Collective. The state is the case's initial field, or at rest, until
  // one of the functions below sets it.
  Simulation(const tiler::file::TilesFile& tiles, Setup setup);
  [[nodiscard]] const Setup& setup() const { return setup_; }
  [[nodiscard]] const tiler::file::TilesFile& tiles() const { return tiles_; }
  // Steps made, since rest.
  [[nodiscard]] std::uint64_t step() const { return step_; }
  // Backend, for Checkpoints and CycleMeans.
  [[nodiscard]] backend::Backend& backend() { return *backend_; }

  void advance(std::uint64_t steps);
  // Waits until all steps are done.
  void finish() { backend_->finish(); }
  // Repeats the exchange of the last step, to measure how long it takes when nothing hides it.
  void exchangeHalo() { backend_->exchangeHalo(); }

  // Sample of the state: openings and reductions over all nodes. In two parts, between which steps
  // may follow: the sample is that of the state at beginSample().
  MonitorSample sample();
  void beginSample();
  MonitorSample endSample();
  // Forces of the last sample if it is of this step, else none.
  [[nodiscard]] BoundaryForces forcesAt(std::uint64_t step) const;
  // Forces of a pressure of 1 Pa everywhere: m2, m3.
  [[nodiscard]] BoundaryForces forcesPerPascal() const;
  // Forces that a sample at the current step, restored from a checkpoint, has.
  void restoreForces(BoundaryForces forces);
  // Time that steps waited for the last sample, s.
  [[nodiscard]] double sampleSeconds() const { return sampleSeconds_; }
  // Pa that lattice pressure 0 stands for at this step.
  [[nodiscard]] double referencePressure() const;
  // States of outlets as of the last step or sample, lattice units.
  [[nodiscard]] backend::OutletReport outlets() const { return backend_->outlets(); }

  // Values of the openings' boundary time series at this step.
  [[nodiscard]] std::vector<double> openingValues() const { return drive_.amplitudes(step_, 1); }
  // visit(tile of the geometry, its observedValues x 64 moments) for all owned tiles, one after the
  // other. Collective.
  using Visit = std::function<void(std::size_t, const float*)>;
  void observe(const Visit& visit);
  // The same by several threads at once.
  void observeTogether(const Visit& visit);

  // Starts from the fields of another run on the same geometry (checkInitialFields).
  void startFrom(const file::Fields& fields);
  // Continues with another set-up of the same tiles, whose state is set next, and was reached after
  // that many of its steps. The state is given up before the new one is made. Collective.
  void continueWith(Setup setup, std::uint64_t step);
  // Starts from a checkpoint. Collective.
  void restore(std::uint64_t step, std::span<const std::byte> savedState);
  // Random state, for measurements.
  void setNoise();
  // Post-collision deviations in file order, q x 64 a tile. A state of moments keeps what moments
  // can hold, and is expanded from them.
  void setPopulations(std::span<const double> inFileOrder);
  std::vector<double> populations();
  // Stored values in file order, VariantInfo::stateValues x 64 an owned tile.
  void setState(std::span<const double> inFileOrder);
  std::vector<double> state();
  // The same tile by tile, so that a large state is never converted to doubles as a whole:
  // fill(tile of the geometry, its values) and visit(tile, its values, 0 at solid nodes) are called
  // by many threads and must not throw.
  void setState(const std::function<void(std::size_t, std::span<double>)>& fill);
  void visitState(const std::function<void(std::size_t, std::span<const double>)>& visit);
  // Changes values tile by tile, those at solid nodes included; what walls and outlets remember is
  // kept. Collective.
  void changeState(const std::function<void(std::size_t, std::span<double>)>& change);

  // Bytes per second of a plain copy in the memory of the state.
  double copyBandwidth() { return backend_->copyBandwidth(); }

 private:
  // visit(first slot, count, values of these tiles) for all owned tiles, chunk by chunk.
  // Collective.
  void forObserved(const std::function<void(std::uint32_t, std::uint32_t, const float*)>& visit);
  // coupled: OutletReport::reference.
  [[nodiscard]] double referencePressureAt(std::uint64_t step, double coupled) const;

  // All that depends on the set-up but for the state.
  void plan();
  // reference: Pa.
  void addPlaces(double reference, MonitorSample& sample) const;
  // walls, openings: lattice units, over some steps; reference: Pa.
  [[nodiscard]] BoundaryForces inSiUnits(std::span<const boundary::LatticeForce> walls,
                                         std::span<const boundary::LatticeForce> openings,
                                         int steps, double reference) const;

  const tiler::file::TilesFile& tiles_;
  Setup setup_;
  std::vector<double> areas_;  // of opening links
  boundary::OpeningForces openingForces_;
  // Forces of a pressure of 1, lattice units, by label and by opening.
  std::vector<boundary::LatticeForce> wallAreas_;
  std::vector<boundary::LatticeForce> openingAreas_;
  boundary::OpeningSeries drive_;
  bool coupled_;  // some openings' pressure follows from their flow rate
  std::unique_ptr<backend::Backend> backend_;
  PlaceSampler places_;
  std::vector<PlaceSample> sampledPlaces_;  // at beginSample()
  std::uint64_t step_ = 0;
  std::uint64_t sampledStep_ = 0;
  BoundaryForces forces_;        // of the last sample
  bool forcesRestored_ = false;  // of this step, from a checkpoint
  double sampleSeconds_ = 0.0;
};

}  // namespace tessera::solver::run
