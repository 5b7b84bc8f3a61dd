// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/profiles.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tessera::solver::boundary {

namespace {

using Complex = std::complex<double>;

// From here on |z| the functions are taken from their asymptotic series, of which the smallest term
// is below 1e-16; their power series lose 4 digits there.
constexpr double largeArgument = 25.0;

// exp(-z) I_n(z) for large |z|, Re z > 0 (Abramowitz & Stegun 9.7.1); the other exponential is
// below 1e-15 of it for arg z = pi / 4.
Complex scaledBesselAtLarge(int n, Complex z) {
  const double mu = 4.0 * n * n;
  Complex sum = 1.0;
  Complex term = 1.0;
  for (int k = 1; k < 60; ++k) {
    const double odd = 2.0 * k - 1.0;
    const Complex next = -term * (mu - odd * odd) / (8.0 * k * z);
    if (std::abs(next) >= std::abs(term)) break;
    term = next;
    sum += term;
  }
  return sum / std::sqrt(2.0 * std::numbers::pi * z);
}

// exp(-shift) I0(z).
Complex scaledBessel0(Complex z, Complex shift) {
  if (std::abs(z) > largeArgument) return scaledBesselAtLarge(0, z) * std::exp(z - shift);
  const Complex quarter = 0.25 * z * z;
  Complex term = std::exp(-shift);
  Complex sum = term;
  for (int k = 1; k < 100; ++k) {
    term *= quarter / (double(k) * k);
    sum += term;
  }
  return sum;
}

// Power series of I0(z) - I0(z s) over I2(z), without cancellation at small z.
Complex tubeAtSmall(Complex z, double s) {
  const Complex quarter = 0.25 * z * z;
  Complex term = 1.0;   // (z^2 / 4)^(k-1) / (k-1)!^2
  Complex above = 0.0;  // both over z^2 / 4
  Complex below = 0.0;
  double power = 1.0;
  for (int k = 1; k < 100; ++k) {
    power *= s * s;
    above += term / (double(k) * k) * (1.0 - power);
    below += term / (double(k) * (k + 1));  // I2 = sum (z/2)^(2k+2) / (k! (k+2)!)
    term *= quarter / (double(k) * k);
  }
  return above / below;
}

Complex tube(Complex z, double s) {
  if (std::abs(z) <= largeArgument) return tubeAtSmall(z, s);
  return (scaledBesselAtLarge(0, z) - scaledBessel0(z * s, z)) / scaledBesselAtLarge(2, z);
}

Complex channel(Complex z, double s) {
  if (std::abs(z) > largeArgument) {
    const auto scaledCosh = [&](Complex x) { return 0.5 * (std::exp(x - z) + std::exp(-x - z)); };
    const Complex scaledSinh = 0.5 * (1.0 - std::exp(-2.0 * z));
    return (scaledCosh(z) - scaledCosh(z * s)) / (scaledCosh(z) - scaledSinh / z);
  }
  const Complex square = z * z;
  Complex term = 1.0;  // z^(2k-2)
  Complex above = 0.0;
  Complex below = 0.0;
  double power = 1.0;
  double factorial = 1.0;  // (2k)!
  for (int k = 1; k < 80; ++k) {
    factorial *= (2.0 * k - 1.0) * (2.0 * k);
    power *= s * s;
    above += term / factorial * (1.0 - power);
    below += term / factorial * (2.0 * k / (2.0 * k + 1.0));
    term *= square;
  }
  return above / below;
}

}  // namespace

Double3 velocityOf(const model::LatticeInfo& info, std::size_t direction) {
  const auto& c = info.velocities[direction];
  return {double(c[0]), double(c[1]), double(c[2])};
}

LatticeOpening inLattice(const preprocess::geometry::Opening& opening,
                         const tiler::TiledGeometry& geometry) {
  const preprocess::geometry::Frame& frame = geometry.frame;
  LatticeOpening out;
  out.dimensions = geometry.dimensions;
  out.centre = frame.toLattice(opening.centre);
  for (std::size_t a = 0; a < 3; ++a) out.normal[a] = dot(frame.axis[a], opening.normal);
  out.area = opening.area / (frame.spacing * frame.spacing);
  // In 2D the geometry is one spacing thick.
  out.radius = geometry.dimensions == 2 ? 0.5 * out.area : opening.radius / frame.spacing;
  return out;
}

double squaredRadiusAt(const LatticeOpening& opening, const Double3& position) {
  Double3 d{};
  for (std::size_t a = 0; a < 3; ++a) d[a] = position[a] - opening.centre[a];
  if (opening.dimensions == 2) d[2] = 0.0;
  const double along = dot(d, opening.normal);
  return (dot(d, d) - along * along) / (opening.radius * opening.radius);
}

double parabola(int dimensions, double squaredRadius) {
  return parabolicPeak(dimensions) * (1.0 - squaredRadius);
}

std::complex<double> womersley(int dimensions, double alpha, double squaredRadius) {
  const Complex z = alpha * std::polar(1.0, 0.25 * std::numbers::pi);
  const double s = std::sqrt(std::max(0.0, squaredRadius));
  return dimensions == 2 ? channel(z, s) : tube(z, s);
}

}  // namespace tessera::solver::boundary
