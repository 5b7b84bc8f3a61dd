// SPDX-License-Identifier: GPL-3.0-or-later
// Voxelisation by signed scanline winding numbers. Parallel rays run through all nodes along one
// non-periodic axis; the winding number changes by one behind each triangle that a ray crosses.
// Exact edge functions (exact_edges.hpp) make the changes of a closed surface cancel on every ray.
// A layer of blocks is a task; it processes 64 rays at a time, only over rows that triangles reach,
// so that work and memory scale with the surface and not with the box.
#include "preprocess/lattice/voxelise/voxelise.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "preprocess/lattice/bins.hpp"
#include "preprocess/lattice/voxelise/exact_edges.hpp"

namespace tessera::preprocess::lattice {

using geometry::BitLattice;

namespace {

using std::size_t;

constexpr int planesOfLayer = BitLattice::blockPlanes;
constexpr int laneCount = static_cast<int>(WindingColumn::lanes);

// Rays run along y with lanes along x, or along x with lanes along y where y and z are periodic.
// Rays along z are those along y of the lattice with y and z exchanged, which keeps words along x.
struct Scan {
  size_t ray = 1, lane = 0;  // axes of the filled lattice
  bool swapsYZ = false;
  [[nodiscard]] size_t u() const { return (ray + 1) % 3; }
  [[nodiscard]] size_t v() const { return (ray + 2) % 3; }
  [[nodiscard]] char rayName() const { return swapsYZ ? 'z' : "xyz"[ray]; }
};

Scan chooseScan(const std::array<bool, 3>& periodic) {
  if (!periodic[1]) return {};
  if (!periodic[2]) return {.ray = 1, .lane = 0, .swapsYZ = true};
  if (periodic[0])
    stage::fail(stage::ExitCode::BadInput,
                "an open surface that is periodic on all three axes has no outside; close it at "
                "the ends of one axis.");
  return {.ray = 0, .lane = 1, .swapsYZ = false};
}

// Adds the winding changes of a triangle to a column, given the column's first lane and plane.
void addTriangle(const Projected& triangle, const Scan& scan, int columnLane, int firstPlane,
                 int planes, WindingColumn& column) {
  const bool laneIsU = scan.lane == scan.u();
  const auto [lowPlane, highPlane] = triangle.range(2);
  const auto [lowLane, highLane] = triangle.range(scan.lane);
  const int firstLane = std::max(nodeAtOrAfter(lowLane), columnLane);
  const int lastLane = std::min(nodeAtOrBefore(highLane), columnLane + laneCount - 1);
  const int lastPlane = std::min(nodeAtOrBefore(highPlane), firstPlane + planes - 1);
  int plane = std::max(nodeAtOrAfter(lowPlane), firstPlane);
  if (firstLane > lastLane || plane > lastPlane) return;
  const Depth depth(triangle, scan.ray, scan.u(), scan.v());
  for (; plane <= lastPlane; ++plane) {
    const RowEdges edges(triangle, scan.u(), scan.v(), laneIsU, laneIsU ? firstLane : plane,
                         laneIsU ? plane : firstLane);
    std::int64_t first = 0;
    std::int64_t last = lastLane - firstLane;
    if (last > 8) edges.narrow(first, last);
    for (std::int64_t n = first; n <= last; ++n) {
      if (!edges.inside(n)) continue;
      const int lane = firstLane + static_cast<int>(n);
      const int row = laneIsU ? depth.nodeBehind(lane, plane) : depth.nodeBehind(plane, lane);
      column.add(plane - firstPlane, row, lane - columnLane, triangle.change);
    }
  }
}

// Transposes 64 x 64 bits in place (Warren, Hacker's Delight, 2012, 7-3).
void transpose(std::array<std::uint64_t, 64>& bits) {
  std::uint64_t mask = 0x00000000ffffffffU;
  for (size_t j = 32; j != 0; j >>= 1U, mask ^= mask << j)
    for (size_t k = 0; k < 64; k = ((k | j) + 1) & ~j) {
      const std::uint64_t swapped = (bits[k] >> j ^ bits[k | j]) & mask;
      bits[k] ^= swapped << j;
      bits[k | j] ^= swapped;
    }
}

// Writes rows of a plane from a column of rays; the bits of each row are its lanes.
class PlaneWriter {
 public:
  PlaneWriter(BitLattice& fluid, const Scan& scan, int columnLane, int plane)
      : fluid_(fluid), alongX_(scan.ray == 0), columnLane_(columnLane), plane_(plane) {}
  void write(int row, int end, std::uint64_t bits) {
    for (; row < end; ++row) alongX_ ? addColumn(row, bits) : putWord(columnLane_ / 64, row, bits);
  }
  void finish() {
    if (alongX_) flush();
  }

