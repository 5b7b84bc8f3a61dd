// SPDX-License-Identifier: GPL-3.0-or-later
// One tile of moments on the CPU: the populations gathered at its 64 nodes, rebuilt row by row from
// the moments of the tile and its 26 neighbours, then sums and collision on vectors of nodes. A row
// of four nodes is one vector; the node from the neighbouring tile is rebuilt separately.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "solver/backend/cpu/mixed_moments.hpp"
#include "solver/backend/cpu/pulled_tile.hpp"
#include "solver/backend/cpu/source_lines.hpp"
#include "solver/backend/cpu/vectors.hpp"
#include "solver/model/moment_step.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::backend {

// f_i / w_i of the moving directions at the 64 nodes of a tile.
template <class Lattice, class Real>
struct MomentTile {
  alignas(64) Real arrived[Lattice::q - 1][64];
};

// The words of a tile after the step.
template <class Format>
using WordsOfTile = typename Format::Word[Format::words][64];

// Start of the ten values of a tile and its 26 neighbours; 13 is the tile itself.
template <class Real>
using NeighbourMoments = std::array<const Real*, 27>;

// Words of a tile and its 26 neighbours in the state of all slots. row: of the neighbour table.
template <class Format>
std::array<const typename Format::Word*, 27> wordsAround(const typename Format::Word* state,
                                                         const std::int32_t* row) {
  using Order = model::MomentsByValue<Format>;
  std::array<const typename Format::Word*, 27> around;
  for (std::size_t n = 0; n < 27; ++n)
    around[n] = state + model::momentTile<Order>(static_cast<std::uint32_t>(row[n]));
  return around;
}

// Where the values of tiles around are read: in the state, or where they have been unpacked.
// reads(c, n): whether what arrives along c is made of word n of its source.
template <class Format>
struct MomentsAround {
  using Real = typename Format::Real;
  static constexpr bool reads(const std::array<int, 3>& c, int n) {
    return model::readsMoment(c, n);
  }
  NeighbourMoments<Real> of(const Real* state, const std::int32_t* row) {
    return wordsAround<Format>(state, row);
  }
};
template <>
struct MomentsAround<model::MixedMoments> {
  static constexpr bool reads(const std::array<int, 3>&, int) { return true; }
  UnpackedNeighbours unpacked;
  NeighbourMoments<float> of(const model::MixedWord* state, const std::int32_t* row) {
    unpacked.unpack(state, row);
    return unpacked.around();
  }
};

// A tile that is stepped later.
template <class Lattice, class Format>
class TileAhead {
 public:
  // state: of all slots; row: of the neighbour table.
  TileAhead(const typename Format::Word* state, const std::int32_t* row)
      : tiles_(wordsAround<Format>(state, row)) {}
  // Prefetches share k of q - 1 of what its step reads.
  TESSERA_HOST_DEVICE void prefetch(int k) const {
    static constexpr SourceLines<Lattice, Format::words, sizeof(typename Format::Word), Reads>
        sources{};
    sources.template prefetch<Lattice::q - 1>(k, [&](std::size_t n) { return tiles_[n]; });
  }

 private:
  struct Reads {
    static constexpr bool of(int i, int n) {
      return MomentsAround<Format>::reads(Lattice::c[static_cast<std::size_t>(i)], n);
    }
  };
  std::array<const typename Format::Word*, 27> tiles_;
};

// Packs a tile: put() for the nodes of a vector from local node l on, then finish().
template <class Format>
struct TilePacker {
  using Value = typename Vector<typename Format::Real>::type;
  void put(const model::RelaxedMoments<Value>& node, int l, WordsOfTile<Format>& words) {
    Value values[Format::words];
    Format::pack(node, values);
    model::forEach<Format::words>(
        [&](auto k) { std::memcpy(&words[k][l], &values[k], sizeof(Value)); });
  }
  void finish(WordsOfTile<Format>&) const {}
};
template <>
struct TilePacker<model::MixedMoments> : MixedPacker {};

