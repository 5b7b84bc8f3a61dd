// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/topology/weld.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/neighbourhood.hpp"

namespace tessera::preprocess::surface {

namespace {

constexpr int blocks = 64;    // fixed: the result is independent of the threads
constexpr int buckets = 256;  // each fits into the cache
constexpr int gridBits = 20;
constexpr std::uint32_t noVertex = ~std::uint32_t{0};

struct Box {
  Float3 low{std::numeric_limits<float>::max(), std::numeric_limits<float>::max(),
             std::numeric_limits<float>::max()};
  Float3 high{std::numeric_limits<float>::lowest(), std::numeric_limits<float>::lowest(),
              std::numeric_limits<float>::lowest()};
};

Box join(Box a, const Box& b) {
  for (std::size_t c = 0; c < 3; ++c) {
    a.low[c] = std::min(a.low[c], b.low[c]);
    a.high[c] = std::max(a.high[c], b.high[c]);
  }
  return a;
}

Box boxOf(const std::vector<Float3>& corner) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, corner.size(), 1 << 15), Box{},
      [&](const tbb::blocked_range<std::size_t>& range, Box box) {
        for (std::size_t i = range.begin(); i < range.end(); ++i)
          box = join(box, {corner[i], corner[i]});
        return box;
      },
      join);
}

// Uniform grid with 21-bit cell indices per axis.
class SnapGrid {
 public:
  explicit SnapGrid(const Box& box) : low_(box.low) {
    for (std::size_t c = 0; c < 3; ++c)
      extent_ = std::max(extent_, static_cast<double>(box.high[c]) - box.low[c]);
    cellsPerUnit_ = extent_ > 0.0 ? (1 << gridBits) / extent_ : 0.0;
  }
  [[nodiscard]] std::uint64_t cellOf(const Float3& p) const {
    std::uint64_t key = 0;
    for (std::size_t c = 0; c < 3; ++c)
      key = key << (gridBits + 1) |
            static_cast<std::uint64_t>((static_cast<double>(p[c]) - low_[c]) * cellsPerUnit_);
    return key;
  }
  [[nodiscard]] double cell() const { return extent_ / (1 << gridBits); }

 private:
  Float3 low_;
  double extent_ = 0.0;
  double cellsPerUnit_ = 0.0;
};

std::uint64_t hashOf(std::uint64_t key) {
  key *= 0x9E3779B97F4A7C15U;
  return key ^ (key >> 32);
}
std::size_t bucketOf(std::uint64_t hash) {
  return (hash >> 24) % buckets;
}

struct Entry {
  std::uint64_t cell;
  std::uint32_t corner;
};

struct Buckets {
  std::unique_ptr<Entry[]> entries;
  std::array<std::size_t, buckets + 1> start{};
};

template <class Body>
void forEachBlock(std::size_t items, Body body) {
  tbb::parallel_for(0, blocks, [&](int b) {
    const auto index = static_cast<std::size_t>(b);
    body(index, items * index / blocks, items * (index + 1) / blocks);
  });
}

// Buckets of all corners, and their number in each by block.
struct Census {
  std::unique_ptr<std::uint8_t[]> bucket;
  std::vector<std::array<std::size_t, buckets>> count;
};

Census countBuckets(const std::vector<Float3>& corner, const SnapGrid& grid) {
  Census census{std::make_unique_for_overwrite<std::uint8_t[]>(corner.size()),
                std::vector<std::array<std::size_t, buckets>>(blocks)};
  forEachBlock(corner.size(), [&](std::size_t b, std::size_t begin, std::size_t end) {
    std::array<std::size_t, buckets> count{};
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t bucket = bucketOf(hashOf(grid.cellOf(corner[i])));
      census.bucket[i] = static_cast<std::uint8_t>(bucket);
      ++count[bucket];
    }
    census.count[b] = count;
  });
  return census;
}

