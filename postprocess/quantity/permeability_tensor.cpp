// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/permeability_tensor.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/principal_axes.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::postprocess::quantity {

namespace {

using Matrix = std::array<Double3, 3>;  // rows

// Of the matrix with these columns; its determinant must not be 0.
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
    stage::fail(stage::ExitCode::Usage,
                "the permeability tensor of a geometry in " + std::to_string(dimensions) +
                    " dimensions needs as many runs, and " + std::to_string(runs.size()) +
                    " were given; give the others with --with FILE.fields");
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
    stage::fail(stage::ExitCode::BadInput,
                "the runs " + tensor.runs.front() + " to " + tensor.runs.back() +
                    " are not driven along independent directions; expected is one "
                    "along each axis");
  const Matrix inverse = inverseOfColumns(force[0], force[1], force[2]);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t r = 0; r < 3; ++r) tensor.value[i][j] += velocity[r][i] * inverse[r][j];
  describe(tensor);
  return tensor;
}

}  // namespace tessera::postprocess::quantity
