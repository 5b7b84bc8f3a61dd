// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/domain/build.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "solver/boundary/plan_openings.hpp"
#include "solver/tiles/neighbour_table.hpp"

namespace tessera::solver::domain {

namespace {

Domain tilesOf(const tiles::TileOrder& order, const tiler::TiledGeometry& geometry) {
  Domain domain;
  domain.tiles = order.tiles;
  domain.slots = order.slotsOfTiles() + order.ghosts;
  domain.borderTiles = order.border;
  domain.neighbourTable = order.neighbourTable;
  domain.shiftAxes = order.shiftAxes;
  domain.masks = order.masks;
  domain.positions.resize(order.tiles);
  tbb::parallel_for(std::size_t{0}, geometry.tiles(), [&](std::size_t t) {
    if (order.slotOfTile[t] < order.tiles)
      domain.positions[order.slotOfTile[t]] = geometry.nonEmptyTiles[t];
  });
  for (std::size_t a = 0; a < 3; ++a)
    domain.meetsItself |= geometry.periodic[a] && geometry.grid[a] == 1;
  return domain;
}

std::vector<boundary::PopulationCopy> periodicCopies(const tiles::TileOrder& order,
                                                     const model::LatticeInfo& info) {
  std::vector<boundary::PopulationCopy> copies;
  for (const tiles::PeriodicCopy& copy : order.copies)
    copies.push_back(
        {tiles::indexOfPopulation({copy.fromSlot, copy.fromLocal, copy.direction}, info),
         tiles::indexOfPopulation({copy.toSlot, copy.toLocal, copy.direction}, info)});
  return copies;
}

void addOpenings(boundary::OpeningPlan plan, Domain& domain) {
  domain.links = std::move(plan.links);
  domain.sampledLinks = plan.sampledLinks;
  domain.driven = std::move(plan.driven);
  domain.basis = std::move(plan.basis);
  domain.sources = std::move(plan.sources);
  domain.stencils = std::move(plan.stencils);
  domain.rampCoefficient = domain.driven.back().first;
  domain.coefficients = domain.rampCoefficient + 1;
}

void addOutlets(boundary::OutletPlan plan, Domain& domain) {
  domain.outlets = std::move(plan.outlets);
  domain.outletStates = std::move(plan.states);
  domain.outletLinks = std::move(plan.links);
  domain.flowChunks = std::move(plan.chunks);
  domain.prescribedPressures = std::move(plan.prescribedPressures);
  domain.meanGain = plan.meanGain;
}

}  // namespace

Domain buildDomain(const tiles::TileOrder& order, const tiler::TiledGeometry& geometry,
                   const cases::SolverCase& run, const cases::LatticeRun& lattice,
                   const model::LatticeInfo& info) {
  const boundary::PlanInput input{order, geometry, info, lattice.scales, (lattice.tau - 0.5) / 3.0};
  Domain domain = tilesOf(order, geometry);
  domain.copies = periodicCopies(order, info);
  const boundary::StencilWalls walls{
      run.walls, run.wallConditions,
      boundary::advectionShares(run.lattice, run.collision, lattice.tau, lattice.magic)};
  addOpenings(boundary::planOpenings(input, run.openings, domain.copies, walls), domain);
  const std::span<const boundary::IncomingLink> links(domain.links);
  addOutlets(boundary::planOutlets(run.openings, links.first(domain.sampledLinks), domain.driven,
                                   lattice.scales, *std::ranges::max_element(geometry.nodes)),
             domain);
  return domain;
}

}  // namespace tessera::solver::domain