// Entries of the buckets from first to before end. Stable: those of a bucket keep the order of the
// corners.
Buckets sortIntoBuckets(const std::vector<Float3>& corner, const SnapGrid& grid,
                        const Census& census, std::size_t first, std::size_t end) {
  std::vector<std::array<std::size_t, buckets>> offset(blocks);
  Buckets sorted;
  std::size_t sum = 0;
  for (std::size_t k = first; k < end; ++k) {
    sorted.start[k] = sum;
    for (std::size_t b = 0; b < blocks; ++b) {
      offset[b][k] = sum;
      sum += census.count[b][k];
    }
  }
  sorted.start[end] = sum;
  sorted.entries = std::make_unique_for_overwrite<Entry[]>(sum);
  forEachBlock(corner.size(), [&](std::size_t b, std::size_t begin, std::size_t blockEnd) {
    for (std::size_t i = begin; i < blockEnd; ++i) {
      const std::size_t bucket = census.bucket[i];
      if (bucket < first || bucket >= end) continue;
      sorted.entries[offset[b][bucket]++] = {grid.cellOf(corner[i]), static_cast<std::uint32_t>(i)};
    }
  });
  return sorted;
}

// Last bucket, exclusive, so that the entries from the first one on take at most 256 MB.
std::size_t endOfPass(const Census& census, std::size_t first) {
  constexpr std::size_t most = std::size_t{1} << 24U;  // entries
  std::size_t sum = 0;
  for (std::size_t k = first; k < buckets; ++k) {
    for (const auto& count : census.count) sum += count[k];
    if (sum > most && k > first) return k;
  }
  return buckets;
}

// For each corner the first corner in the same cell.
std::vector<std::uint32_t> firstInCell(const std::vector<Float3>& corner, const SnapGrid& grid) {
  const Census census = countBuckets(corner, grid);
  std::vector<std::uint32_t> first(corner.size());
  for (std::size_t begin = 0, end = 0; begin < buckets; begin = end) {
    end = endOfPass(census, begin);
    const Buckets sorted = sortIntoBuckets(corner, grid, census, begin, end);
    tbb::parallel_for(begin, end, [&](std::size_t k) {
      const std::size_t count = sorted.start[k + 1] - sorted.start[k];
      const std::size_t mask = std::bit_ceil(2 * count + 1) - 1;
      std::vector<Entry> table(mask + 1, Entry{0, noVertex});
      for (std::size_t e = sorted.start[k]; e < sorted.start[k + 1]; ++e) {
        const Entry& entry = sorted.entries[e];
        std::size_t slot = hashOf(entry.cell) & mask;
        while (table[slot].corner != noVertex && table[slot].cell != entry.cell)
          slot = (slot + 1) & mask;
        if (table[slot].corner == noVertex) table[slot] = entry;
        first[entry.corner] = table[slot].corner;
      }
    });
  }
  return first;
}

Double3 inMetres(const read::TriangleSoup& soup, std::size_t corner, double metresPerUnit) {
  const Float3& p = soup.corner[corner];
  return metresPerUnit * (soup.origin + Double3{p[0], p[1], p[2]});
}

// Vertices at the first corners in order, and the triangles between them. first: of each corner.
void numberVertices(const read::TriangleSoup& soup, double metresPerUnit,
                    const std::vector<std::uint32_t>& first, geometry::TriangleMesh& mesh) {
  std::array<std::uint32_t, blocks + 1> start{};
  const std::size_t triangles = soup.triangles();
  forEachBlock(triangles, [&](std::size_t b, std::size_t begin, std::size_t end) {
    std::uint32_t count = 0;
    for (std::size_t i = 3 * begin; i < 3 * end; ++i) count += first[i] == i ? 1U : 0U;
    start[b + 1] = count;
  });
  for (std::size_t b = 0; b < blocks; ++b) start[b + 1] += start[b];
  mesh.vertex.resize(start[blocks]);
  mesh.triangle.resize(triangles);
  forEachBlock(triangles, [&](std::size_t b, std::size_t begin, std::size_t end) {
    std::uint32_t next = start[b];
    for (std::size_t i = 3 * begin; i < 3 * end; ++i) {
      if (first[i] != i) continue;
      mesh.vertex[next] = inMetres(soup, i, metresPerUnit);
      mesh.triangle[i / 3][i % 3] = next++;
    }
  });
  forEachBlock(triangles, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = 3 * begin; i < 3 * end; ++i) {
      const std::uint32_t f = first[i];
      if (f != i) mesh.triangle[i / 3][i % 3] = mesh.triangle[f / 3][f % 3];
    }
  });
}

