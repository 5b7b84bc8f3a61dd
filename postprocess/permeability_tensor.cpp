// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/permeability_tensor.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "preprocess/surface/mesh.hpp"

namespace tessera {

namespace {

using Matrix = std::array<Double3, 3>;  // rows

// Of the matrix with these columns; its determinant must not be 0.
Matrix inverseOfColumns(const Double3& a, const Double3& b, const Double3& c) {
  const double determinant = dot(a, cross(b, c));
  const double scale = 1.0 / determinant;
  return {scale * cross(b, c), scale * cross(c, a), scale * cross(a, b)};
}

// One rotation in the plane of axes p and q that makes m[p][q] vanish.
void rotate(Matrix& m, Matrix& columns, std::size_t p, std::size_t q) {
  if (m[p][q] == 0.0) return;
  const double theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
  const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
  const double c = 1.0 / std::hypot(t, 1.0), s = t * c;
  for (std::size_t k = 0; k < 3; ++k) {
    const double left = m[k][p], right = m[k][q];
    m[k][p] = c * left - s * right;
    m[k][q] = s * left + c * right;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const double upper = m[p][k], lower = m[q][k];
    m[p][k] = c * upper - s * lower;
    m[q][k] = s * upper + c * lower;
  }
  const Double3 first = columns[p], second = columns[q];
  columns[p] = c * first - s * second;
  columns[q] = s * first + c * second;
}

void describe(PermeabilityTensor& tensor) {
  Matrix symmetric{};
  double largest = 0.0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      symmetric[i][j] = 0.5 * (tensor.value[i][j] + tensor.value[j][i]);
      largest = std::max(largest, 0.5 * std::abs(tensor.value[i][j] - tensor.value[j][i]));
    }
  const Principal principal = principalOf(symmetric);
  tensor.principal = principal.value;
  tensor.direction = principal.direction;
  if (tensor.principal[0] > 0.0) tensor.asymmetry = largest / tensor.principal[0];
}

}  // namespace

Principal principalOf(Matrix m) {
  Matrix columns{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  constexpr int sweeps = 12;  // quadratic: six are enough
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    rotate(m, columns, 0, 1);
    rotate(m, columns, 0, 2);
    rotate(m, columns, 1, 2);
  }
  std::array<std::size_t, 3> order{0, 1, 2};
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return m[a][a] > m[b][b]; });
  Principal principal;
  for (std::size_t k = 0; k < 3; ++k) {
    principal.value[k] = m[order[k]][order[k]];
    principal.direction[k] = columns[order[k]];
  }
  return principal;
}

PermeabilityTensor permeabilityTensor(const std::vector<DarcyRun>& runs, int dimensions,
                                      const Double3& thinAxis) {
  if (runs.size() != static_cast<std::size_t>(dimensions))
    fail(ExitCode::Usage, "the permeability tensor of a geometry in " + std::to_string(dimensions) +
                              " dimensions needs as many runs, and " + std::to_string(runs.size()) +
                              " were given; give the others with --with FILE.fields");
  PermeabilityTensor tensor;
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
    fail(ExitCode::BadInput, "the runs " + tensor.runs.front() + " to " + tensor.runs.back() +
                                 " are not driven along independent directions; expected is one "
                                 "along each axis");
  const Matrix inverse = inverseOfColumns(force[0], force[1], force[2]);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t r = 0; r < 3; ++r) tensor.value[i][j] += velocity[r][i] * inverse[r][j];
  describe(tensor);
  return tensor;
}

}  // namespace tessera
