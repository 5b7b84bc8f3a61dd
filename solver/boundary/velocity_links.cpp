// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/velocity_links.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/progress.hpp"
#include "solver/boundary/developed.hpp"
#include "solver/boundary/opening_drive.hpp"
#include "solver/boundary/zou_he_links.hpp"

namespace tessera {

namespace {

// Second moment of area over a circle's of the same area: a square has 1.05, an ellipse of 2 to 1
// 1.25.
constexpr double mostOutOfRound = 1.15;

std::string labelOf(const Opening& opening) {
  return "opening " + std::to_string(opening.id) + " (" + opening.name + ")";
}

// Indices of the links of each opening, ascending.
std::vector<std::vector<std::uint32_t>> linksByOpening(const Domain& domain, std::size_t openings) {
  std::vector<std::vector<std::uint32_t>> links(openings);
  for (std::size_t k = 0; k < domain.links.size(); ++k)
    links[domain.links[k].opening].push_back(static_cast<std::uint32_t>(k));
  return links;
}

// What one opening's links are set from.
struct VelocityOpening {
  const TiledGeometry& geometry;
  const TileOrder& order;
  const LatticeInfo& info;
  const std::vector<std::uint32_t>& links;
  const OpeningCondition& condition;
  const std::vector<Double3>& positions;  // of all links, of positionsOf()
  const LatticeOpening shape;
  const std::string label;
  double speed;   // mean, lattice units, out of the fluid
  double target;  // sum of the links' values, at amplitude 1

