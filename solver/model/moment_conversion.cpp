// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/model/moment_conversion.hpp"

#include <tbb/parallel_for.h>

#include "solver/model/moment_step.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::model {

std::vector<double> momentsFromPopulations(std::span<const double> populations) {
  using L = D3Q19;
  const std::size_t tiles = populations.size() / (64 * L::q);
  std::vector<double> moments(tiles * 64 * moment::count);
  tbb::parallel_for(std::size_t{0}, tiles, [&](std::size_t t) {
    const auto slot = static_cast<std::uint32_t>(t);
    for (int l = 0; l < 64; ++l) {
      const auto f = [&](int i) { return populations[populationIndex<L>(slot, i, l)]; };
      const MomentSums<double> sums =
          sumUp<L, double>(f(0), [&](auto i) { return f(i) / weight<L>(i); });
      double a[6];
      forEach<6>([&](auto e) { a[e] = sums.a[e] - (e < 3 ? sums.r / 3.0 : 0.0); });
      double stored[moment::count];
      storedMoments<double>(sums.r, sums.j, a, stored);
      for (int m = 0; m < moment::count; ++m) moments[momentIndex(slot, m, l)] = stored[m];
    }
  });
  return moments;
}

std::vector<double> populationsFromMoments(std::span<const double> moments) {
  using L = D3Q19;
  const std::size_t tiles = moments.size() / (64 * moment::count);
  std::vector<double> populations(tiles * 64 * L::q);
  tbb::parallel_for(std::size_t{0}, tiles, [&](std::size_t t) {
    const auto slot = static_cast<std::uint32_t>(t);
    for (int l = 0; l < 64; ++l) {
      const auto get = [&](int m) { return moments[momentIndex(slot, m, l)]; };
      forEach<L::q>([&](auto i) {
        populations[populationIndex<L>(slot, i, l)] =
            weight<L>(i) * populationByWeight<L, i, double>(get);
      });
    }
  });
  return populations;
}

}  // namespace tessera::solver::model
