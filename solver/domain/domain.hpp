// SPDX-License-Identifier: GPL-3.0-or-later
// The discretised problem: tiles, neighbour table and boundary links, built once on the host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/boundary/outlets.hpp"
#include "solver/boundary/wall_force.hpp"
#include "solver/boundary/wall_links.hpp"
#include "solver/comm/ranks.hpp"
#include "solver/model/populations.hpp"
#include "solver/model/step_parameters.hpp"
#include "solver/tiles/tile_order.hpp"
#include "solver/tiles/update_window.hpp"

namespace tessera::solver::domain {

// Halo: values that cross between ranks after each pass, and their local indices.

// Exchange with one other rank: ranges of HaloPlan::send and receive, in the same order on both
// sides.
struct HaloNeighbour {
  int rank = 0;
  std::size_t firstSent = 0;
  std::size_t sent = 0;
  std::size_t firstReceived = 0;
  std::size_t received = 0;
};

// Indices into a state as the backend stores it, or into a list of nodes
// (SeparateNodes::between).
struct HaloPlan {
  std::vector<HaloNeighbour> neighbours;
  std::vector<std::uint64_t> send;     // of border tiles
  std::vector<std::uint64_t> receive;  // of slots that hold tiles of other ranks
};

// Input of a backend, built once on the host from the results of the planners. The neighbour table
// and masks are those of a TileOrder, which must outlive the Domain and backends on the CPU.
struct Domain {
  std::uint32_t tiles = 0;
  std::uint32_t slots = 0;        // tiles, those of other ranks, and ghosts
  std::uint32_t borderTiles = 0;  // leading tiles, all that other ranks read among them
  std::span<const std::int32_t> neighbourTable;
  std::array<int, 3> shiftAxes{0, 1, 2};  // of the shifted tiling
  std::span<const std::uint32_t> masks;
  std::vector<std::array<std::int32_t, 3>> positions;  // of slots in the tile grid
  tiles::StateWindow window;  // of the in-place update; shift 0: two copies
  int stepsInPass = 0;        // of schemes that may make 1 or 2; 0: what is faster here
  bool meetsItself = false;   // an axis closes on a single tile, its own neighbour
  std::vector<boundary::IncomingLink> links;
  std::size_t sampledLinks = 0;  // the first of them; the rest are at nodes of other ranks
  std::vector<boundary::PopulationCopy> copies;
  // Boundary time series (boundary/time_series.hpp).
  std::uint32_t coefficients = 0;               // amplitudes of a step
  std::vector<boundary::DrivenOpening> driven;  // modes of each opening
  std::vector<double> basis;                    // mode values of links
  std::vector<std::uint64_t> sources;  // OpeningValues::sources; empty without links by Zou & He
  boundary::OpeningStencils stencils;  // of pressure links
  // Outlets: openings whose pressure follows from their flow rate (boundary/plan_openings.hpp).
  std::vector<boundary::Outlet> outlets;
  std::vector<boundary::OutletState> outletStates;  // initial
  std::vector<std::uint32_t> outletLinks;
  std::vector<boundary::FlowChunk> flowChunks;
  std::vector<std::uint32_t> prescribedPressures;  // indices of their amplitudes
  std::uint32_t rampCoefficient = 0;
  double meanGain = 0.0;  // OutletShape's
  boundary::Walls walls;
  boundary::WallForces wallForces;
  // With several ranks.
  HaloPlan halo;       // of passes of one step
  HaloPlan haloOfTwo;  // of passes of two, where these may be
  comm::Ranks* ranks = &comm::noOthers();
  const tiles::RankPart* part = nullptr;    // the tiles of this rank; null on one rank
  const tiles::TileOrder* order = nullptr;  // likewise

  // Slots of tiles, those of other ranks among them; ghosts follow.
  [[nodiscard]] std::uint32_t slotsOfTiles() const {
    return static_cast<std::uint32_t>(neighbourTable.size() / model::neighbourStride);
  }
  [[nodiscard]] boundary::OutletShape outletShape() const {
    return {static_cast<std::uint32_t>(outlets.size()),
            static_cast<std::uint32_t>(prescribedPressures.size()), rampCoefficient, meanGain};
  }
};

}  // namespace tessera::solver::domain
