// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/advection_share.hpp"

#include <algorithm>

namespace tessera::solver::boundary {

AdvectionShares advectionShares(model::LatticeId lattice, model::CollisionId collision, double tau,
                                double magic) {
  using model::CollisionId;
  const bool third = collision == CollisionId::Mrt && lattice == model::LatticeId::D3Q27;
  if (!third && collision != CollisionId::Regularised && collision != CollisionId::Cumulant) {
    const double product = collision == CollisionId::Bgk ? (tau - 0.5) * (tau - 0.5) : magic;
    return {std::min(0.0, 2.0 * product - 0.5), 0.0};
  }
  const double odd = third ? std::min(0.5, magic / (tau - 0.5)) : 0.5;
  return {odd - 0.5, -2.0 * odd * (1.0 - tau)};
}

namespace {

// P2 d_c d_c e+ / w_i of second derivatives of U^2 along axes g and d: third moments of c_d e+
// without the momentum, taken along g.
double secondOrderPart(const model::LatticeInfo& info, std::size_t i, const Double3& normal,
                       std::size_t g, std::size_t d) {
  const std::size_t q = info.velocities.size();
  const auto dimensions = static_cast<std::size_t>(info.dimensions);
  std::vector<double> moved(q);
  Double3 momentum{};
  for (std::size_t j = 0; j < q; ++j) {
    const Double3 c = velocityOf(info, j);
    const double cn = dot(c, normal);
    moved[j] = info.weights[j] * c[d] * (4.5 * cn * cn - 1.5);
    for (std::size_t a = 0; a < 3; ++a) momentum[a] += c[a] * moved[j];
  }
  const Double3 own = velocityOf(info, i);
  double sum = 0.0;
  for (std::size_t j = 0; j < q; ++j) {
    const Double3 c = velocityOf(info, j);
    const double third = moved[j] - 3.0 * info.weights[j] * dot(c, momentum);
    for (std::size_t a = 0; a < dimensions; ++a)
      for (std::size_t b = 0; b < dimensions; ++b)
        sum += 4.5 * (own[a] * own[b] - (a == b ? 1.0 / 3.0 : 0.0)) * c[a] * c[b] * c[g] * third;
  }
  return sum;
}

}  // namespace

AdvectionMatrix advectionMatrix(const model::LatticeInfo& info, std::size_t i,
                                const Double3& normal, const AdvectionShares& shares) {
  const Double3 c = velocityOf(info, i);
  const double cn = dot(c, normal);
  AdvectionMatrix out{};
  for (std::size_t g = 0; g < 3; ++g)
    for (std::size_t d = 0; d < 3; ++d) {
      out[g][d] = shares.whole * (4.5 * cn * cn - 1.5) * c[g] * c[d];
      if (shares.second != 0.0) out[g][d] += shares.second * secondOrderPart(info, i, normal, g, d);
    }
  return out;
}

}  // namespace tessera::solver::boundary
