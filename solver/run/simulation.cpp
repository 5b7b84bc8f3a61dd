// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/simulation.hpp"

#include <algorithm>

#include "pipelines/stage/system/large_array.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "preprocess/file/node_types.hpp"
#include "solver/backend/sample.hpp"
#include "solver/domain/build.hpp"
#include "solver/domain/halo_plan.hpp"
#include "solver/model/stored_values.hpp"
#include "solver/run/initial_state.hpp"

namespace tessera::solver::run {

using backend::PartialSample;
using boundary::LinkSample;
using tiler::tileNodes;

namespace {

// Tiles converted to double per chunk: 40 MB for D3Q19.
constexpr std::uint32_t tilesPerChunk = 4096;
// Tiles observed per chunk.
constexpr std::uint32_t observedPerChunk = 8192;

boundary::WallForceInput forceInput(const Setup& setup) {
  return {setup.walls, setup.run.wallConditions, setup.lattice.scales,
          setup.run.forces.torqueAbout};
}

// In large pages.
boundary::Walls copyOf(const boundary::Walls& walls) {
  boundary::Walls copy;
  stage::reserveLarge(copy.links, walls.links.size());
  stage::reserveLarge(copy.farSlots, walls.farSlots.size());
  stage::reserveLarge(copy.mass.nodes, walls.mass.nodes.size());
  stage::reserveLarge(copy.mass.near, walls.mass.near.size());
  copy = walls;
  return copy;
}

void addHalo(const Setup& setup, const tiler::TiledGeometry& geometry, domain::Domain& domain) {
  const unsigned words = setup.variant->storedWords;
  domain.part = &setup.part;
  domain.order = &setup.order;
  const auto plan = [&](std::vector<std::uint64_t> wanted) {
    return domain::planHalo(*setup.ranks, setup.part, setup.order, words, std::move(wanted));
  };
  std::vector<std::uint64_t> read =
      domain::readInStep(setup.order, geometry, setup.variant->lattice, words, domain);
  if (domain.stepsInPass != 1) {
    std::vector<std::uint64_t> ofTwo = domain::readInTwoSteps(setup.order, words, domain);
    ofTwo.insert(ofTwo.end(), read.begin(), read.end());
    domain.haloOfTwo = plan(std::move(ofTwo));
  }
  domain.halo = plan(std::move(read));
}

domain::Domain domainOf(const Setup& setup, const tiler::TiledGeometry& geometry) {
  const model::LatticeInfo& info = setup.variant->lattice;
  domain::Domain domain =
      domain::buildDomain(setup.order, geometry, setup.run, setup.lattice, info);
  domain.walls = copyOf(setup.walls);
  domain.wallForces =
      boundary::planWallForces(setup.order, geometry, forceInput(setup), info, *setup.ranks);
  domain.window = setup.window;
  domain.stepsInPass = setup.mayStepTwice() ? setup.stepsInPass : 1;
  domain.ranks = setup.ranks;
  if (!setup.ranks->alone()) addHalo(setup, geometry, domain);
  return domain;
}

std::unique_ptr<backend::Backend> makeBackend(const Setup& setup,
                                              const tiler::TiledGeometry& geometry,
                                              std::vector<boundary::LatticeForce>& wallAreas) {
  const model::Relaxation relaxation{setup.lattice.tau, setup.lattice.magic, setup.lattice.force,
                                     setup.lattice.law};
  const auto make =
      setup.backend == BackendKind::Cuda ? setup.variant->makeCuda : setup.variant->makeCpu;
  domain::Domain domain = domainOf(setup, geometry);
  wallAreas = domain.wallForces.areas;
  return make(std::move(domain), relaxation);
}

backend::GlobalSample overRanks(comm::Ranks& ranks, const PartialSample& mine) {
  PartialSample all;
  for (const PartialSample& each : stage::gatherValues<PartialSample>(ranks, std::span(&mine, 1)))
    backend::addSample(each, all);
  return backend::reduced(all);
}

// Samples of all links; own: of the links at owned tiles.
std::vector<LinkSample> linksOverRanks(const Setup& setup, const std::vector<LinkSample>& own) {
  if (setup.ranks->alone()) return own;
  struct NumberedSample {
    std::uint64_t link;
    LinkSample sample;
  };
  const std::vector<tiles::OpeningLink>& links = setup.order.openingLinks;
  std::vector<NumberedSample> mine;
  for (std::size_t k = 0; k < links.size(); ++k)
    if (links[k].slot < setup.order.tiles) mine.push_back({k, own[mine.size()]});
  std::vector<LinkSample> all(links.size());
  for (const NumberedSample& each : stage::gatherValues<NumberedSample>(*setup.ranks, mine))
    all[each.link] = each.sample;
  return all;
}

std::vector<boundary::WallForceSum> wallsOverRanks(comm::Ranks& ranks,
                                                   std::vector<boundary::WallForceSum> walls) {
  static_assert(sizeof(boundary::WallForceSum) == 18 * sizeof(std::int64_t));
  if (!walls.empty()) ranks.sum({&walls[0].force[0].part[0], 18 * walls.size()});
  return walls;
}

}  // namespace

Simulation::Simulation(const tiler::file::TilesFile& tiles, Setup setup)
    : tiles_(tiles),
      setup_(std::move(setup)),
      drive_(setup_.run.openings, setup_.lattice.scales, setup_.rampSteps),
      coupled_(boundary::anyCoupled(setup_.run.openings)) {
  plan();
  if (setup_.run.initialField)
    setPopulations(populationsOf(*setup_.run.initialField, tiles_.geometry, setup_.part,
                                 *setup_.variant, setup_.lattice, drive_.referencePressure(0)));
}

void Simulation::plan() {
  const model::LatticeInfo& info = setup_.variant->lattice;
  areas_ = boundary::linkAreas(setup_.order, tiles_.geometry, info);
  openingForces_ =
      boundary::planOpeningForces(setup_.order, tiles_.geometry, forceInput(setup_), info);
  backend_ = makeBackend(setup_, tiles_.geometry, wallAreas_);
  openingAreas_.assign(tiles_.geometry.openings.size(), {});
  openingForces_.addAreas(wallAreas_, openingAreas_);
  places_ = PlaceSampler(setup_, tiles_.geometry);
}

void Simulation::advance(std::uint64_t steps) {
  if (steps == 0) return;
  forcesRestored_ = false;
  const std::uint64_t before = steps - 1;
  if (before > 0) backend_->advance(before, drive_.amplitudes(step_, before));
  step_ += before;
  const std::vector<double> last = openingValues();
  backend_->keepForces(last);
  backend_->advance(1, last);
  ++step_;
}

double Simulation::referencePressureAt(std::uint64_t step, double coupled) const {
  if (!coupled_) return drive_.referencePressure(step);
  return coupled * setup_.lattice.scales.pressure() / 3.0;
}

double Simulation::referencePressure() const {
  return referencePressureAt(step_, coupled_ ? backend_->outlets().reference : 0.0);
}

void Simulation::beginSample() {
  const std::vector<double> openings = openingValues();
  sampledPlaces_ = places_.sample(*backend_, openings);
  backend_->beginSample(openings);
  sampledStep_ = step_;
}

MonitorSample Simulation::endSample() {
  const backend::StateSample sample = backend_->endSample();
  sampleSeconds_ = sample.seconds;
  const double reference = referencePressureAt(sampledStep_, sample.reference);
  const std::vector<LinkSample> links = linksOverRanks(setup_, sample.links);
  MonitorSample all =
      reduceSamples(sampledStep_, setup_.order.openingLinks, areas_, links,
                    overRanks(*setup_.ranks, sample.nodes), tiles_.geometry.openings.size(),
                    setup_.lattice.scales, reference);
  auto walls = boundary::forcesOf(wallsOverRanks(*setup_.ranks, sample.walls));
  std::vector<boundary::LatticeForce> openings(openingAreas_.size());
  openingForces_.add(links, walls, openings);
  if (!forcesRestored_) forces_ = inSiUnits(walls, openings, sample.wallSteps, reference);
  static_cast<BoundaryForces&>(all) = forces_;
  addPlaces(reference, all);
  return all;
}

void Simulation::addPlaces(double reference, MonitorSample& sample) const {
  const model::Scales& scales = setup_.lattice.scales;
  const std::size_t probes = setup_.run.probes.size();
  for (std::size_t k = 0; k < sampledPlaces_.size(); ++k) {
    const double pressure = reference + sampledPlaces_[k].r / 3.0 * scales.pressure();
    const Double3 velocity =
        scales.velocity() * tiles_.geometry.frame.directionToWorld(sampledPlaces_[k].velocity);
    if (k < probes) {
      sample.probes.push_back({pressure, velocity});
      continue;
    }
    const double along = dot(velocity, setup_.run.stations[k - probes].normal);
    sample.stations.push_back({along * places_.areas()[k - probes], pressure, along});
  }
}

BoundaryForces Simulation::inSiUnits(std::span<const boundary::LatticeForce> walls,
                                     std::span<const boundary::LatticeForce> openings, int steps,
                                     double reference) const {
  const auto convert = [&](const auto& areas, const auto& sums) {
    return boundary::inSiUnits(areas, sums, steps, tiles_.geometry.frame, setup_.lattice.scales,
                               reference);
  };
  return {convert(wallAreas_, walls), convert(openingAreas_, openings)};
}

BoundaryForces Simulation::forcesAt(std::uint64_t step) const {
  return sampledStep_ == step ? forces_ : BoundaryForces{};
}

BoundaryForces Simulation::forcesPerPascal() const {
  const std::vector<boundary::LatticeForce> walls(wallAreas_.size());
  const std::vector<boundary::LatticeForce> openings(openingAreas_.size());
  return inSiUnits(walls, openings, 1, 1.0);
}

void Simulation::restoreForces(BoundaryForces forces) {
  forces_ = std::move(forces);
  forcesRestored_ = true;
  sampledStep_ = step_;
}

MonitorSample Simulation::sample() {
  beginSample();
  return endSample();
}

void Simulation::observe(const Visit& visit) {
  forObserved([&](std::uint32_t first, std::uint32_t count, const float* values) {
    for (std::uint32_t k = 0; k < count; ++k)
      visit(setup_.tiles.tileOfSlot()[first + k], values + k * backend::observedPerSlot);
  });
}

void Simulation::observeTogether(const Visit& visit) {
  forObserved([&](std::uint32_t first, std::uint32_t count, const float* values) {
    stage::parallelFor(count, [&](std::size_t k) {
      visit(setup_.tiles.tileOfSlot()[first + k], values + k * backend::observedPerSlot);
    });
  });
}

void Simulation::forObserved(
    const std::function<void(std::uint32_t, std::uint32_t, const float*)>& visit) {
  const std::uint32_t tiles = setup_.order.tiles;
  // Chunks are observed together, so all ranks make as many as the one with most tiles.
  const auto most = static_cast<std::uint32_t>(comm::largestOf(*setup_.ranks, tiles));
  std::vector<float> values;
  // Together, so that no rank waits for one without memory.
  stage::together(*setup_.ranks, [&] {
    values.reserve(std::size_t{std::min(observedPerChunk, most)} * backend::observedPerSlot);
  });
  const std::vector<double> openings = openingValues();
  for (std::uint32_t next = 0; next < most; next += observedPerChunk) {
    const std::uint32_t slot = std::min(next, tiles);
    const std::uint32_t count = std::min(observedPerChunk, tiles - slot);
    // A rank without further tiles observes one again, for the others' sake.
    backend_->sampleTiles(openings, count > 0 ? slot : 0, std::max(count, 1U), values);
    if (count > 0) visit(slot, count, values.data());
  }
}

void Simulation::startFrom(const file::Fields& fields) {
  setPopulations(populationsOf(fields, tiles_.geometry, setup_.part, *setup_.variant,
                               setup_.lattice, drive_.referencePressure(step_)));
}

void Simulation::continueWith(Setup setup, std::uint64_t step) {
  backend_.reset();
  setup_ = std::move(setup);
  drive_ = boundary::OpeningSeries(setup_.run.openings, setup_.lattice.scales, setup_.rampSteps);
  plan();
  step_ = sampledStep_ = step;
  forces_ = {};
  forcesRestored_ = false;
}

void Simulation::restore(std::uint64_t step, std::span<const std::byte> savedState) {
  backend_->restoreState(savedState);
  backend_->exchangeHalo();
  step_ = step;
}

void Simulation::setNoise() {
  backend_->setRandomState();
  backend_->exchangeHalo();
}

void Simulation::setState(const std::function<void(std::size_t, std::span<double>)>& fill) {
  const std::size_t values = std::size_t{setup_.variant->stateValues} * tileNodes;
  const auto tiles = setup_.tiles.tileOfSlot();
  std::vector<double> part;
  for (std::uint32_t first = 0; first < setup_.order.tiles; first += tilesPerChunk) {
    const std::size_t count = std::min(tilesPerChunk, setup_.order.tiles - first);
    part.resize(count * values);
    stage::parallelFor(count, [&](std::size_t k) {
      fill(tiles[first + k], {&part[k * values], values});
    });
    backend_->setState(part, first);
  }
  backend_->exchangeHalo();
}

void Simulation::setState(std::span<const double> inFileOrder) {
  setState([&](std::size_t tile, std::span<double> values) {
    std::copy_n(&inFileOrder[tile * values.size()], values.size(), values.data());
  });
}

void Simulation::visitState(
    const std::function<void(std::size_t, std::span<const double>)>& visit) {
  const std::size_t values = std::size_t{setup_.variant->stateValues} * tileNodes;
  const auto tiles = setup_.tiles.tileOfSlot();
  for (std::uint32_t first = 0; first < setup_.order.tiles; first += tilesPerChunk) {
    const std::uint32_t count = std::min(tilesPerChunk, setup_.order.tiles - first);
    std::vector<double> part = backend_->state(first, count);
    stage::parallelFor(count, [&](std::size_t k) {
      const std::size_t t = tiles[first + k];
      // Solid nodes are not stepped; after an in-place update they hold other nodes' old values.
      for (std::size_t l = 0; l < tileNodes; ++l)
        if (tiles_.geometry.nodeType[t * tileNodes + l] ==
            static_cast<std::uint8_t>(preprocess::file::NodeType::Solid))
          for (std::size_t n = l; n < values; n += tileNodes) part[k * values + n] = 0.0;
      visit(t, {&part[k * values], values});
    });
  }
}

void Simulation::changeState(const std::function<void(std::size_t, std::span<double>)>& change) {
  const std::vector<double> walls = backend_->wallMemory();
  const std::size_t values = std::size_t{setup_.variant->stateValues} * tileNodes;
  const auto tiles = setup_.tiles.tileOfSlot();
  for (std::uint32_t first = 0; first < setup_.order.tiles; first += tilesPerChunk) {
    const std::uint32_t count = std::min(tilesPerChunk, setup_.order.tiles - first);
    std::vector<double> part = backend_->state(first, count);
    stage::parallelFor(count, [&](std::size_t k) {
      change(tiles[first + k], {&part[k * values], values});
    });
    backend_->setState(part, first);
  }
  if (!walls.empty()) backend_->setWallMemory(walls);
  backend_->exchangeHalo();
}

std::vector<double> Simulation::state() {
  const std::size_t values = std::size_t{setup_.variant->stateValues} * tileNodes;
  const auto own = setup_.tiles.tiles();
  std::vector<double> inFileOrder(own.size() * values);
  visitState([&](std::size_t tile, std::span<const double> of) {
    const auto place = std::lower_bound(own.begin(), own.end(), tile) - own.begin();
    std::copy(of.begin(), of.end(), &inFileOrder[static_cast<std::size_t>(place) * values]);
  });
  return inFileOrder;
}

void Simulation::setPopulations(std::span<const double> inFileOrder) {
  if (setup_.variant->storesMoments())
    setState(model::momentsFromPopulations(inFileOrder));
  else
    setState(inFileOrder);
}

std::vector<double> Simulation::populations() {
  return setup_.variant->storesMoments() ? model::populationsFromMoments(state()) : state();
}

}  // namespace tessera::solver::run