  [[nodiscard]] double area(std::uint32_t k) const {  // 6 w c . n
    const OpeningLink& link = order.openingLinks[k];
    return 6.0 * info.weights[link.direction] * dot(velocityOf(info, link.direction), shape.normal);
  }
  [[nodiscard]] double squaredRadius(std::uint32_t k) const {
    return squaredRadiusAt(shape, positions[k]);
  }
};

// At each of the opening's links, about 1 on the mean.
std::vector<double> steadyProfile(const VelocityOpening& opening) {
  std::vector<double> profile(opening.links.size(), 1.0);
  if (opening.condition.profile == Profile::Plug) return profile;
  if (opening.condition.profile != Profile::Developed) {
    for (std::size_t n = 0; n < profile.size(); ++n)
      profile[n] = parabola(opening.shape.dimensions, opening.squaredRadius(opening.links[n]));
    return profile;
  }
  profile = developedProfile(opening.geometry, opening.order, opening.shape, opening.links,
                             opening.positions);
  double sum = 0.0;
  double area = 0.0;
  for (std::size_t n = 0; n < profile.size(); ++n) {
    area += opening.area(opening.links[n]);
    sum += opening.area(opening.links[n]) * profile[n];
  }
  for (double& value : profile) value *= area / sum;
  return profile;
}

void warnIfCoarse(const std::string& label, double factor) {
  if (!(factor > 0.8 && factor < 1.25))
    logWarning(label + " is coarsely resolved: its profile was scaled by " +
               std::to_string(factor) + " to give the flow rate asked for");
}

void setSteadyProfile(const VelocityOpening& opening, std::vector<IncomingLink>& links) {
  const std::vector<double> profile = steadyProfile(opening);
  double sum = 0.0;
  for (std::size_t n = 0; n < profile.size(); ++n) {
    const std::uint32_t k = opening.links[n];
    const double speed = opening.speed * profile[n];
    links[k].value = opening.area(k) * speed;
    links[k].speedSquared = speed * speed;
    sum += links[k].value;
  }
  if (opening.condition.mean == 0.0) return;
  const double factor = sum == 0.0 ? 1.0 : opening.target / sum;
  warnIfCoarse(opening.label, factor);
  for (const std::uint32_t k : opening.links) {
    links[k].value *= factor;
    links[k].speedSquared *= factor * factor;
  }
}

void checkRound(const VelocityOpening& opening) {
  if (opening.shape.dimensions == 2) return;
  double area = 0.0;
  double moment = 0.0;
  for (const std::uint32_t k : opening.links) {
    const double share = std::max(0.0, opening.area(k));
    area += share;
    moment += share * squaredRadiusAt(opening.shape, opening.order.openingLinks[k].position);
  }
  const double outOfRound = 2.0 * moment / area;
  if (outOfRound > mostOutOfRound)
    fail(ExitCode::Usage,
         opening.label + ": profile = \"womersley\" is that of a round tube, but this opening is " +
             "not round (its second moment of area is " + std::to_string(outOfRound) +
             " of a circle's, expected is at most 1.15); use profile = \"developed\".");
}

// Basis 0 is the parabola, 1 + 2 h and 2 + 2 h the real and minus the imaginary part of harmonic
// h + 1; each basis crosses the links as asked for, the imaginary parts not at all.
void setWomersley(const VelocityOpening& opening, const LatticeRun& lattice, Domain& domain) {
  checkRound(opening);
  const Harmonics harmonics = harmonicsOf(*opening.condition.waveform);
  const std::size_t count = 1 + 2 * harmonics.amplitude.size();
  const double nu = (lattice.tau - 0.5) / 3.0;
  const std::size_t start = domain.basis.size();
  domain.basis.resize(start + count * opening.links.size());
  std::vector<std::complex<double>> profile(opening.links.size());
  for (std::size_t h = 0; h <= harmonics.amplitude.size(); ++h) {
    const double omega = static_cast<double>(h) * harmonics.omega * lattice.scales.timeStep;
    const double alpha = opening.shape.radius * std::sqrt(omega / nu);
    std::complex<double> sum;
    for (std::size_t n = 0; n < profile.size(); ++n) {
      const double squared = opening.squaredRadius(opening.links[n]);
      profile[n] = h == 0 ? parabola(opening.shape.dimensions, squared)
                          : womersley(opening.shape.dimensions, alpha, squared);
      sum += opening.area(opening.links[n]) * opening.speed * profile[n];
    }
    const std::complex<double> factor = opening.target / sum;
    if (h == 0) warnIfCoarse(opening.label, factor.real());
    for (std::size_t n = 0; n < profile.size(); ++n) {
      const std::complex<double> value = factor * profile[n];
      double* basis = &domain.basis[start + n * count];
      if (h == 0)
        basis[0] = value.real();
      else
        basis[2 * h - 1] = value.real(), basis[2 * h] = -value.imag();
    }
  }
  for (std::size_t n = 0; n < profile.size(); ++n) {
    IncomingLink& link = domain.links[opening.links[n]];
    link.value = opening.area(opening.links[n]) * opening.speed;
    link.speedSquared = opening.speed * opening.speed;
    link.basis = static_cast<std::uint32_t>(start + n * count);
  }
}

// Where the velocity of each link's population is that of the profile: what comes in has left the
// node beyond the opening, one whole link away, after the collision there (taken where the link
// meets the plane, a slanted inlet's wall shear is 5 to 10 % low for half a diameter); of Zou &
// He's scheme at the node itself.
std::vector<Double3> positionsOf(const TileOrder& order, const TiledGeometry& geometry,
                                 const SolverCase& run, const LatticeInfo& info) {
  const std::vector<Int3> nodes = nodesOfLinks(order, geometry);
  std::vector<Double3> positions(nodes.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const OpeningLink& link = order.openingLinks[k];
    const double links = run.openings[link.opening].zouHe ? 0.0 : 1.0;
    for (std::size_t a = 0; a < 3; ++a)
      positions[k][a] = nodes[k][a] + links * info.velocities[link.direction][a];
  }
  return positions;
}

}  // namespace

void setVelocityLinks(const TileOrder& order, const TiledGeometry& geometry, const SolverCase& run,
                      const LatticeRun& lattice, const LatticeInfo& info, Domain& domain) {
  const auto links = linksByOpening(domain, geometry.openings.size());
  const std::vector<Double3> positions = positionsOf(order, geometry, run, info);
  for (std::size_t k = 0; k < geometry.openings.size(); ++k) {
    const OpeningCondition& condition = run.openings[k];
    const std::string label = labelOf(geometry.openings[k]);
    if (links[k].empty())
      fail(ExitCode::Usage, label +
                                " is not crossed by any link at this spacing; preprocess with a "
                                "finer spacing");
    if (!prescribesVelocity(condition)) continue;
    const VelocityOpening opening{
        geometry,
        order,
        info,
        links[k],
        condition,
        positions,
        inLattice(geometry.openings[k], geometry),
        label,
        -condition.mean / lattice.scales.velocity(),
        -condition.mean * geometry.openings[k].area / lattice.scales.flowRate()};
    if (domain.driven[k].count > 1)
      setWomersley(opening, lattice, domain);
    else
      setSteadyProfile(opening, domain.links);
  }
}

}  // namespace tessera
