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

// Calls make(std::type_identity<Plan>{}) for lists with 32-bit indices where these suffice.
template <class Lattice, bool inPlace, ListEntry entry, class Make>
auto makeLists(const FluidNodes& nodes, const ComparatorRequest& request, const Make& make) {
  using Narrow = Lists<Lattice, std::uint32_t, inPlace, entry>;
  using Wide = Lists<Lattice, std::uint64_t, inPlace, entry>;
  return request.wideIndices || !Narrow::suffices(nodes.count())
             ? make(std::type_identity<Wide>{})
             : make(std::type_identity<Narrow>{});
}

struct PullLists {
  static constexpr const char* name = "lists";
  static constexpr std::array orders{NodeOrder::Curve, NodeOrder::Rows};
  template <class Variant, class Make>
  static auto plan(const FluidNodes& nodes, const ComparatorRequest& request, const Make& make) {
    return makeLists<typename Variant::Lattice, false, ListEntry::Populations>(nodes, request,
                                                                               make);
  }
};

struct InPlaceLists {
  static constexpr const char* name = "lists-in-place";
  static constexpr std::array orders{NodeOrder::Curve, NodeOrder::Rows};
  template <class Variant, class Make>
  static auto plan(const FluidNodes& nodes, const ComparatorRequest& request, const Make& make) {
    return makeLists<typename Variant::Lattice, true, ListEntry::Populations>(nodes, request, make);
  }
};

struct ConnectivityMatrix {
  static constexpr const char* name = "connectivity-matrix";
  static constexpr std::array orders{NodeOrder::Rows};
  template <class Variant, class Make>
  static auto plan(const FluidNodes& nodes, const ComparatorRequest& request, const Make& make) {
    return makeLists<typename Variant::Lattice, false, ListEntry::Nodes>(nodes, request, make);
  }
};

struct FluidIndexArray {
  static constexpr const char* name = "fluid-index-array";
  static constexpr std::array orders{NodeOrder::Rows};
  template <class Variant, class Make>
  static auto plan(const FluidNodes&, const ComparatorRequest&, const Make& make) {
    return make(std::type_identity<FluidIndex<typename Variant::Lattice>>{});
  }
};

struct DenseBox {
  static constexpr const char* name = "dense";
  static constexpr std::array orders{NodeOrder::Rows};
  template <class Variant, class Make>
  static auto plan(const FluidNodes&, const ComparatorRequest&, const Make& make) {
    return make(
        std::type_identity<Dense<typename Variant::Lattice, sizeof(typename Variant::Storage)>>{});
  }
};

struct UnpaddedDenseBox {
  static constexpr const char* name = "dense-unpadded";
  static constexpr std::array orders{NodeOrder::Rows};
  template <class Variant, class Make>
  static auto plan(const FluidNodes&, const ComparatorRequest&, const Make& make) {
    constexpr unsigned bytes = sizeof(typename Variant::Storage);
    return make(std::type_identity<Dense<typename Variant::Lattice, bytes, RowPadding::None>>{});
  }
};

struct SharedMemoryDenseBox {
  static constexpr const char* name = "dense-shared-memory";
  static constexpr std::array orders{NodeOrder::Rows};
  template <class Variant, class Make>
  static auto plan(const FluidNodes&, const ComparatorRequest&, const Make& make) {
    using Lattice = typename Variant::Lattice;
    constexpr unsigned bytes = sizeof(typename Variant::Storage);
    return make(std::type_identity<Dense<Lattice, bytes, RowPadding::To128Bytes, true>>{});
  }
};

struct HybridBlocks {
  static constexpr const char* name = "hybrid";
  static constexpr std::array orders{NodeOrder::Curve, NodeOrder::Rows};
  template <class Variant, class Make>
  static auto plan(const FluidNodes& nodes, const ComparatorRequest& request, const Make& make) {
    using Lattice = typename Variant::Lattice;
    constexpr unsigned bytes = sizeof(typename Variant::Storage);
    using Narrow = Hybrid<Lattice, std::uint32_t, bytes>;
    using Wide = Hybrid<Lattice, std::uint64_t, bytes>;
    return request.wideIndices || !Narrow::suffices(nodes.count())
               ? make(std::type_identity<Wide>{})
               : make(std::type_identity<Narrow>{});
  }
};

struct CompactTileNodes {
  static constexpr const char* name = "tiles-compact";
  static constexpr std::array orders{NodeOrder::Curve};
  template <class Variant, class Make>
  static auto plan(const FluidNodes&, const ComparatorRequest&, const Make& make) {
    constexpr unsigned sectorNodes = 32 / sizeof(typename Variant::Storage);
    return make(std::type_identity<CompactTiles<typename Variant::Lattice, sectorNodes>>{});
  }
};

struct GhostBufferTiles {
  static constexpr const char* name = "tiles-ghost-buffers";
  static constexpr std::array orders{NodeOrder::Curve};
  template <class Variant, class Make>
  static auto plan(const FluidNodes&, const ComparatorRequest&, const Make& make) {
    using Lattice = typename Variant::Lattice;
    return make(std::type_identity<GhostTiles<Lattice, sizeof(typename Variant::Storage)>>{});
  }
};

// For D2Q9, 16x16 nodes as in the paper.
struct LargeGhostBufferTiles {
  static constexpr const char* name = "tiles-ghost-16x16";
  static constexpr std::array orders{NodeOrder::Curve};
  template <class Variant, class Make>
  static auto plan(const FluidNodes&, const ComparatorRequest&, const Make& make) {
    using Lattice = typename Variant::Lattice;
    return make(std::type_identity<GhostTiles<Lattice, sizeof(typename Variant::Storage), 1>>{});
  }
};

// Structures of a lattice; hybrids and compact tiles are made for three dimensions, staging for
// two.
using SpatialStructures =
    std::tuple<PullLists, InPlaceLists, ConnectivityMatrix, FluidIndexArray, DenseBox,
               UnpaddedDenseBox, HybridBlocks, GhostBufferTiles, CompactTileNodes>;
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
