// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/velocity.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/boundary/developed_profile.hpp"
#include "solver/boundary/profile_shape.hpp"

namespace tessera::solver::boundary {

namespace {

constexpr std::size_t harmonicSamples = 2048;
constexpr std::size_t mostHarmonics = 24;
constexpr double leftOver = 1e-4;

// Second moment of area over a circle's of the same area: a square has 1.05, an ellipse of 2 to 1
// 1.25.
constexpr double mostOutOfRound = 1.15;

bool hasOwnVelocities(const Velocity& flow) {
  return flow.shape && flow.shape->reference != 0.0;
}

// Mean over the period, or over the series.
double meanOf(const Waveform& series) {
  constexpr int samples = 512;
  const double begin = series.time.front();
  const double length = series.period > 0.0 ? series.period : series.time.back() - begin;
  double sum = 0.0;
  for (int k = 0; k < samples; ++k) sum += series.at(begin + (k + 0.5) / samples * length);
  return sum / samples;
}

// 1 into the fluid, -1 with direction = "out": the prescribed mean is positive in that direction. A
// waveform may turn back.
double signOfFlow(OpeningTable& from, const char* key, const ConstantOrSeries& given) {
  constexpr double roundOff = 1e-6;
  const bool outwards = from.table.word("direction", {"in", "out"}) == "out";
  const double mean = given.series ? meanOf(*given.series) : given.value;
  if (mean < -roundOff * std::abs(given.value))
    stage::fail(
        stage::ExitCode::Usage,
        fmt::format(
            "{}: {} {}", from.table.where(given.series ? "waveform" : key),
            given.series ? "the waveform has a negative mean," : key + std::string(" is negative,"),
            outwards ? "which with direction = \"out\" is a flow into the fluid; change its sign, "
                       "or leave direction out"
                     : "a flow out of the fluid, where positive is into it; change its sign, or "
                       "add direction = \"out\", with which positive is out of the fluid"));
  return outwards ? -1.0 : 1.0;
}

Velocity readFlow(OpeningTable& from, const char* key, const char* column,
                  stage::Dimension dimension, const char* sentence) {
  Velocity flow;
  double sign = 1.0;
  flow.zouHe = readZouHe(from);
  flow.profile = readProfile(from, "parabolic", {"power-law", "formula", "table"});
  flow.shape = readProfileShape(from, flow.profile);
  // A formula or a table has velocities of its own, which a mean or a flow rate rescales.
  const bool own = hasOwnVelocities(flow);
  if (own && !from.table.has(key) && !from.table.has("waveform")) {
    flow.mean = flow.shape->reference;
    if (dimension == stage::Dimension::FlowRate) flow.mean *= from.opening.area;
  } else {
    const ConstantOrSeries given = readConstantOrSeries(from, key, column, dimension, sentence);
    sign = signOfFlow(from, key, given);
    flow.mean = given.value;
    flow.series = given.series;
  }
  if (own && flow.shape->course) flow.series = flow.shape->course;
  if (flow.series && flow.mean == 0.0)
    stage::fail(stage::ExitCode::Usage,
                from.table.where("waveform") +
                    ": the waveform is zero everywhere; one that moves the fluid is "
                    "required");
  const bool periodic = flow.series && flow.series->period > 0.0;
  if (flow.profile == Profile::Womersley && !periodic)
    stage::fail(stage::ExitCode::Usage,
                from.table.where("profile") +
                    ": profile = \"womersley\" needs a periodic flow; waveform = \"FILE.csv\" and "
                    "periodic = true are required with it");
  flow.mean *= sign;
  return flow;
}

// Lattice units, out of the fluid.
struct LatticeFlow {
  double speed;   // mean
  double target;  // sum of the links' values at amplitude 1
};

LatticeFlow latticeFlow(double mean, const PlannedOpening& opening) {
  const model::Scales& scales = opening.lattice.scales;
  return {-mean / scales.velocity(), -mean * opening.opening.area / scales.flowRate()};
}

// Points where the profile gives the velocity of each link: its middle, where bounce-back sets it;
// with the scheme of Zou & He the node itself.
std::vector<Double3> profilePoints(const PlannedOpening& opening, bool zouHe) {
  std::vector<Double3> points;
  for (std::size_t n = 0; n < opening.links.size(); ++n)
    points.push_back(opening.position(n, zouHe ? 0.0 : 0.5));
  return points;
}

// The closed form at a squared radius, which may lie beyond the wall half a link away from a node
// inside; 0 at links of nodes that are themselves beyond it, as an opening that is not round has.
template <class Form>
auto atLink(const PlannedOpening& opening, std::size_t n, const Double3& point, const Form& form) {
  const bool within = squaredRadiusAt(opening.whole, opening.position(n, 0.0)) < 1.0;
  const auto value = form(squaredRadiusAt(opening.whole, point));
  return within ? value : decltype(value){};
}

// Profile at each of the opening's links, about 1 on average. exponent: of a power law.
std::vector<double> steadyProfile(Profile kind, double exponent, const std::vector<Double3>& points,
                                  const PlannedOpening& opening) {
  std::vector<double> profile(points.size(), 1.0);
  if (kind == Profile::Plug) return profile;
  if (kind == Profile::BiParabolic) return biParabolic(opening, points);
  if (kind == Profile::PowerLaw) {
    for (std::size_t n = 0; n < profile.size(); ++n)
      profile[n] = atLink(opening, n, points[n], [&](double squared) {
        return powerLaw(opening.shape.dimensions, exponent, squared);
      });
    return profile;
  }
  if (kind != Profile::Developed) {
    for (std::size_t n = 0; n < profile.size(); ++n)
      profile[n] = atLink(opening, n, points[n], [&](double squared) {
        return parabola(opening.shape.dimensions, squared);
      });
    return profile;
  }
  profile = developedProfile(opening.lattice.geometry, opening.lattice.order, opening.shape,
                             opening.links, points, opening.symmetric);
  double sum = 0.0;
  double area = 0.0;
  for (std::size_t n = 0; n < profile.size(); ++n) {
    area += opening.area(n);
    sum += opening.area(n) * profile[n];
  }
  for (double& value : profile) value *= area / sum;
  return profile;
}

void warnIfCoarse(const std::string& label, double factor) {
  if (!(factor > 0.8 && factor < 1.25))
    stage::logWarning(
        fmt::format("{} is coarsely resolved: its profile was scaled by {} to give the "
                    "prescribed flow rate",
                    label, stage::number(factor, 4)));
}

std::vector<LinkPart> steadyParts(const Velocity& flow, const std::vector<Double3>& points,
                                  const PlannedOpening& opening) {
  const auto [mean, target] = latticeFlow(flow.mean, opening);
  const std::vector<double> profile =
      steadyProfile(flow.profile, flow.shape ? flow.shape->exponent : 1.0, points, opening);
  std::vector<LinkPart> parts;
  double sum = 0.0;
  for (std::size_t n = 0; n < profile.size(); ++n) {
    const double speed = mean * profile[n];
    parts.push_back({opening.area(n) * speed, speed * speed});
    sum += parts.back().value;
  }
  if (flow.mean == 0.0) return parts;
  const double factor = sum == 0.0 ? 1.0 : target / sum;
  warnIfCoarse(opening.label, factor);
  for (LinkPart& part : parts) {
    part.value *= factor;
    part.speedSquared *= factor * factor;
  }
  return parts;
}

// Velocities of a formula or of one time of a table at the links, out of the fluid, lattice units;
// the sum of their values is the flow rate of that time.
std::vector<LinkPart> shapeParts(const Velocity& flow, std::size_t frame,
                                 const std::vector<Double3>& points,
                                 const PlannedOpening& opening) {
  const PlanInput& lattice = opening.lattice;
  const ShapeSampler sampler(*flow.shape, frame, opening.opening, lattice.geometry);
  const double scale = flow.mean / flow.shape->reference / lattice.scales.velocity();
  std::vector<LinkPart> parts;
  std::vector<double> along;  // value of the velocity along the opening
  double sum = 0.0, size = 0.0, area = 0.0, sumAlong = 0.0;
  for (std::size_t n = 0; n < points.size(); ++n) {
    const Double3 world = scale * sampler.atLink(opening.position(n, 0.0), points[n]);
    Double3 v{};
    for (std::size_t a = 0; a < 3; ++a) v[a] = dot(lattice.geometry.frame.axis[a], world);
    const double normal = dot(v, opening.shape.normal);
    const std::size_t i = opening.link(n).direction;
    const double whole = 6.0 * lattice.info.weights[i] * dot(velocityOf(lattice.info, i), v);
    parts.push_back({opening.area(n) * normal, flow.zouHe ? normal * normal : dot(v, v)});
    along.push_back(flow.zouHe ? 0.0 : whole - parts.back().value);
    sum += parts.back().value;
    size += std::abs(parts.back().value);
    area += opening.area(n);
    sumAlong += along.back();
  }
  const double target =
      latticeFlow(flow.mean * flow.shape->mean[frame] / flow.shape->reference, opening).target;
  // Where nearly as much flows out as in, the difference is shared by area.
  const bool oneWay = std::abs(sum) > 0.2 * size && target != 0.0;
  const double factor = oneWay ? target / sum : 1.0;
  if (oneWay) warnIfCoarse(opening.label, factor);
  const double shift = (oneWay ? 0.0 : target - sum) - factor * sumAlong;
  for (std::size_t n = 0; n < parts.size(); ++n) {
    parts[n].value = factor * (parts[n].value + along[n]) + shift * opening.area(n) / area;
    parts[n].speedSquared *= factor * factor;
  }
  return parts;
}

// A mode for each time of a table: value 1 at each link, in the basis its values.
OpeningLinks framesOfTable(const Velocity& flow, const std::vector<Double3>& points,
                           const PlannedOpening& opening) {
  const std::size_t count = flow.shape->table->frames.size();
  OpeningLinks out;
  out.basis.resize(count * points.size());
  for (std::size_t k = 0; k < count; ++k) {
    const std::vector<LinkPart> parts = shapeParts(flow, k, points, opening);
    for (std::size_t n = 0; n < parts.size(); ++n) out.basis[n * count + k] = parts[n].value;
  }
  // |v|^2 of a velocity along the normal, as of the links' values.
  for (std::size_t n = 0; n < points.size(); ++n) {
    const double area = opening.area(n);
    const double least = 0.1 * opening.lattice.info.weights[opening.link(n).direction];
    out.parts.push_back({1.0, area > least ? 1.0 / (area * area) : 0.0});
  }
  return out;
}

void checkRound(const PlannedOpening& opening) {
  if (opening.shape.dimensions == 2) return;
  double area = 0.0;
  double moment = 0.0;
  for (std::size_t n = 0; n < opening.links.size(); ++n) {
    const double share = std::max(0.0, opening.area(n));
    area += share;
    moment += share * squaredRadiusAt(opening.whole, opening.link(n).position);
  }
  const double outOfRound = 2.0 * moment / area;
  if (outOfRound > mostOutOfRound)
    stage::fail(
        stage::ExitCode::Usage,
        fmt::format("{}: profile = \"womersley\" needs a round opening, but this one is not "
                    "round (its second moment of area is {} of a circle's, at most 1.15 is "
                    "required); use profile = \"developed\".",
                    opening.label, stage::number(outOfRound, 4)));
}

// Values of mode h at each link: the parabola for h = 0, Womersley's profile for harmonic h. Each
// sums to the prescribed flow rate, the imaginary parts to 0.
std::vector<std::complex<double>> modeOf(std::size_t h, double omega,
                                         const std::vector<Double3>& points,
                                         const LatticeFlow& flow, const PlannedOpening& opening) {
  const int dimensions = opening.shape.dimensions;
  const double latticeOmega = static_cast<double>(h) * omega * opening.lattice.scales.timeStep;
  const double alpha = opening.whole.radius * std::sqrt(latticeOmega / opening.lattice.viscosity);
  std::vector<std::complex<double>> mode(points.size());
  std::complex<double> sum;
  for (std::size_t n = 0; n < mode.size(); ++n) {
    mode[n] = atLink(opening, n, points[n], [&](double squared) -> std::complex<double> {
      return h == 0 ? parabola(dimensions, squared) : womersley(dimensions, alpha, squared);
    });
    sum += opening.area(n) * flow.speed * mode[n];
  }
  const std::complex<double> factor = flow.target / sum;
  if (h == 0) warnIfCoarse(opening.label, factor.real());
  for (std::complex<double>& value : mode) value = factor * value;
  return mode;
}

OpeningLinks womersleyLinks(const Velocity& flow, const Harmonics& harmonics,
                            const std::vector<Double3>& points, const PlannedOpening& opening) {
  checkRound(opening);
  const LatticeFlow lattice = latticeFlow(flow.mean, opening);
  const std::size_t count = 1 + 2 * harmonics.amplitude.size();
  OpeningLinks out;
  out.basis.resize(count * points.size());
  for (std::size_t h = 0; h <= harmonics.amplitude.size(); ++h) {
    const auto mode = modeOf(h, harmonics.omega, points, lattice, opening);
    for (std::size_t n = 0; n < mode.size(); ++n) {
      double* basis = &out.basis[n * count];
      if (h == 0)
        basis[0] = mode[n].real();
      else
        basis[2 * h - 1] = mode[n].real(), basis[2 * h] = -mode[n].imag();
    }
  }
  for (std::size_t n = 0; n < points.size(); ++n)
    out.parts.push_back({opening.area(n) * lattice.speed, lattice.speed * lattice.speed});
  return out;
}

// a b, fused as in version 0.1, whose runs are resumed. GCC 12 fuses vectorised complex products in
// spite of -ffp-contract=off, so this file is compiled without that vectorisation (CMakeLists.txt).
std::complex<double> fusedProduct(const std::complex<double>& a, const std::complex<double>& b) {
  return {std::fma(a.real(), b.real(), -(a.imag() * b.imag())),
          std::fma(a.imag(), b.real(), a.real() * b.imag())};
}

Harmonics harmonicsOfFlow(const Velocity& flow) {
  return flow.profile == Profile::Womersley ? harmonicsOf(*flow.series) : Harmonics{};
}

}  // namespace

Velocity Velocity::fromCase(OpeningTable& from) {
  return readFlow(from, "mean", "velocity", stage::Dimension::Velocity,
                  "a velocity opening needs mean, for instance mean = \"0.3 m/s\"");
}

FlowRate FlowRate::fromCase(OpeningTable& from) {
  FlowRate out{readFlow(from, "value", "flow_rate", stage::Dimension::FlowRate,
                        "a flow-rate opening needs value, for instance value = \"3 ml/s\"")};
  out.mean /= from.opening.area;
  return out;
}

Prescription Velocity::prescription() const {
  Prescription out{Prescribed::Velocity, profile, mean, 0.0, series, zouHe};
  if (shape) out.peak = shape->peak;
  if (shape && shape->table) out.file = shape->table->name, out.fileHash = shape->table->hash;
  return out;
}

OpeningLinks Velocity::links(const PlannedOpening& opening) const {
  const std::vector<Double3> points = profilePoints(opening, zouHe);
  const Harmonics harmonics = harmonicsOfFlow(*this);
  OpeningLinks out;
  if (hasOwnVelocities(*this) && shape->course)
    out = framesOfTable(*this, points, opening);
  else if (hasOwnVelocities(*this))
    out.parts = shapeParts(*this, 0, points, opening);
  else if (harmonics.amplitude.empty())
    out.parts = steadyParts(*this, points, opening);
  else
    out = womersleyLinks(*this, harmonics, points, opening);
  out.condition = zouHe ? LinkCondition::ZouHeVelocity : LinkCondition::Velocity;
  if (zouHe)  // 6 w c . v of a velocity across the plane, c . n = 1
    for (std::size_t n = 0; n < out.parts.size(); ++n)
      out.parts[n].value /= 6.0 * opening.lattice.info.weights[opening.link(n).direction];
  return out;
}

Amplitudes Velocity::amplitudes() const {
  if (hasOwnVelocities(*this) && shape->course)
    return {static_cast<std::uint32_t>(shape->course->time.size()),
            [course = shape->course](const OpeningMoment& now, std::span<double> out) {
              for (std::size_t k = 0; k < course->time.size(); ++k)
                out[k] = now.ramp * frameWeight(*course, k, now.time);
            }};
  const Harmonics harmonics = harmonicsOfFlow(*this);
  const auto modes = static_cast<std::uint32_t>(1 + 2 * harmonics.amplitude.size());
  return {modes, [harmonics, wave = series](const OpeningMoment& now, std::span<double> out) {
            double rest = relativeValue(wave.get(), now.time);
            for (std::size_t h = 0; h < harmonics.amplitude.size(); ++h) {
              const std::complex<double> value = fusedProduct(
                  harmonics.amplitude[h],
                  std::polar(1.0, static_cast<double>(h + 1) * harmonics.omega * now.time));
              out[1 + 2 * h] = now.ramp * value.real();
              out[2 + 2 * h] = now.ramp * value.imag();
              rest -= value.real();
            }
            out[0] = now.ramp * rest;
          }};
}

OpeningPhysics Velocity::physics() const {
  const auto& [profileOf, meanOf, seriesOf, onNodes, shapeOf] = *this;
  OpeningPhysics out{.profile = static_cast<double>(profileOf), .mean = meanOf, .zouHe = onNodes};
  if (shapeOf) out.others = physicsOfShape(*shapeOf);
  return out;
}

double relativeValue(const Waveform* series, double t) {
  if (series == nullptr) return 1.0;
  const double largest = series->largest();
  return largest > 0.0 ? series->at(t) / largest : 0.0;
}

Harmonics harmonicsOf(const Waveform& waveform) {
  Harmonics out;
  out.omega = 2.0 * std::numbers::pi / waveform.period;
  const double largest = waveform.largest();
  if (largest == 0.0) return out;
  std::vector<double> value(harmonicSamples);
  double mean = 0.0;
  for (std::size_t k = 0; k < harmonicSamples; ++k) {
    value[k] = waveform.at(waveform.period * static_cast<double>(k) / harmonicSamples) / largest;
    mean += value[k] / harmonicSamples;
  }
  double rest = 0.0;
  for (double& v : value) {
    v -= mean;
    rest += v * v / harmonicSamples;
  }
  const double enough = leftOver * leftOver * rest;
  for (std::size_t h = 1; h <= mostHarmonics && rest > enough; ++h) {
    std::complex<double> sum;
    for (std::size_t k = 0; k < harmonicSamples; ++k)
      sum += value[k] *
             std::polar(2.0 / harmonicSamples,
                        -2.0 * std::numbers::pi * static_cast<double>(h * k) / harmonicSamples);
    out.amplitude.push_back(sum);
    rest -= 0.5 * std::norm(sum);
  }
  return out;
}

}  // namespace tessera::solver::boundary
