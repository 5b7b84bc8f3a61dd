// SPDX-License-Identifier: GPL-3.0-or-later
// Openings beside the bulk of a step. What comes in is found by kernels that have little to do and
// take a sixth of the time of a step of half a million nodes; in a stream of their own they run
// while the tiles are stepped. Of moments those are all tiles; of populations those that do not
// meet openings: the order of slots has put those that do, and their neighbours, last.
#pragma once

#include <algorithm>
#include <cstdint>

#include "solver/backend/backend.hpp"
#include "solver/backend/gpu/runtime.hpp"

namespace tessera {

// Measured on an H200 in whole runs with three openings, at 0.6, 3 and 15 million nodes:
// populations win 9 % at 0.6 million in fp64, 6, 6 and 1 % in f16, and in fp32 lose 1.5 % and win 3
// and 1 %; moments win 7, 2 and 0 % in fp32 and lose 3, 2 and 1 % in fp64, whose blocks leave no
// room.
template <class Storage>
constexpr bool populationsWinBeside(std::uint32_t tiles) {
  return sizeof(Storage) != 4 || tiles > 30000;
}
template <class Real>
constexpr bool momentsWinBeside = sizeof(Real) == 4;

// The first slot from which on lies all that links of openings read or write; tiles where there is
// none such, or where it would be most of them.
inline std::uint32_t firstOpenTile(const Domain& domain, std::uint64_t perSlot) {
  std::uint64_t first = domain.tiles;
  for (const IncomingLink& link : domain.links)
    first = std::min({first, link.node / perSlot, link.target / perSlot});
  for (const std::uint64_t source : domain.sources) first = std::min(first, source / perSlot);
  return first < domain.tiles / 2 ? domain.tiles : static_cast<std::uint32_t>(first);
}

// A second stream of highest priority, so that its few blocks precede the many of the main stream.
// Each can be made to wait for what the other had been given when it was marked.
class SideStream {
 public:
  [[nodiscard]] StreamHandle get() const { return stream_.get(); }
  void markMain(StreamHandle main) const { main_.record(main); }
  void waitForMain() const { main_.holdBack(get()); }
  void mark() const { side_.record(get()); }
  void letWait(StreamHandle main) const { side_.holdBack(main); }

 private:
  DeviceStream stream_{StreamOrder::WithDefault, StreamPriority::Highest};
  DeviceEvent main_;
  DeviceEvent side_;
};

}  // namespace tessera
