// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/linear_moments.hpp"

#include <algorithm>
#include <array>

#include "solver/model/moments.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::run {

namespace moment = model::moment;
using tiler::tileNodes;

namespace {

// Values by which moments are multiplied for a population, but for its weight and the factors
// 3, 4.5 and 1.5: 1, c, c c.
std::array<double, linearMoments> productsOf(const std::array<int, 3>& c) {
  const double x = c[0];
  const double y = c[1];
  const double z = c[2];
  return {1.0, x, y, z, x * x, y * y, z * z, x * y, x * z, y * z};
}

// Factors of the moments in w_i (...); trace: that of xx, yy and zz.
std::array<double, linearMoments> factorsOf(const std::array<int, 3>& c, double weight) {
  std::array<double, linearMoments> factors = productsOf(c);
  for (std::size_t e = 0; e < linearMoments; ++e) {
    const double scale = e == 0 ? 1.0 : e < 4 ? 3.0 : e < 7 ? 4.5 : 9.0;
    const double trace = e >= 4 && e < 7 ? 1.5 : 0.0;
    factors[e] = weight * (scale * factors[e] - trace);
  }
  return factors;
}

void takeFromStored(std::span<const double> values, std::span<double> moments) {
  for (std::size_t l = 0; l < tileNodes; ++l) {
    const auto at = [&](int m) { return values[static_cast<std::size_t>(m) * tileNodes + l]; };
    const auto put = [&](std::size_t e, double value) { moments[e * tileNodes + l] = value; };
    put(0, 0.5 * (at(moment::p) + at(moment::p + 1)) - 3.0 * at(moment::xx) +
               1.5 * (at(moment::yy) + at(moment::zz)));
    put(1, (at(moment::p) - at(moment::p + 1)) / 6.0);
    put(2, 0.5 * (at(moment::y) + at(moment::y + 1)));
    put(3, 0.5 * (at(moment::z) + at(moment::z + 1)));
    put(4, at(moment::xx));
    put(5, at(moment::yy));
    put(6, at(moment::zz));
    put(7, (at(moment::y) - at(moment::y + 1)) / 6.0);
    put(8, (at(moment::z) - at(moment::z + 1)) / 6.0);
    put(9, at(moment::yz));
  }
}

void addToStored(std::span<const double> moments, std::span<double> values) {
  for (std::size_t l = 0; l < tileNodes; ++l) {
    const auto at = [&](std::size_t e) { return moments[e * tileNodes + l]; };
    const double j[3] = {at(1), at(2), at(3)};
    const double a[6] = {at(4), at(5), at(6), at(7), at(8), at(9)};
    double stored[moment::count];
    model::storedMoments<double>(at(0), j, a, stored);
    for (std::size_t m = 0; m < moment::count; ++m) values[m * tileNodes + l] += stored[m];
  }
}

}  // namespace

void takeLinearMoments(const backend::VariantInfo& variant, std::span<const double> values,
                       std::span<double> moments) {
  if (variant.storesMoments()) return takeFromStored(values, moments);
  std::ranges::fill(moments, 0.0);
  for (std::size_t i = 0; i < variant.lattice.velocities.size(); ++i) {
    const auto products = productsOf(variant.lattice.velocities[i]);
    for (std::size_t e = 0; e < linearMoments; ++e) {
      const double factor = products[e] - (e >= 4 && e < 7 ? 1.0 / 3.0 : 0.0);
      if (factor == 0.0) continue;
      for (std::size_t l = 0; l < tileNodes; ++l)
        moments[e * tileNodes + l] += factor * values[i * tileNodes + l];
    }
  }
}

void addLinearMoments(const backend::VariantInfo& variant, std::span<const double> moments,
                      std::span<double> values) {
  if (variant.storesMoments()) return addToStored(moments, values);
  for (std::size_t i = 0; i < variant.lattice.velocities.size(); ++i) {
    const auto factors = factorsOf(variant.lattice.velocities[i], variant.lattice.weights[i]);
    for (std::size_t e = 0; e < linearMoments; ++e)
      for (std::size_t l = 0; l < tileNodes; ++l)
        values[i * tileNodes + l] += factors[e] * moments[e * tileNodes + l];
  }
}

}  // namespace tessera::solver::run
