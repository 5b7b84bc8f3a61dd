// SPDX-License-Identifier: GPL-3.0-or-later
// Signed scanline winding. Parallel rays run through all nodes along one axis that is not
// periodic; where a ray crosses a triangle the winding number changes by one from the next node
// on. Exact edge functions (fixed_point.hpp) make the changes of a closed surface cancel on every
// ray. Slabs of planes along another axis are independent: one task each, memory of one slab.
#include "preprocess/lattice/voxelise.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "pipelines/stage/error.hpp"
#include "preprocess/lattice/bins.hpp"
#include "preprocess/lattice/fixed_point.hpp"

namespace tessera {

namespace {

using std::size_t;

// Changes of the winding number in a slab: [plane][row along the ray][lane]. Lanes run along x,
// but along y where the rays run along x.
struct Scan {
  std::size_t ray = 1, lane = 0, slab = 2;  // axes
  int lanes = 0;                            // padded to 64
  int rows = 0;                             // nodes along the ray, and one for what lies behind
  int planes = 1;                           // of a slab
  int slabs = 0;
  [[nodiscard]] size_t planeStart(int plane) const {
    return static_cast<size_t>(plane) * static_cast<size_t>(rows) * static_cast<size_t>(lanes);
  }
};

Scan chooseScan(const Int3& nodes, const std::array<bool, 3>& periodic) {
  Scan scan;
  if (periodic[1] && !periodic[2]) scan = {.ray = 2, .lane = 0, .slab = 1};
  if (periodic[1] && periodic[2]) scan = {.ray = 0, .lane = 1, .slab = 2};
  if (periodic[scan.ray])
    fail(ExitCode::BadInput,
         "A surface that is periodic on all three axes has no outside to count from; give an image "
         "instead or leave one axis open.");
  scan.lanes = (nodes[scan.lane] + 63) / 64 * 64;
  scan.rows = nodes[scan.ray] + 1;
  constexpr int cacheBytes = 1 << 20;
  const auto planeBytes = static_cast<int>(2 * scan.planeStart(1));
  scan.planes = std::clamp(cacheBytes / planeBytes, 1, 8);
  scan.slabs = (nodes[scan.slab] + scan.planes - 1) / scan.planes;
  return scan;
}

// A triangle looked at along the ray: (u, v) are the axes after the ray's in cyclic order, so the
// area is the normal's component along the ray. Corners ordered to make it positive.
struct Projected {
  std::array<Fixed3, 3> corner;
  std::int64_t area = 0;
  std::int16_t change = 0;  // of the winding number behind the triangle

  Projected(const std::vector<Fixed3>& vertex, const Triangle& triangle, size_t u, size_t v)
      : corner{vertex[triangle[0]], vertex[triangle[1]], vertex[triangle[2]]} {
    const auto difference = [&](int k, size_t axis) {
      return static_cast<std::int64_t>(corner[static_cast<size_t>(k)][axis]) - corner[0][axis];
    };
    area = edgeArea(difference(1, u), difference(1, v), difference(2, u), difference(2, v));
    change = area > 0 ? -1 : 1;
    if (area < 0) {
      std::swap(corner[1], corner[2]);
      area = -area;
    }
  }
  [[nodiscard]] auto range(size_t axis) const {
    return std::minmax({corner[0][axis], corner[1][axis], corner[2][axis]});
  }
};

// Where a ray at (u, v) crosses: the plane's depth, kept within the corners'.
class Depth {
 public:
  Depth(const Projected& triangle, size_t ray, size_t u, size_t v)
      : base_(triangle.corner[0]), ray_(ray), u_(u), v_(v) {
    const auto edge = [&](size_t k, size_t axis) {
      return static_cast<double>(triangle.corner[k][axis]) - triangle.corner[0][axis];
    };
    const auto area = static_cast<double>(triangle.area);
    slopeU_ = (edge(1, ray) * edge(2, v) - edge(2, ray) * edge(1, v)) / area;
    slopeV_ = (edge(2, ray) * edge(1, u) - edge(1, ray) * edge(2, u)) / area;
    const auto [low, high] = triangle.range(ray);
    low_ = low;
    high_ = high;
  }
  // First node at or behind the crossing of the ray through nodes (u, v).
  [[nodiscard]] int nodeBehind(int u, int v) const {
    const double du = static_cast<double>(u) * fixedOne - base_[u_];
    const double dv = static_cast<double>(v) * fixedOne - base_[v_];
    const double depth = std::clamp(base_[ray_] + slopeU_ * du + slopeV_ * dv, low_, high_);
    return static_cast<int>(std::ceil(depth / fixedOne));
  }

