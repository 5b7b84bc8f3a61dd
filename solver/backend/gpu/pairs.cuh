// SPDX-License-Identifier: GPL-3.0-or-later
// Vectorised kernel: two nodes per thread, neighbours along x, one team of lanes per tile. All
// stores and most loads are of two values, and the address of a row of nodes is found once for the
// directions that pull from it, which halves the instructions per byte, as 16-bit storage and wall
// tiles need. Traffic per node as in populations_kernels.cuh.
#pragma once

#include <cstdint>
#include <type_traits>

#include "solver/backend/gpu/populations_kernels.cuh"
#include "solver/model/precision/half.hpp"

namespace tessera::solver::backend {

// Values of the two nodes, the number type of a collision.
template <class Real>
struct Pair {
  Real a;
  Real b;

  __device__ __forceinline__ friend Pair operator+(const Pair& x, const Pair& y) {
    return {x.a + y.a, x.b + y.b};
  }
  __device__ __forceinline__ friend Pair operator-(const Pair& x, const Pair& y) {
    return {x.a - y.a, x.b - y.b};
  }
  __device__ __forceinline__ friend Pair operator*(const Pair& x, const Pair& y) {
    return {x.a * y.a, x.b * y.b};
  }
  __device__ __forceinline__ friend Pair operator/(const Pair& x, const Pair& y) {
    return {model::quotient(x.a, y.a), model::quotient(x.b, y.b)};
  }
  __device__ __forceinline__ friend Pair operator+(const Pair& x, Real y) {
    return {x.a + y, x.b + y};
  }
  __device__ __forceinline__ friend Pair operator-(const Pair& x, Real y) {
    return {x.a - y, x.b - y};
  }
  __device__ __forceinline__ friend Pair operator*(const Pair& x, Real y) {
    return {x.a * y, x.b * y};
  }
  __device__ __forceinline__ friend Pair operator/(const Pair& x, Real y) {
    return {x.a / y, x.b / y};
  }
  __device__ __forceinline__ friend Pair operator*(Real x, const Pair& y) { return y * x; }
  __device__ __forceinline__ friend Pair operator+(Real x, const Pair& y) { return y + x; }
  __device__ __forceinline__ Pair operator-() const { return {-a, -b}; }
  template <class Other>
  __device__ __forceinline__ Pair& operator+=(const Other& x) {
    return *this = *this + x;
  }
  template <class Other>
  __device__ __forceinline__ Pair& operator-=(const Other& x) {
    return *this = *this - x;
  }
  template <class Other>
  __device__ __forceinline__ Pair& operator*=(const Other& x) {
    return *this = *this * x;
  }
};

// Two stored populations, loaded and stored together.
template <int bytes>
struct StoredPairBits;
template <>
struct StoredPairBits<2> {
  using type = unsigned;
};
template <>
struct StoredPairBits<4> {
  using type = uint2;
};
template <>
struct StoredPairBits<8> {
  using type = double2;
};

template <class Precision>
struct StoredPair {
  using Storage = typename Precision::Storage;
  using Real = typename Precision::Arithmetic;
  using Bits = typename StoredPairBits<sizeof(Storage)>::type;
  __device__ __forceinline__ static Pair<Real> load(const Storage* from) {
    const Bits bits = loadConstant(reinterpret_cast<const Bits*>(from));
    Storage two[2];
    __builtin_memcpy(two, &bits, sizeof(two));
    return {Precision::widen(two[0]), Precision::widen(two[1])};
  }
  __device__ __forceinline__ static void store(const Pair<Real>& value, Storage* to) {
    Bits bits;
    if constexpr (std::is_same_v<Storage, model::ScaledHalf>) {
      bits = model::halfBitsOfTwo(value.a, value.b);
    } else {
      const Storage two[2] = {Precision::narrow(value.a), Precision::narrow(value.b)};
      __builtin_memcpy(&bits, two, sizeof(bits));
    }
    *reinterpret_cast<Bits*>(to) = bits;
  }
};

// Nodes 2 lane and 2 lane + 1 of the tile in `slot`, in an aligned tiling. In wall tiles each node
// loads separately, from its neighbour or, if the link ends on a wall, its own opposite population:
// a choice of address, not a second load. Solid nodes load nothing.
template <model::VariantModel Variant, bool atWall>
struct DevicePair {
  using Lattice = typename Variant::Lattice;
  static_assert(model::xyzLayout<Lattice>, "neighbours on x lie next to each other in memory");
  using Storage = typename Variant::Storage;
  using Precision = typename Variant::Precision;
  using Shape = model::TileShape<Lattice>;
  using Real = typename Variant::Real;
  using Value = Pair<Real>;
  using Stored = StoredPair<Precision>;
  const DeviceDomain<Storage>& domain;
  std::uint32_t slot;
  int local;
  std::int32_t row;
  std::uint32_t maskA;
  std::uint32_t maskB;
  bool stored;  // see sectorHasFluid()

  // Gathers all populations. Directions that differ in x alone come from the same row of nodes, so
  // its address is found once.
  __device__ __forceinline__ void gatherAll(Value (&f)[Lattice::q]) const {
    model::forEach<3>(
        [&](auto z) { model::forEach<3>([&](auto y) { gatherRow<y - 1, z - 1>(f); }); });
  }
  template <int i>
  __device__ __forceinline__ void scatter(const Value& value) const {
    if (atWall && !stored) return;
    Stored::store(value, domain.next + model::populationIndex<Lattice>(slot, i, local));
  }

