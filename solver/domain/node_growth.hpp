// SPDX-License-Identifier: GPL-3.0-or-later
// Sets of nodes of the tiles of a domain, grown along the links of D3Q19: what a step reads from a
// set, and what one writes into it.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/domain/domain.hpp"

namespace tessera::solver::domain {

class NodeGrowth {
 public:
  // Slot by slot, a bit a node; slots of other ranks' tiles follow the own ones.
  using Bits = std::vector<std::uint64_t>;

  explicit NodeGrowth(const Domain& domain);

  [[nodiscard]] const Bits& fluid() const { return fluid_; }
  // With the fluid nodes one link away. bits: of all tiles that have a slot. A link that ends on a
  // wall counts as well, as does one to a tile that is not there, for which the tile itself stands.
  [[nodiscard]] Bits grown(const Bits& bits) const;

 private:
  [[nodiscard]] std::int32_t entry(std::uint32_t slot, int n) const;

  const Domain& domain_;
  Bits fluid_;
};

}  // namespace tessera::solver::domain