bool isDegenerate(const stage::Triangle& t) {
  return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

std::uint64_t dropDegenerate(geometry::TriangleMesh& mesh) {
  std::atomic<bool> isAny = false;
  forEachBlock(mesh.triangle.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    const auto at = [&](std::size_t t) {
      return mesh.triangle.begin() + static_cast<std::ptrdiff_t>(t);
    };
    if (std::any_of(at(begin), at(end), isDegenerate)) isAny = true;
  });
  if (!isAny) return 0;
  return geometry::dropTriangles(mesh,
                                 [&](std::size_t t) { return isDegenerate(mesh.triangle[t]); });
}

using Cell = std::array<std::int64_t, 3>;

Cell cellOf(const Double3& p, double size) {
  return {std::llround(p[0] / size), std::llround(p[1] / size), std::llround(p[2] / size)};
}
std::uint64_t cellKey(const Cell& cell) {
  std::uint64_t key = 0;
  for (const std::int64_t c : cell) key = hashOf(key + static_cast<std::uint64_t>(c));
  return key;
}

// Hash grid of vertices.
class VertexGrid {
 public:
  VertexGrid(const std::vector<Double3>& vertex, double tolerance)
      : vertex_(vertex), tolerance_(tolerance) {}

  void add(std::uint32_t v) { inCell_.emplace(cellKey(cellOf(vertex_[v], tolerance_)), v); }

  // Nearest of the added vertices within the tolerance; ties: lowest index.
  [[nodiscard]] std::uint32_t nearestTo(std::uint32_t v) const {
    const Cell centre = cellOf(vertex_[v], tolerance_);
    double least = tolerance_;
    std::uint32_t nearest = noVertex;
    for (const auto& [n, step] : geometry::neighbourhood) {
      const auto [begin, end] = inCell_.equal_range(
          cellKey({centre[0] + step[0], centre[1] + step[1], centre[2] + step[2]}));
      for (auto other = begin; other != end; ++other) {
        const double distance = length(vertex_[v] - vertex_[other->second]);
        if (distance > least || (distance == least && other->second > nearest)) continue;
        least = distance;
        nearest = other->second;
      }
    }
    return nearest;
  }

 private:
  const std::vector<Double3>& vertex_;
  double tolerance_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> inCell_;
};

}  // namespace

WeldedMesh weld(const read::TriangleSoup& soup, double metresPerUnit) {
  if (soup.corner.size() >= noVertex)
    stage::fail(
        stage::ExitCode::BadInput,
        fmt::format("the surface has {} triangles, expected at most 1431655764; simplify it.",
                    soup.triangles()));
  if (soup.faceName.size() > geometry::openingBit)
    stage::fail(stage::ExitCode::BadInput,
                fmt::format("the surface has {} faces, expected at most 32768; join some.",
                            soup.faceName.size()));
  const SnapGrid grid(boxOf(soup.corner));
  WeldedMesh welded;
  welded.tolerance = grid.cell() * metresPerUnit;
  numberVertices(soup, metresPerUnit, firstInCell(soup.corner, grid), welded.mesh);
  welded.mesh.label = soup.face;
  welded.degenerate = dropDegenerate(welded.mesh);
  return welded;
}

