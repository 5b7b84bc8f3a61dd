// SPDX-License-Identifier: GPL-3.0-or-later
// The step on ten moments a node (solver/state/moments.hpp), for blocks of tiles: each thread
// rebuilds its node's 18 moving populations and puts each into shared memory where it arrives, and
// what comes from one node of the halo around the block; after a barrier it adds up what arrived
// and relaxes. Traffic per node: 10 reads and 10 writes (160 B in fp64, 80 B in fp32), and the
// halo's reads out of the L2 cache: of 8x8x8 nodes 128 with 5 values, 288 with 10 and 64 with 3,
// 83 B a node more in fp64 as whole sectors are read. Where a link ends on a wall
// the node's own opposite population is rebuilt, so what missing or solid neighbours left in shared
// memory is never used.
#pragma once

#include "solver/backend/cuda_launch.cuh"
#include "solver/backend/cuda_moments_halo.cuh"
#include "solver/state/populations.hpp"

namespace tessera {

// A block waits for its row of the table, then for its moments, and few blocks fit a processor. So
// each block brings the row of one block to come and the moments of another into the L2 cache.
// Returns the tile that this thread prefetches, or noTile.
template <class Shape, class Real>
__device__ __forceinline__ std::int32_t tileAhead(const DeviceMoments<Real>& domain) {
  constexpr unsigned lines = (Shape::around * 4 + 127) / 128;
  constexpr unsigned first = 32;  // not the threads that prefetch tiles
  const unsigned t = threadIdx.x;
  const std::uint32_t block = domain.first + blockIdx.x + domain.ahead;
  if (t >= first && t < first + lines && block + domain.ahead < domain.last)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(
        domain.blocks + static_cast<std::uint64_t>(block + domain.ahead) * Shape::around +
        32U * (t - first)));
  if (t >= Shape::nodes / 64 || block >= domain.last) return noTile;
  const int x = 4 * static_cast<int>(t % Shape::tx);
  const int y = 4 * static_cast<int>(t / Shape::tx % Shape::ty);
  const int z = 4 * static_cast<int>(t / (Shape::tx * Shape::ty));
  return domain
      .blocks[static_cast<std::uint64_t>(block) * Shape::around + tileAround<Shape>(x, y, z)];
}

template <class Real>
__device__ __forceinline__ void prefetchTile(const DeviceMoments<Real>& domain,
                                             std::int32_t entry) {
#if __CUDA_ARCH__ >= 900
  if (entry >= 0)
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(
                     domain.now + momentIndex(static_cast<std::uint32_t>(entry), 0, 0)),
                 "r"(static_cast<unsigned>(64 * moment::count * sizeof(Real))));
#endif
}

// Puts the populations of the thread's own node where they arrive in the block.
template <class L, class Shape, class Real>
__device__ __forceinline__ void sendOwn(const Real (&m)[moment::count], int x, int y, int z,
                                        Real* arrived) {
  const int inX[3] = {placeX<Shape>(x - 1), placeX<Shape>(x), placeX<Shape>(x + 1)};
  const int inY[3] = {placeY<Shape>(y - 1), placeY<Shape>(y), placeY<Shape>(y + 1)};
  const int inZ[3] = {placeZ<Shape>(z - 1), placeZ<Shape>(z), placeZ<Shape>(z + 1)};
  forEach<L::q - 1>([&](auto k) {
    constexpr int i = k + 1;
    constexpr auto c = L::c[i];
    bool inside = true;
    if constexpr (c[0] != 0) inside = inside && (c[0] > 0 ? x + 1 < Shape::nx : x > 0);
    if constexpr (c[1] != 0) inside = inside && (c[1] > 0 ? y + 1 < Shape::ny : y > 0);
    if constexpr (c[2] != 0) inside = inside && (c[2] > 0 ? z + 1 < Shape::nz : z > 0);
    if (inside)
      arrived[k * Shape::nodes + inX[c[0] + 1] + inY[c[1] + 1] + inZ[c[2] + 1]] =
          populationByWeight<L, i, Real>([&](int n) { return m[n]; });
  });
}

