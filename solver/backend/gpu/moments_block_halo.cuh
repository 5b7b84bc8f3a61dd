// SPDX-License-Identifier: GPL-3.0-or-later
// Halo around a block of tiles of moments: each of its nodes sends the populations that cross faces
// and edges of the block, five or one, rebuilt by the same sums as populationByWeight, so that the
// bits of a node do not depend on where blocks meet.
#pragma once

#include <cstdint>

#include "solver/domain/tile_blocks.hpp"
#include "solver/model/moment_step.hpp"

namespace tessera::solver::backend {

template <int tilesX, int tilesY, int tilesZ>
struct BlockShape {
  static constexpr int tx = tilesX;
  static constexpr int ty = tilesY;
  static constexpr int tz = tilesZ;
  static constexpr int nx = 4 * tilesX;
  static constexpr int ny = 4 * tilesY;
  static constexpr int nz = 4 * tilesZ;
  static constexpr int nodes = nx * ny * nz;
  static constexpr int around = (tx + 2) * (ty + 2) * (tz + 2);  // of a block in blockTable()
  // Nodes of the halo by family.
  static constexpr int facesX = 2 * ny * nz;
  static constexpr int facesY = 2 * nx * nz;
  static constexpr int facesZ = 2 * nx * ny;
  static constexpr int edgesXY = 4 * nz;
  static constexpr int edgesXZ = 4 * ny;
  static constexpr int edgesYZ = 4 * nx;
  static constexpr int halo = facesX + facesY + facesZ + edgesXY + edgesXZ + edgesYZ;
};

// Arrays of a kernel, in device memory.
template <class Real>
struct DeviceMoments {
  const Real* now;  // equal to next for the in-place update
  Real* next;
  const std::int32_t* __restrict__ blocks;  // blockTable()
  const std::int32_t* __restrict__ maskOf;  // by slot: index of the tile's 64 masks, or -1
  const std::uint32_t* __restrict__ masks;
  std::uint32_t first;  // of the blocks of this launch
  std::uint32_t last;   // of the table
  std::uint32_t ahead;  // blocks between one and the one it prefetches
};

// Shared memory holds the gathered populations by direction, then tile, so that stores shifted by a
// direction have no bank conflicts. The index of a node is a sum over its axes.
template <class Shape>
__device__ __forceinline__ int placeX(int x) {
  return (x & 3) + 64 * (x >> 2);
}
template <class Shape>
__device__ __forceinline__ int placeY(int y) {
  return 4 * (y & 3) + 64 * Shape::tx * (y >> 2);
}
template <class Shape>
__device__ __forceinline__ int placeZ(int z) {
  return 16 * (z & 3) + 64 * Shape::tx * Shape::ty * (z >> 2);
}

// Position in a block's entry of the table, from node coordinates from -4.
template <class Shape>
__device__ __forceinline__ int tileAround(int x, int y, int z) {
  return ((x + 4) >> 2) + (Shape::tx + 2) * (((y + 4) >> 2) + (Shape::ty + 2) * ((z + 4) >> 2));
}

template <class L, int cx, int cy, int cz>
constexpr int dir = model::directionIndex<L>(cx, cy, cz);

// A node of the halo: address of its moments and of the populations that it sends.
template <class Shape, class Real>
struct HaloNode {
  const Real* moments;  // null where there is no tile
  Real* arrived;

