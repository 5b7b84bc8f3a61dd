// SPDX-License-Identifier: GPL-3.0-or-later
// Goes beyond Tomczak & Szafran 2017, who tile once from node (0, 0, 0). For each place that a row
// of tiles may take on the two axes across it, what it costs at each of its four offsets comes out
// of one pass over the bits for each direction of rows; the rest is minima and sums over these.
// A place is named by the last node of its window: window e holds nodes e - 3 .. e, so a tile at
// offset o whose index is g is window 4 g + 3 - o.
#include "tiler/search_rows.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <bit>

namespace tessera {

namespace {

constexpr int edge = 4;
constexpr int chunk = 8;  // windows that share a load of their planes
using Words = std::vector<std::uint64_t>;

int windowsOn(int nodes) {
  return nodes + edge - 1;
}

// A count and the lowest offset that gives it, so that the smaller one is the better one.
std::uint64_t cost(std::uint64_t tiles, int offset) {
  return tiles * edge + static_cast<unsigned>(offset);
}
std::uint64_t tilesOf(std::uint64_t cost) {
  return cost / edge;
}
std::uint8_t offsetOf(std::uint64_t cost) {
  return static_cast<std::uint8_t>(cost % edge);
}

// Counts how often each of 64 bits was set, as the digits of 64 binary numbers side by side.
class BitCounters {
 public:
  void add(std::uint64_t bits) {
    for (std::size_t digit = 0; bits != 0; ++digit) {
      const std::uint64_t carry = digit_[digit] & bits;
      digit_[digit] ^= bits;
      bits = carry;
    }
  }
  [[nodiscard]] std::uint64_t at(int bit) const {
    std::uint64_t count = 0;
    for (std::size_t digit = 0; digit < digit_.size(); ++digit)
      count |= (digit_[digit] >> bit & 1U) << digit;
    return count;
  }

 private:
  std::array<std::uint64_t, 22> digit_{};
};

// Costs of rows along one axis by their windows on the two others, the lower one fastest.
struct RowCosts {
  int along = 0;
  std::array<int, 2> axes{1, 2};
  std::array<int, 2> windows{0, 0};
  std::vector<std::uint64_t> cost;
  std::uint64_t& at(int u, int v) {
    return cost[static_cast<std::size_t>(u) +
                static_cast<std::size_t>(windows[0]) * static_cast<std::size_t>(v)];
  }
};

// Bits of the lattice as rows on x, with room for windows that end beyond the box. p and q are the
// other axes in some order.
class RowPlanes {
 public:
  RowPlanes(const BitLattice& fluid, std::size_t p, std::size_t q)
      : fluid_(fluid), p_(p), q_(q), words_((windowsOn(fluid.size[0]) + 63) / 64) {}
  [[nodiscard]] int words() const { return words_; }
  [[nodiscard]] int rows() const { return fluid_.size[p_]; }

  // Planes first .. first + chunk + edge - 2 on q.
  void load(int first) {
    const std::size_t plane = static_cast<std::size_t>(words_) * static_cast<std::size_t>(rows());
    bits_.assign(plane * (chunk + edge - 1), 0);
    for (int k = 0; k < chunk + edge - 1; ++k) {
      Int3 node{0, 0, 0};
      node[q_] = first + k;
      if (node[q_] < 0 || node[q_] >= fluid_.size[q_]) continue;
      std::uint64_t* to = bits_.data() + plane * static_cast<std::size_t>(k);
      for (node[p_] = 0; node[p_] < rows(); ++node[p_], to += words_)
        for (int w = 0; w < fluid_.rowWords(); ++w) to[w] = fluid_.word(w, node[1], node[2]);
    }
  }
  // The OR of the four planes from the kth loaded one on.
  void join(int k, Words& joined) const {
    const std::size_t plane = static_cast<std::size_t>(words_) * static_cast<std::size_t>(rows());
    const std::uint64_t* from = bits_.data() + plane * static_cast<std::size_t>(k);
    joined.resize(plane);
    for (std::size_t i = 0; i < plane; ++i)
      joined[i] = from[i] | from[i + plane] | from[i + 2 * plane] | from[i + 3 * plane];
  }

