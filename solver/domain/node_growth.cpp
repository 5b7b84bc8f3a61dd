// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/domain/node_growth.hpp"

#include <tbb/parallel_for.h>

#include <array>
#include <cstddef>

#include "solver/model/lattice/lattice.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::domain {

namespace {

// Part of a tile's nodes that a shift moves to the neighbour of an index.
struct ShiftedPart {
  int neighbour;
  std::uint64_t bits;
};

// The nodes of a tile by one step along an axis: those that stay and those that leave.
void shiftAlong(int axis, int step, std::vector<ShiftedPart>& parts) {
  constexpr std::array<std::uint64_t, 3> first{0x1111111111111111U, 0x000f000f000f000fU, 0xffffU};
  constexpr std::array<int, 3> stride{1, 4, 16};
  constexpr std::array<int, 3> ofNeighbour{1, 3, 9};
  const auto a = static_cast<std::size_t>(axis);
  const std::uint64_t edge = step > 0 ? first[a] << (3 * stride[a]) : first[a];
  const std::size_t count = parts.size();
  for (std::size_t k = 0; k < count; ++k) {
    const ShiftedPart part = parts[k];
    const std::uint64_t leave = part.bits & edge;
    const std::uint64_t stay = part.bits & ~edge;
    parts[k].bits = step > 0 ? stay << stride[a] : stay >> stride[a];
    if (leave != 0)
      parts.push_back({part.neighbour + step * ofNeighbour[a],
                       step > 0 ? leave >> (3 * stride[a]) : leave << (3 * stride[a])});
  }
}

}  // namespace

NodeGrowth::NodeGrowth(const Domain& domain)
    : domain_(domain), fluid_(domain.slotsOfTiles(), ~std::uint64_t{0}) {
  tbb::parallel_for(std::uint32_t{0}, domain.slotsOfTiles(), [&](std::uint32_t slot) {
    const std::int32_t masks = entry(slot, model::maskEntry);
    if (masks < 0) return;
    for (std::size_t local = 0; local < 64; ++local)
      if ((domain.masks[static_cast<std::size_t>(masks) * 64 + local] >> model::solidBit & 1U) != 0)
        fluid_[slot] &= ~(std::uint64_t{1} << local);
  });
}

NodeGrowth::Bits NodeGrowth::grown(const Bits& bits) const {
  Bits out = bits;
  std::vector<ShiftedPart> parts;
  for (std::uint32_t slot = 0; slot < bits.size(); ++slot) {
    if (bits[slot] == 0) continue;
    for (const auto& c : model::D3Q19::c) {
      parts.assign(1, {13, bits[slot]});
      for (int axis = 0; axis < 3; ++axis)
        if (c[static_cast<std::size_t>(axis)] != 0)
          shiftAlong(axis, c[static_cast<std::size_t>(axis)], parts);
      for (const ShiftedPart& part : parts) {
        const auto to = static_cast<std::uint32_t>(entry(slot, part.neighbour));
        if (to < out.size()) out[to] |= part.bits & fluid_[to];
      }
    }
  }
  return out;
}

std::int32_t NodeGrowth::entry(std::uint32_t slot, int n) const {
  return domain_
      .neighbourTable[std::size_t{slot} * model::neighbourStride + static_cast<std::size_t>(n)];
}

}  // namespace tessera::solver::domain
