// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/case/acoustics.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace tessera::solver::cases {

namespace {

using Complex = std::complex<double>;
using boundary::Prescribed;
using boundary::Prescription;

// 1 - F, in a tube I2(z) / I0(z), in a channel between two planes 1 - tanh(z) / z, z = alpha i^1/2;
// the ratios of Bessel functions by their recurrence downwards (Miller 1952).
Complex inertia(int dimensions, double alpha) {
  const Complex z = alpha * std::sqrt(Complex(0.0, 1.0));
  if (dimensions == 2) return alpha > 300.0 ? 1.0 - 1.0 / z : 1.0 - std::tanh(z) / z;
  Complex ratio = 0.0, first = 0.0;  // I_n+1 / I_n
  for (int n = 40 + static_cast<int>(2.0 * alpha); n >= 1; --n) {
    first = ratio;
    ratio = 1.0 / (2.0 * n / z + ratio);
  }
  return ratio * first;
}

bool isPressureLike(const Prescription& condition) {
  return condition.prescribed == Prescribed::Pressure ||
         condition.prescribed == Prescribed::Relation;
}

bool swings(const Prescription& condition) {
  return condition.series != nullptr && condition.series->swings();
}

// Path without its length.
SoundPath pathFrom(const SolverCase& run, const tiler::TiledGeometry& geometry, std::size_t k) {
  const Prescription condition = boundary::prescriptionOf(run.openings[k]);
  const preprocess::geometry::Opening& opening = geometry.openings[k];
  SoundPath path;
  path.from = opening.id;
  path.bothPressures = condition.prescribed == Prescribed::Pressure;
  path.dimensions = geometry.dimensions;
  path.harmonics = boundary::harmonicsOf(*condition.series);
  const double radius =
      geometry.dimensions == 2 ? 0.5 * opening.area / geometry.frame.spacing : opening.radius;
  path.alpha = radius * std::sqrt(path.harmonics.omega / run.kinematicViscosity);
  return path;
}

bool anySwingingFlow(const SolverCase& run) {
  return std::any_of(run.openings.begin(), run.openings.end(), [](const auto& opening) {
    const Prescription condition = boundary::prescriptionOf(opening);
    return condition.prescribed == Prescribed::Velocity && swings(condition);
  });
}

}  // namespace

double tauLowestForPulse(const SolverCase& run) {
  const bool sensitive = run.collision == model::CollisionId::Trt &&
                         run.walls == boundary::WallScheme::Multireflection;
  return sensitive ? 0.512 : 0.506;
}

double acousticError(const SoundPath& path, double soundSpeed) {
  double sum = 0.0, weights = 0.0;
  for (std::size_t h = 0; h < path.harmonics.amplitude.size(); ++h) {
    const auto number = static_cast<double>(h + 1);
    const Complex k = number * path.harmonics.omega / soundSpeed /
                      std::sqrt(inertia(path.dimensions, path.alpha * std::sqrt(number)));
    const Complex x = k * path.length;
    const Complex factor = path.bothPressures ? 0.5 * x / std::tan(0.5 * x) : 1.0 / std::cos(x);
    // Behind a resonance the flow turns round.
    const double error = factor.real() > 0.0 && std::abs(x) < std::numbers::pi
                             ? std::abs(std::abs(factor) - 1.0)
                             : 1.0 + std::abs(factor);
    const double weight = std::abs(path.harmonics.amplitude[h]);
    sum += weight * error;
    weights += weight;
  }
  return weights > 0.0 ? sum / weights : 0.0;
}

std::optional<SoundPath> worstSoundPath(const SolverCase& run, const tiler::TiledGeometry& geometry,
                                        double soundSpeed, comm::Ranks& ranks) {
  const Prescribed source = anySwingingFlow(run) ? Prescribed::Velocity : Prescribed::Pressure;
  std::optional<OpeningPaths> paths;
  std::optional<SoundPath> worst;
  double largest = 0.0;
  for (std::size_t k = 0; k < run.openings.size(); ++k) {
    const Prescription condition = boundary::prescriptionOf(run.openings[k]);
    if (condition.prescribed != source || !swings(condition)) continue;
    if (!paths) paths.emplace(geometry, ranks);
    SoundPath path = pathFrom(run, geometry, k);
    const std::vector<double> lengths = paths->lengthsFrom(k);
    for (std::size_t to = 0; to < lengths.size(); ++to) {
      if (to == k || lengths[to] <= 0.0) continue;
      if (geometry.openings[to].part != geometry.openings[k].part) continue;
      if (!isPressureLike(boundary::prescriptionOf(run.openings[to]))) continue;
      path.to = geometry.openings[to].id;
      path.length = lengths[to];
      const double error = acousticError(path, soundSpeed);
      if (worst && error <= largest) continue;
      worst = path;
      largest = error;
    }
  }
  return worst;
}

double stepsForSound(const SoundPath& path, double soundSpeed) {
  constexpr double most = 1000.0, finer = 1.005;
  double factor = most;
  while (factor > 1.0 && acousticError(path, soundSpeed * factor / finer) <= acousticTarget)
    factor /= finer;
  return std::max(factor, 1.0);
}

}  // namespace tessera::solver::cases
