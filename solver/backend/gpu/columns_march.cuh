// SPDX-License-Identifier: GPL-3.0-or-later
// March of a column of tiles along z on ten moments per node. In each plane of nodes a thread
// rebuilds the populations of its node and leaves the 16 that move sideways at the node's own
// place in shared memory, from where its neighbours take them; those straight up and down stay in
// registers. A node's sums over its own plane and what came up wait for what comes down from the
// plane above. Where a link ends on a wall the node takes its own opposite population, so what
// solid nodes and missing tiles left is never used.
#pragma once

#include <cstdint>

#include "solver/backend/gpu/intrinsics.hpp"
#include "solver/backend/gpu/moment_planes.cuh"
#include "solver/domain/tile_columns.hpp"
#include "solver/model/moment_step.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::backend {

template <class L, int cx, int cy, int cz>
constexpr int dir = model::directionIndex<L>(cx, cy, cz);

// Place of direction i among those that move sideways.
template <class L, int i>
constexpr int sideways = [] {
  int place = 0;
  for (std::size_t k = 1; k < i; ++k) place += L::c[k][0] != 0 || L::c[k][1] != 0 ? 1 : 0;
  return place;
}();
constexpr int sidewaysCount = 16;

// Arrays of a kernel, in device memory.
template <class Format>
struct DeviceColumns {
  using Word = typename Format::Word;
  using Order = model::MomentsByPlane<Format>;
  const Word* now;  // may be the same memory as next, shifted
  Word* next;
  const domain::ColumnPiece* __restrict__ pieces;  // of this launch
  const domain::ColumnTile* __restrict__ rows;     // of the table
  const std::uint32_t* __restrict__ masks;

  // Plane z of the tile in a slot, with its bits.
  __device__ __forceinline__ std::uint64_t plane(std::int32_t slot, int z) const {
    return model::momentTile<Order>(
               static_cast<std::uint32_t>(slot & ~domain::ColumnTile::foreign)) +
           static_cast<unsigned>(z * Order::plane);
  }
  // Mask of a node; solid where there is no tile. l: in the plane.
  __device__ __forceinline__ std::uint32_t mask(const domain::ColumnTile& tile, int z,
                                                int l) const {
    if (tile.masks < 0) return tile.slot < 0 ? 1U << model::solidBit : 0;
    return loadConstant(masks + static_cast<std::uint64_t>(tile.masks) * 64U +
                        static_cast<unsigned>(16 * z + l));
  }
};

// Two loads in one.
__device__ __forceinline__ domain::ColumnTile loadTile(const domain::ColumnTile* at) {
  const int2 tile = loadConstant(reinterpret_cast<const int2*>(at));
  return {tile.x, tile.y};
}

// A buffer of a plane in shared memory: `border` nodes around the column's. Rows are an odd number
// of fours, so that the tiles of a team, one above the other, meet no bank twice.
template <int nx, int ny, int border>
struct PlaneBuffer {
  static constexpr int oddFours(int n) {
    return (n + 3) / 4 % 2 == 0 ? (n + 7) / 4 * 4 : (n + 3) / 4 * 4;
  }
  static constexpr int pitch = oddFours(nx + 2 * border);
  static constexpr int direction = pitch * (ny + 2 * border);  // values of one direction
  static constexpr int values = sidewaysCount * direction;
  __device__ static __forceinline__ int at(int x, int y) {
    return (y + border) * pitch + x + border;
  }
};

// Populations that cross into a plane's node from above or below: straight, and along +x, -x, +y,
// -y.
template <class Real>
struct Crossing {
  Real straight, xPlus, xMinus, yPlus, yMinus;

  template <class L>
  __device__ __forceinline__ model::CrossingSums<Real> sums() const {
    return model::sumCrossing<L, Real, Real>(straight, xPlus, xMinus, yPlus, yMinus);
  }
};

// Populations of a node that it keeps in registers.
template <class Real>
struct OwnPopulations {
  Real rest, up, down;  // f_0 / w_0; straight up and down
};