 private:
  template <int cy, int cz>
  __device__ __forceinline__ void gatherRow(Value (&f)[Lattice::q]) const {
    constexpr int straight = model::directionIndex<Lattice>(0, cy, cz);
    constexpr int plus = model::directionIndex<Lattice>(1, cy, cz);
    constexpr int minus = model::directionIndex<Lattice>(-1, cy, cz);
    if constexpr (straight < 0 && plus < 0) return;
    const int x = local & (Shape::x - 1);
    const int y = local >> Shape::log2X & (Shape::y - 1);
    const int z = local >> (Shape::log2X + Shape::log2Y);
    const int line = ((y - cy) & (Shape::y - 1)) << Shape::log2X |
                     ((z - cz) & (Shape::z - 1)) << (Shape::log2X + Shape::log2Y);
    const int n = 13 + 3 * tileStep<cy, Shape::y>(y) + 9 * tileStep<cz, Shape::z>(z);
    const Storage* pair = tileAt(cy == 0 && cz == 0 ? slot : neighbour(n)) + (line | x);
    if constexpr (straight >= 0) {
      if constexpr (straight == 0)
        f[0] = !atWall || stored ? Stored::load(pair) : Value{};
      else if constexpr (!atWall)
        f[straight] = Stored::load(pair + 64 * straight);
      else
        f[straight] = {one<straight, 0>(pair), one<straight, 1>(pair + 1)};
    }
    if constexpr (plus >= 0) {
      // One of the two lies in this pair, the other in the pair next to it.
      const bool first = x == 0;
      const bool last = x == Shape::x - 2;
      const Storage* side = tileAt(neighbour(n + (first ? -1 : last ? 1 : 0))) + line;
      const Storage* before = first ? side + (Shape::x - 1) : pair - 1;
      const Storage* after = last ? side : pair + 2;
      if constexpr (atWall) {
        f[plus] = {one<plus, 0>(before), one<plus, 1>(pair)};
        f[minus] = {one<minus, 0>(pair + 1), one<minus, 1>(after)};
      } else {
        f[plus] = {Precision::widen(before[64 * plus]), Stored::load(pair + 64 * plus).a};
        f[minus] = {Stored::load(pair + 64 * minus).b, Precision::widen(after[64 * minus])};
      }
    }
  }
  // Gathers for the first or second node in wall tiles; from: population 0 of the node behind
  // direction i.
  template <int i, int second>
  __device__ __forceinline__ Real one(const Storage* from) const {
    const std::uint32_t mask = second ? maskB : maskA;
    // At offset 64 i: the node's own population of the opposite direction.
    const Storage* own = tileAt(slot) + local + second + 64 * (model::opposite(i) - i);
    const Storage* at =
        (mask & 1U << model::linkBit<Lattice>(model::opposite(i))) != 0 ? own : from;
    return (mask & 1U << model::solidBit) != 0 ? Real(0) : Precision::widen(at[64 * i]);
  }
  __device__ __forceinline__ std::uint32_t neighbour(int n) const {
    return static_cast<std::uint32_t>(fromLane(row, n));
  }
  __device__ __forceinline__ const Storage* tileAt(std::uint32_t of) const {
    return domain.now + model::populationIndex<Lattice>(of, 0, 0);
  }
};

// Vectorised kernel, two nodes per thread: where it is faster (measured), in 3D, XYZ layout and
// single precision, unless 27 populations and a heavy collision do not fit the registers.
template <class Variant>
constexpr bool byPairs = Variant::Lattice::dimensions == 3 &&
                         model::xyzLayout<typename Variant::Lattice> &&
                         sizeof(typename Variant::Real) == 4 && !Variant::Tiling::isShifted &&
                         !Variant::Viscosity::local &&
                         !(Variant::q > 19 && model::isHeavy<Variant>);

// Blocks per multiprocessor: as many as leave a thread the registers that its variant needs (64 to
// 128), so that nothing is spilled.
template <class Variant, bool forced>
constexpr int pairBlocks = [] {
  if (model::isHeavy<Variant>) return 4;
  if (Variant::q > 19) return 5;
  return sizeof(typename Variant::Storage) == 2 && !forced ? 8 : 6;
}();

template <class Variant, bool forced>
__global__ void TESSERA_LAUNCH_BOUNDS(blockThreads, pairBlocks<Variant, forced>)
    stepPairsKernel(const DeviceDomain<typename Variant::Storage> domain,
                    const model::StepParameters<typename Variant::Real> parameters) {
  letNextBegin();
  std::uint32_t slot =
      domain.first + blockIdx.x * (blockThreads / teamLanes) + threadIdx.x / teamLanes;
  if (slot >= domain.tiles) return;
  const unsigned lane = threadIdx.x & (teamLanes - 1U);
  std::int32_t row =
      domain.neighbourTable[static_cast<std::uint64_t>(slot) * model::neighbourStride + lane];
  const std::int32_t maskIndex = fromLane(row, model::maskEntry);
  const auto local = static_cast<int>(2 * lane);
  uint2 masks{};
  if (maskIndex >= 0)
    masks = loadConstant(reinterpret_cast<const uint2*>(
        domain.masks + static_cast<std::uint64_t>(maskIndex) * 64U + static_cast<unsigned>(local)));
  waitForEarlier(slot, row);
  if (maskIndex < 0) {
    model::step<Variant, forced>(DevicePair<Variant, false>{domain, slot, local, row, 0U, 0U, true},
                                 parameters);
  } else {
    constexpr unsigned lanes = 16 / sizeof(typename Variant::Storage);
    const bool stored = sectorHasFluid<lanes>((masks.x & masks.y & 1U << model::solidBit) == 0);
    model::step<Variant, forced>(
        DevicePair<Variant, true>{domain, slot, local, row, masks.x, masks.y, stored}, parameters);
  }
}

}  // namespace tessera::solver::backend
