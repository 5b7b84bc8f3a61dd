// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors of nodes, as wide as the instruction set of the build, loaded from and stored to memory:
// conversions between storage and arithmetic round like the scalar ones, so every instruction set
// gives the same bits.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "solver/model/precision/precision.hpp"

#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tessera::solver::backend {

#if defined(__AVX512F__)
constexpr int vectorBytes = 64;
#elif defined(__AVX__)
constexpr int vectorBytes = 32;
#else
constexpr int vectorBytes = 16;
#endif

template <class Real, int bytes = vectorBytes>
struct Vector {
  typedef Real type __attribute__((vector_size(bytes)));
  static constexpr int width = bytes / static_cast<int>(sizeof(Real));
};

// Vector of the stored populations from[0], from[1], ... in the arithmetic type, in units of
// storage.
template <class Precision>
TESSERA_HOST_DEVICE typename Vector<typename Precision::Arithmetic>::type loadVector(
    const typename Precision::Storage* from) {
  using Storage = typename Precision::Storage;
  using Real = typename Precision::Arithmetic;
  using Value = typename Vector<Real>::type;
  Value value;
  if constexpr (std::is_same_v<Storage, Real>) {
    std::memcpy(&value, from, sizeof(value));
  } else if constexpr (std::is_same_v<Storage, model::ScaledHalf>) {
#if defined(__AVX512F__)
    value = _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
#elif defined(__F16C__)
    value = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
#else
    for (int lane = 0; lane < Vector<Real>::width; ++lane) value[lane] = from[lane].scaledValue();
#endif
  } else {
    typename Vector<Storage, vectorBytes * sizeof(Storage) / sizeof(Real)>::type stored;
    std::memcpy(&stored, from, sizeof(stored));
    value = __builtin_convertvector(stored, Value);
  }
  return value;
}

template <class Precision>
TESSERA_HOST_DEVICE void storeVector(
    const typename Vector<typename Precision::Arithmetic>::type& value,
    typename Precision::Storage* to) {
  using Storage = typename Precision::Storage;
  using Real = typename Precision::Arithmetic;
  if constexpr (std::is_same_v<Storage, Real>) {
    std::memcpy(to, &value, sizeof(value));
  } else if constexpr (std::is_same_v<Storage, model::ScaledHalf>) {
#if defined(__F16C__)
    using Value = typename Vector<Real>::type;
    const Value most = Value{} + Real(65504);
    Value limited = value > most ? most : value;  // NaN is kept
    limited = limited < -most ? -most : limited;
#if defined(__AVX512F__)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm512_cvtps_ph(limited, _MM_FROUND_TO_NEAREST_INT));
#else
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                     _mm256_cvtps_ph(limited, _MM_FROUND_TO_NEAREST_INT));
#endif
#else
    for (int lane = 0; lane < Vector<Real>::width; ++lane)
      to[lane] = Precision::narrow(value[lane]);
#endif
  } else {
    using Narrow = typename Vector<Storage, vectorBytes * sizeof(Storage) / sizeof(Real)>::type;
    const Narrow stored = __builtin_convertvector(value, Narrow);
    std::memcpy(to, &stored, sizeof(stored));
  }
}

// Copies whole cache lines past the caches, so that none is read before it is written over. Both
// aligned to a line, bytes a multiple of one; other threads see it after fenceStreams().
TESSERA_HOST_DEVICE void streamLines(void* to, const void* from, std::size_t bytes) {
#if defined(__AVX512F__)
  for (std::size_t at = 0; at < bytes; at += 64)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(static_cast<char*>(to) + at),
                        _mm512_load_si512(static_cast<const char*>(from) + at));
#elif defined(__AVX__)
  for (std::size_t at = 0; at < bytes; at += 32)
    _mm256_stream_si256(
        reinterpret_cast<__m256i*>(static_cast<char*>(to) + at),
        _mm256_load_si256(reinterpret_cast<const __m256i*>(static_cast<const char*>(from) + at)));
#elif defined(__SSE2__)
  for (std::size_t at = 0; at < bytes; at += 16)
    _mm_stream_si128(
        reinterpret_cast<__m128i*>(static_cast<char*>(to) + at),
        _mm_load_si128(reinterpret_cast<const __m128i*>(static_cast<const char*>(from) + at)));
#else
  std::memcpy(to, from, bytes);
#endif
}

TESSERA_HOST_DEVICE void fenceStreams() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace tessera::solver::backend