 private:
  const BitLattice& fluid_;
  std::size_t p_, q_;
  int words_;
  Words bits_;
};

// Bit x becomes the OR of bits x - 3 .. x.
void slideOnX(std::uint64_t* row, int words) {
  std::uint64_t before = 0;
  for (int w = 0; w < words; ++w) {
    std::uint64_t window = row[w], earlier = before;
    before = row[w];
    for (int shift = 1; shift < edge; shift *= 2) {
      window |= window << shift | earlier >> (64 - shift);
      earlier |= earlier << shift;
    }
    row[w] = window;
  }
}

// Rows along x: windows on p are joined, then the tiles of each offset are counted.
void costAlongX(const Words& joined, int words, int rows, int v, RowCosts& costs) {
  Words row(static_cast<std::size_t>(words));
  for (int u = 0; u < windowsOn(rows); ++u) {
    std::fill(row.begin(), row.end(), 0);
    for (int p = std::max(u - edge + 1, 0); p <= std::min(u, rows - 1); ++p)
      for (std::size_t w = 0; w < row.size(); ++w)
        row[w] |= joined[static_cast<std::size_t>(p) * row.size() + w];
    slideOnX(row.data(), words);
    std::uint64_t best = ~std::uint64_t{0};
    for (int offset = 0; offset < edge; ++offset) {
      std::uint64_t tiles = 0;
      for (const std::uint64_t word : row)
        tiles += static_cast<std::uint64_t>(
            std::popcount(word & (0x1111111111111111ULL << (edge - 1 - offset))));
      best = std::min(best, cost(tiles, offset));
    }
    costs.at(u, v) = best;
  }
}

// Rows along p: windows on x are joined, then each column of 64 bits is counted at once.
void costAlongP(Words& joined, int words, int rows, int v, RowCosts& costs) {
  for (int p = 0; p < rows; ++p)
    slideOnX(joined.data() + static_cast<std::size_t>(p) * static_cast<std::size_t>(words), words);
  for (int w = 0; w < words; ++w) {
    std::array<BitCounters, edge> tiles;
    for (int offset = 0; offset < edge; ++offset)
      for (int first = -offset; first < rows; first += edge) {
        std::uint64_t tile = 0;
        for (int p = std::max(first, 0); p < std::min(first + edge, rows); ++p)
          tile |= joined[static_cast<std::size_t>(p) * static_cast<std::size_t>(words) +
                         static_cast<std::size_t>(w)];
        tiles[static_cast<std::size_t>(offset)].add(tile);
      }
    for (int bit = 0; bit < 64 && 64 * w + bit < costs.windows[0]; ++bit) {
      std::uint64_t best = ~std::uint64_t{0};
      for (int offset = 0; offset < edge; ++offset)
        best = std::min(best, cost(tiles[static_cast<std::size_t>(offset)].at(bit), offset));
      costs.at(64 * w + bit, v) = best;
    }
  }
}

RowCosts costsOfRows(const BitLattice& fluid, int along) {
  RowCosts costs;
  costs.along = along;
  costs.axes = {along == 0 ? 1 : 0, along == 2 ? 1 : 2};
  for (std::size_t k = 0; k < 2; ++k)
    costs.windows[k] = windowsOn(fluid.size[static_cast<std::size_t>(costs.axes[k])]);
  costs.cost.resize(static_cast<std::size_t>(costs.windows[0]) *
                    static_cast<std::size_t>(costs.windows[1]));
  const auto q = static_cast<std::size_t>(costs.axes[1]);
  const std::size_t p = 3 - q;  // the other one of y and z
  tbb::parallel_for(0, (costs.windows[1] + chunk - 1) / chunk, [&](int part) {
    RowPlanes planes(fluid, p, q);
    Words joined;
    planes.load(part * chunk - edge + 1);
    for (int k = 0; k < chunk && part * chunk + k < costs.windows[1]; ++k) {
      planes.join(k, joined);
      const int v = part * chunk + k;
      if (along == 0)
        costAlongX(joined, planes.words(), planes.rows(), v, costs);
      else
        costAlongP(joined, planes.words(), planes.rows(), v, costs);
    }
  });
  return costs;
}

// What a layer costs by its window on the layers' axis.
std::vector<std::uint64_t> costsOfLayers(RowCosts& costs, bool layersOnSecond) {
  const int rows = costs.windows[layersOnSecond ? 0 : 1];
  std::vector<std::uint64_t> layers(
      static_cast<std::size_t>(costs.windows[layersOnSecond ? 1 : 0]));
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    std::array<std::uint64_t, edge> tiles{};
    const int at = static_cast<int>(layer);
    for (int row = 0; row < rows; ++row)
      tiles[static_cast<std::size_t>(edge - 1 - row % edge)] +=
          tilesOf(layersOnSecond ? costs.at(row, at) : costs.at(at, row));
    layers[layer] = ~std::uint64_t{0};
    for (int offset = 0; offset < edge; ++offset)
      layers[layer] =
          std::min(layers[layer], cost(tiles[static_cast<std::size_t>(offset)], offset));
  }
  return layers;
}

// Writes down the offsets that were found.
TileMesh meshOf(const BitLattice& fluid, RowCosts& costs, bool layersOnSecond,
                const std::vector<std::uint64_t>& layers, int layersOffset) {
  const std::array<int, 3> axes{costs.along, costs.axes[layersOnSecond ? 0 : 1],
                                costs.axes[layersOnSecond ? 1 : 0]};
  TileMesh mesh = rowMesh(fluid.size, axes, layersOffset);
  const int rows = mesh.grid[static_cast<std::size_t>(axes[1])];
  for (int layer = 0; layer < static_cast<int>(mesh.rows.layer.size()); ++layer) {
    const int at = edge * layer + edge - 1 - layersOffset;
    const std::uint8_t shift = offsetOf(layers[static_cast<std::size_t>(at)]);
    mesh.rows.layer[static_cast<std::size_t>(layer)] = shift;
    for (int row = 0; row < rows; ++row) {
      const int window = edge * row + edge - 1 - shift;
      if (window >= costs.windows[layersOnSecond ? 0 : 1]) break;
      mesh.rows.row[static_cast<std::size_t>(row) +
                    static_cast<std::size_t>(rows) * static_cast<std::size_t>(layer)] =
          offsetOf(layersOnSecond ? costs.at(window, at) : costs.at(at, window));
    }
  }
  return mesh;
}

RowSearch searchLayers(const BitLattice& fluid, RowCosts& costs, bool layersOnSecond) {
  const std::vector<std::uint64_t> layers = costsOfLayers(costs, layersOnSecond);
  std::array<std::uint64_t, edge> tiles{};
  for (std::size_t layer = 0; layer < layers.size(); ++layer)
    tiles[edge - 1 - layer % edge] += tilesOf(layers[layer]);
  const auto best = std::min_element(tiles.begin(), tiles.end());
  const int offset = static_cast<int>(best - tiles.begin());
  return {meshOf(fluid, costs, layersOnSecond, layers, offset), *best};
}

}  // namespace

RowSearch searchRows(const BitLattice& fluid, const std::array<int, 3>& axes) {
  RowCosts costs = costsOfRows(fluid, axes[0]);
  return searchLayers(fluid, costs, axes[2] > axes[1]);
}

RowSearch searchRows(const BitLattice& fluid) {
  RowSearch best;
  const auto isBetter = [&](const RowSearch& found) {
    if (best.tiles == 0 || found.tiles != best.tiles)
      return best.tiles == 0 || found.tiles < best.tiles;
    const auto& axes = found.mesh.rows.axes;
    const auto& known = best.mesh.rows.axes;
    return axes[2] != known[2] ? axes[2] > known[2] : axes[1] > known[1];
  };
  for (const int along : {0, 1, 2}) {
    RowCosts costs = costsOfRows(fluid, along);
    for (const bool layersOnSecond : {true, false}) {
      RowSearch found = searchLayers(fluid, costs, layersOnSecond);
      if (isBetter(found)) best = std::move(found);
    }
  }
  return best;
}

}  // namespace tessera
