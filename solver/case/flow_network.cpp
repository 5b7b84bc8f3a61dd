// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/case/flow_network.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "solver/case/multigrid.hpp"

namespace tessera::solver::cases {

namespace {

using Kind = OpeningDrive::Kind;

// Face of a cell towards a higher one on an axis, or towards an opening.
// Its conductance in m3, of the flow rate times the viscosity over the pressure, between cells;
// from their number on openings.
struct Edge : Conductor {
  double head = 0.0;  // Pa, by which momentum drives the flow beyond the pressures
  std::uint8_t axis = 0;
  std::int8_t sign = 1;  // of the direction from -> to
};

std::size_t at(std::int32_t k) {
  return static_cast<std::size_t>(k);
}

// Conjugate gradients preconditioned by multigrid for
//   sum over edges of conductance (p_from - p_to + head) + leak p = source
// where p is not fixed. All are summed in one order.
class Network {
 public:
  Network(std::size_t nodes, const std::vector<Edge>& edges)
      : edges_(edges),
        leak_(nodes, 0.0),
        source_(nodes, 0.0),
        fixed_(nodes, 0),
        r_(nodes),
        z_(nodes),
        product_(nodes),
        p(nodes, 0.0) {}

  void fix(std::size_t k, double pressure) { fixed_[k] = 1, p[k] = pressure; }
  void addSource(std::size_t k, double flow) { source_[k] += flow; }
  void addLeak(std::size_t k, double conductance, double beyond) {
    leak_[k] += conductance;
    source_[k] += conductance * beyond;
  }
  // From the pressures p, which it changes, until the residual is that part of one without flow, of
  // the first conductances.
  void solve(double tolerance) {
    const std::size_t n = p.size(), most = 4 * n;
    setConductances();
    setSources();
    if (still_ == 0.0) {
      way_ = p;
      for (std::size_t k = 0; k < n; ++k)
        if (fixed_[k] == 0) way_[k] = 0.0;
      setResidual(way_);
      still_ = precondition();
    }
    const double enough = tolerance * tolerance * still_;
    setResidual(p);
    double rz = precondition();
    way_ = z_;
    for (std::size_t step = 0; step < most && rz > enough; ++step) {
      multigrid_->multiply(way_, product_);
      const double curvature = std::inner_product(way_.begin(), way_.end(), product_.begin(), 0.0);
      if (!(curvature > 0.0)) return;
      const double length = rz / curvature;
      for (std::size_t k = 0; k < n; ++k) {
        p[k] += length * way_[k];
        r_[k] -= length * product_[k];
      }
      const double before = rz;
      rz = precondition();
      for (std::size_t k = 0; k < n; ++k) way_[k] = z_[k] + rz / before * way_[k];
    }
  }
  // A first guess for the next solve(): the pressures go on by a part of their last change.
  void extrapolate(double part) {
    if (earlier_.empty()) earlier_ = p;
    for (std::size_t k = 0; k < p.size(); ++k) {
      const double now = p[k];
      p[k] += part * (now - earlier_[k]);
      earlier_[k] = now;
    }
  }
  // Times the viscosity.
  [[nodiscard]] double flow(const Edge& e) const {
    return e.conductance * (p[at(e.from)] - p[at(e.to)] + e.head);
  }

 private:
  void setConductances() {
    conductors_.assign(edges_.begin(), edges_.end());
    if (multigrid_)
      multigrid_->setConductances(conductors_, leak_);
    else
      multigrid_.emplace(conductors_, leak_, fixed_);
  }
  void setSources() {
    driven_ = source_;
    for (const Edge& e : edges_) {
      driven_[at(e.from)] -= e.conductance * e.head;
      driven_[at(e.to)] += e.conductance * e.head;
    }
  }
  void setResidual(const std::vector<double>& pressure) {
    multigrid_->multiply(pressure, product_);
    for (std::size_t k = 0; k < p.size(); ++k)
      r_[k] = fixed_[k] != 0 ? 0.0 : driven_[k] - product_[k];
  }
  // Sets z; returns its product with the residual.
  double precondition() {
    multigrid_->solve(r_, z_);
    return std::inner_product(z_.begin(), z_.end(), r_.begin(), 0.0);
  }

  const std::vector<Edge>& edges_;
  std::vector<double> leak_, source_;
  std::vector<char> fixed_;
  std::optional<Multigrid> multigrid_;
  std::vector<Conductor> conductors_;
  std::vector<double> driven_, r_, z_, way_, product_, earlier_;
  double still_ = 0.0;  // norm of the residual without flow, squared