template <class L, class Buffer, class Format>
struct Exchange {
  using Real = typename Format::Real;
  static constexpr int scale = Format::scale;
  // own: the node's own place in a plane's buffer.
  template <int i>
  __device__ static __forceinline__ Real take(const Real* own) {
    constexpr auto c = L::c[i];
    return own[sideways<L, i> * Buffer::direction - c[1] * Buffer::pitch - c[0]];
  }
  // The node's own population opposite to i.
  template <int i>
  __device__ static __forceinline__ Real takeBack(const Real* own) {
    return own[sideways<L, model::opposite(i)> * Buffer::direction];
  }
  template <int i>
  __device__ static __forceinline__ bool fromWall(std::uint32_t mask) {
    return (mask >> model::linkBit<L>(model::opposite(i)) & 1U) != 0;
  }
  // Replaces f_i where it comes from a wall.
  template <int i>
  __device__ static __forceinline__ void bounceBack(std::uint32_t mask, const Real* own, Real& f) {
    if (fromWall<i>(mask)) f = takeBack<i>(own);
  }

  template <int i, class Get>
  __device__ static __forceinline__ void leave(const Get& get, bool reversed, Real* own) {
    own[(reversed ? sideways<L, model::opposite(i)> : sideways<L, i>)*Buffer::direction] =
        model::populationByWeight<L, i, Real, scale>(get);
  }
  // All sideways populations of a node of the column, from its words.
  __device__ static __forceinline__ OwnPopulations<Real> leaveAll(
      const typename Format::Word (&words)[Format::words], Real* own) {
    const model::AllMoments<Real> m = model::unpackScaled<Format>(words);
    const auto get = [&](int n) { return m.of[n]; };
    model::forEach<L::q - 1>([&](auto k) {
      constexpr int i = k + 1;
      constexpr auto c = L::c[i];
      if constexpr (c[0] != 0 || c[1] != 0) leave<i>(get, false, own);
    });
    return {model::restMoment<Real, scale>(m.of),
            model::populationByWeight<L, dir<L, 0, 0, 1>, Real, scale>(get),
            model::populationByWeight<L, dir<L, 0, 0, -1>, Real, scale>(get)};
  }
  // Those of a node beside the column, that move along +y; reversed: its words are, and they move
  // along -y.
  __device__ static __forceinline__ void leaveAlongY(
      const typename Format::Word (&words)[Format::words], bool reversed, Real* own) {
    const auto get = [&](int n) { return Format::scaledValue([&](int k) { return words[k]; }, n); };
    leave<dir<L, 0, 1, 0>>(get, reversed, own);
    leave<dir<L, 1, 1, 0>>(get, reversed, own);
    leave<dir<L, -1, 1, 0>>(get, reversed, own);
    leave<dir<L, 0, 1, 1>>(get, reversed, own);
    leave<dir<L, 0, 1, -1>>(get, reversed, own);
  }
  // The same along x.
  __device__ static __forceinline__ void leaveAlongX(const FaceXMoments<Real>& m, bool reversed,
                                                     Real* own) {
    const auto get = [&](int n) { return faceValue(m, n); };
    leave<dir<L, 1, 0, 0>>(get, reversed, own);
    leave<dir<L, 1, 1, 0>>(get, reversed, own);
    leave<dir<L, 1, -1, 0>>(get, reversed, own);
    leave<dir<L, 1, 0, 1>>(get, reversed, own);
    leave<dir<L, 1, 0, -1>>(get, reversed, own);
  }
  // The one that a corner sends into the column: towards +y, or -y.
  __device__ static __forceinline__ void leaveDiagonal(const FaceXMoments<Real>& m, bool reversed,
                                                       bool towardsPlusY, Real* own) {
    const auto get = [&](int n) { return faceValue(m, n); };
    if (towardsPlusY != reversed)
      leave<dir<L, 1, 1, 0>>(get, reversed, own);
    else
      leave<dir<L, 1, -1, 0>>(get, reversed, own);
  }

 private:
  __device__ static __forceinline__ Real faceValue(const FaceXMoments<Real>& m, int n) {
    switch (n) {
      case model::moment::p:
        return m.p;
      case model::moment::y:
        return m.y;
      case model::moment::z:
        return m.z;
      case model::moment::yy:
        return m.yy;
      default:
        return m.zz;
    }
  }
};

// A thread's node of the march.
template <class L, class Buffer, class Format>
class MarchingNode {
  using Real = typename Format::Real;
  using Move = Exchange<L, Buffer, Format>;

