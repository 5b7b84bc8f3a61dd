// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels around solver/model/step.hpp: one thread per node, 128 threads (two tiles) per block. A
// team of 32 lanes lies in one tile and holds its entries of the neighbour table, and slots of
// neighbours are looked up by shuffles. Two copies, pull: the T2C of Tomczak & Szafran 2017.
// Traffic per node of D3Q19: 38 populations (304 B in fp64, 152 B in fp32), 2 B of neighbour table,
// and 4 B of mask where a tile meets a wall. Shifted tilings add no bytes, their shifts are one of
// the 32 entries, but up to a dozen integer operations per direction, and sectors of four nodes
// along x that two tiles share unless the layers lie along x.
#pragma once

#include <cstdint>

#include "solver/backend/backend.hpp"
#include "solver/backend/gpu/intrinsics.hpp"
#include "solver/backend/gpu/openings.cuh"
#include "solver/backend/gpu/runtime.hpp"
#include "solver/backend/gpu/sampling.cuh"
#include "solver/model/populations.hpp"
#include "solver/model/step.hpp"

namespace tessera::solver::backend {

constexpr int blockThreads = 128;
constexpr int tilesPerBlock = blockThreads / 64;

// Arrays of a kernel, in device memory.
template <class Storage>
struct DeviceDomain {
  const Storage* __restrict__ now;
  Storage* __restrict__ next;
  const std::int32_t* __restrict__ neighbourTable;
  const std::uint32_t* __restrict__ masks;
  std::uint32_t tiles;      // end of the range of tiles
  std::uint32_t first = 0;  // its begin, for steps
};

// Offset (-1, 0, 1) of the tile in which a step of -c from x ends.
template <int c, int size>
__device__ __forceinline__ int tileStep(int x) {
  if constexpr (c == 1) return x == 0 ? -1 : 0;
  if constexpr (c == -1) return x == size - 1 ? 1 : 0;
  return 0;
}

// Whether any of the lanes that share a sector of memory with this one has fluid. Sectors are
// stored whole, with solid nodes, since a partial store would have to read the rest from memory;
// sectors without fluid are not stored. The values of solid nodes are never read.
template <unsigned lanes>
__device__ __forceinline__ bool sectorHasFluid(bool fluid) {
  const unsigned team = lanesWhere(fluid);
  return (team >> (threadIdx.x & (teamLanes - 1U) & ~(lanes - 1U)) & ((1U << lanes) - 1U)) != 0;
}

// Node `local` of the tile in `slot`. atWall: the tile has masks. Axes: AlignedTiling, or the
// ShiftAxes of a shifted tiling.
template <model::VariantModel Variant, bool atWall, class Axes>
struct DeviceNode {
  using Lattice = typename Variant::Lattice;
  using Storage = typename Variant::Storage;
  using Precision = typename Variant::Precision;
  using Shape = model::TileShape<Lattice>;
  using Value = typename Variant::Real;
  const DeviceDomain<Storage>& domain;
  std::uint32_t slot;
  int local;
  std::int32_t row;  // this lane's entry of the tile's neighbour table
  std::uint32_t mask;
  std::uint32_t shifts;  // of a shifted tiling
  bool stored = true;    // see sectorHasFluid()

