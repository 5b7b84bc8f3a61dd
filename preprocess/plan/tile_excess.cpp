// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/plan/tile_excess.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

using std::size_t;

constexpr int edge = 4;                         // of a tile, nodes
constexpr int phases = 64;                      // in which positions modulo a tile are told apart
constexpr double footprint = 0.5 * (edge - 1);  // from the middle of a tile to its outer nodes
constexpr int samples = 8;                      // of a triangle's range along an axis

// Area seen along an axis, by its position modulo a tile: of what looks up and of what looks down.
struct Phases {
  std::array<double, phases> up{}, down{};
};
struct Sums {
  std::array<Phases, 3> axis{};
  Double3 slice{};  // int (x_a - end_a) n_a dA: volume, less what the upper end closes
};

size_t phaseOf(double position) {
  const double part = position / edge - std::floor(position / edge);
  return std::min(static_cast<size_t>(part * phases), size_t{phases - 1});
}

// By how much a round channel of this width curves away over half a footprint.
double sagOver(double meanWidth) {
  return footprint * footprint / meanWidth;
}

// A column of tiles ends with the last node in any of its 16 columns of nodes, so a slanted surface
// counts from where it is highest over the tile.
void addTriangle(const std::array<Double3, 3>& corner, const Double3& end, double sag, Sums& sums) {
  const Double3 area = 0.5 * cross(corner[1] - corner[0], corner[2] - corner[0]);
  for (size_t a = 0; a < 3; ++a) {
    const double seen = std::abs(area[a]);
    if (!(seen > 0.0)) continue;
    sums.slice[a] += area[a] * ((corner[0][a] + corner[1][a] + corner[2][a]) / 3.0 - end[a]);
    const double slope = (std::abs(area[(a + 1) % 3]) + std::abs(area[(a + 2) % 3])) / seen;
    const double lift = std::max(0.0, footprint * slope - sag);
    const auto [low, high] = std::minmax({corner[0][a], corner[1][a], corner[2][a]});
    const bool up = area[a] > 0.0;
    auto& bins = up ? sums.axis[a].up : sums.axis[a].down;
    for (int k = 0; k < samples; ++k) {
      const double at = low + (k + 0.5) / samples * (high - low);
      bins[phaseOf(up ? at + lift : at - lift)] += seen / samples;
    }
  }
}

Sums& operator+=(Sums& sums, const Sums& more) {
  for (size_t a = 0; a < 3; ++a)
    for (size_t k = 0; k < phases; ++k) {
      sums.axis[a].up[k] += more.axis[a].up[k];
      sums.axis[a].down[k] += more.axis[a].down[k];
    }
  sums.slice = sums.slice + more.slice;
  return sums;
}

Sums sumOf(const TriangleMesh& mesh, const LatticeChoice& lattice, double sag) {
  using Range = tbb::blocked_range<size_t>;
  const Double3 end{lattice.nodes[0] - 0.5, lattice.nodes[1] - 0.5, lattice.nodes[2] - 0.5};
  return tbb::parallel_deterministic_reduce(
      Range(0, mesh.triangle.size(), 1 << 13), Sums{},
      [&](const Range& range, Sums sums) {
        for (size_t t = range.begin(); t < range.end(); ++t) {
          const Triangle& v = mesh.triangle[t];
          addTriangle({lattice.frame.toLattice(mesh.vertex[v[0]]),
                       lattice.frame.toLattice(mesh.vertex[v[1]]),
                       lattice.frame.toLattice(mesh.vertex[v[2]])},
                      end, sag, sums);
        }
        return sums;
      },
      [](Sums left, const Sums& right) { return left += right; });
}

// Nodes between the cells' faces at +-1/2 and the faces of the tiles.
double above(double position, int offset) {
  const double last = std::ceil(position) - 1.0;
  return edge * (std::floor((last + offset) / edge) + 1.0) - offset - 0.5 - position;
}
double below(double position, int offset) {
  const double first = std::floor(position) + 1.0;
  return position - (edge * std::floor((first + offset) / edge) - offset - 0.5);
}

double excess(const Phases& area, int offset) {
  double sum = 0.0;
  for (size_t k = 0; k < phases; ++k) {
    const double position = (static_cast<double>(k) + 0.5) * edge / phases;
    sum += area.up[k] * above(position, offset) + area.down[k] * below(position, offset);
  }
  return sum;
}

}  // namespace

Double3 leastTileExcess(const TriangleMesh& mesh, double volume, const LatticeChoice& lattice,
                        const std::array<bool, 3>& periodic, double meanWidth) {
  const Sums sums = sumOf(mesh, lattice, sagOver(meanWidth));
  const double nodes = volume / std::pow(lattice.frame.spacing, 3);
  Double3 least{};
  for (size_t a = 0; a < 3; ++a) {
    const double last = std::fmod(lattice.nodes[a], double{edge});
    const bool joins = periodic[a] && last == 0.0;
    const double endArea = periodic[a] ? (nodes - sums.slice[a]) / lattice.nodes[a] : 0.0;
    for (int offset = 0; offset < (joins ? 1 : edge); ++offset) {
      const double atEnds = endArea * (offset + std::fmod(2.0 * edge - last - offset, edge));
      const double found = excess(sums.axis[a], offset) + atEnds;
      least[a] = offset == 0 ? found : std::min(least[a], found);
    }
  }
  return least;
}

}  // namespace tessera
