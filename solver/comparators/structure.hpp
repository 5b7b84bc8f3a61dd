// SPDX-License-Identifier: GPL-3.0-or-later
// Requirements on a structure that stores populations, and the node that the step of
// solver/model/step.hpp works on. A structure is a plan on the host and a View, the addresses that
// a kernel needs, the same on CPU and GPU. Its units are numbered without gaps, 64 a block; a unit
// holds a fluid node or nothing.
#pragma once

#include <concepts>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "pipelines/stage/error.hpp"
#include "solver/comparators/fluid_nodes.hpp"
#include "solver/comparators/structure_bytes.hpp"
#include "solver/model/lattice/lattice.hpp"
#include "solver/model/step.hpp"

namespace tessera::solver::comparators {

// Data of a block of 64 units that a view does without.
struct NoBlockData {};

// Two copies are pulled from one and written to the other, always alike (phase 0). One copy (in
// place) alternates between phases 0 and 1; its state starts as phase 1 leaves it.
template <class V>
concept StructureView = std::is_trivially_copyable_v<V> &&
    requires(const V& view, std::uint32_t unit, typename V::BlockData& data) {
  { V::inPlace } -> std::convertible_to<bool>;
  // Targets of the 64 units of a block lie next to each other for each direction, aligned to 64.
  { V::streams } -> std::convertible_to<bool>;
  // Solid nodes have memory of their own, so that whole sectors can be stored.
  { V::storesSolid } -> std::convertible_to<bool>;
  // A block's units (unitsOfBlock) are all read before one of them is written.
  { V::readsBlockFirst } -> std::convertible_to<bool>;
  // Loads share `lane` of 64 of what the nodes of a block have in common.
  view.loadBlock(unit, 0U, data);
  { view.template node<0>(unit, data).fluid } -> std::convertible_to<bool>;
  // Addresses of population 1: where it is read and where it is written.
  { view.template node<0>(unit, data).template source<1>() } -> std::convertible_to<std::uint64_t>;
  { view.template node<0>(unit, data).template target<1>() } -> std::convertible_to<std::uint64_t>;
};

// Optional, for the CPU: units without walls are read from next to each other.
template <class V>
concept HasPlainSources = requires(const V& view, std::uint32_t unit) {
  { view.isPlain(unit) } -> std::same_as<bool>;
  { view.readsInside(unit) } -> std::same_as<bool>;
  { view.template plainSource<1>(unit) } -> std::same_as<std::uint64_t>;
};
// Optional, for the CPU: blocks that are tiles amid others as tile populations store them.
template <class V>
concept HasWholeTiles = requires(const V& view, const typename V::BlockData& data) {
  { view.isWhole(data) } -> std::same_as<bool>;
  { V::addressOf(data.around[0], 0) } -> std::same_as<std::uint64_t>;
};

// Units of a block, of which all are read before one is written, where that matters: 64 or more.
template <StructureView V>
constexpr std::uint32_t unitsOfBlock = [] {
  if constexpr (requires { V::blockUnits; })
    return V::blockUnits;
  else
    return std::uint32_t{64};
}();

// Optional, for a GPU: populations pass through shared memory on both ways.
template <class V>
concept StagedView = StructureView<V> && V::staged;

template <class S>
concept Structure = StructureView<typename S::View> &&
    requires(const S& plan, std::uint32_t node, unsigned bytes) {
  { plan.units() } -> std::same_as<std::uint32_t>;   // a multiple of 64
  { plan.values() } -> std::same_as<std::uint64_t>;  // populations of a copy, with padding
  { plan.unitOf(node) } -> std::same_as<std::uint32_t>;
  plan.arrays();  // tuple of references to the vectors that view() takes pointers to
  // Bytes that a step reads and writes, a mean of both phases, where a population has `bytes`.
  { plan.traffic(bytes) } -> std::same_as<double>;
};

// View of a plan on the host.
template <Structure S>
typename S::View hostView(const S& plan) {
  return std::apply([&](const auto&... arrays) { return plan.view(arrays.data()...); },
                    plan.arrays());
}

// Calls body(node) for unit `unit` of a view on the host.
template <int phase, StructureView V, class Body>
void withNode(const V& view, std::uint32_t unit, const Body& body) {
  typename V::BlockData data;
  for (unsigned lane = 0; lane < 64; ++lane) view.loadBlock(unit / 64 * 64, lane, data);
  body(view.template node<phase>(unit, data));
}

template <class S>
std::uint64_t arrayBytes(const S& plan) {
  return std::apply(
      [](const auto&... arrays) {
        return (std::uint64_t{0} + ... +
                (arrays.size() * sizeof(typename std::decay_t<decltype(arrays)>::value_type)));
      },
      plan.arrays());
}

// Bytes of a plan, for populations of so many bytes.
template <Structure S>
StructureBytes bytesOf(const S& plan, unsigned bytes) {
  constexpr unsigned copies = S::View::inPlace ? 1 : 2;
  return {plan.traffic(bytes),
          static_cast<double>(plan.values() * bytes * copies + arrayBytes(plan))};
}

// For structures made of tiles. Throws StageError(Usage) for the shifted tiling and for periodic
// axes that whole tiles do not fill.
inline void requireWholeTiles(const FluidNodes& nodes) {
  if (nodes.geometry().isShifted() || !nodes.tileOrder().copies.empty())
    stage::fail(stage::ExitCode::Usage,
                "compact tiles and tiles with ghost buffers are measured with the aligned tiling "
                "and periodic axes that whole tiles fill; use such a geometry");
}

constexpr std::uint64_t roundUp(std::uint64_t number, std::uint64_t multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

// Distance between the arrays of two directions: an odd multiple of 64 nodes, so that the arrays of
// all directions begin at different places of a page.
constexpr std::uint64_t strideOf(std::uint64_t nodes) {
  return (roundUp(nodes, 64) / 64 | 1U) * 64;
}

}  // namespace tessera::solver::comparators