 public:
  // Moments of the node of the plane below, completed by what comes down. own, ownBelow: its place
  // in the buffers of this plane and of the one below; down: straight down from this plane; mask:
  // of the node below, 0 where no team of the block's has one.
  __device__ __forceinline__ model::MomentSums<Real> finish(const Real* own, const Real* ownBelow,
                                                            Real down, std::uint32_t mask) const {
    Crossing<Real> fromAbove{down, Move::template take<dir<L, 1, 0, -1>>(own),
                             Move::template take<dir<L, -1, 0, -1>>(own),
                             Move::template take<dir<L, 0, 1, -1>>(own),
                             Move::template take<dir<L, 0, -1, -1>>(own)};
    if (mask != 0) {
      if (Move::template fromWall<dir<L, 0, 0, -1>>(mask)) fromAbove.straight = rising_.straight;
      Move::template bounceBack<dir<L, 1, 0, -1>>(mask, ownBelow, fromAbove.xPlus);
      Move::template bounceBack<dir<L, -1, 0, -1>>(mask, ownBelow, fromAbove.xMinus);
      Move::template bounceBack<dir<L, 0, 1, -1>>(mask, ownBelow, fromAbove.yPlus);
      Move::template bounceBack<dir<L, 0, -1, -1>>(mask, ownBelow, fromAbove.yMinus);
    }
    return model::addSums<L, Real, Real>(inPlane_, up_, fromAbove.template sums<L>());
  }
  // Begins the node of this plane. mask: of it.
  __device__ __forceinline__ void begin(const Real* own, const OwnPopulations<Real>& populations,
                                        std::uint32_t mask) {
    Real f[L::q];
    model::forEach<L::q - 1>([&](auto k) {
      constexpr int i = k + 1;
      if constexpr (L::c[i][2] == 0) f[i] = Move::template take<i>(own);
    });
    if (mask != 0) {
      model::forEach<L::q - 1>([&](auto k) {
        constexpr int i = k + 1;
        if constexpr (L::c[i][2] == 0) Move::template bounceBack<i>(mask, own, f[i]);
      });
      if (Move::template fromWall<dir<L, 0, 0, 1>>(mask)) rising_.straight = populations.down;
      Move::template bounceBack<dir<L, 1, 0, 1>>(mask, own, rising_.xPlus);
      Move::template bounceBack<dir<L, -1, 0, 1>>(mask, own, rising_.xMinus);
      Move::template bounceBack<dir<L, 0, 1, 1>>(mask, own, rising_.yPlus);
      Move::template bounceBack<dir<L, 0, -1, 1>>(mask, own, rising_.yMinus);
    }
    inPlane_ = model::sumInPlane<L, Real, Real>(populations.rest, [&](auto i) { return f[i]; });
    up_ = rising_.template sums<L>();
    rising_ = {populations.up, Move::template take<dir<L, 1, 0, 1>>(own),
               Move::template take<dir<L, -1, 0, 1>>(own),
               Move::template take<dir<L, 0, 1, 1>>(own),
               Move::template take<dir<L, 0, -1, 1>>(own)};
  }

 private:
  model::InPlaneSums<Real> inPlane_{};
  model::CrossingSums<Real> up_{};
  Crossing<Real> rising_{};  // into the node of the next plane
};

// Relaxes a node and stores it. plane: of its tile in the new state; writes: whether the tile is
// the piece's own. All lanes of the team take part. Rows of four nodes are stored whole, zeros in
// solid nodes, or not at all where they hold no fluid; nodes stepped separately are left alone.
template <class Variant, bool forced, int separateBit, class Real>
__device__ __forceinline__ void storeNode(const model::MomentSums<Real>& sums,
                                          const model::MomentRelaxation<Real>& relaxation,
                                          typename model::MomentFormat<Variant>::Word* plane, int l,
                                          bool writes, bool clean, std::uint32_t mask) {
  using Format = model::MomentFormat<Variant>;
  bool solid = false;
  if (!clean) {
    solid = (mask >> model::solidBit & 1U) != 0;
    const bool separate = (mask >> separateBit & 1U) != 0;
    const unsigned rows = lanesWhere(writes && !solid && !separate);
    writes = writes && !separate && (rows >> (threadIdx.x & (teamLanes - 4U)) & 15U) != 0;
  }
  if (!writes) return;
  typename Format::Word words[Format::words];
  model::collideToWords<Format, typename Variant::Equilibrium, forced>(sums, relaxation, words);
  if (solid) model::forEach<Format::words>([&](auto k) { words[k] = {}; });
  MomentPlanes<Format>::store(plane, l, words);
}

}  // namespace tessera::solver::backend
