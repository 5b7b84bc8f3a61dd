// SPDX-License-Identifier: GPL-3.0-or-later
// Qualifiers of functions for host and device, and the compiler that reads them.
#pragma once

// TESSERA_GPU_COMPILER: nvcc or clang for HIP, in their passes for the host too.
// TESSERA_ON_NVIDIA: the compute capability, 100 times, in nvcc's pass for a device.
// TESSERA_ON_AMD: clang's pass for a device.
#if defined(__CUDACC__)
#define TESSERA_GPU_COMPILER 1
#define TESSERA_HOST_DEVICE __host__ __device__ __forceinline__
#if defined(__CUDA_ARCH__)
#define TESSERA_ON_NVIDIA __CUDA_ARCH__
#endif
#elif defined(__HIP__)
#include <hip/hip_runtime.h>
#define TESSERA_GPU_COMPILER 1
#define TESSERA_HOST_DEVICE __host__ __device__ inline __attribute__((always_inline))
#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
#define TESSERA_ON_AMD 1
#endif
#else
#define TESSERA_HOST_DEVICE inline __attribute__((always_inline))
#endif
