// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/expected_error.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pipelines/stage/vec3.hpp"
#include "postprocess/fields/last_period.hpp"
#include "postprocess/quantity/sharp_edges.hpp"
#include "postprocess/results/descriptors.hpp"
#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::postprocess::quantity {

using results::ExpectedError;
using results::OpeningSummary;
using results::Results;
using solver::file::Fields;

namespace {

// Error of a number by resolution, N nodes across the narrowest section and Re_h = u h / nu the
// Reynolds number of the grid. Interpolated walls are of second order, and so is the inertia at the
// openings; lines along sharp edges, where the wall shear falls to zero and links lack the nodes to
// interpolate, staircases of halfway walls and the ends of voxel walls are of first order.
struct Scaling {
  double wall = 0.0, inertia = 0.0;  // times 1 / N^2, Re_h / N^2
  double edges = 0.0;                // times the share of the wall within a spacing of edges
  double ends = 0.0;                 // the same of the openings' rims, for voxels
  double halfway = 0.0;              // times the share of oblique walls over N
  double linear = 0.0;               // times 1 / N, walls by linear interpolation
  double smoothed = 0.0;             // times 1 / N, walls of smoothed voxels
  double stokes = 0.0;               // times 1 / d^2, d the Stokes layer in spacings
};
// Pressure drop, flow rate, permeability; mean over the wall; its 95th percentile and above.
constexpr Scaling ofFlow{0.8, 0.5, 0.3, 0.0, 2.5, 0.25, 2.0, 0.0};
constexpr Scaling ofShear{0.6, 0.1, 1.3, 0.5, 1.3, 0.2, 2.0, 0.2};
constexpr Scaling ofHighShear{1.4, 0.9, 1.3, 0.5, 3.3, 0.5, 2.0, 0.2};

constexpr double machSquared = 0.2;     // of the largest Mach number's square
constexpr double betweenCycles = 1e-3;  // cycle_converged's default
constexpr double extrapolations = 0.5;  // of the difference between two of them
constexpr double forceBalance = 1.2;    // of the difference between the two integrals
constexpr double powerBalance = 0.45;   // of that between the power supplied and dissipated

// Whether the walls are a surface that tessera-preprocess made of voxels.
bool isSmoothed(const Fields& fields) {
  for (const stage::Provenance& step : fields.provenance.history)
    for (const auto& [name, value] : step.options)
      if (step.program == "tessera-preprocess" && name == "smooth") return value == "true";
  return false;
}

double lengthOf(const std::vector<std::array<Double3, 2>>& edges) {
  double sum = 0.0;
  for (const auto& [from, to] : edges) sum += length(to - from);
  return sum;
}

// Share of the wall within a spacing of these lines, lengths in spacings.
double shareOfWall(double lines, const Results& results) {
  const double area = results.shear.area / (results.spacing * results.spacing);
  return area > 0.0 ? std::min(lines / area, 1.0) : 0.0;
}

double rims(const tiler::TiledGeometry& geometry) {
  double sum = 0.0;
  for (const auto& opening : geometry.openings)
    sum += geometry.dimensions == 2
               ? 2.0
               : 2.0 * std::sqrt(std::numbers::pi * opening.area) / geometry.frame.spacing;
  return sum;
}

// Share of the boundary nodes whose wall is oblique to the axes.
double obliqueShare(const tiler::TiledGeometry& geometry) {
  constexpr double along = 0.98;
  std::size_t oblique = 0;
  for (const std::uint32_t code : geometry.boundaryNormal) {
    const Double3 n = preprocess::geometry::normalFromCode(code);
    oblique += std::max({std::abs(n[0]), std::abs(n[1]), std::abs(n[2])}) < along ? 1 : 0;
  }
  return geometry.boundaryNormal.empty()
             ? 0.0
             : static_cast<double>(oblique) / static_cast<double>(geometry.boundaryNormal.size());
}

// Nodes across the narrowest section: the openings and the throats between them, and 4 V / A of the
// whole; in 2D half of that, which of a plane channel is its width.
double nodesAcross(const tiler::TiledGeometry& geometry, const Results& results) {
  const double h = results.spacing, area = results.shear.area;
  const bool plane = geometry.dimensions == 2;
  const double volume = static_cast<double>(results.fluidNodes) * h * h * h;
  double narrowest = area > 0.0 ? (plane ? 2.0 : 4.0) * volume / area / h : 0.0;
  const auto consider = [&](double section) {
    const double across =
        plane ? section / (h * h) : std::sqrt(4.0 / std::numbers::pi * section) / h;
    if (narrowest == 0.0 || across < narrowest) narrowest = across;
  };
  for (const OpeningSummary& opening : results.openings) consider(opening.area);
  for (const auto& throat : geometry.throats) consider(throat.area / throat.passages);
  return std::max(narrowest, 1.0);
}

// Relative to the largest flow rate, or of the kinetic energy without openings; at most 1, that of
// a flow that swings.
double distanceFromSteady(const Results& results) {
  if (results.period) return 0.0;
  const auto& columns = results.monitor.columns;
  double largest = 0.0, worst = 0.0;
  const auto seriesOf = [&](std::size_t column) {
    std::vector<double> series;
    for (const auto& row : results.monitor.rows) series.push_back(row[column]);
    return series;
  };
  for (const OpeningSummary& opening : results.openings)
    largest = std::max(largest, std::abs(opening.flowRate));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].starts_with("flow_rate_") && largest > 0.0)
      worst = std::max(worst, remainder(seriesOf(c), largest));
    if (columns[c].starts_with("pressure_") && results.pressureDrop && *results.pressureDrop != 0.0)
      worst = std::max(worst, remainder(seriesOf(c), std::abs(*results.pressureDrop)));
    if (columns[c].starts_with("kinetic_energy") && results.openings.empty()) {
      const std::vector<double> series = seriesOf(c);
      if (!series.empty() && series.back() > 0.0)
        worst = std::max(worst, remainder(series, series.back()));
    }
  }
  return std::min(worst, 1.0);
}

