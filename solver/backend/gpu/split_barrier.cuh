// SPDX-License-Identifier: GPL-3.0-or-later
// Barrier of a block whose arrival and wait are apart, so that a warp works between them (mbarrier
// of compute capability 9.0). Where there is none, named barriers: the wait is a whole barrier, and
// warps that never wait arrive at it.
#pragma once

#include <cstdint>

namespace tessera::solver::backend {

// Bytes of a barrier in shared memory.
constexpr unsigned splitBarrierBytes = 8;

// Phases follow each other: each thread arrives once a phase, and none arrives at a phase before
// all that wait for the phase two before it have ended their wait. One arrival a warp is no faster
// (measured), and the race checker does not see what it orders.
class SplitBarrier {
 public:
  // memory: 8 bytes of shared memory; threads: of the block, all of which arrive. One thread
  // calls init(), __syncthreads() follows. name: 1 .. 15, of the block's barriers.
  __device__ __forceinline__ SplitBarrier(unsigned char* memory, unsigned threads, int name)
      : address_(static_cast<std::uint32_t>(__cvta_generic_to_shared(memory))),
        threads_(threads),
        name_(name) {}
  __device__ __forceinline__ void init() const {
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address_), "r"(threads_)
                 : "memory");
#endif
  }
  // Earlier writes to shared memory are seen by who has waited.
  __device__ __forceinline__ void arrive() const {
#if __CUDA_ARCH__ >= 900
    __syncwarp();
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(address_)
                 : "memory");
#endif
  }
  // phase: counts from 0.
  __device__ __forceinline__ void wait(int phase) const {
#if __CUDA_ARCH__ >= 900
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
#if __CUDA_ARCH__ >= 900
    arrive();
#else
    asm volatile("bar.arrive %0, %1;" ::"r"(name_), "r"(threads_) : "memory");
#endif
  }

 private:
  std::uint32_t address_;
  unsigned threads_;
  int name_;
};

}  // namespace tessera::solver::backend