  __device__ __forceinline__ HaloNode(const DeviceMoments<Real>& domain, const std::int32_t* row,
                                      Real* target, int x, int y, int z)
      : moments(nullptr), arrived(target) {
    const std::int32_t slot = row[tileAround<Shape>(x, y, z)];
    if (slot >= 0)
      moments = domain.now + model::momentIndex(static_cast<std::uint32_t>(slot), 0,
                                                (x & 3) + 4 * (y & 3) + 16 * (z & 3));
  }
  __device__ __forceinline__ Real get(int m) const { return __ldcg(moments + 64 * m); }
  // The direction is `plus` for s > 0 and `minus` for s < 0.
  template <int plus, int minus>
  __device__ __forceinline__ void put(int s, int place, Real value) const {
    static_assert(plus > 0 && minus > 0);
    arrived[((s > 0 ? plus : minus) - 1) * Shape::nodes + place] = value;
  }
};

// Faces on x: five values, five directions.
template <class L, class Shape, class Real>
__device__ __forceinline__ void sendFaceX(const DeviceMoments<Real>& domain,
                                          const std::int32_t* row, Real* arrived, unsigned h) {
  const int s = h < Shape::facesX / 2 ? 1 : -1;
  const int y = static_cast<int>(h % Shape::ny);
  const int z = static_cast<int>(h / Shape::ny % Shape::nz);
  const HaloNode<Shape, Real> node(domain, row, arrived, s > 0 ? -1 : Shape::nx, y, z);
  if (node.moments == nullptr) return;
  const int sign = s > 0 ? 0 : 1;
  const Real p = node.get(model::moment::p + sign);
  const Real my = node.get(model::moment::y + sign);
  const Real mz = node.get(model::moment::z + sign);
  const Real yy = node.get(model::moment::yy);
  const Real zz = node.get(model::moment::zz);
  const auto diagonal = [&](Real c, Real m, Real second) {
    return model::multiplyAdd(Real(4.5), second, model::multiplyAdd(c, m, p));
  };
  const int x = placeX<Shape>(s > 0 ? 0 : Shape::nx - 1);
  const int inY = placeY<Shape>(y);
  const int inZ = placeZ<Shape>(z);
  node.template put<dir<L, 1, 0, 0>, dir<L, -1, 0, 0>>(s, x + inY + inZ, p);
  if (y + 1 < Shape::ny)
    node.template put<dir<L, 1, 1, 0>, dir<L, -1, 1, 0>>(s, x + placeY<Shape>(y + 1) + inZ,
                                                         diagonal(Real(3), my, yy));
  if (y > 0)
    node.template put<dir<L, 1, -1, 0>, dir<L, -1, -1, 0>>(s, x + placeY<Shape>(y - 1) + inZ,
                                                           diagonal(Real(-3), my, yy));
  if (z + 1 < Shape::nz)
    node.template put<dir<L, 1, 0, 1>, dir<L, -1, 0, 1>>(s, x + inY + placeZ<Shape>(z + 1),
                                                         diagonal(Real(3), mz, zz));
  if (z > 0)
    node.template put<dir<L, 1, 0, -1>, dir<L, -1, 0, -1>>(s, x + inY + placeZ<Shape>(z - 1),
                                                           diagonal(Real(-3), mz, zz));
}

// The moments a face on y or z needs, all ten.
template <class Real>
struct FaceMoments {
  Real pPlus, pMinus, yPlus, yMinus, zPlus, zMinus, rest, yy, zz, yz;

  template <class Node>
  __device__ __forceinline__ explicit FaceMoments(const Node& node)
      : pPlus(node.get(model::moment::p)),
        pMinus(node.get(model::moment::p + 1)),
        yPlus(node.get(model::moment::y)),
        yMinus(node.get(model::moment::y + 1)),
        zPlus(node.get(model::moment::z)),
        zMinus(node.get(model::moment::z + 1)),
        rest(model::restMoment<Real>(pPlus, pMinus, node.get(model::moment::xx))),
        yy(node.get(model::moment::yy)),
        zz(node.get(model::moment::zz)),
        yz(node.get(model::moment::yz)) {}
  // (0, cy, 0) and (0, 0, cz).
  __device__ __forceinline__ Real alongY(Real cy) const {
    return model::multiplyAdd(Real(1.5) * cy, yPlus + yMinus,
                              model::multiplyAdd(Real(4.5), yy, rest));
  }
  __device__ __forceinline__ Real alongZ(Real cz) const { return addZ(rest, cz); }
  // (0, cy, cz).
  __device__ __forceinline__ Real across(Real cy, Real cz) const {
    return model::multiplyAdd(Real(9) * cy * cz, yz, addZ(alongY(cy), cz));
  }
  // (cx, cy, 0) and (cx, 0, cz), of the sign of x that p and m are of.
  __device__ __forceinline__ Real withY(Real p, Real m, Real cy) const {
    return model::multiplyAdd(Real(4.5), yy, model::multiplyAdd(Real(3) * cy, m, p));
  }
  __device__ __forceinline__ Real withZ(Real p, Real m, Real cz) const {
    return model::multiplyAdd(Real(4.5), zz, model::multiplyAdd(Real(3) * cz, m, p));
  }

