// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/permeability.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/principal_axes.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/fields/node_lookup.hpp"
#include "postprocess/quantity/opening_flow.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::postprocess::quantity {

using results::OpeningSummary;
using results::Permeability;

namespace {

// Bound of the Reynolds number on sqrt(k): Forchheimer's law G = mu U / k (1 + c Re) with c = 0.55
// (Ward 1964) differs there by 5.5 % from Darcy's.
constexpr double largestDarcyReynolds = 0.1;

// Rocks and packs have 1.2 to 3; in blocked media the remaining flow recirculates.
constexpr double largestTortuosity = 10.0;

struct Medium {
  const fields::NodeLookup& lookup;
  const solver::file::Fields& fields;
  const fields::NodeSums& sums;
};

std::optional<Permeability> darcy(const Medium& medium, const Double3& direction, double gradient) {
  if (!(gradient > 0.0)) return std::nullopt;
  const auto& [lookup, fields, sums] = medium;
  const Int3& n = lookup.geometry.nodes;
  const double box = static_cast<double>(n[0]) * static_cast<double>(n[1]) * n[2];
  Permeability result;
  result.direction = direction;
  result.pressureGradient = gradient;
  result.velocity = (1.0 / box) * lookup.geometry.frame.directionToWorld(sums.velocity);
  result.superficial = dot(result.velocity, direction);
  result.value = fields.density * fields.kinematicViscosity * result.superficial / gradient;
  result.porosity = static_cast<double>(lookup.geometry.fluidNodes) / box;
  if (result.superficial > 0.0) {
    result.tortuosity = sums.speed / box / result.superficial;
    result.poreReynolds = result.superficial * std::sqrt(result.value) / fields.kinematicViscosity;
  }
  result.blocked = !(result.superficial > 0.0) || result.tortuosity > largestTortuosity;
  result.inertial = result.poreReynolds > largestDarcyReynolds;
  return result;
}

std::optional<Permeability> byBodyForce(const Medium& medium) {
  const Double3& force = medium.fields.bodyForce;
  const double size = length(force);
  if (!(size > 0.0)) return std::nullopt;
  const tiler::TiledGeometry& geometry = medium.lookup.geometry;
  for (std::size_t a = 0; a < 3; ++a) {
    const bool driven = std::abs(dot(force, geometry.frame.axis[a])) > 1e-9 * size;
    if (driven && !geometry.periodic[a]) return std::nullopt;
  }
  return darcy(medium, (1.0 / size) * force, size);
}

// Axis of the box along which the normal points, if any.
std::optional<std::size_t> axisAlong(const preprocess::geometry::Frame& frame,
                                     const Double3& normal) {
  for (std::size_t a = 0; a < 3; ++a)
    if (std::abs(dot(frame.axis[a], normal)) > 1.0 - 1e-9) return a;
  return std::nullopt;
}

std::optional<Permeability> byPressure(const Medium& medium,
                                       const std::vector<OpeningSummary>& openings) {
  const tiler::TiledGeometry& geometry = medium.lookup.geometry;
  if (openings.size() != 2 || !geometry.surface.triangle.empty()) return std::nullopt;
  const bool firstIsInlet = openings[0].meanPressure >= openings[1].meanPressure;
  const OpeningSummary& inlet = openings[firstIsInlet ? 0 : 1];
  const OpeningSummary& outlet = openings[firstIsInlet ? 1 : 0];
  const auto axis = axisAlong(geometry.frame, outlet.normal);
  if (!axis || dot(inlet.normal, outlet.normal) > -1.0 + 1e-9) return std::nullopt;
  const double extent = geometry.nodes[*axis] * geometry.frame.spacing;
  const double gradient = (inlet.meanPressure - outlet.meanPressure) / extent +
                          dot(medium.fields.bodyForce, outlet.normal);
  return darcy(medium, outlet.normal, gradient);
}

}  // namespace

std::optional<Permeability> permeability(const fields::NodeLookup& lookup,
                                         const solver::file::Fields& fields,
                                         const fields::NodeSums& sums,
                                         const std::vector<OpeningSummary>& openings) {
  if (!fields.constantViscosity()) return std::nullopt;
  const Medium medium{lookup, fields, sums};
  return openings.empty() ? byBodyForce(medium) : byPressure(medium, openings);
}

namespace {

// Axis of the force, if the report says that it does not percolate.
std::string blockedAxes(const results::Results& results, const preprocess::geometry::Frame& frame) {
  std::string axes;
  if (!results.geometryReport) return axes;
  for (std::size_t a = 0; a < 3; ++a) {
    const bool driven = std::abs(dot(frame.axis[a], results.permeability->direction)) > 1.0 - 1e-9;
    if (driven && !results.geometryReport->percolates[a].value_or(true)) axes += "xyz"[a];
  }
  return axes;
}

}  // namespace

