// SPDX-License-Identifier: GPL-3.0-or-later
// Instructions of kernels that differ between vendors: exchange between lanes, loads past a cache,
// barriers, order of kernels. NVIDIA's first; the others share a plain form. The rest of a kernel
// is the words common to both languages (__global__, threadIdx, __syncthreads, atomicAdd).
//
// The width of a device is handled here and nowhere else. Kernels work in teams of 32 lanes, the
// entries of the neighbour table of a tile: a warp, or a wavefront of 32, or half a wavefront of
// 64. All lanes of a team call what exchanges between lanes; the two halves of a wavefront need not
// be in the same branch. At a barrier all lanes of a wavefront have to be at the same place, so
// where parts of a block do different work, each has whole wavefronts (wholeWaves()).
#pragma once

#include <bit>
#include <cstdint>

#include "solver/backend/gpu/runtime.hpp"
#include "solver/model/platform.hpp"

namespace tessera::solver::backend {

// A thread is lane threadIdx.x & (teamLanes - 1) of its team.
constexpr unsigned teamLanes = 32;

// Lanes of the widest device that this is compiled for, in the passes for host and device.
#if defined(TESSERA_WIDEST_WAVE)
constexpr unsigned widestWave = TESSERA_WIDEST_WAVE;
#elif defined(__CUDACC__)
constexpr unsigned widestWave = 32;
#else
constexpr unsigned widestWave = 64;
#endif
static_assert(widestWave % teamLanes == 0);

// The least number of whole wavefronts with so many threads, in threads.
constexpr int wholeWaves(int threads) {
  constexpr int wave = widestWave;
  return (threads + wave - 1) / wave * wave;
}

#if defined(__CUDACC__)

// Threads of a block, and blocks that fit on a multiprocessor at least.
#define TESSERA_LAUNCH_BOUNDS(threads, ...) __launch_bounds__(threads, __VA_ARGS__)
// Shared memory whose size the launch gives.
#define TESSERA_DYNAMIC_SHARED(name) extern __shared__ __align__(16) unsigned char name[]

// `value` of a lane of the team.
__device__ __forceinline__ std::int32_t fromLane(std::int32_t value, int lane) {
  return __shfl_sync(0xffffffffU, value, lane);
}
// Bits of the lanes where `is` holds.
__device__ __forceinline__ std::uint32_t lanesWhere(bool is) {
  return __ballot_sync(0xffffffffU, is);
}
__device__ __forceinline__ bool anyLane(bool is) {
  return __any_sync(0xffffffffU, is) != 0;
}
__device__ __forceinline__ bool allLanes(bool is) {
  return __all_sync(0xffffffffU, is) != 0;
}

// A load of what no kernel writes while this one runs.
template <class T>
__device__ __forceinline__ T loadConstant(const T* from) {
  return __ldg(from);
}
// A load past the L1 cache.
template <class T>
__device__ __forceinline__ T loadPastL1(const T* from) {
  return __ldcg(from);
}

// Lets the next kernel of the stream start, once all blocks have called it.
__device__ __forceinline__ void letNextBegin() {
#if TESSERA_ON_NVIDIA >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Waits until all earlier kernels of the stream have ended. Every kernel launched by
// launchDependent() calls it in every thread that has any effect. Reads that depend on `a` or `b`
// stay behind it; the compiler may move loads that it takes for constant ahead of it otherwise.
__device__ __forceinline__ void waitForEarlier(std::uint32_t& a, std::int32_t& b) {
#if TESSERA_ON_NVIDIA >= 900
  asm volatile("griddepcontrol.wait;" : "+r"(a), "+r"(b)::"memory");
#endif
}
// For kernels that read nothing as constant that a kernel writes.
__device__ __forceinline__ void waitForEarlier() {
#if TESSERA_ON_NVIDIA >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

#else

// The second argument has another meaning in HIP, where registers are not scarce in the same way.
#define TESSERA_LAUNCH_BOUNDS(threads, ...) __launch_bounds__(threads)
#if !defined(TESSERA_DYNAMIC_SHARED)
#define TESSERA_DYNAMIC_SHARED(name) extern __shared__ __align__(16) unsigned char name[]
#endif

__device__ __forceinline__ std::int32_t fromLane(std::int32_t value, int lane) {
  return __shfl(value, lane, static_cast<int>(teamLanes));
}
// Bits of the team in a ballot of the wavefront, whose other half need not take part.
__device__ __forceinline__ std::uint32_t lanesWhere(bool is) {
  return static_cast<std::uint32_t>(__ballot(is ? 1 : 0) >> (__lane_id() / teamLanes * teamLanes));
}
__device__ __forceinline__ bool anyLane(bool is) {
  return lanesWhere(is) != 0;
}
__device__ __forceinline__ bool allLanes(bool is) {
  return lanesWhere(is) == 0xffffffffU;
}

template <class T>
__device__ __forceinline__ T loadConstant(const T* from) {
  return *from;
}
template <class T>
__device__ __forceinline__ T loadPastL1(const T* from) {
  return *from;
}

#if !defined(TESSERA_BARRIER_AT)
#define TESSERA_BARRIER_AT(line) (static_cast<void>(line), __syncthreads())
#endif

// launchDependent() is launchKernel().
__device__ __forceinline__ void letNextBegin() {}
__device__ __forceinline__ void waitForEarlier(std::uint32_t&, std::int32_t&) {}
__device__ __forceinline__ void waitForEarlier() {}

#endif

// Values stored before are read from memory after it, so that the compiler contracts no operation
// that made them with one that uses them.
__device__ __forceinline__ void keepRounded() {
  asm volatile("" ::: "memory");
}

__device__ __forceinline__ double fromLane(double value, int lane) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto of = [&](std::uint64_t half) {
    return static_cast<std::uint32_t>(fromLane(static_cast<std::int32_t>(half), lane));
  };
  return std::bit_cast<double>(std::uint64_t{of(bits >> 32U)} << 32U | of(bits & 0xffffffffU));
}

// ---- Split barrier

// Bytes of a barrier in shared memory.
constexpr unsigned splitBarrierBytes = 8;

// Barrier of a block whose arrival and wait are apart, so that a warp works between them (mbarrier
// of compute capability 9.0). Where there is none, the wait is a whole barrier, at which warps that
// never wait arrive: a named one, or in the plain form the only one, which then all threads meet in
// the same order, two barriers by turns as well.
//
// Phases follow each other: each thread arrives once a phase, and none arrives at a phase before
// all that wait for the phase two before it have ended their wait. One arrival a warp is no faster
// (measured), and the race checker does not see what it orders.
class SplitBarrier {
 public:
#if defined(__CUDACC__)
  // memory: 8 bytes of shared memory; threads: of the block, all of which arrive. One thread
  // calls init(), __syncthreads() follows. name: 1 .. 15, of the block's barriers.
  __device__ __forceinline__ SplitBarrier(unsigned char* memory, unsigned threads, int name)
      : address_(static_cast<std::uint32_t>(__cvta_generic_to_shared(memory))),
        threads_(threads),
        name_(name) {}
  __device__ __forceinline__ void init() const {
#if TESSERA_ON_NVIDIA >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address_), "r"(threads_)
                 : "memory");
#endif
  }
  // Earlier writes to shared memory are seen by who has waited.
  __device__ __forceinline__ void arrive() const {
#if TESSERA_ON_NVIDIA >= 900
    __syncwarp();
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(address_)
                 : "memory");
#endif
  }
  // phase: counts from 0.
  __device__ __forceinline__ void wait(int phase) const {
#if TESSERA_ON_NVIDIA >= 900
    std::uint32_t done;
    do {
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"
          " selp.u32 %0, 1, 0, p; }"
          : "=r"(done)
          : "r"(address_), "r"(phase & 1)
          : "memory");
    } while (done == 0);
#else
    asm volatile("bar.sync %0, %1;" ::"r"(name_), "r"(threads_) : "memory");
#endif
  }
  // Arrival of a warp that does not wait.
  __device__ __forceinline__ void arriveOnly() const {
#if TESSERA_ON_NVIDIA >= 900
    arrive();
#else
    asm volatile("bar.arrive %0, %1;" ::"r"(name_), "r"(threads_) : "memory");
#endif
  }

 private:
  std::uint32_t address_;
  unsigned threads_;
  int name_;
#else
  __device__ __forceinline__ SplitBarrier(unsigned char*, unsigned, int) {}
  __device__ __forceinline__ void init() const {}
  __device__ __forceinline__ void arrive() const {}
  // line: of the caller, for an emulation that compares those of a wavefront.
  __device__ __forceinline__ void wait(int, int line = __builtin_LINE()) const {
    TESSERA_BARRIER_AT(line);
  }
  __device__ __forceinline__ void arriveOnly(int line = __builtin_LINE()) const {
    TESSERA_BARRIER_AT(line);
  }
#endif
};

}  // namespace tessera::solver::backend