// What has arrived at the thread's own node.
template <class L, class Shape, class Real>
__device__ __forceinline__ MomentSums<Real> sumArrived(const Real* arrived, const Real* own,
                                                       std::uint32_t mask, Real f0) {
  const Real* mine = arrived + threadIdx.x;
  if (mask == 0) return sumUp<L, Real>(f0, [&](auto i) { return mine[(i - 1) * Shape::nodes]; });
  Real m[moment::count];
  forEach<moment::count>([&](auto k) { m[k] = __ldcg(own + 64 * k); });
  return sumUp<L, Real>(f0, [&](auto i) {
    constexpr int out = opposite(i);
    Real f = mine[(i - 1) * Shape::nodes];
    if ((mask >> linkBit<L>(out) & 1U) != 0)
      f = populationByWeight<L, out, Real>([&](int n) { return m[n]; });
    return f;
  });
}

// Threads of 64 registers in fp64 and of 40 in fp32.
template <class Shape, class Real>
constexpr int blocksPerProcessor = (sizeof(Real) == 8 ? 1024 : 1536) / Shape::nodes;

template <class Variant, class Shape, bool forced>
__global__ void __launch_bounds__(Shape::nodes, (blocksPerProcessor<Shape, typename Variant::Real>))
    momentKernel(const DeviceMoments<typename Variant::Real> domain,
                 const StepParameters<typename Variant::Real> parameters) {
  using L = typename Variant::Lattice;
  using Real = typename Variant::Real;
  letNextBegin();
  extern __shared__ __align__(16) unsigned char sharedBytes[];
  Real* arrived = reinterpret_cast<Real*>(sharedBytes);  // (q - 1) x Shape::nodes
  const std::int32_t* row =
      domain.blocks + static_cast<std::uint64_t>(domain.first + blockIdx.x) * Shape::around;
  const int local = static_cast<int>(threadIdx.x & 63U);
  const unsigned tile = threadIdx.x >> 6U;
  const int x = (local & 3) + 4 * static_cast<int>(tile % Shape::tx);
  const int y = (local >> 2 & 3) + 4 * static_cast<int>(tile / Shape::tx % Shape::ty);
  const int z = (local >> 4) + 4 * static_cast<int>(tile / (Shape::tx * Shape::ty));
  const std::int32_t entry = row[tileAround<Shape>(x, y, z)];
  const auto slot = static_cast<std::uint32_t>(entry < noTile ? foreignTile(entry) : entry);
  waitForEarlier();
  const Real* own = domain.now + momentIndex(slot, 0, local);
  Real m[moment::count];
  // In flight while the halo is sent.
  if (entry != noTile) forEach<moment::count>([&](auto k) { m[k] = __ldcg(own + 64 * k); });
  const std::int32_t maskIndex = entry < 0 ? -1 : domain.maskOf[slot];
  const std::int32_t ahead = tileAhead<Shape>(domain);
  sendHalo<L, Shape>(domain, row, arrived);
  Real f0 = 0;
  if (entry != noTile) {
    f0 = Real(weight<L>(0)) * restMoment<Real>(m);
    sendOwn<L, Shape>(m, x, y, z, arrived);
  }
  prefetchTile(domain, ahead);
  __syncthreads();
  if (entry < 0) return;
  std::uint32_t mask = 0;
  if (maskIndex >= 0)
    mask = domain.masks[static_cast<std::uint64_t>(maskIndex) * 64U + static_cast<unsigned>(local)];
  if ((mask >> solidBit & 1U) != 0) return;
  const MomentSums<Real> sums = sumArrived<L, Shape>(arrived, own, mask, f0);
  Real stored[moment::count];
  collideMoments<typename Variant::Equilibrium, forced>(sums, parameters, stored);
  Real* target = domain.next + momentIndex(slot, 0, local);
  forEach<moment::count>([&](auto k) { target[64 * k] = stored[k]; });
}

}  // namespace tessera