void warnAboutBlocked(results::Results& results, const preprocess::geometry::Frame& frame) {
  if (!results.permeability) return;
  Permeability& found = *results.permeability;
  const std::string axes = blockedAxes(results, frame);
  if (axes.empty() && !found.blocked) return;
  std::string why = "no path through the fluid leads along " + axes;
  if (axes.empty())
    why = found.superficial > 0.0   ? fmt::format("tortuosity {:.0f}", found.tortuosity)
          : found.superficial < 0.0 ? "the fluid moves against the force"
                                    : "the fluid is at rest";
  found.blocked = true;
  results.warnings.push_back(fmt::format(
      "nothing passes along the driving force: {}, so {:.2g} m2 is round-off, not a permeability; "
      "drive it along an axis that percolates (reported by tessera-preprocess), or make the image "
      "periodic with --mirror",
      why, found.value));
}

namespace {

using Matrix = std::array<Double3, 3>;  // rows

// Inverse of the matrix with these columns; its determinant must not be 0.
Matrix inverseOfColumns(const Double3& a, const Double3& b, const Double3& c) {
  const double determinant = dot(a, cross(b, c));
  const double scale = 1.0 / determinant;
  return {scale * cross(b, c), scale * cross(c, a), scale * cross(a, b)};
}

void describe(results::PermeabilityTensor& tensor) {
  Matrix symmetric{};
  double largest = 0.0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      symmetric[i][j] = 0.5 * (tensor.value[i][j] + tensor.value[j][i]);
      largest = std::max(largest, 0.5 * std::abs(tensor.value[i][j] - tensor.value[j][i]));
    }
  const stage::Principal principal = stage::principalOf(symmetric);
  tensor.principal = principal.value;
  tensor.direction = principal.direction;
  if (tensor.principal[0] > 0.0) tensor.asymmetry = largest / tensor.principal[0];
}

}  // namespace

results::PermeabilityTensor permeabilityTensor(const std::vector<DarcyRun>& runs, int dimensions,
                                               const Double3& thinAxis) {
  if (runs.size() != static_cast<std::size_t>(dimensions))
    stage::fail(
        stage::ExitCode::Usage,
        fmt::format(
            "the permeability tensor of a geometry in {0} dimensions needs {0} runs, and {1} were "
            "given; give the others with --with FILE.fields",
            dimensions, runs.size()));
  results::PermeabilityTensor tensor;
  std::vector<Double3> force, velocity;
  for (const DarcyRun& run : runs) {
    force.push_back(run.result.pressureGradient * run.result.direction);
    velocity.push_back(run.viscosity * run.result.velocity);
    tensor.poreReynolds = std::max(tensor.poreReynolds, run.result.poreReynolds);
    tensor.runs.push_back(run.name);
  }
  if (dimensions == 2) {
    force.push_back(thinAxis);
    velocity.push_back({});
  }
  const double size = length(force[0]) * length(force[1]) * length(force[2]);
  if (!(std::abs(dot(force[0], cross(force[1], force[2]))) > 1e-3 * size))
    stage::fail(
        stage::ExitCode::BadInput,
        fmt::format(
            "the runs {} to {} are not driven along independent directions; expected one along "
            "each axis",
            tensor.runs.front(), tensor.runs.back()));
  const Matrix inverse = inverseOfColumns(force[0], force[1], force[2]);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t r = 0; r < 3; ++r) tensor.value[i][j] += velocity[r][i] * inverse[r][j];
  describe(tensor);
  return tensor;
}

using stage::ExitCode;
using stage::fail;

namespace {

struct Point {
  double x = 0.0;  // rho U / mu, 1/m
  double y = 0.0;  // 1 / apparent k, 1/m2
};

Point pointOf(const DarcyRun& run, const Double3& direction) {
  const results::Permeability& of = run.result;
  if (!(of.value > 0.0))
    fail(ExitCode::BadInput,
         run.name + " does not flow along its force; let it converge before using it");
  if (dot(of.direction, direction) < 1.0 - 1e-6)
    fail(ExitCode::BadInput,
         fmt::format(
             "{} is driven along another direction than the first run; Forchheimer's law is fitted "
             "along one",
             run.name));
  return {of.poreReynolds / std::sqrt(of.value), 1.0 / of.value};
}

// Least relative difference of velocities for a meaningful fit.
constexpr double leastSpread = 0.01;

}  // namespace