// Error of a flow that diverged at its spacing and went on with cumulants: they stay bounded where
// the layers at the walls have no nodes. Half the time step mends what was too fast for the
// lattice.
double unresolved(const Fields& fields) {
  constexpr double withCumulants = 0.25;
  return fields.recovered.find("cumulant") != std::string::npos ? withCumulants : 0.0;
}

// Relative round-off of results by the numbers that hold the populations, from the variant's words.
double rounding(const Fields& fields) {
  const std::string precision = fields.variant.substr(fields.variant.rfind(' ') + 1);
  if (precision.starts_with("f16")) return 3e-2;
  return precision == "f64" ? 1e-6 : 2e-5;  // the fields are stored in f32
}

bool prescribesFlow(const OpeningSummary& opening) {
  return opening.kind == "velocity" || opening.kind == "flow-rate" || opening.kind == "wall" ||
         opening.kind == "outflow-split";
}

class Model {
 public:
  Model(const Fields& fields, const tiler::TiledGeometry& geometry, const Results& results)
      : across_(nodesAcross(geometry, results)),
        gridReynolds_(results::largestVelocity(results) * results.spacing /
                      results.kinematicViscosity) {
    const bool voxels = geometry.surface.triangle.empty();
    halfway_ = fields.wallScheme.empty() ? voxels : fields.wallScheme == "halfway";
    staircase_ = !halfway_ ? 0.0 : voxels ? obliqueShare(geometry) : 1.0;
    edges_ = shareOfWall(lengthOf(sharpEdges(geometry.surface)), results);
    ends_ = voxels ? shareOfWall(rims(geometry), results) : 0.0;
    linear_ = fields.wallScheme == "bouzidi" || fields.wallScheme == "single-node" ? 1.0 : 0.0;
    smoothed_ = isSmoothed(fields) ? 1.0 : 0.0;
    recovered_ = unresolved(fields);
    if (results.period)
      stokes_ = std::numbers::pi * results.spacing * results.spacing /
                (results.kinematicViscosity * *results.period);
    kept_ = {{"Mach number", machSquared * results.machMax * results.machMax},
             {"sound", fields.soundError},
             {"distance from the steady state", distanceFromSteady(results)},
             {"precision", rounding(fields)}};
    if (results.period) kept_.push_back({"difference between cycles", betweenCycles});
  }
  [[nodiscard]] double across() const { return across_; }
  [[nodiscard]] double resolution(const Scaling& of) const {
    return (of.wall + of.inertia * gridReynolds_) / (across_ * across_) + of.edges * edges_ +
           of.ends * ends_ +
           (of.halfway * staircase_ + of.linear * linear_ + of.smoothed * smoothed_) / across_ +
           of.stokes * stokes_ + recovered_;
  }
  // falls: more of it that a finer spacing reduces; stays: that it does not.
  [[nodiscard]] ExpectedError error(const Scaling& of, double falls = 0.0,
                                    double stays = 0.0) const {
    return {resolution(of) + falls + kept() + stays, kept() + stays};
  }
  // The error of a prescribed number.
  [[nodiscard]] ExpectedError error(double more) const { return {kept() + more, kept() + more}; }
  [[nodiscard]] std::vector<results::ErrorPart> parts() const {
    std::vector<results::ErrorPart> all = kept_;
    all.push_back({halfway_ ? "resolution with halfway walls" : "resolution",
                   resolution(ofFlow) - recovered_});
    if (recovered_ > 0.0) all.push_back({"recovery from divergence", recovered_});
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.share > b.share; });
    return all;
  }

 private:
  [[nodiscard]] double kept() const {
    double sum = 0.0;
    for (const auto& part : kept_) sum += part.share;
    return sum;
  }
  double across_, gridReynolds_;
  double recovered_ = 0.0;
  double staircase_ = 0.0, edges_ = 0.0, ends_ = 0.0, linear_ = 0.0, smoothed_ = 0.0, stokes_ = 0.0;
  bool halfway_ = false;
  std::vector<results::ErrorPart> kept_;  // everything but the resolution
};