 public:
  std::vector<double> p;  // Pa
};

std::vector<Edge> edgesOf(const FlowCells& cells) {
  std::vector<Edge> edges;
  for (std::int32_t k = 0; k < cells.count(); ++k)
    for (std::size_t n = 0; n < 6; ++n) {
      const std::int32_t to = cells.beyond[at(k)][n];
      if (to == FlowCells::wall || (to < cells.count() && n % 2 == 0)) continue;
      edges.push_back({{k, to, 0.0},
                       0.0,
                       static_cast<std::uint8_t>(n / 2),
                       static_cast<std::int8_t>(n % 2 == 0 ? -1 : 1)});
    }
  return edges;
}

// The flow at the cells, of which a step of the fixed point makes the next network: where fluid
// comes from a cell with another velocity, its momentum drives the flow, and its deceleration acts
// like friction.
class CellFlow {
 public:
  CellFlow(const FlowCells& cells, double density, double viscosity)
      : cells_(cells),
        density_(density),
        viscosity_(viscosity),
        velocity_(cells.beyond.size()),
        momentum_(cells.beyond.size()),
        inflow_(cells.beyond.size(), 0.0),
        permeability_(cells.beyond.size()) {}

  // From the flow through the edges, m3/s.
  void set(const std::vector<Edge>& edges, const std::vector<double>& flow) {
    const double area = cells_.side * cells_.side;
    std::fill(velocity_.begin(), velocity_.end(), Double3{});
    std::fill(momentum_.begin(), momentum_.end(), Double3{});
    std::fill(inflow_.begin(), inflow_.end(), 0.0);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const double along = 0.5 * edges[e].sign * flow[e] / area;
      velocity_[at(edges[e].from)][edges[e].axis] += along;
      if (edges[e].to < cells_.count()) velocity_[at(edges[e].to)][edges[e].axis] += along;
    }
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (edges[e].to >= cells_.count()) continue;  // through an opening it comes as it is
      const std::size_t one = at(edges[e].from), other = at(edges[e].to);
      const std::size_t to = flow[e] > 0.0 ? other : one, from = flow[e] > 0.0 ? one : other;
      inflow_[to] += std::abs(flow[e]);
      momentum_[to] = momentum_[to] + std::abs(flow[e]) * velocity_[from];
    }
  }
  // Conductances and heads of the edges with it.
  void act(std::vector<Edge>& edges) {
    const double volume = std::pow(cells_.side, 3.0);
    for (std::size_t k = 0; k < inflow_.size(); ++k)
      permeability_[k] =
          1.0 / (1.0 / cells_.permeability[k] + density_ * inflow_[k] / (viscosity_ * volume));
    const double perForce = density_ / volume * cells_.side;
    for (Edge& e : edges) {
      const double own = permeability_[at(e.from)];
      const double force = momentum_[at(e.from)][e.axis];
      if (e.to < cells_.count()) {
        const double other = permeability_[at(e.to)];
        e.conductance = 2.0 * own * other / (own + other) * cells_.side;
        e.head = 0.5 * (force + momentum_[at(e.to)][e.axis]);
      } else {  // half a cell
        e.conductance = 2.0 * own * cells_.side;
        e.head = 0.5 * force;
      }
      e.head *= e.sign * perForce;
    }
  }
  [[nodiscard]] double largestVelocity() const {
    double largest = 0.0;
    for (const Double3& each : velocity_) largest = std::max(largest, length(each));
    return largest;
  }

 private:
  const FlowCells& cells_;
  double density_, viscosity_;
  std::vector<Double3> velocity_;     // m/s
  std::vector<Double3> momentum_;     // sum of what flows in times its velocity
  std::vector<double> inflow_;        // m3/s, from cells
  std::vector<double> permeability_;  // m2, with the friction of its deceleration
};

// Number of the connected part of each node.
std::vector<std::int32_t> partsOf(std::size_t nodes, const std::vector<Edge>& edges) {
  std::vector<std::int32_t> part(nodes);
  std::iota(part.begin(), part.end(), 0);
  const auto root = [&](std::int32_t k) {
    while (part[static_cast<std::size_t>(k)] != k) {
      auto& above = part[static_cast<std::size_t>(k)];
      above = part[static_cast<std::size_t>(above)];
      k = above;
    }
    return k;
  };
  for (const Edge& e : edges) {
    const std::int32_t a = root(e.from), b = root(e.to);
    part[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }
  for (std::size_t k = 0; k < nodes; ++k) part[k] = root(static_cast<std::int32_t>(k));
  return part;
}

// Towards the fixed point of the flow and the momentum that it carries, which moves on by a cell
// with each step; the flow through each edge, m3/s. The last steps, of exact solutions, conserve
// mass.
std::vector<double> steadyFlow(const FlowCells& cells, double density, double viscosity,
                               std::vector<Edge>& edges, Network& network) {
  constexpr int steps = 43, exactSteps = 6;
  constexpr double relaxation = 0.7, enough = 2e-3, tolerance = 1e-8, between = 3e-3;
  constexpr double extrapolated = 0.8;
  CellFlow flow(cells, density, viscosity);
  flow.act(edges);
  network.solve(tolerance);
  std::vector<double> through(edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) through[e] = network.flow(edges[e]) / viscosity;
  for (int left = steps; left > 0; --left) {
    flow.set(edges, through);
    flow.act(edges);
    network.extrapolate(extrapolated);
    network.solve(left > exactSteps ? between : tolerance);
    double change = 0.0, sum = 0.0;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const double next = network.flow(edges[e]) / viscosity;
      change += std::abs(next - through[e]);
      sum += std::abs(next);
      through[e] += relaxation * (next - through[e]);
    }
    if (change <= enough * sum) left = std::min(left, exactSteps + 1);
  }
  return through;
}

}  // namespace

