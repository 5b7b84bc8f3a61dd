// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of fluid nodes with indirect addressing, populations as a structure of arrays:
//   Populations  index list of Suffa et al. 2024 (arXiv:2408.06880): q - 1 indices a node into the
//                populations; a link that ends on a wall names the node's own opposite population
//   Nodes        connectivity matrix (Bernaschi et al. 2010, in Tomczak & Szafran 2016): q - 1
//                indices of nodes, or noNode
// In place, populations stream by the AA pattern (Bailey et al. 2009): phase 0 pulls from the
// neighbours and pushes to them, so that each population takes the place of the opposite one that
// was read; phase 1 reads and writes a node's own and needs no index.
// Traffic per node of D3Q19: 38 populations and 18 indices, in place 9 indices on average.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "solver/comparators/structure.hpp"

namespace tessera::solver::comparators {

enum class ListEntry { Populations, Nodes };

template <model::LatticeModel Lattice, class Index, bool inPlace_, ListEntry entry>
struct ListView {
  static constexpr bool inPlace = inPlace_;
  static constexpr bool streams = !inPlace;
  static constexpr bool storesSolid = false;
  static constexpr bool readsBlockFirst = false;
  using BlockData = NoBlockData;
  static constexpr int q = Lattice::q;

  const Index* list;  // (q - 1) x stride
  Index stride;
  std::uint32_t count;

  template <int phase>
  struct Node {
    Index stride;
    std::uint32_t unit;
    bool fluid;
    Index from[phase == 0 ? q : 1];  // address of each population that arrives

    template <int i>
    TESSERA_HOST_DEVICE Index source() const {
      if constexpr (phase == 0)
        return from[i];
      else
        return model::opposite(i) * stride + unit;
    }
    template <int i>
    TESSERA_HOST_DEVICE Index target() const {
      if constexpr (phase == 0 && inPlace)
        return from[model::opposite(i)];
      else
        return i * stride + unit;
    }
  };

  TESSERA_HOST_DEVICE void loadBlock(std::uint32_t, unsigned, BlockData&) const {}
  template <int phase>
  TESSERA_HOST_DEVICE Node<phase> node(std::uint32_t unit, const BlockData&) const {
    Node<phase> node;
    node.stride = stride;
    node.unit = unit;
    node.fluid = unit < count;
    if constexpr (phase == 0) {
      node.from[0] = unit;
      model::forEach<q - 1>([&](auto k) {
        constexpr int i = k + 1;
        const Index found = list[k * stride + unit];
        if constexpr (entry == ListEntry::Populations)
          node.from[i] = found;
        else
          node.from[i] = found == Index(noNode) ? Index(model::opposite(i) * stride + unit)
                                                : Index(i * stride + found);
      });
    }
    return node;
  }
};

template <model::LatticeModel Lattice, class Index_, bool inPlace, ListEntry entry>
class Lists {
  static constexpr int q = Lattice::q;

 public:
  using Index = Index_;
  using View = ListView<Lattice, Index, inPlace, entry>;

  explicit Lists(const FluidNodes& nodes)
      : count_(nodes.count()), stride_(strideOf(count_)), list_((q - 1) * stride_) {
    const auto own = [this](int i, std::uint64_t unit) {
      return static_cast<Index>(static_cast<std::uint64_t>(i) * stride_ + unit);
    };
    forNodes(nodes, [&](std::uint32_t node) {
      for (int i = 1; i < q; ++i) {
        const std::uint32_t from = nodes.source(node, Lattice::c[static_cast<std::size_t>(i)]);
        if (entry == ListEntry::Nodes)
          at(i, node) = static_cast<Index>(from);
        else
          at(i, node) = from == noNode ? own(model::opposite(i), node) : own(i, from);
      }
    });
  }

  // Whether Index can address all populations of so many nodes.
  static bool suffices(std::uint64_t nodes) {
    return sizeof(Index) == 8 || strideOf(nodes) * q <= std::uint64_t{1} << 32U;
  }

  [[nodiscard]] std::uint32_t units() const {
    return static_cast<std::uint32_t>(roundUp(count_, 64));
  }
  [[nodiscard]] std::uint64_t values() const { return q * stride_; }
  [[nodiscard]] std::uint32_t unitOf(std::uint32_t node) const { return node; }
  [[nodiscard]] auto arrays() const { return std::tie(list_); }
  [[nodiscard]] View view(const Index* list) const {
    return {list, static_cast<Index>(stride_), count_};
  }
  [[nodiscard]] double traffic(unsigned bytes) const {
    const double indices = (q - 1) * sizeof(Index) / (inPlace ? 2.0 : 1.0);
    return count_ * (2.0 * q * bytes + indices);
  }

 private:
  Index& at(int i, std::uint64_t unit) {
    return list_[static_cast<std::uint64_t>(i - 1) * stride_ + unit];
  }

  std::uint32_t count_;
  std::uint64_t stride_;
  std::vector<Index> list_;
};

}  // namespace tessera::solver::comparators
