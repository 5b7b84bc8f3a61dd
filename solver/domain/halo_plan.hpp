// SPDX-License-Identifier: GPL-3.0-or-later
// Which numbers of a state cross between ranks after each step, and where they lie on this one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::solver::domain {

// With one other rank: parts of HaloPlan::send and receive. What this one sends the other receives,
// in the same order.
struct HaloNeighbour {
  int rank = 0;
  std::size_t firstSent = 0;
  std::size_t sent = 0;
  std::size_t firstReceived = 0;
  std::size_t received = 0;
};

// Indices into a state, as the backend keeps it.
struct HaloPlan {
  std::vector<HaloNeighbour> neighbours;
  std::vector<std::uint64_t> send;     // of border tiles
  std::vector<std::uint64_t> receive;  // of slots that hold tiles of other ranks
};

}  // namespace tessera::solver::domain
