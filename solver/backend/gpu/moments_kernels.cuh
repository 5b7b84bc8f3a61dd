// SPDX-License-Identifier: GPL-3.0-or-later
// The step on ten moments per node (solver/model/moments.hpp), for blocks of tiles: each thread
// rebuilds the 18 moving populations of its node and scatters them into shared memory, with those
// from one node of the halo around the block; after a barrier it sums the populations that arrived
// and relaxes. Traffic per node: 10 reads and 10 writes (160 B in fp64, 80 B in fp32), and reads of
// the halo from the L2 cache: for 8x8x8 nodes 128 with 5 values, 288 with 10 and 64 with 3, another
// 83 B per node in fp64 as whole sectors are read. At links that end on a wall the node's own
// opposite population is rebuilt, so values left in shared memory by missing or solid neighbours
// are never used.
#pragma once

#include "solver/backend/gpu/moments_block_halo.cuh"
#include "solver/backend/gpu/runtime.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::backend {

// A block waits for its entry of the block table, then for its moments, and few blocks fit a
// multiprocessor. So each block prefetches the entry of a later block and the moments of another
// into the L2 cache. Returns the tile that this thread prefetches, or noTile.
template <class Shape, class Real>
__device__ __forceinline__ std::int32_t tileAhead(const DeviceMoments<Real>& domain) {
  constexpr unsigned lines = (Shape::around * 4 + 127) / 128;
  constexpr unsigned first = 32;  // not the threads that prefetch tiles
  const unsigned t = threadIdx.x;
  const std::uint32_t block = domain.first + blockIdx.x + domain.ahead;
  if (t >= first && t < first + lines && block + domain.ahead < domain.last)
    prefetchLine(domain.blocks + static_cast<std::uint64_t>(block + domain.ahead) * Shape::around +
                 32U * (t - first));
  if (t >= Shape::nodes / 64 || block >= domain.last) return domain::noTile;
  const int x = 4 * static_cast<int>(t % Shape::tx);
  const int y = 4 * static_cast<int>(t / Shape::tx % Shape::ty);
  const int z = 4 * static_cast<int>(t / (Shape::tx * Shape::ty));
  return domain
      .blocks[static_cast<std::uint64_t>(block) * Shape::around + tileAround<Shape>(x, y, z)];
}

template <class Real>
__device__ __forceinline__ void prefetchTile(const DeviceMoments<Real>& domain,
                                             std::int32_t entry) {
  if (entry >= 0)
    prefetchBulk(domain.now + model::momentIndex(static_cast<std::uint32_t>(entry), 0, 0),
                 static_cast<unsigned>(64 * model::moment::count * sizeof(Real)));
}

// Scatters the populations of the thread's own node within the block.
template <class L, class Shape, class Real>
__device__ __forceinline__ void sendOwn(const Real (&m)[model::moment::count], int x, int y, int z,
                                        Real* arrived) {
  const int inX[3] = {placeX<Shape>(x - 1), placeX<Shape>(x), placeX<Shape>(x + 1)};
  const int inY[3] = {placeY<Shape>(y - 1), placeY<Shape>(y), placeY<Shape>(y + 1)};
  const int inZ[3] = {placeZ<Shape>(z - 1), placeZ<Shape>(z), placeZ<Shape>(z + 1)};
  model::forEach<L::q - 1>([&](auto k) {
    constexpr int i = k + 1;
    constexpr auto c = L::c[i];
    bool inside = true;
    if constexpr (c[0] != 0) inside = inside && (c[0] > 0 ? x + 1 < Shape::nx : x > 0);
    if constexpr (c[1] != 0) inside = inside && (c[1] > 0 ? y + 1 < Shape::ny : y > 0);
    if constexpr (c[2] != 0) inside = inside && (c[2] > 0 ? z + 1 < Shape::nz : z > 0);
    if (inside)
      arrived[k * Shape::nodes + inX[c[0] + 1] + inY[c[1] + 1] + inZ[c[2] + 1]] =
          model::populationByWeight<L, i, Real>([&](int n) { return m[n]; });
  });
}

// Sums of the populations that arrived at the thread's own node.
template <class L, class Shape, class Real>
__device__ __forceinline__ model::MomentSums<Real> sumArrived(const Real* arrived, const Real* own,
                                                              std::uint32_t mask, Real f0) {
  const Real* mine = arrived + threadIdx.x;
  if (mask == 0)
    return model::sumUp<L, Real>(f0, [&](auto i) { return mine[(i - 1) * Shape::nodes]; });
  Real m[model::moment::count];
  model::forEach<model::moment::count>([&](auto k) { m[k] = __ldcg(own + 64 * k); });
  return model::sumUp<L, Real>(f0, [&](auto i) {
    constexpr int out = model::opposite(i);
    Real f = mine[(i - 1) * Shape::nodes];
    if ((mask >> model::linkBit<L>(out) & 1U) != 0)
      f = model::populationByWeight<L, out, Real>([&](int n) { return m[n]; });
    return f;
  });
}

// Threads of 64 registers in fp64 and of 40 in fp32.
template <class Shape, class Real>
constexpr int blocksPerProcessor = (sizeof(Real) == 8 ? 1024 : 1536) / Shape::nodes;

template <class Variant, class Shape, bool forced>
__global__ void __launch_bounds__(Shape::nodes, (blocksPerProcessor<Shape, typename Variant::Real>))
    momentKernel(const DeviceMoments<typename Variant::Real> domain,
                 const model::StepParameters<typename Variant::Real> parameters) {
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
  const auto slot =
      static_cast<std::uint32_t>(entry < domain::noTile ? domain::foreignTile(entry) : entry);
  waitForEarlier();
  const Real* own = domain.now + model::momentIndex(slot, 0, local);
  Real m[model::moment::count];
  // In flight while the halo is sent.
  if (entry != domain::noTile)
    model::forEach<model::moment::count>([&](auto k) { m[k] = __ldcg(own + 64 * k); });
  const std::int32_t maskIndex = entry < 0 ? -1 : domain.maskOf[slot];
  const std::int32_t ahead = tileAhead<Shape>(domain);
  sendHalo<L, Shape>(domain, row, arrived);
  Real f0 = 0;
  if (entry != domain::noTile) {
    f0 = Real(model::weight<L>(0)) * model::restMoment<Real>(m);
    sendOwn<L, Shape>(m, x, y, z, arrived);
  }
  prefetchTile(domain, ahead);
  __syncthreads();
  if (entry < 0) return;
  std::uint32_t mask = 0;
  if (maskIndex >= 0)
    mask = domain.masks[static_cast<std::uint64_t>(maskIndex) * 64U + static_cast<unsigned>(local)];
  if ((mask & (1U << model::solidBit | 1U << model::separateBit)) != 0) return;
  const model::MomentSums<Real> sums = sumArrived<L, Shape>(arrived, own, mask, f0);
  Real stored[model::moment::count];
  model::collideMoments<typename Variant::Equilibrium, forced>(sums, parameters, stored);
  Real* target = domain.next + model::momentIndex(slot, 0, local);
  model::forEach<model::moment::count>([&](auto k) { target[64 * k] = stored[k]; });
}

}  // namespace tessera::solver::backend