 private:
  void putWord(int w, int y, std::uint64_t bits) {
    if (words_ == nullptr || w != w_ || y / BitLattice::blockRows != j_) {
      w_ = w;
      j_ = y / BitLattice::blockRows;
      words_ = fluid_.makeBlock(w, j_, plane_ / planesOfLayer);
    }
    words_[BitLattice::wordInBlock(y, plane_)] = bits;
  }
  // For rays along x a row is one node in each of 64 lattice rows: 64 of them are transposed to
  // words.
  void addColumn(int x, std::uint64_t bits) {
    if (x / 64 != columnWord_) flush();
    columnWord_ = x / 64;
    columns_[static_cast<size_t>(x % 64)] = bits;
  }
  void flush() {
    if (columnWord_ < 0) return;
    transpose(columns_);
    for (int y = 0; y < laneCount; ++y)
      if (columns_[static_cast<size_t>(y)] != 0)
        putWord(columnWord_, columnLane_ + y, columns_[static_cast<size_t>(y)]);
    columns_.fill(0);
  }

  BitLattice& fluid_;
  bool alongX_;
  int columnLane_, plane_;
  int w_ = 0, j_ = 0;
  std::uint64_t* words_ = nullptr;
  int columnWord_ = -1;
  std::array<std::uint64_t, 64> columns_{};
};

// One layer of the lattice, column by column.
class LayerScan {
 public:
  LayerScan(const Scan& scan, const std::vector<Fixed3>& vertex, const geometry::TriangleMesh& mesh,
            std::span<const std::uint32_t> triangles, int firstPlane, int above, BitLattice& fluid)
      : scan_(scan), firstPlane_(firstPlane), fluid_(fluid), column_(above) {
    for (const std::uint32_t t : triangles) {
      const stage::Triangle& corner = mesh.triangle[t];
      Projected triangle({vertex[corner[0]], vertex[corner[1]], vertex[corner[2]]}, scan.u(),
                         scan.v());
      if (scan.swapsYZ) triangle.change = static_cast<std::int16_t>(-triangle.change);
      if (triangle.area != 0) triangles_.push_back(triangle);
    }
  }
  // Returns the sum of the positive winding numbers.
  std::uint64_t run() {
    const auto columns = static_cast<size_t>((fluid_.size[scan_.lane] + laneCount - 1) / laneCount);
    const Bins bins = sortIntoBins(triangles_.size(), columns, [&](size_t t) {
      const auto [low, high] = triangles_[t].range(scan_.lane);
      const int first = nodeAtOrAfter(low);
      const int last = std::min(nodeAtOrBefore(high), fluid_.size[scan_.lane] - 1);
      return first > last ? std::pair(0, -1) : std::pair(first / laneCount, last / laneCount);
    });
    for (size_t column = 0; column < columns; ++column)
      if (!bins[column].empty()) scanColumn(static_cast<int>(column) * laneCount, bins[column]);
    fluid_.finishLayer(firstPlane_ / planesOfLayer);
    return windingSum_;
  }

