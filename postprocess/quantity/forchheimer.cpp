// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/forchheimer.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::postprocess::quantity {

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
    fail(ExitCode::BadInput, run.name +
                                 " is driven along another direction than the first run; "
                                 "Forchheimer's law is fitted along one");
  return {of.poreReynolds / std::sqrt(of.value), 1.0 / of.value};
}

// Runs that flow alike to a part of this say nothing about how k depends on it.
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
         "the runs' velocities differ by less than 1 %, which tells nothing of inertia; drive one "
         "of "
         "them more strongly");
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

}  // namespace tessera::postprocess::quantity