 private:
  Fixed3 base_;
  size_t ray_, u_, v_;
  double slopeU_ = 0.0, slopeV_ = 0.0, low_ = 0.0, high_ = 0.0;
};

// The three edge functions along a row of lanes: value at the row's first lane and step from lane
// to lane. Less one where the edge does not own its ties, so that inside is >= 0 for all three.
struct RowEdges {
  std::array<std::int64_t, 3> value, step;

  // lane: the axis that varies, either u or v; (u, v): the first node.
  RowEdges(const Projected& triangle, size_t u, size_t v, bool laneIsU, int nodeU, int nodeV) {
    for (size_t k = 0; k < 3; ++k) {
      const Fixed3& a = triangle.corner[k];
      const Fixed3& b = triangle.corner[(k + 1) % 3];
      const std::int64_t du = std::int64_t{b[u]} - a[u];
      const std::int64_t dv = std::int64_t{b[v]} - a[v];
      value[k] = edgeArea(du, dv, std::int64_t{nodeU} * fixedOne - a[u],
                          std::int64_t{nodeV} * fixedOne - a[v]) -
                 (edgeOwnsTies(du, dv) ? 0 : 1);
      step[k] = (laneIsU ? -dv : du) * fixedOne;
    }
  }
  [[nodiscard]] bool inside(std::int64_t n) const {
    return ((value[0] + n * step[0]) | (value[1] + n * step[1]) | (value[2] + n * step[2])) >= 0;
  }
  // Narrows lanes first .. last (counted from the row's first) to those inside; for long rows.
  void narrow(std::int64_t& first, std::int64_t& last) const {
    for (size_t k = 0; k < 3; ++k) {
      if (step[k] > 0 && value[k] < 0) first = std::max(first, (-value[k] + step[k] - 1) / step[k]);
      if (step[k] < 0) last = value[k] < 0 ? -1 : std::min(last, value[k] / -step[k]);
      if (step[k] == 0 && value[k] < 0) last = -1;
    }
  }
};

void addTriangle(const Projected& triangle, const Scan& scan, int firstPlane, int planes,
                 std::vector<std::int16_t>& change) {
  const size_t u = (scan.ray + 1) % 3;
  const size_t v = (scan.ray + 2) % 3;
  const bool laneIsU = scan.lane == u;
  const auto [lowPlane, highPlane] = triangle.range(scan.slab);
  const auto [lowLane, highLane] = triangle.range(scan.lane);
  const int firstLane = nodeAtOrAfter(lowLane);
  const int lastLane = nodeAtOrBefore(highLane);
  if (firstLane > lastLane) return;
  const Depth depth(triangle, scan.ray, u, v);
  const int lastPlane = std::min(nodeAtOrBefore(highPlane), firstPlane + planes - 1);
  for (int plane = std::max(nodeAtOrAfter(lowPlane), firstPlane); plane <= lastPlane; ++plane) {
    const RowEdges edges(triangle, u, v, laneIsU, laneIsU ? firstLane : plane,
                         laneIsU ? plane : firstLane);
    std::int64_t first = 0;
    std::int64_t last = lastLane - firstLane;
    if (last > 8) edges.narrow(first, last);
    const size_t start = scan.planeStart(plane - firstPlane);
    for (std::int64_t n = first; n <= last; ++n) {
      if (!edges.inside(n)) continue;
      const int lane = firstLane + static_cast<int>(n);
      const int row = laneIsU ? depth.nodeBehind(lane, plane) : depth.nodeBehind(plane, lane);
      std::int16_t& entry =
          change[start + static_cast<size_t>(row) * static_cast<size_t>(scan.lanes) +
                 static_cast<size_t>(lane)];
      entry = static_cast<std::int16_t>(entry + triangle.change);
    }
  }
}

constexpr size_t blockLanes = 64;

bool anyChange(const std::int16_t* change) {
  std::array<std::uint64_t, blockLanes / 4> word;
  std::memcpy(word.data(), change, sizeof word);
  std::uint64_t any = 0;
  for (std::uint64_t w : word) any |= w;
  return any != 0;
}

// Adds the changes to the winding numbers of 64 lanes and says which are positive.
std::uint64_t advance(std::int16_t* winding, const std::int16_t* change) {
  std::array<std::uint8_t, blockLanes> positive;
  for (size_t i = 0; i < blockLanes; ++i) {
    winding[i] = static_cast<std::int16_t>(winding[i] + change[i]);
    positive[i] = winding[i] > 0;
  }
  std::uint64_t bits = 0;
  for (size_t i = 0; i < blockLanes; i += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, positive.data() + i, 8);
    bits |= (bytes * 0x0102040810204080U) >> 56U << i;
  }
  return bits;
}

// Sums the changes of 64 lanes along the ray; store(row, bits) takes each row's result. Clears
// them on the way, for the next slab. False: the winding does not come back to zero.
template <class Store>
bool sumBlock(const Scan& scan, std::int16_t* change, const Store& store) {
  std::array<std::int16_t, blockLanes> winding{};
  std::uint64_t bits = 0;
  for (int row = 0; row < scan.rows; ++row, change += scan.lanes) {
    if (anyChange(change)) {
      bits = advance(winding.data(), change);
      std::fill_n(change, blockLanes, std::int16_t{0});
    }
    if (bits != 0 && row + 1 < scan.rows) store(row, bits);
  }
  return std::all_of(winding.begin(), winding.end(), [](std::int16_t w) { return w == 0; });
}

// Writes the bits of 64 lanes along x at once, or one node of 64 rows where rays run along x.
bool storeBlock(const Scan& scan, int plane, int block, std::int16_t* change, BitLattice& fluid) {
  if (scan.ray == 0)
    return sumBlock(scan, change, [&](int x, std::uint64_t bits) {
      for (; bits != 0; bits &= bits - 1) fluid.set(x, block * 64 + std::countr_zero(bits), plane);
    });
  return sumBlock(scan, change, [&](int row, std::uint64_t bits) {
    const size_t start = scan.ray == 1 ? fluid.rowStart(row, plane) : fluid.rowStart(plane, row);
    fluid.words[start + static_cast<size_t>(block)] = bits;
  });
}

void scanSlab(const Scan& scan, const std::vector<Fixed3>& vertex, const TriangleMesh& mesh,
              std::span<const std::uint32_t> triangles, int firstPlane,
              std::vector<std::int16_t>& change, BitLattice& fluid) {
  const int planes = std::min(scan.planes, fluid.size[scan.slab] - firstPlane);
  for (std::uint32_t t : triangles) {
    const Projected triangle(vertex, mesh.triangle[t], (scan.ray + 1) % 3, (scan.ray + 2) % 3);
    if (triangle.area != 0) addTriangle(triangle, scan, firstPlane, planes, change);
  }
  for (int plane = 0; plane < planes; ++plane)
    for (int block = 0; block < scan.lanes / 64; ++block)
      if (!storeBlock(scan, firstPlane + plane, block,
                      change.data() + scan.planeStart(plane) + static_cast<size_t>(block) * 64,
                      fluid))
        fail(ExitCode::BadInput,
             "The surface is not closed: a line along " + std::string(1, "xyz"[scan.ray]) +
                 " enters and leaves it a different number of times; close its holes first.");
}

}  // namespace

