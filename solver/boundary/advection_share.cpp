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
    return {std::min(0.0, 2.0 * product - 0.5), 0.0, 0.0};
  }
  const double odd = third ? std::min(0.5, magic / (tau - 0.5)) : 0.5;
  return {odd - 0.5, -2.0 * odd * (1.0 - tau), third ? (1.0 - 12.0 * magic) / 32.0 : 0.0};
}

namespace {

// Third moments of c_d e+, populations of them, for e+ of u u = n n; without the momentum.
std::vector<double> thirdMoments(const model::LatticeInfo& info, const Double3& normal,
                                 std::size_t d) {
  std::vector<double> out(info.velocities.size());
  Double3 momentum{};
  for (std::size_t j = 0; j < out.size(); ++j) {
    const Double3 c = velocityOf(info, j);
    const double cn = dot(c, normal);
    out[j] = info.weights[j] * c[d] * (4.5 * cn * cn - 1.5);
    for (std::size_t a = 0; a < 3; ++a) momentum[a] += c[a] * out[j];
  }
  for (std::size_t j = 0; j < out.size(); ++j)
    out[j] -= 3.0 * info.weights[j] * dot(velocityOf(info, j), momentum);
  return out;
}

// P2 d_c d_c e+ / w_i of second derivatives of U^2 along axes g and d: the third moments taken
// along g.
double secondOrderPart(const model::LatticeInfo& info, std::size_t i, std::size_t g,
                       const std::vector<double>& third) {
  const auto dimensions = static_cast<std::size_t>(info.dimensions);
  const Double3 own = velocityOf(info, i);
  double sum = 0.0;
  for (std::size_t j = 0; j < third.size(); ++j) {
    const Double3 c = velocityOf(info, j);
    for (std::size_t a = 0; a < dimensions; ++a)
      for (std::size_t b = 0; b < dimensions; ++b)
        sum += 4.5 * (own[a] * own[b] - (a == b ? 1.0 / 3.0 : 0.0)) * c[a] * c[b] * c[g] * third[j];
  }
  return sum;
}

// 9 c c : D / k of the same derivatives, D of hermite_moments.hpp: the stresses relax towards it,
// so both populations of a link have it.
double stressPart(const model::LatticeInfo& info, std::size_t i, std::size_t g,
                  const std::vector<double>& third) {
  const Double3 own = velocityOf(info, i);
  double sum = 0.0;
  for (std::size_t j = 0; j < third.size(); ++j) {
    const Double3 c = velocityOf(info, j);
    const auto square = [&](std::size_t a) { return c[a] * c[a] - 1.0 / 3.0; };
    const double yz = square(1) * square(2), xz = square(0) * square(2), xy = square(0) * square(1);
    const std::array<double, 3> opposite{yz, xz, xy};
    double product = 0.0;
    for (std::size_t a = 0; a < 3; ++a) {
      const std::size_t b = (a + 1) % 3;
      product += own[a] * own[a] * (4.0 / 3.0 * (yz + xz + xy) - 4.0 * opposite[a]) +
                 2.0 * own[a] * own[b] * c[a] * c[b] * square(3 - a - b);
    }
    sum += 9.0 * product * c[g] * third[j];
  }
  return sum;
}

// The terms of the populations of direction i.
AdvectionMatrix ofPopulations(const model::LatticeInfo& info, std::size_t i, const Double3& normal,
                              const AdvectionShares& shares) {
  const Double3 c = velocityOf(info, i);
  const double cn = dot(c, normal);
  AdvectionMatrix out{};
  for (std::size_t d = 0; d < 3; ++d) {
    const std::vector<double> third = thirdMoments(info, normal, d);
    for (std::size_t g = 0; g < 3; ++g) {
      out[g][d] = shares.whole * (4.5 * cn * cn - 1.5) * c[g] * c[d];
      if (shares.second != 0.0) out[g][d] += shares.second * secondOrderPart(info, i, g, third);
      if (shares.stress != 0.0) out[g][d] += shares.stress * stressPart(info, i, g, third);
    }
  }
  return out;
}

// N of the header; third derivatives of a U^2 of fourth degree are, but for a factor, d_bg x_d +
// d_bd x_g + d_gd x_b.
AdvectionMatrix fluxAlongPlane(const model::LatticeInfo& info, const Double3& normal,
                               const std::vector<AdvectionMatrix>& ofDirections) {
  const auto across = [&](const Double3& x) { return x - dot(x, normal) * normal; };
  AdvectionMatrix out{};
  for (std::size_t i = 0; i < ofDirections.size(); ++i) {
    const Double3 c = velocityOf(info, i);
    const double cn = dot(c, normal);
    const Double3 t = across(c);
    double trace = 0.0;   // of K_i along the plane
    Double3 symmetric{};  // (K_i + K_i^T) t
    for (std::size_t g = 0; g < 3; ++g) {
      Double3 row{};
      for (std::size_t d = 0; d < 3; ++d)
        row[d] = ofDirections[i][g][d] + (1.5 * cn * cn - 0.5) * c[g] * c[d];
      Double3 unit{};
      unit[g] = 1.0;
      trace += dot(across(unit), across(row));
      for (std::size_t d = 0; d < 3; ++d) {
        symmetric[g] += row[d] * t[d];
        symmetric[d] += row[d] * t[g];
      }
    }
    symmetric = across(symmetric);
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        out[a][b] += 0.5 * info.weights[i] * t[a] * (trace * t[b] + symmetric[b]);
  }
  return out;
}

}  // namespace

std::vector<AdvectionMatrix> advectionMatrices(const model::LatticeInfo& info,
                                               const Double3& normal,
                                               const AdvectionShares& shares) {
  std::vector<AdvectionMatrix> out;
  for (std::size_t i = 0; i < info.velocities.size(); ++i)
    out.push_back(ofPopulations(info, i, normal, shares));
  const AdvectionMatrix flux = fluxAlongPlane(info, normal, out);
  const double trace = -(flux[0][0] + flux[1][1] + flux[2][2]) / (info.dimensions + 1);
  for (std::size_t g = 0; g < 3; ++g)
    for (std::size_t d = 0; d < 3; ++d) {
      const double along = (g == d ? 1.0 : 0.0) - normal[g] * normal[d];
      const double p = -0.5 * (0.5 * (flux[g][d] + flux[d][g]) + trace * along);
      for (AdvectionMatrix& matrix : out) matrix[g][d] += 6.0 * p;
    }
  return out;
}

}  // namespace tessera::solver::boundary