// Flow rates that a condition prescribes, or the others and the balance of mass, are exact but for
// the residual.
void addFlowErrors(const Model& model, Results& results) {
  const auto free = std::count_if(results.openings.begin(), results.openings.end(),
                                  [](const auto& o) { return !prescribesFlow(o); });
  const double residual = fields::massResidualOverPeriod(results).value_or(results.massResidual);
  for (OpeningSummary& opening : results.openings) {
    const bool known = prescribesFlow(opening) || free == 1;
    opening.flowRateError = known ? model.error(residual) : model.error(ofFlow, 0.0, residual);
  }
}

// Difference of two values of the shear, by a line and by a parabola through the stress inside:
// small radii, edges and thin layers that the scalings do not know.
double difference(double shear, double other) {
  return shear > 0.0 ? extrapolations * std::abs(shear - other) / shear : 0.0;
}

// Difference of the two integrals of the force, by momentum exchange and by stress, relative.
double differenceOfForces(const Results& results) {
  double difference = 0.0, total = 0.0;
  for (const results::WallForce& force : results.forces) {
    if (!force.exchanged) continue;
    difference = std::max(difference, length(*force.exchanged - force.pressure - force.viscous));
    total = std::max(total, length(*force.exchanged));
  }
  return total > 0.0 ? difference / total : 0.0;
}

// Share of the power of the force that drives the flow through a periodic medium that the stress at
// the nodes does not dissipate, which in steady flow is all of it: the layers around convex walls
// that the spacing does not resolve, of which the width of the pores says nothing.
double missingDissipation(const Results& results) {
  const auto dissipation = results.computed.find("dissipation");
  if (!results.openings.empty() || dissipation == results.computed.end()) return 0.0;
  const results::Permeability& flow = *results.permeability;
  const Int3& n = results.nodes;
  const double box = static_cast<double>(n[0]) * n[1] * n[2] * std::pow(results.spacing, 3);
  const double power = flow.pressureGradient * flow.superficial * box;
  return power > 0.0 ? std::abs(1.0 - dissipation->second / power) : 0.0;
}

}  // namespace

double remainder(const std::vector<double>& series, double scale) {
  if (series.size() < 3 || !(scale > 0.0)) return 0.0;
  const std::size_t n = series.size();
  const double last = std::abs(series[n - 1] - series[n - 2]);
  const double before = std::abs(series[n - 2] - series[n - 3]);
  const double ratio = before > 0.0 ? std::min(last / before, 0.98) : 0.0;
  return last * ratio / (1.0 - ratio) / scale;
}

void addExpectedErrors(const Fields& fields, const tiler::TiledGeometry& geometry,
                       Results& results) {
  const Model model(fields, geometry, results);
  results::ExpectedErrors& expected = results.expected;
  expected.nodesAcross = model.across();
  expected.parts = model.parts();
  expected.shear = model.error(ofShear, difference(results.shear.mean, expected.otherShear.mean));
  expected.highShear =
      model.error(ofHighShear, difference(results.shear.p95, expected.otherShear.p95));
  expected.force = model.error(ofShear, 0.0, forceBalance * differenceOfForces(results));
  if (results.permeability)
    expected.permeability = model.error(ofFlow, powerBalance * missingDissipation(results));
  const bool prescribed =
      std::all_of(results.openings.begin(), results.openings.end(),
                  [](const auto& o) { return o.kind == "pressure" || o.kind == "wall"; });
  if (results.pressureDrop)
    expected.pressureDrop = prescribed ? model.error(0.0) : model.error(ofFlow);
  addFlowErrors(model, results);
}

}  // namespace tessera::postprocess::quantity