BitLattice voxelise(const TriangleMesh& mesh, const Int3& nodes,
                    const std::array<bool, 3>& periodic) {
  const Scan scan = chooseScan(nodes, periodic);
  const std::vector<Fixed3> vertex = snapVertices(mesh.vertex, nodes);
  const Bins bins =
      sortIntoBins(mesh.triangle.size(), static_cast<size_t>(scan.slabs), [&](size_t t) {
        const auto& [a, b, c] = mesh.triangle[t];
        const auto [low, high] =
            std::minmax({vertex[a][scan.slab], vertex[b][scan.slab], vertex[c][scan.slab]});
        const int first = nodeAtOrAfter(low);
        const int last = std::min(nodeAtOrBefore(high), nodes[scan.slab] - 1);
        return first > last ? std::pair(0, -1) : std::pair(first / scan.planes, last / scan.planes);
      });
  BitLattice fluid(nodes);
  tbb::enumerable_thread_specific<std::vector<std::int16_t>> changes(
      [&] { return std::vector<std::int16_t>(scan.planeStart(scan.planes)); });
  tbb::parallel_for(0, scan.slabs, [&](int slab) {
    scanSlab(scan, vertex, mesh, bins[static_cast<size_t>(slab)], slab * scan.planes,
             changes.local(), fluid);
  });
  return fluid;
}

}  // namespace tessera
