// SPDX-License-Identifier: GPL-3.0-or-later
// Planes of tiles of moments in the memory of a device (model::MomentsByPlane): nodes are read and
// written in groups of 16 bytes, past the L1 cache, and unpacked where their values are used.
#pragma once

#include "solver/backend/gpu/intrinsics.hpp"
#include "solver/model/moment_format.hpp"

namespace tessera::solver::backend {

// Moments of a node that sends across a face on x: the values of one sign, with the sign turned
// round where it sends along -x, so that it sends as one on the other side does; yy and zz times
// the format's scale.
template <class Real>
struct FaceXMoments {
  Real p, y, z, yy, zz;
};
template <class Real>
__device__ __forceinline__ FaceXMoments<Real> faceXMoments(Real p, Real y, Real z, Real yy, Real zz,
                                                           bool alongMinus) {
  return {p, alongMinus ? -y : y, alongMinus ? -z : z, yy, zz};
}

template <class Format>
struct MomentPlanes;

template <>
struct MomentPlanes<model::PlainMoments<double>> {
  __device__ static __forceinline__ void load(const double* plane, int l,
                                              double (&m)[model::moment::count]) {
    const auto* at = reinterpret_cast<const double2*>(plane) + l;
    const double2 a = loadPastL1(at), b = loadPastL1(at + 16), c = loadPastL1(at + 32),
                  d = loadPastL1(at + 48), e = loadPastL1(at + 64);
    m[0] = a.x, m[2] = a.y, m[4] = b.x, m[8] = b.y;
    m[1] = c.x, m[3] = c.y, m[5] = d.x, m[7] = d.y;
    m[6] = e.x, m[9] = e.y;
  }
  __device__ static __forceinline__ void store(double* plane, int l,
                                               const double (&m)[model::moment::count]) {
    auto* at = reinterpret_cast<double2*>(plane) + l;
    at[0] = make_double2(m[0], m[2]);
    at[16] = make_double2(m[4], m[8]);
    at[32] = make_double2(m[1], m[3]);
    at[48] = make_double2(m[5], m[7]);
    at[64] = make_double2(m[6], m[9]);
  }
  // As loaded, for nothing may wait for a load before it has to.
  struct FaceX {
    double2 py, zAndZz, zAndYy;
  };
  __device__ static __forceinline__ void loadFaceX(const double* plane, int l, bool alongMinus,
                                                   FaceX& face) {
    const auto* at = reinterpret_cast<const double2*>(plane) + l;
    face.py = loadPastL1(at + (alongMinus ? 32 : 0));
    face.zAndZz = loadPastL1(at + 16);
    face.zAndYy = loadPastL1(at + 48);
  }
  __device__ static __forceinline__ FaceXMoments<double> faceX(const FaceX& f, bool alongMinus) {
    return faceXMoments(f.py.x, f.py.y, alongMinus ? f.zAndYy.x : f.zAndZz.x, f.zAndYy.y,
                        f.zAndZz.y, alongMinus);
  }
};

template <>
struct MomentPlanes<model::PlainMoments<float>> {
  __device__ static __forceinline__ void load(const float* plane, int l,
                                              float (&m)[model::moment::count]) {
    const auto* at = reinterpret_cast<const float4*>(plane) + l;
    const float4 a = loadPastL1(at), b = loadPastL1(at + 16);
    const float2 c = loadPastL1(reinterpret_cast<const float2*>(plane + 128) + l);
    m[0] = a.x, m[2] = a.y, m[4] = a.z, m[7] = a.w;
    m[1] = b.x, m[3] = b.y, m[5] = b.z, m[8] = b.w;
    m[6] = c.x, m[9] = c.y;
  }
  __device__ static __forceinline__ void store(float* plane, int l,
                                               const float (&m)[model::moment::count]) {
    auto* at = reinterpret_cast<float4*>(plane) + l;
    at[0] = make_float4(m[0], m[2], m[4], m[7]);
    at[16] = make_float4(m[1], m[3], m[5], m[8]);
    reinterpret_cast<float2*>(plane + 128)[l] = make_float2(m[6], m[9]);
  }
  struct FaceX {
    float4 pyz;
    float other;
  };
  __device__ static __forceinline__ void loadFaceX(const float* plane, int l, bool alongMinus,
                                                   FaceX& face) {
    face.pyz = loadPastL1(reinterpret_cast<const float4*>(plane) + l + (alongMinus ? 16 : 0));
    face.other = loadPastL1(plane + 4 * l + (alongMinus ? 3 : 67));
  }
  __device__ static __forceinline__ FaceXMoments<float> faceX(const FaceX& f, bool alongMinus) {
    return faceXMoments(f.pyz.x, f.pyz.y, f.pyz.z, alongMinus ? f.other : f.pyz.w,
                        alongMinus ? f.pyz.w : f.other, alongMinus);
  }
};

template <>
struct MomentPlanes<model::MixedMoments> {
  using Mixed = model::MixedMoments;
  using Order = model::MomentsByPlane<Mixed>;
  using Word = model::MixedWord;

  __device__ static __forceinline__ void load(const Word* plane, int l, Word (&m)[Mixed::words]) {
    const uint4 a = loadPastL1(reinterpret_cast<const uint4*>(plane) + l);
    const uint2 b = loadPastL1(reinterpret_cast<const uint2*>(plane + Order::pairs) + l);
    m[0].bits = a.x, m[1].bits = a.y, m[2].bits = a.z, m[3].bits = a.w;
    m[4].bits = b.x, m[5].bits = b.y;
    m[6].bits = loadPastL1(reinterpret_cast<const unsigned*>(plane + Order::last) + l);
  }
  __device__ static __forceinline__ void store(Word* plane, int l, const Word (&m)[Mixed::words]) {
    reinterpret_cast<uint4*>(plane)[l] = uint4{m[0].bits, m[1].bits, m[2].bits, m[3].bits};
    reinterpret_cast<uint2*>(plane + Order::pairs)[l] = uint2{m[4].bits, m[5].bits};
    plane[Order::last + l] = m[6];
  }
  struct FaceX {
    uint4 numbers;
    uint2 halves;
  };
  __device__ static __forceinline__ void loadFaceX(const Word* plane, int l, bool, FaceX& face) {
    face.numbers = loadPastL1(reinterpret_cast<const uint4*>(plane) + l);
    face.halves = loadPastL1(reinterpret_cast<const uint2*>(plane + Order::pairs) + l);
  }
  __device__ static __forceinline__ FaceXMoments<float> faceX(const FaceX& f, bool alongMinus) {
    namespace moment = model::moment;
    const Word words[Mixed::words] = {{f.numbers.x},
                                      {f.numbers.y},
                                      {f.numbers.z},
                                      {f.numbers.w},
                                      {f.halves.x},
                                      {f.halves.y},
                                      {0}};
    const auto word = [&](int k) { return words[k]; };
    const int side = alongMinus ? 1 : 0;
    const auto value = [&](int n) { return Mixed::scaledValue(word, n); };
    return faceXMoments(value(moment::p + side), value(moment::y + side), value(moment::z + side),
                        value(moment::yy), value(moment::zz), alongMinus);
  }
};

}  // namespace tessera::solver::backend
