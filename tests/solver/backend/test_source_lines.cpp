// SPDX-License-Identifier: GPL-3.0-or-later
// Cache lines that are prefetched for the step of a tile. A wrong list changes no result.
#include <catch2/catch.hpp>
#include <set>
#include <utility>

#include "solver/backend/cpu/moment_tile.hpp"
#include "solver/backend/cpu/source_lines.hpp"
#include "solver/model/lattice/d2q9.hpp"
#include "solver/model/lattice/d3q19.hpp"
#include "solver/model/lattice/d3q27.hpp"

using namespace tessera::solver;
using namespace tessera::solver::backend;
using namespace tessera::solver::model;

namespace {

struct OwnPopulation {
  static constexpr bool of(int i, int n) { return i == n; }
};
template <class Format>
struct WordsOf {
  static constexpr bool of(int i, int n) {
    return MomentsAround<Format>::reads(D3Q19::c[static_cast<std::size_t>(i)], n);
  }
};

using Lines = std::set<std::pair<int, int>>;

// Lines of the sources of a tile in the middle of 27, from their coordinates.
template <class Lattice, int values, int bytes, class Reads>
Lines linesOfSources() {
  using Shape = TileShape<Lattice>;
  Lines lines;
  for (int z = Shape::z; z < 2 * Shape::z; ++z)
    for (int y = Shape::y; y < 2 * Shape::y; ++y)
      for (int x = Shape::x; x < 2 * Shape::x; ++x)
        for (int i = 0; i < Lattice::q; ++i) {
          const auto& c = Lattice::c[static_cast<std::size_t>(i)];
          const int at[3] = {x - c[0], y - c[1], z - c[2]};
          const int tile = at[0] / Shape::x + 3 * (at[1] / Shape::y) + 9 * (at[2] / Shape::z);
          const int local = at[0] % Shape::x + Shape::x * (at[1] % Shape::y) +
                            Shape::x * Shape::y * (at[2] % Shape::z);
          for (int n = 0; n < values; ++n)
            if (Reads::of(i, n)) lines.emplace(tile, (64 * n + local) * bytes / 64);
        }
  return lines;
}

template <class Lattice, int values, int bytes, class Reads>
void checkLines() {
  static constexpr SourceLines<Lattice, values, bytes, Reads> sources{};
  Lines listed;
  for (int k = 0; k < sources.count; ++k) {
    const SourceLine& line = sources.lines[static_cast<std::size_t>(k)];
    listed.emplace(line.neighbour, line.line);
  }
  CHECK(listed.size() == static_cast<std::size_t>(sources.count));  // each once
  CHECK(listed == linesOfSources<Lattice, values, bytes, Reads>());
  // Shares make up the list.
  alignas(64) static char tile[64 * values * bytes];
  int prefetched = 0;
  const auto begin = [&](std::size_t) {
    ++prefetched;
    return tile;
  };
  for (int k = 0; k < 7; ++k) sources.template prefetch<7>(k, begin);
  CHECK(prefetched == sources.count);
}

template <class Lattice>
void checkPopulations() {
  checkLines<Lattice, Lattice::q, 2, OwnPopulation>();
  checkLines<Lattice, Lattice::q, 4, OwnPopulation>();
  checkLines<Lattice, Lattice::q, 8, OwnPopulation>();
}

}  // namespace

TEST_CASE("Source lines: those that a step reads, each once", "[unit]") {
  checkPopulations<D2Q9>();
  checkPopulations<D3Q19>();
  checkPopulations<D3Q27>();
  checkLines<D3Q19, moment::count, 4, WordsOf<PlainMoments<float>>>();
  checkLines<D3Q19, moment::count, 8, WordsOf<PlainMoments<double>>>();
  checkLines<D3Q19, MixedMoments::words, 4, WordsOf<MixedMoments>>();
}
