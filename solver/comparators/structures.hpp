// SPDX-License-Identifier: GPL-3.0-or-later
// The list of structures: a name, the orders of nodes that they are made for, and the plan for a
// variant and a number of nodes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <vector>

#include "solver/comparators/compact_tiles.hpp"
#include "solver/comparators/comparator.hpp"
#include "solver/comparators/dense.hpp"
#include "solver/comparators/fluid_index.hpp"
#include "solver/comparators/ghost_tiles.hpp"
#include "solver/comparators/hybrid.hpp"
#include "solver/comparators/lists.hpp"

namespace tessera::solver::comparators {

// A structure that has one plan for a variant. Plan: its type, by the variant.
template <template <class> class Plan, NodeOrder... order>
struct OfOnePlan {
  static constexpr std::array orders{order...};
  template <class Variant, class Make>
  static auto plan(const FluidNodes&, const ComparatorRequest&, const Make& make) {
    return make(std::type_identity<Plan<Variant>>{});
  }
};

// A structure whose plan has 32-bit indices where these suffice. Plan: its type, by the variant and
// the index.
template <template <class, class> class Plan, NodeOrder... order>
struct OfIndices {
  static constexpr std::array orders{order...};
  template <class Variant, class Make>
  static auto plan(const FluidNodes& nodes, const ComparatorRequest& request, const Make& make) {
    using Narrow = Plan<Variant, std::uint32_t>;
    using Wide = Plan<Variant, std::uint64_t>;
    return request.wideIndices || !Narrow::suffices(nodes.count())
               ? make(std::type_identity<Wide>{})
               : make(std::type_identity<Narrow>{});
  }
};

template <class Variant, class Index>
using PullListPlan = Lists<typename Variant::Lattice, Index, false, ListEntry::Populations>;
struct PullLists : OfIndices<PullListPlan, NodeOrder::Curve, NodeOrder::Rows> {
  static constexpr const char* name = "lists";
};

template <class Variant, class Index>
using InPlaceListPlan = Lists<typename Variant::Lattice, Index, true, ListEntry::Populations>;
struct InPlaceLists : OfIndices<InPlaceListPlan, NodeOrder::Curve, NodeOrder::Rows> {
  static constexpr const char* name = "lists-in-place";
};

template <class Variant, class Index>
using MatrixPlan = Lists<typename Variant::Lattice, Index, false, ListEntry::Nodes>;
struct ConnectivityMatrix : OfIndices<MatrixPlan, NodeOrder::Rows> {
  static constexpr const char* name = "connectivity-matrix";
};

template <class Variant, class Index>
using HybridPlan = Hybrid<typename Variant::Lattice, Index, sizeof(typename Variant::Storage)>;
struct HybridBlocks : OfIndices<HybridPlan, NodeOrder::Curve, NodeOrder::Rows> {
  static constexpr const char* name = "hybrid";
};

template <class Variant, class Index>
using TiledHybridPlan =
    Hybrid<typename Variant::Lattice, Index, sizeof(typename Variant::Storage), true>;
struct TiledHybridBlocks : OfIndices<TiledHybridPlan, NodeOrder::Curve> {
  static constexpr const char* name = "hybrid-tiles";
};

template <class Variant>
using FluidIndexPlan = FluidIndex<typename Variant::Lattice>;
struct FluidIndexArray : OfOnePlan<FluidIndexPlan, NodeOrder::Rows> {
  static constexpr const char* name = "fluid-index-array";
};

template <class Variant>
using DensePlan = Dense<typename Variant::Lattice, sizeof(typename Variant::Storage)>;
struct DenseBox : OfOnePlan<DensePlan, NodeOrder::Rows> {
  static constexpr const char* name = "dense";
};

template <class Variant>
using UnpaddedDensePlan =
    Dense<typename Variant::Lattice, sizeof(typename Variant::Storage), RowPadding::None>;
struct UnpaddedDenseBox : OfOnePlan<UnpaddedDensePlan, NodeOrder::Rows> {
  static constexpr const char* name = "dense-unpadded";
};

template <class Variant>
using StagedDensePlan = Dense<typename Variant::Lattice, sizeof(typename Variant::Storage),
                              RowPadding::To128Bytes, true>;
struct SharedMemoryDenseBox : OfOnePlan<StagedDensePlan, NodeOrder::Rows> {
  static constexpr const char* name = "dense-shared-memory";
};

template <class Variant>
using CompactTilePlan =
    CompactTiles<typename Variant::Lattice, 32 / sizeof(typename Variant::Storage)>;
struct CompactTileNodes : OfOnePlan<CompactTilePlan, NodeOrder::Curve> {
  static constexpr const char* name = "tiles-compact";
};

template <class Variant>
using GhostTilePlan = GhostTiles<typename Variant::Lattice, sizeof(typename Variant::Storage)>;
struct GhostBufferTiles : OfOnePlan<GhostTilePlan, NodeOrder::Curve> {
  static constexpr const char* name = "tiles-ghost-buffers";
};

// For D2Q9, 16x16 nodes as in the paper.
template <class Variant>
using LargeGhostTilePlan =
    GhostTiles<typename Variant::Lattice, sizeof(typename Variant::Storage), 1>;
struct LargeGhostBufferTiles : OfOnePlan<LargeGhostTilePlan, NodeOrder::Curve> {
  static constexpr const char* name = "tiles-ghost-16x16";
};

// Structures of a lattice; hybrids and compact tiles are made for three dimensions, staging for
// two.
using SpatialStructures = std::tuple<PullLists, InPlaceLists, ConnectivityMatrix, FluidIndexArray,
                                     DenseBox, UnpaddedDenseBox, HybridBlocks, TiledHybridBlocks,
                                     GhostBufferTiles, CompactTileNodes>;
using FlatStructures =
    std::tuple<PullLists, InPlaceLists, ConnectivityMatrix, FluidIndexArray, DenseBox,
               UnpaddedDenseBox, SharedMemoryDenseBox, GhostBufferTiles, LargeGhostBufferTiles>;
template <class Lattice>
using StructuresOf =
    std::conditional_t<Lattice::dimensions == 3, SpatialStructures, FlatStructures>;

// Counter and maker of each of the structures, in their order. Backend<Variant, Plan>: the
// comparator.
template <class Variant, template <class, class> class Backend>
std::vector<StructureForms> formsOf() {
  const auto ofStructure = []<class Kind>(std::type_identity<Kind>) -> StructureForms {
    return {[](const FluidNodes& nodes, const ComparatorRequest& request) {
              return Kind::template plan<Variant>(
                  nodes, request, [&]<class Plan>(std::type_identity<Plan>) {
                    return bytesOf(Plan(nodes), sizeof(typename Variant::Storage));
                  });
            },
            [](const FluidNodes& nodes, const ComparatorRequest& request) {
              return Kind::template plan<Variant>(
                  nodes, request,
                  [&]<class Plan>(std::type_identity<Plan>) -> std::unique_ptr<Comparator> {
                    return std::make_unique<Backend<Variant, Plan>>(nodes, request.relaxation);
                  });
            }};
  };
  return [&]<class... Kinds>(std::type_identity<std::tuple<Kinds...>>) {
    return std::vector<StructureForms>{ofStructure(std::type_identity<Kinds>{})...};
  }(std::type_identity<StructuresOf<typename Variant::Lattice>>{});
}

}  // namespace tessera::solver::comparators
