// SPDX-License-Identifier: GPL-3.0-or-later
// The one place that knows whether this is compiled for a device.
#pragma once

#if defined(__CUDACC__)
#define TESSERA_ANY __host__ __device__ __forceinline__
#else
#define TESSERA_ANY inline __attribute__((always_inline))
#endif