 private:
  void scanColumn(int columnLane, std::span<const std::uint32_t> triangles) {
    std::int32_t low = triangles_[triangles[0]].corner[0][scan_.ray];
    std::int32_t high = low;
    for (const std::uint32_t t : triangles) {
      const auto [lowest, highest] = triangles_[t].range(scan_.ray);
      low = std::min(low, lowest);
      high = std::max(high, highest);
    }
    const int firstRow = nodeAtOrAfter(low);
    const int lastRow = nodeAtOrAfter(high);
    constexpr int cachedRows = 8192;  // of 128 bytes each
    const int step = std::clamp(cachedRows / (lastRow - firstRow + 1), 1, planesOfLayer);
    const int endPlane = std::min(firstPlane_ + planesOfLayer, fluid_.size[2]);
    for (int plane = firstPlane_; plane < endPlane; plane += step) {
      const int planes = std::min(step, endPlane - plane);
      column_.reset(planes, firstRow, lastRow);
      for (const std::uint32_t t : triangles)
        addTriangle(triangles_[t], scan_, columnLane, plane, planes, column_);
      for (int p = 0; p < planes; ++p) sumPlane(columnLane, plane, p);
    }
  }
  void sumPlane(int columnLane, int firstPlane, int p) {
    PlaneWriter writer(fluid_, scan_, columnLane, firstPlane + p);
    const bool closed = column_.sum(p, windingSum_, [&](int row, int end, std::uint64_t bits) {
      writer.write(row, end, bits);
    });
    if (!closed)
      stage::fail(stage::ExitCode::BadInput,
                  "the surface is not closed: a line along " + std::string(1, scan_.rayName()) +
                      " enters and leaves it a different number of times; close its holes first.");
    writer.finish();
  }

  Scan scan_;
  int firstPlane_;
  BitLattice& fluid_;
  std::vector<Projected> triangles_;
  WindingColumn column_;
  std::uint64_t windingSum_ = 0;
};

// Triangles by the layers that they reach.
Bins layerBins(const geometry::TriangleMesh& mesh, const std::vector<Fixed3>& vertex,
               const BitLattice& fluid) {
  return sortIntoBins(mesh.triangle.size(), static_cast<size_t>(fluid.blocks()[2]), [&](size_t t) {
    const auto& [a, b, c] = mesh.triangle[t];
    const auto [low, high] = std::minmax({vertex[a][2], vertex[b][2], vertex[c][2]});
    const int first = nodeAtOrAfter(low);
    const int last = std::min(nodeAtOrBefore(high), fluid.size[2] - 1);
    return first > last ? std::pair(0, -1) : std::pair(first / planesOfLayer, last / planesOfLayer);
  });
}

BitLattice withSwappedYZ(const BitLattice& lattice) {
  BitLattice swapped({lattice.size[0], lattice.size[2], lattice.size[1]});
  for (int k = 0; k < lattice.blocks()[2]; ++k)
    lattice.forEachWord(
        k, [&](int w, int y, int z, std::uint64_t bits) { swapped.setWord(w, z, y, bits); });
  return swapped;
}

}  // namespace

Voxels voxeliseCounting(const geometry::TriangleMesh& mesh, const Int3& nodes,
                        const std::array<bool, 3>& periodic, int above) {
  const Scan scan = chooseScan(periodic);
  std::vector<Fixed3> vertex = snapVertices(mesh.vertex, nodes);
  if (scan.swapsYZ)
    for (Fixed3& v : vertex) std::swap(v[1], v[2]);
  Voxels voxels;
  voxels.fluid = BitLattice(scan.swapsYZ ? Int3{nodes[0], nodes[2], nodes[1]} : nodes);
  const Bins bins = layerBins(mesh, vertex, voxels.fluid);
  std::atomic<std::uint64_t> windingSum = 0;
  stage::parallelFor(bins.size(), [&](size_t layer) {
    if (bins[layer].empty()) return;
    windingSum += LayerScan(scan, vertex, mesh, bins[layer],
                            static_cast<int>(layer) * planesOfLayer, above, voxels.fluid)
                      .run();
  });
  voxels.windingSum = windingSum;
  if (scan.swapsYZ) voxels.fluid = withSwappedYZ(voxels.fluid);
  return voxels;
}

void WindingColumn::reset(int planes, int firstRow, int lastRow) {
  firstRow_ = firstRow;
  rows_ = lastRow - firstRow + 1;
  const std::size_t places = static_cast<std::size_t>(planes) * static_cast<std::size_t>(rows_);
  if (change_.size() < places * lanes) change_.resize(places * lanes);
  touched_.assign((places + 63) / 64, 0);
}

std::size_t WindingColumn::nextTouched(std::size_t at, std::size_t end) const {
  while (at < end) {
    const std::uint64_t rest = touched_[at / 64] >> (at % 64);
    if (rest != 0) return at + static_cast<std::size_t>(std::countr_zero(rest));
    at = (at / 64 + 1) * 64;
  }
  return end;
}

WindingColumn::Positive WindingColumn::advance(std::array<std::int16_t, lanes>& winding,
                                               std::size_t at) {
  std::int16_t* change = change_.data() + at * lanes;
  std::array<std::uint8_t, lanes> isPositive;
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < lanes; ++i) {
    winding[i] = static_cast<std::int16_t>(winding[i] + change[i]);
    isPositive[i] = winding[i] > above_;
    sum += std::max(winding[i], std::int16_t{0});
  }
  std::fill_n(change, lanes, std::int16_t{0});
  Positive positive;
  positive.sum = static_cast<std::uint64_t>(sum);
  for (std::size_t i = 0; i < lanes; i += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, isPositive.data() + i, 8);
    positive.bits |= (bytes * 0x0102040810204080U) >> 56U << i;
  }
  return positive;
}

