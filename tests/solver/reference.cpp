// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/solver/reference.hpp"

#include <algorithm>
#include <cmath>

#include "preprocess/file/lattice_file.hpp"
#include "solver/domain/build.hpp"
#include "tests/solver/reference_moments.hpp"
#include "tiler/opening_links.hpp"

namespace tessera::testing {

using namespace tessera::preprocess::file;
using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::domain;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::solver::tiles;
using namespace tessera::tiler;
using namespace tessera::tiler::file;

namespace {

bool isFluid(const TiledGeometry& g, std::size_t t, std::size_t l) {
  return g.nodeType[t * tileNodes + l] != static_cast<std::uint8_t>(NodeType::Solid);
}

}  // namespace

Reference::Reference(const TilesFile& tiles, const Setup& setup,
                     const std::vector<double>& inFileOrder)
    : tiles_(tiles),
      setup_(setup),
      lattice_(setup.variant->lattice),
      q_(lattice_.velocities.size()) {
  const TiledGeometry& g = tiles.geometry;
  const std::size_t nodes = indexOf({0, 0, g.nodes[2]});
  fluid_.assign(nodes, 0);
  f_.assign(nodes, Populations(q_, 0.0));
  std::map<std::pair<std::uint32_t, int>, std::size_t> nodeOfPlace;
  for (std::size_t t = 0; t < g.tiles(); ++t)
    for (std::size_t l = 0; l < tileNodes; ++l) {
      if (!isFluid(g, t, l)) continue;
      const std::size_t node = indexOf(g.nodeOf(t, static_cast<int>(l)));
      fluid_[node] = 1;
      nodeOfPlace[{setup.order.slotOfTile[t], static_cast<int>(l)}] = node;
      for (std::size_t i = 0; i < q_; ++i)
        f_[node][i] = lattice_.weights[i] + inFileOrder[(t * q_ + i) * tileNodes + l];
    }
  domain_ = buildDomain(setup.order, g, setup.run, setup.lattice, lattice_);
  outlets_ = domain_.outletStates;
  for (std::size_t k = 0; k < domain_.links.size(); ++k) {
    const OpeningLink& link = setup.order.openingLinks[k];
    openingLinks_[{nodeOfPlace.at({link.slot, link.local}), link.direction}] = domain_.links[k];
  }
  forWallLinks(g, [&](const BoundaryLink& link) {
    const bool given = link.patch < setup.run.wallConditions.size();
    wallEnds_[{indexOf(link.node), link.direction}] = {
        link.distance, given ? setup.run.wallConditions[link.patch] : WallCondition{}};
  });
}

std::size_t Reference::indexOf(const Int3& node) const {
  const Int3& n = tiles_.geometry.nodes;
  return static_cast<std::size_t>(node[0] + n[0] * (node[1] + n[1] * node[2]));
}

bool Reference::fluidAt(Int3& node) const {
  for (std::size_t a = 0; a < 3; ++a) {
    const int n = tiles_.geometry.nodes[a];
    if (tiles_.geometry.periodic[a]) node[a] = (node[a] + n) % n;
    if (node[a] < 0 || node[a] >= n) return false;
  }
  return fluid_[indexOf(node)] != 0;
}

// Latt & Chopard 2006, with the node's density and stress and the plane's velocity.
double Reference::regularised(const IncomingLink& link, const Populations& own) const {
  const bool incompressible = setup_.run.equilibrium == EquilibriumId::Incompressible;
  const Moments m = momentsOf(own, lattice_, incompressible, setup_.lattice.force, -1.0);
  const double inertial = incompressible ? 1.0 : m.rho;
  const double w = lattice_.weights[link.direction];
  const auto& out = lattice_.velocities[link.direction];
  double stress = 0.0;  // (c c - 1/3) : Pi out of equilibrium
  const auto dimensions = static_cast<std::size_t>(lattice_.dimensions);
  for (std::size_t a = 0; a < dimensions; ++a)
    for (std::size_t b = 0; b < dimensions; ++b) {
      double pi = -inertial * m.u[a] * m.u[b] - (a == b ? m.rho / 3.0 : 0.0);
      for (std::size_t i = 0; i < q_; ++i)
        pi += lattice_.velocities[i][a] * lattice_.velocities[i][b] * own[i];
      stress += (out[a] * out[b] - (a == b ? 1.0 / 3.0 : 0.0)) * pi;
    }
  const double amplitude = amplitudeOf(link);
  const double cv = amplitude * link.value / (6.0 * w);
  const double vv = amplitude * amplitude * link.speedSquared;
  return w * (m.rho + inertial * (4.5 * cv * cv - 1.5 * vv) - 3.0 * cv + 4.5 * stress);
}

double Reference::amplitudeOf(const IncomingLink& link) const {
  const DrivenOpening& driven = domain_.driven[link.opening];
  if (driven.count == 1) return coefficients_[driven.first];
  double sum = 0.0;
  for (std::size_t k = 0; k < driven.count; ++k)
    sum += domain_.basis[link.basis + k] * coefficients_[driven.first + k];
  return sum;
}

// Zou & He 1997 as they write it: known populations give density and velocity, what comes in is
// reflected about equilibrium, and then mended so that nothing flows along the plane.
double Reference::byZouHe(std::size_t node, const IncomingLink& link) const {
  const Int3& n = tiles_.geometry.nodes;
  const auto at = static_cast<int>(node);
  const Int3 place{at % n[0], at / n[0] % n[1], at / (n[0] * n[1])};
  const std::size_t axis = link.axis;
  const auto normal = [&](std::size_t i) {
    return lattice_.velocities[i][axis] * lattice_.velocities[link.direction][axis];
  };
  std::vector<double> f(q_, 0.0);
  double mass = 0.0;
  std::array<double, 3> tangential{};
  for (std::size_t i = 0; i < q_; ++i) {
    if (normal(i) < 0) continue;
    f[i] = arrivingAlong(place, i);
    mass += (normal(i) > 0 ? 2.0 : 1.0) * f[i];
    for (std::size_t a = 0; a < 3; ++a)
      if (normal(i) == 0) tangential[a] += lattice_.velocities[i][a] * f[i];
  }
  const auto& force = setup_.lattice.force;
  const double side = lattice_.velocities[link.direction][axis];
  const double value = amplitudeOf(link) * link.value;
  double momentum = mass - 1.0 - value;
  if (link.condition == LinkCondition::ZouHeVelocity) {
    const double half = 0.5 * side * force[axis];
    const bool incompressible = setup_.run.equilibrium == EquilibriumId::Incompressible;
    momentum = incompressible ? value - half : mass - (mass + half) / (1.0 + value);
  }
  const double w = lattice_.weights[link.direction];
  double out = f[link.direction] - 6.0 * w * momentum;
  for (std::size_t a = 0; a < 3; ++a)
    if (a != axis)
      out += 18.0 * w * lattice_.velocities[link.direction][a] * (tangential[a] + 0.5 * force[a]);
  return out;
}

double Reference::throughOpening(std::size_t node, const IncomingLink& link) const {
  if (link.condition == LinkCondition::ZouHeVelocity ||
      link.condition == LinkCondition::ZouHePressure)
    return byZouHe(node, link);
  const Populations& own = f_[node];
  const std::size_t out = link.direction;
  const double w = lattice_.weights[out];
  if (link.condition == LinkCondition::Velocity) {
    double missing = 0.0;
    double weights = 0.0;
    for (const auto& [key, other] : openingLinks_) {
      if (key.first != node || other.opening != link.opening) continue;
      missing += own[other.direction] - amplitudeOf(other) * other.value - regularised(other, own);
      weights += lattice_.weights[other.direction];
    }
    return regularised(link, own) + w * missing / weights;
  }
  const bool incompressible = setup_.run.equilibrium == EquilibriumId::Incompressible;
  const Moments m = momentsOf(own, lattice_, incompressible, setup_.lattice.force, -1.0);
  const double cu = dot(lattice_.velocities[out], m.u);
  const double uu = m.u[0] * m.u[0] + m.u[1] * m.u[1] + m.u[2] * m.u[2];
  const double rho = 1.0 + amplitudeOf(link) * link.value;
  return -own[out] + 2.0 * w * (rho + (incompressible ? 1.0 : rho) * (4.5 * cu * cu - 1.5 * uu));
}

double Reference::arrivingAlong(const Int3& node, std::size_t i) const {
  const std::size_t here = indexOf(node);
  const auto& c = lattice_.velocities[i];
  Int3 from{node[0] - c[0], node[1] - c[1], node[2] - c[2]};
  const int out = opposite(static_cast<int>(i));
  const auto link = openingLinks_.find({here, out});
  if (fluidAt(from)) return f_[indexOf(from)][i];
  if (link != openingLinks_.end()) return throughOpening(here, link->second);
  return fromWall(node, i);
}

Reference::Populations Reference::arriving(const Int3& node) const {
  Populations f(q_);
  for (std::size_t i = 0; i < q_; ++i) f[i] = arrivingAlong(node, i);
  return f;
}

// The outlets' pressures by the secant between two guesses of each, which is exact where flow rates
// are linear in the pressures; the reference pressure likewise.
void Reference::solveOutlets() {
  if (outlets_.empty()) return;
  const double ramp = coefficients_[domain_.rampCoefficient];
  const std::vector<double> given = coefficients_;
  const auto flowAt = [&](const Outlet& outlet, double r) {
    coefficients_[outlet.coefficient] = r;
    double flow = 0.0;
    for (const auto& [key, link] : openingLinks_)
      if (link.opening == outlet.opening)
        flow += f_[key.first][link.direction] - throughOpening(key.first, link);
    return flow;
  };
  const auto pressures = [&](double reference) {
    std::vector<OutletState> states = outlets_;
    for (std::size_t k = 0; k < states.size(); ++k) {
      const Outlet& o = domain_.outlets[k];
      const auto excess = [&](double p) {
        const double flow = flowAt(o, ramp * (p - reference));
        return p - o.proximal * flow - (o.keep * outlets_[k].capacitor + o.gain * flow + o.rest);
      };
      states[k].pressure = -excess(0.0) / (excess(1.0) - excess(0.0));
      states[k].flow = flowAt(o, ramp * (states[k].pressure - reference));
      states[k].capacitor = o.keep * outlets_[k].capacitor + o.gain * states[k].flow + o.rest;
    }
    return states;
  };
  // What of its own pressure a Windkessel keeps out of the reference, for each unit of flow beyond
  // the mean.
  const auto stays = [&](const Outlet& o) {
    const double slope = flowAt(o, 0.0) - flowAt(o, ramp);
    return o.gain > 0.0 ? std::min(o.proximal, soundTaken / slope) : 0.0;
  };
  const auto meanLess = [&](double reference) {
    double sum = 0.0;
    for (const std::uint32_t k : domain_.prescribedPressures) sum += given[k];
    const std::vector<OutletState> states = pressures(reference);
    for (std::size_t k = 0; k < states.size(); ++k)
      sum += states[k].pressure - stays(domain_.outlets[k]) * (states[k].flow - states[k].mean);
    return sum / static_cast<double>(outlets_.size() + domain_.prescribedPressures.size()) -
           reference;
  };
  const double reference = meanLess(0.0) / (meanLess(0.0) - meanLess(1.0));
  outlets_ = pressures(reference);
  for (const std::uint32_t k : domain_.prescribedPressures)
    coefficients_[k] = ramp * (given[k] - reference);
  for (std::size_t k = 0; k < outlets_.size(); ++k) {
    coefficients_[domain_.outlets[k].coefficient] = ramp * (outlets_[k].pressure - reference);
    outlets_[k].mean += domain_.meanGain * (outlets_[k].flow - outlets_[k].mean);
  }
}

void Reference::step(std::span<const double> coefficients) {
  coefficients_.assign(coefficients.begin(), coefficients.end());
  solveOutlets();
  std::vector<Populations> next = f_;
  std::vector<Populations> arrived = f_;
  const Int3& n = tiles_.geometry.nodes;
  for (int z = 0; z < n[2]; ++z)
    for (int y = 0; y < n[1]; ++y)
      for (int x = 0; x < n[0]; ++x) {
        const std::size_t node = indexOf({x, y, z});
        if (fluid_[node] == 0) continue;
        next[node] = arrived[node] = arriving({x, y, z});
        collide(next[node]);
      }
  f_ = std::move(next);
  arrived_ = std::move(arrived);
}

std::vector<double> Reference::inFileOrder() const {
  const TiledGeometry& g = tiles_.geometry;
  std::vector<double> out(g.tiles() * q_ * tileNodes, 0.0);
  for (std::size_t t = 0; t < g.tiles(); ++t)
    for (std::size_t l = 0; l < tileNodes; ++l)
      for (std::size_t i = 0; isFluid(g, t, l) && i < q_; ++i)
        out[(t * q_ + i) * tileNodes + l] =
            f_[indexOf(g.nodeOf(t, static_cast<int>(l)))][i] - lattice_.weights[i];
  return out;
}

double toleranceOfReference(const VariantInfo& variant) {
  const std::map<PrecisionId, double> of{{PrecisionId::F64, 1e-10},
                                         {PrecisionId::F32, 2e-5},
                                         {PrecisionId::F32F64, 1e-6},
                                         {PrecisionId::F16, 2e-3}};
  return of.at(variant.axes.precision);
}

double toleranceOfCuda(const VariantInfo& variant) {
  const std::map<PrecisionId, double> of{{PrecisionId::F64, 1e-12},
                                         {PrecisionId::F32, 4e-5},
                                         {PrecisionId::F32F64, 1e-6},
                                         {PrecisionId::F16, 5e-3}};
  return of.at(variant.axes.precision);
}

double largestDifference(const TilesFile& tiles, const std::vector<double>& a,
                         const std::vector<double>& b) {
  const TiledGeometry& g = tiles.geometry;
  const std::size_t q = a.size() / (g.tiles() * tileNodes);
  double difference = 0.0;
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (!isFluid(g, k / (q * tileNodes), k % tileNodes)) continue;
    // A NaN on either side must not pass.
    if (!(std::abs(a[k] - b[k]) <= difference)) difference = std::abs(a[k] - b[k]);
    largest = std::max(largest, std::abs(a[k]));
  }
  return difference / largest;
}

}  // namespace tessera::testing