// Rebuilds row r = y + 4 z of direction i; all offsets are known at compile time.
template <class Lattice, int i, int r, class Real>
TESSERA_HOST_DEVICE void rebuildRow(const NeighbourMoments<Real>& around, Real* target) {
  using Row = typename Vector<Real, 4 * sizeof(Real)>::type;
  constexpr auto c = Lattice::c[i];
  constexpr int sy = r % 4 - c[1];
  constexpr int sz = r / 4 - c[2];
  constexpr int n = 13 + 3 * (sy >> 2) + 9 * (sz >> 2);
  constexpr int start = 4 * ((sy & 3) + 4 * (sz & 3));
  const Real* middle = around[n] + start;
  const Row row = model::populationByWeight<Lattice, i, Real>([&](int m) {
    Row value;
    std::memcpy(&value, middle + 64 * m, sizeof(value));
    return value;
  });
  if constexpr (c[0] == 0) {
    std::memcpy(target, &row, sizeof(row));
  } else {
    const Real* next = around[n - c[0]] + start + (c[0] > 0 ? 3 : 0);
    const Real end =
        model::populationByWeight<Lattice, i, Real>([&](int m) { return next[64 * m]; });
    const Row shifted =
        c[0] > 0 ? Row{end, row[0], row[1], row[2]} : Row{row[1], row[2], row[3], end};
    std::memcpy(target, &shifted, sizeof(shifted));
  }
}

template <class Lattice, class Real>
struct RebuildOwn {
  using Function = Real (*)(const Real*);
  template <int i>
  static Real one(const Real* m) {
    return model::populationByWeight<Lattice, i, Real>([&](int n) { return m[64 * n]; });
  }
  template <int... i>
  static constexpr std::array<Function, Lattice::q> table(std::integer_sequence<int, i...>) {
    return {nullptr, &one<i + 1>...};
  }
  static constexpr std::array<Function, Lattice::q> of =
      table(std::make_integer_sequence<int, Lattice::q - 1>{});
};

// Halfway bounce-back at links that end on a wall; solid nodes rest.
template <class Lattice, class Real>
void bounceBackMoments(const Real* own, const std::uint32_t* masks,
                       MomentTile<Lattice, Real>& tile) {
  static constexpr auto directions = directionsOfBits<Lattice>();
  for (int l = 0; l < 64; ++l) {
    if ((masks[l] >> model::solidBit & 1U) != 0) {
      for (auto& f : tile.arrived) f[l] = 0;
      continue;
    }
    for (std::uint32_t rest = masks[l]; rest != 0; rest &= rest - 1) {
      const int out = directions[static_cast<std::size_t>(std::countr_zero(rest))];
      tile.arrived[model::opposite(out) - 1][l] =
          RebuildOwn<Lattice, Real>::of[static_cast<std::size_t>(out)](own + l);
    }
  }
}

// masks: 64, or null where no node of the tile meets a wall.
template <class Lattice, class Real, class Format>
__attribute__((noinline)) void rebuildArrivals(const NeighbourMoments<Real>& around,
                                               const std::uint32_t* masks,
                                               const TileAhead<Lattice, Format>& ahead,
                                               MomentTile<Lattice, Real>& tile) {
  model::forEach<Lattice::q - 1>([&](auto k) {
    ahead.prefetch(k);
    model::forEach<16>(
        [&](auto r) { rebuildRow<Lattice, k + 1, r>(around, &tile.arrived[k][4 * r]); });
  });
  if (masks != nullptr) bounceBackMoments(around[13], masks, tile);
}

// Collides all nodes of a tile. own: its ten values before.
template <class Variant, bool forced, class Real, class Format>
TESSERA_HOST_DEVICE void collideTile(const Real* own,
                                     const model::MomentRelaxation<Real>& relaxation,
                                     const MomentTile<typename Variant::Lattice, Real>& tile,
                                     WordsOfTile<Format>& stored) {
  using Lattice = typename Variant::Lattice;
  using Value = typename Vector<Real>::type;
  const auto load = [](const Real* from) {
    Value value;
    std::memcpy(&value, from, sizeof(value));
    return value;
  };
  TilePacker<Format> packer;
  for (int l = 0; l < 64; l += Vector<Real>::width) {
    const Value rest = model::restMoment<Real>(load(own + 64 * model::moment::p + l),
                                               load(own + 64 * (model::moment::p + 1) + l),
                                               load(own + 64 * model::moment::xx + l));
    const model::MomentSums<Value> sums =
        model::sumUp<Lattice, Real>(rest, [&](auto i) { return load(&tile.arrived[i - 1][l]); });
    packer.put(model::collideMoments<typename Variant::Equilibrium, forced>(sums, relaxation), l,
               stored);
  }
  packer.finish(stored);
}

}  // namespace tessera::solver::backend