using geometry::TriangleMesh;

TriangleMesh inLatticeCoordinates(TriangleMesh mesh, const geometry::Frame& frame,
                                  const Double3& nodes) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, mesh.vertex.size(), 1 << 13),
                    [&](const auto& range) {
                      for (std::size_t v = range.begin(); v < range.end(); ++v) {
                        Double3& vertex = mesh.vertex[v];
                        vertex = frame.toLattice(vertex);
                        for (size_t a = 0; a < 3; ++a)
                          vertex[a] = std::clamp(vertex[a], -0.5, nodes[a] - 0.5);
                      }
                    });
  return mesh;
}

Voxels nodesInside(const TriangleMesh& mesh, const std::vector<stage::Triangle>& ends,
                   const Int3& nodes, const std::array<bool, 3>& periodic, int above) {
  if (periodic != std::array<bool, 3>{true, true, true})
    return voxeliseCounting(mesh, nodes, periodic, above);
  TriangleMesh closed{mesh.vertex, mesh.triangle, {}};
  closed.triangle.insert(closed.triangle.end(), ends.begin(), ends.end());
  return voxeliseCounting(closed, nodes, {false, false, false}, above);
}

std::vector<BitLattice> nodesInOverlaps(const TriangleMesh& mesh,
                                        const std::vector<stage::Triangle>& ends, const Int3& nodes,
                                        const std::array<bool, 3>& periodic, const Voxels& voxels) {
  std::vector<BitLattice> levels;
  std::uint64_t rest = voxels.windingSum - voxels.fluid.count();
  while (rest > 0) {
    levels.push_back(
        nodesInside(mesh, ends, nodes, periodic, static_cast<int>(levels.size()) + 1).fluid);
    const std::uint64_t nodesThere = levels.back().count();
    if (nodesThere == 0) break;
    rest -= std::min(rest, nodesThere);
  }
  return levels;
}

}  // namespace tessera::preprocess::lattice