std::uint64_t stitch(WeldedMesh& welded, const std::vector<std::uint32_t>& candidates,
                     double tolerance) {
  VertexGrid grid(welded.mesh.vertex, tolerance);
  std::vector<std::array<std::uint32_t, 2>> merged;
  for (const std::uint32_t v : candidates) {
    const std::uint32_t other = grid.nearestTo(v);
    if (other == noVertex)
      grid.add(v);
    else
      merged.push_back({v, other});
  }
  if (merged.empty()) return 0;
  std::vector<std::uint32_t> target(welded.mesh.vertex.size());
  std::iota(target.begin(), target.end(), 0U);
  for (const auto& [from, to] : merged) target[from] = to;
  for (stage::Triangle& triangle : welded.mesh.triangle)
    for (std::uint32_t& v : triangle) v = target[v];
  welded.degenerate += dropDegenerate(welded.mesh);
  return merged.size();
}

namespace {

constexpr std::size_t samples = 1000;
constexpr std::size_t maxSearch = 100'000;  // vertices per search

using SortedVertices = std::vector<std::pair<double, std::uint32_t>>;  // x and vertex, ascending

// Vertices that share a triangle with a sampled vertex.
std::map<std::uint32_t, std::vector<std::uint32_t>> neighboursOf(
    const geometry::TriangleMesh& mesh, const std::vector<std::uint32_t>& sampled) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> neighbours;
  for (const std::uint32_t v : sampled) neighbours[v];
  for (const stage::Triangle& t : mesh.triangle)
    for (const std::uint32_t v : t)
      if (const auto found = neighbours.find(v); found != neighbours.end())
        found->second.insert(found->second.end(), t.begin(), t.end());
  return neighbours;
}

double distanceToNearest(const geometry::TriangleMesh& mesh, const SortedVertices& sorted,
                         std::uint32_t v, const std::vector<std::uint32_t>& own) {
  const Double3& at = mesh.vertex[v];
  double least = std::numeric_limits<double>::max();
  const auto test = [&](const std::pair<double, std::uint32_t>& other) {
    if (std::abs(other.first - at[0]) >= least) return false;
    const bool isOwn = std::find(own.begin(), own.end(), other.second) != own.end();
    if (!isOwn) least = std::min(least, length(mesh.vertex[other.second] - at));
    return true;
  };
  const auto start = std::lower_bound(sorted.begin(), sorted.end(), std::pair{at[0], v});
  std::size_t steps = 0;
  for (auto up = start; up != sorted.end() && ++steps < maxSearch && test(*up);) ++up;
  for (auto down = start; down != sorted.begin() && ++steps < maxSearch;)
    if (!test(*--down)) break;
  return least;
}

double roundUp(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power >= value) return digit * power;
  return 10.0 * power;
}

}  // namespace

std::vector<double> weldsToTry(const geometry::TriangleMesh& mesh, const EdgeTable& edges) {
  const std::vector<std::uint32_t> open = verticesOfSingleEdges(edges);
  if (open.empty()) return {};
  SortedVertices sorted;
  for (const std::uint32_t v : open) sorted.emplace_back(mesh.vertex[v][0], v);
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint32_t> sampled;
  const std::size_t stride = std::max<std::size_t>(1, open.size() / samples);
  for (std::size_t k = 0; k < open.size(); k += stride) sampled.push_back(open[k]);
  std::vector<double> distances;
  for (const auto& [v, own] : neighboursOf(mesh, sampled)) {
    const double distance = distanceToNearest(mesh, sorted, v, own);
    if (distance > 0.0 && distance < std::numeric_limits<double>::max())
      distances.push_back(distance);
  }
  if (distances.empty()) return {};
  std::sort(distances.begin(), distances.end());
  std::vector<double> welds;
  for (const double share : {0.5, 0.9, 0.99}) {
    const auto k = static_cast<std::size_t>(share * static_cast<double>(distances.size() - 1));
    const double weld = roundUp(1.5 * distances[k]);
    if (welds.empty() || weld > welds.back()) welds.push_back(weld);
  }
  welds.push_back(roundUp(1.01 * welds.back()));
  return welds;
}

}  // namespace tessera::preprocess::surface