NetworkFlow flowThrough(const FlowCells& cells, const std::vector<OpeningDrive>& openings,
                        double density, double viscosity) {
  NetworkFlow out;
  const auto first = static_cast<std::size_t>(cells.count());
  std::vector<Edge> edges = edgesOf(cells);
  const std::vector<std::int32_t> part = partsOf(first + openings.size(), edges);
  Network network(first + openings.size(), edges);
  for (std::size_t k = 0; k < openings.size(); ++k) {
    const OpeningDrive& drive = openings[k];
    const bool toPressure =
        std::any_of(openings.begin(), openings.end(), [&](const OpeningDrive& other) {
          const auto index = static_cast<std::size_t>(&other - openings.data());
          return other.kind == Kind::Pressure && part[first + index] == part[first + k];
        });
    if (drive.kind == Kind::Flow && toPressure)
      network.addSource(first + k, viscosity * drive.value);
    if (drive.kind != Kind::Pressure) continue;
    if (drive.resistance > 0.0)
      network.addLeak(first + k, viscosity / drive.resistance, drive.value);
    else
      network.fix(first + k, drive.value);
    for (std::size_t other = 0; other < openings.size(); ++other)
      out.known |= other != k && openings[other].kind != Kind::Closed &&
                   part[first + other] == part[first + k];
  }
  out.outflow.assign(openings.size(), 0.0);
  if (!out.known) return out;
  const std::vector<double> through = steadyFlow(cells, density, viscosity, edges, network);
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (edges[e].to >= cells.count()) out.outflow[at(edges[e].to) - first] += through[e];
  CellFlow flow(cells, density, viscosity);
  flow.set(edges, through);
  out.velocity = flow.largestVelocity();
  return out;
}

namespace {

constexpr int momentsOfPeriod = 64;

// s, at which the prescribed pressures differ most.
double momentOfPressures(const SolverCase& run) {
  double moment = 0.0, largest = -1.0;
  for (int m = 0; m < momentsOfPeriod && run.pulse.period > 0.0; ++m) {
    const double t = run.pulse.period * m / momentsOfPeriod;
    double least = 1e300, most = -1e300;
    for (const boundary::Condition& condition : run.openings) {
      const boundary::Prescription given = boundary::prescriptionOf(condition);
      if (given.prescribed != boundary::Prescribed::Pressure) continue;
      least = std::min(least, given.pressureAt(t));
      most = std::max(most, given.pressureAt(t));
    }
    if (most - least <= largest) continue;
    largest = most - least;
    moment = t;
  }
  return moment;
}

}  // namespace

std::vector<OpeningDrive> openingDrives(const SolverCase& run,
                                        const tiler::TiledGeometry& geometry) {
  const double moment = momentOfPressures(run);
  std::vector<OpeningDrive> drives(run.openings.size());
  for (std::size_t k = 0; k < drives.size(); ++k) {
    const boundary::Prescription given = boundary::prescriptionOf(run.openings[k]);
    const boundary::OpeningPhysics physics =
        std::visit([](const auto& kind) { return kind.physics(); }, run.openings[k]);
    switch (given.prescribed) {
      case boundary::Prescribed::Velocity:
        drives[k] = {Kind::Flow, given.mean * geometry.openings[k].area};
        break;
      case boundary::Prescribed::Pressure:
        drives[k] = {Kind::Pressure, given.pressureAt(moment)};
        break;
      case boundary::Prescribed::Relation:
        drives[k] = {Kind::Pressure, physics.distal, physics.resistance + physics.proximal};
        break;
      case boundary::Prescribed::Nothing:
        break;
    }
  }
  return drives;
}

NetworkFlow networkFlow(const SolverCase& run, const tiler::TiledGeometry& geometry,
                        std::size_t mostCells, comm::Ranks& ranks) {
  if (geometry.openings.empty()) return {};
  return flowThrough(flowCells(geometry, ranks, mostCells), openingDrives(run, geometry),
                     run.density, run.density * run.kinematicViscosity);
}

}  // namespace tessera::solver::cases
