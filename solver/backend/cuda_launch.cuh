// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels that follow each other without a gap: the next one is put on the device while the last
// blocks of this one still run, finds out what it needs that no kernel changes, and waits only
// before it reads what this one writes (programmatic dependent launch, compute capability 9.0).
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "solver/backend/cuda_memory.cuh"

namespace tessera {

// Lets the next kernel in the stream be put on the device, once all blocks have said so.
__device__ __forceinline__ void letNextBegin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Waits until all kernels before this one in the stream have ended. Every kernel that is launched
// by launchInTurn calls it in every thread that does anything. What is read afterwards
// by way of `a` or `b` is not read before: loads that are taken for constant may be moved past it
// otherwise.
__device__ __forceinline__ void waitForEarlier(std::uint32_t& a, std::int32_t& b) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" : "+r"(a), "+r"(b)::"memory");
#endif
}

// The same where nothing that a kernel writes is read as constant.
__device__ __forceinline__ void waitForEarlier() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

struct LaunchShape {
  unsigned blocks;
  unsigned threads;
  std::size_t shared = 0;  // bytes
};

// Not in the default stream, whose kernels other streams wait for as well: there, and where another
// stream has to be waited for, as usual.
template <class... Parameters, class... Arguments>
void launchInTurn(void (*kernel)(Parameters...), const LaunchShape& shape, cudaStream_t stream,
                  Arguments&&... arguments) {
  cudaLaunchAttribute inTurn{};
  inTurn.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  inTurn.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(shape.blocks);
  config.blockDim = dim3(shape.threads);
  config.dynamicSmemBytes = shape.shared;
  config.stream = stream;
  config.attrs = &inTurn;
  config.numAttrs = stream == nullptr ? 0 : 1;
  checkCuda(cudaLaunchKernelEx(&config, kernel, Parameters(std::forward<Arguments>(arguments))...),
            "launch");
}

}  // namespace tessera