 private:
  __device__ __forceinline__ Real addZ(Real sum, Real cz) const {
    return model::multiplyAdd(Real(1.5) * cz, zPlus + zMinus,
                              model::multiplyAdd(Real(4.5), zz, sum));
  }
};

template <class L, class Shape, class Real>
__device__ __forceinline__ void sendFaceY(const DeviceMoments<Real>& domain,
                                          const std::int32_t* row, Real* arrived, unsigned h) {
  const int s = h < Shape::facesY / 2 ? 1 : -1;
  const int x = static_cast<int>(h % Shape::nx);
  const int z = static_cast<int>(h / Shape::nx % Shape::nz);
  const HaloNode<Shape, Real> node(domain, row, arrived, x, s > 0 ? -1 : Shape::ny, z);
  if (node.moments == nullptr) return;
  const FaceMoments<Real> m(node);
  const Real c = Real(s);
  const int y = placeY<Shape>(s > 0 ? 0 : Shape::ny - 1);
  const int inX = placeX<Shape>(x);
  const int inZ = placeZ<Shape>(z);
  node.template put<dir<L, 0, 1, 0>, dir<L, 0, -1, 0>>(s, inX + y + inZ, m.alongY(c));
  if (x + 1 < Shape::nx)
    node.template put<dir<L, 1, 1, 0>, dir<L, 1, -1, 0>>(s, placeX<Shape>(x + 1) + y + inZ,
                                                         m.withY(m.pPlus, m.yPlus, c));
  if (x > 0)
    node.template put<dir<L, -1, 1, 0>, dir<L, -1, -1, 0>>(s, placeX<Shape>(x - 1) + y + inZ,
                                                           m.withY(m.pMinus, m.yMinus, c));
  if (z + 1 < Shape::nz)
    node.template put<dir<L, 0, 1, 1>, dir<L, 0, -1, 1>>(s, inX + y + placeZ<Shape>(z + 1),
                                                         m.across(c, Real(1)));
  if (z > 0)
    node.template put<dir<L, 0, 1, -1>, dir<L, 0, -1, -1>>(s, inX + y + placeZ<Shape>(z - 1),
                                                           m.across(c, Real(-1)));
}

template <class L, class Shape, class Real>
__device__ __forceinline__ void sendFaceZ(const DeviceMoments<Real>& domain,
                                          const std::int32_t* row, Real* arrived, unsigned h) {
  const int s = h < Shape::facesZ / 2 ? 1 : -1;
  const int x = static_cast<int>(h % Shape::nx);
  const int y = static_cast<int>(h / Shape::nx % Shape::ny);
  const HaloNode<Shape, Real> node(domain, row, arrived, x, y, s > 0 ? -1 : Shape::nz);
  if (node.moments == nullptr) return;
  const FaceMoments<Real> m(node);
  const Real c = Real(s);
  const int z = placeZ<Shape>(s > 0 ? 0 : Shape::nz - 1);
  const int inX = placeX<Shape>(x);
  const int inY = placeY<Shape>(y);
  node.template put<dir<L, 0, 0, 1>, dir<L, 0, 0, -1>>(s, inX + inY + z, m.alongZ(c));
  if (x + 1 < Shape::nx)
    node.template put<dir<L, 1, 0, 1>, dir<L, 1, 0, -1>>(s, placeX<Shape>(x + 1) + inY + z,
                                                         m.withZ(m.pPlus, m.zPlus, c));
  if (x > 0)
    node.template put<dir<L, -1, 0, 1>, dir<L, -1, 0, -1>>(s, placeX<Shape>(x - 1) + inY + z,
                                                           m.withZ(m.pMinus, m.zMinus, c));
  if (y + 1 < Shape::ny)
    node.template put<dir<L, 0, 1, 1>, dir<L, 0, 1, -1>>(s, inX + placeY<Shape>(y + 1) + z,
                                                         m.across(Real(1), c));
  if (y > 0)
    node.template put<dir<L, 0, -1, 1>, dir<L, 0, -1, -1>>(s, inX + placeY<Shape>(y - 1) + z,
                                                           m.across(Real(-1), c));
}

// Edges where faces on x and y meet, or on x and z (onZ): three values, one direction.
template <class L, class Shape, bool onZ, class Real>
__device__ __forceinline__ void sendEdgeX(const DeviceMoments<Real>& domain,
                                          const std::int32_t* row, Real* arrived, unsigned h) {
  constexpr unsigned length = onZ ? Shape::ny : Shape::nz;
  constexpr int end = onZ ? Shape::nz : Shape::ny;
  const int k = static_cast<int>(h % length);
  const int sx = (h / length & 1U) == 0 ? 1 : -1;
  const int s = h / length < 2 ? 1 : -1;
  const int outside = s > 0 ? -1 : end;
  const HaloNode<Shape, Real> node(domain, row, arrived, sx > 0 ? -1 : Shape::nx, onZ ? k : outside,
                                   onZ ? outside : k);
  if (node.moments == nullptr) return;
  const int sign = sx > 0 ? 0 : 1;
  const Real value = model::multiplyAdd(
      Real(4.5), node.get(onZ ? model::moment::zz : model::moment::yy),
      model::multiplyAdd(Real(3 * s), node.get((onZ ? model::moment::z : model::moment::y) + sign),
                         node.get(model::moment::p + sign)));
  const int inside = s > 0 ? 0 : end - 1;
  const int place =
      placeX<Shape>(sx > 0 ? 0 : Shape::nx - 1) +
      (onZ ? placeY<Shape>(k) + placeZ<Shape>(inside) : placeY<Shape>(inside) + placeZ<Shape>(k));
  if (s > 0)
    node.template put<onZ ? dir<L, 1, 0, 1> : dir<L, 1, 1, 0>,
                      onZ ? dir<L, -1, 0, 1> : dir<L, -1, 1, 0>>(sx, place, value);
  else
    node.template put<onZ ? dir<L, 1, 0, -1> : dir<L, 1, -1, 0>,
                      onZ ? dir<L, -1, 0, -1> : dir<L, -1, -1, 0>>(sx, place, value);
}

// Edges where faces on y and z meet: ten values, one direction.
template <class L, class Shape, class Real>
__device__ __forceinline__ void sendEdgeYZ(const DeviceMoments<Real>& domain,
                                           const std::int32_t* row, Real* arrived, unsigned h) {
  const int x = static_cast<int>(h % Shape::nx);
  const int sy = (h / Shape::nx & 1U) == 0 ? 1 : -1;
  const int sz = h / Shape::nx < 2 ? 1 : -1;
  const HaloNode<Shape, Real> node(domain, row, arrived, x, sy > 0 ? -1 : Shape::ny,
                                   sz > 0 ? -1 : Shape::nz);
  if (node.moments == nullptr) return;
  const Real value = FaceMoments<Real>(node).across(Real(sy), Real(sz));
  const int place = placeX<Shape>(x) + placeY<Shape>(sy > 0 ? 0 : Shape::ny - 1) +
                    placeZ<Shape>(sz > 0 ? 0 : Shape::nz - 1);
  if (sz > 0)
    node.template put<dir<L, 0, 1, 1>, dir<L, 0, -1, 1>>(sy, place, value);
  else
    node.template put<dir<L, 0, 1, -1>, dir<L, 0, -1, -1>>(sy, place, value);
}

// Node h of the halo, family by family.
template <class L, class Shape, class Real>
__device__ __forceinline__ void sendFromHalo(const DeviceMoments<Real>& domain,
                                             const std::int32_t* row, Real* arrived, unsigned h) {
  constexpr unsigned y = Shape::facesX;
  constexpr unsigned z = y + Shape::facesY;
  constexpr unsigned xy = z + Shape::facesZ;
  constexpr unsigned xz = xy + Shape::edgesXY;
  constexpr unsigned yz = xz + Shape::edgesXZ;
  if (h < y)
    sendFaceX<L, Shape>(domain, row, arrived, h);
  else if (h < z)
    sendFaceY<L, Shape>(domain, row, arrived, h - y);
  else if (h < xy)
    sendFaceZ<L, Shape>(domain, row, arrived, h - z);
  else if (h < xz)
    sendEdgeX<L, Shape, false>(domain, row, arrived, h - xy);
  else if (h < yz)
    sendEdgeX<L, Shape, true>(domain, row, arrived, h - xz);
  else if (h < Shape::halo)
    sendEdgeYZ<L, Shape>(domain, row, arrived, h - yz);
}

template <class L, class Shape, class Real>
__device__ __forceinline__ void sendHalo(const DeviceMoments<Real>& domain, const std::int32_t* row,
                                         Real* arrived) {
  if constexpr (Shape::halo <= Shape::nodes) {
    sendFromHalo<L, Shape>(domain, row, arrived, threadIdx.x);
  } else {
#pragma unroll 1
    for (unsigned h = threadIdx.x; h < Shape::halo; h += Shape::nodes)
      sendFromHalo<L, Shape>(domain, row, arrived, h);
  }
}

}  // namespace tessera::solver::backend