  template <int i>
  __device__ __forceinline__ Value gather() const {
    constexpr auto c = Lattice::c[i];
    constexpr int cx = c[0];
    constexpr int cy = c[1];
    constexpr int cz = c[2];
    if constexpr (i == 0) {
      if (atWall && !stored) return Value(0);
      return Precision::widen(domain.now[model::populationIndex<Lattice>(slot, 0, local)]);
    } else {
      const int x = local & (Shape::x - 1);
      const int y = local >> Shape::log2X & (Shape::y - 1);
      const int z = local >> (Shape::log2X + Shape::log2Y);
      std::uint64_t index;
      if constexpr (Variant::Tiling::isShifted) {
        const model::NeighbourNode source =
            model::neighbourNode<Axes>(x - cx, y - cy, z - cz, shifts);
        const auto from = static_cast<std::uint32_t>(fromLane(row, source.neighbour));
        index = model::populationIndex<Lattice>(from, i, source.local);
      } else {
        const int n = 13 + tileStep<cx, Shape::x>(x) + 3 * tileStep<cy, Shape::y>(y) +
                      9 * tileStep<cz, Shape::z>(z);
        const auto from = static_cast<std::uint32_t>(fromLane(row, n));
        const int sx = (x - cx) & (Shape::x - 1);
        const int sy = (y - cy) & (Shape::y - 1);
        const int sz = (z - cz) & (Shape::z - 1);
        const int source = sx | sy << Shape::log2X | sz << (Shape::log2X + Shape::log2Y);
        index = model::populationIndex<Lattice>(from, i, source);
      }
      if constexpr (atWall) {
        constexpr int out = model::opposite(i);
        constexpr int bit = model::linkBit<Lattice>(out);
        if ((mask >> bit & 1U) != 0) index = model::populationIndex<Lattice>(slot, out, local);
      }
      if (atWall && (mask >> model::solidBit & 1U) != 0) return Value(0);
      return Precision::widen(domain.now[index]);
    }
  }
  template <int i>
  __device__ __forceinline__ void scatter(Value value) const {
    if (atWall && !stored) return;
    domain.next[model::populationIndex<Lattice>(slot, i, local)] = Precision::narrow(value);
  }
};

// Tile and node of a thread, looked up before the step.
struct ThreadLocation {
  std::uint32_t slot;
  int local;
  std::int32_t row;
  std::int32_t maskIndex;
  std::uint32_t shifts;
};

template <class Tiling>
__device__ __forceinline__ ThreadLocation threadLocation(const std::int32_t* rows,
                                                         std::uint32_t slot) {
  ThreadLocation place;
  place.slot = slot;
  place.local = static_cast<int>(threadIdx.x & 63U);
  place.row = rows[static_cast<std::uint64_t>(slot) * model::neighbourStride +
                   (threadIdx.x & (teamLanes - 1U))];
  place.maskIndex = fromLane(place.row, model::maskEntry);
  place.shifts = 0;
  if constexpr (Tiling::isShifted)
    place.shifts = static_cast<std::uint32_t>(fromLane(place.row, model::shiftEntry));
  return place;
}

template <class Storage>
__device__ __forceinline__ std::uint32_t maskAt(const DeviceDomain<Storage>& domain,
                                                const ThreadLocation& place) {
  return domain.masks[static_cast<std::uint64_t>(place.maskIndex) * 64U +
                      static_cast<unsigned>(place.local)];
}

// Blocks per multiprocessor: as many as leave a thread the registers that its variant needs, so
// that nothing is spilled: 96 to 168 in fp64, 64 or 80 in fp32.
template <class Variant, bool forced>
constexpr int nodeBlocks = [] {
  const bool large = Variant::q > 19;
  const bool heavy = model::isHeavy<Variant>;
  if (sizeof(typename Variant::Real) == 8)
    return heavy && !large && forced ? 3 : heavy || large ? 4 : 5;
  return heavy || large ? 6 : 8;
}();

template <class Variant, bool forced, class Axes>
__global__ void TESSERA_LAUNCH_BOUNDS(blockThreads, nodeBlocks<Variant, forced>)
    stepKernel(const DeviceDomain<typename Variant::Storage> domain,
               const model::StepParameters<typename Variant::Real> parameters) {
  letNextBegin();
  const std::uint32_t slot = domain.first + blockIdx.x * tilesPerBlock + threadIdx.x / 64U;
  if (slot >= domain.tiles) return;
  ThreadLocation place = threadLocation<typename Variant::Tiling>(domain.neighbourTable, slot);
  const std::uint32_t mask = place.maskIndex < 0 ? 0U : maskAt(domain, place);
  waitForEarlier(place.slot, place.row);
  if (place.maskIndex < 0) {
    model::step<Variant, forced>(DeviceNode<Variant, false, Axes>{domain, place.slot, place.local,
                                                                  place.row, 0U, place.shifts},
                                 parameters);
  } else {
    constexpr unsigned lanes = 32 / sizeof(typename Variant::Storage);
    const bool stored = sectorHasFluid<lanes>((mask >> model::solidBit & 1U) == 0);
    model::step<Variant, forced>(
        DeviceNode<Variant, true, Axes>{domain, place.slot, place.local, place.row, mask,
                                        place.shifts, stored},
        parameters);
  }
}

// Ghosts of a step: periodic copies, one thread each, then links of openings (LinkOfLane).
template <class Variant>
__global__ void ghostKernel(typename Variant::Storage* state,
                            const boundary::PopulationCopy* copies, std::uint32_t copyCount,
                            const boundary::IncomingLink* links, std::uint32_t linkCount,
                            const model::StepParameters<typename Variant::Real> parameters,
                            const boundary::OpeningValues values) {
  letNextBegin();
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  waitForEarlier();
  if (k < wholeTeams(copyCount)) {
    if (k < copyCount) state[copies[k].to] = state[copies[k].from];
    return;
  }
  const LinkOfLane lane(k - wholeTeams(copyCount), values.stencils);
  const bool has = lane.link < linkCount;
  const auto at = atOpeningOfTeam<Variant>(has, lane.link, lane.share, values.stencils);
  if (has && lane.share == 0)
    state[links[lane.link].target] = typename Variant::Storage(
        populationOfLink<Variant>(links, lane.link, at, state, parameters, values));
}

// One partial sample per block of `tilesOfBlock` tiles.
template <class Variant>
__global__ void __launch_bounds__(blockThreads)
    sampleNodesKernel(const DeviceDomain<typename Variant::Storage> domain,
                      const model::StepParameters<typename Variant::Real> parameters,
                      std::uint32_t tilesOfBlock, PartialSample* samples) {
  using Lattice = typename Variant::Lattice;
  using Real = typename Variant::Real;
  const Real half[3] = {-parameters.halfForce[0], -parameters.halfForce[1],
                        -parameters.halfForce[2]};
  PartialSample mine;
  const std::uint32_t first = blockIdx.x * tilesOfBlock;
  for (std::uint32_t t = threadIdx.x / 64U; t < tilesOfBlock; t += tilesPerBlock) {
    const std::uint32_t slot = first + t;
    if (slot >= domain.tiles) break;
    const ThreadLocation place =
        threadLocation<typename Variant::Tiling>(domain.neighbourTable, slot);
    if (place.maskIndex >= 0 && (maskAt(domain, place) >> model::solidBit & 1U) != 0) continue;
    Real f[Lattice::q];
    model::forEach<Lattice::q>([&](auto i) {
      f[i] = Real(domain.now[model::populationIndex<Lattice>(slot, i, place.local)]);
    });
    addEnergy(
        addNode(model::macroscopic<Lattice, typename Variant::Equilibrium, true>(f, half), mine),
        mine);
  }
  reduceInBlock<blockThreads>(mine, &samples[blockIdx.x]);
}

template <class Variant, class Axes>
__global__ void __launch_bounds__(blockThreads)
    observeKernel(const DeviceDomain<typename Variant::Storage> domain,
                  const model::StepParameters<typename Variant::Real> parameters,
                  std::uint32_t first, std::uint32_t count, float* values) {
  const std::uint32_t k = blockIdx.x * tilesPerBlock + threadIdx.x / 64U;
  if (k >= count) return;
  const ThreadLocation place =
      threadLocation<typename Variant::Tiling>(domain.neighbourTable, first + k);
  const std::uint32_t mask = place.maskIndex < 0 ? 0U : maskAt(domain, place);
  const DeviceNode<Variant, true, Axes> node{domain,    first + k, place.local,
                                             place.row, mask,      place.shifts};
  float* target = values + static_cast<std::uint64_t>(k) * observedValues * 64U + place.local;
  model::observe<Variant, true>(
      node, parameters, [&](auto e, auto value) { target[64 * e] = static_cast<float>(value); });
}

}  // namespace tessera::solver::backend
