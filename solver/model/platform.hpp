// SPDX-License-Identifier: GPL-3.0-or-later
// Qualifiers of functions for host and device.
#pragma once

#if defined(__CUDACC__)
#define TESSERA_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define TESSERA_HOST_DEVICE inline __attribute__((always_inline))
#endif