results::Forchheimer forchheimerFit(const std::vector<DarcyRun>& runs) {
  if (runs.size() < 2)
    fail(ExitCode::Usage, "Forchheimer's law needs two runs or more; add --forchheimer");
  std::vector<Point> points;
  for (const DarcyRun& run : runs) points.push_back(pointOf(run, runs.front().result.direction));
  const auto [slowest, fastest] = std::minmax_element(
      points.begin(), points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
  if (fastest->x - slowest->x < leastSpread * fastest->x)
    fail(ExitCode::BadInput,
         "the runs' velocities differ by less than 1 %, too little to find inertia; drive one of "
         "them more "
         "strongly");
  Point mean;
  for (const Point& p : points) mean = {mean.x + p.x, mean.y + p.y};
  const auto count = static_cast<double>(points.size());
  mean = {mean.x / count, mean.y / count};
  double xx = 0.0, xy = 0.0;
  for (const Point& p : points) {
    xx += (p.x - mean.x) * (p.x - mean.x);
    xy += (p.x - mean.x) * (p.y - mean.y);
  }
  results::Forchheimer fit;
  fit.coefficient = xy / xx;
  const double atRest = mean.y - fit.coefficient * mean.x;
  if (!(atRest > 0.0))
    fail(ExitCode::BadInput,
         "the runs' apparent permeabilities grow beyond bounds towards rest; add slower runs");
  fit.permeability = 1.0 / atRest;
  fit.inertia = fit.coefficient * std::sqrt(fit.permeability);
  for (std::size_t r = 0; r < points.size(); ++r) {
    const double fitted = atRest + fit.coefficient * points[r].x;
    fit.residual = std::max(fit.residual, std::abs(points[r].y / fitted - 1.0));
    fit.runs.push_back({runs[r].name, runs[r].result.poreReynolds, runs[r].result.value});
  }
  return fit;
}

using fields::RunFiles;
using tiler::TiledGeometry;

namespace {

DarcyRun darcyRun(const std::filesystem::path& path,
                  const std::optional<results::Permeability>& result,
                  const solver::file::Fields& fields) {
  if (!result)
    stage::fail(
        stage::ExitCode::BadInput,
        fmt::format(
            "{} gives no permeability; expected a fluid of constant viscosity driven by a "
            "body force along periodic axes, or through an image between two opposite faces "
            "of its box",
            path.string()));
  return {path.filename().string(), *result, fields.density * fields.kinematicViscosity};
}

void checkSameBox(const std::filesystem::path& path, const TiledGeometry& geometry,
                  const TiledGeometry& first) {
  if (geometry.nodes == first.nodes && geometry.fluidNodes == first.fluidNodes &&
      geometry.frame.spacing == first.frame.spacing && geometry.frame.axis == first.frame.axis)
    return;
  stage::fail(
      stage::ExitCode::BadInput,
      fmt::format(
          "{} was computed on another medium ({} nodes, not {}, or another box); give runs of "
          "one medium along its axes",
          path.string(), geometry.fluidNodes, first.fluidNodes));
}

DarcyRun readDarcyRun(const std::filesystem::path& path, const RunFiles& first,
                      results::Results& results) {
  const auto reduce = [&](const solver::file::Fields& fields, const TiledGeometry& geometry) {
    checkSameBox(path, geometry, first.geometry());
    const fields::NodeLookup lookup(geometry);
    return darcyRun(
        path,
        permeability(lookup, fields, fields::nodeSums(fields), openingSummaries(lookup, fields)),
        fields);
  };
  RunFiles run;
  run.fieldsPath = path;
  run.fields = solver::file::readFieldsFile(path);
  results.provenance.inputs.push_back({path.filename().string(), run.fields.contentHash});
  if (run.fields.tilesHash != first.tiles.contentHash) {
    run = fields::readRun({path});
    return reduce(run.fields, run.geometry());
  }
  if (run.fields.pressure.size() != first.geometry().fluidNodes)
    stage::fail(stage::ExitCode::BadInput,
                fmt::format("{} has another number of nodes than {}; run the solver again",
                            path.string(), first.tilesPath.string()));
  return reduce(run.fields, first.geometry());
}

}  // namespace

void addPermeabilityTensor(results::Results& results, const RunFiles& run,
                           const std::vector<std::string>& further) {
  if (further.empty()) return;
  std::vector<DarcyRun> runs{darcyRun(run.fieldsPath, results.permeability, run.fields)};
  for (const std::string& path : further) runs.push_back(readDarcyRun(path, run, results));
  const TiledGeometry& geometry = run.geometry();
  results.permeabilityTensor =
      permeabilityTensor(runs, geometry.dimensions, geometry.frame.axis[2]);
}

void addForchheimer(results::Results& results, const RunFiles& run,
                    const std::vector<std::string>& further) {
  if (further.empty()) return;
  std::vector<DarcyRun> runs{darcyRun(run.fieldsPath, results.permeability, run.fields)};
  for (const std::string& path : further) runs.push_back(readDarcyRun(path, run, results));
  results.forchheimer = forchheimerFit(runs);
}

}  // namespace tessera::postprocess::quantity
