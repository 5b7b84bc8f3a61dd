// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/repair/area_samples.hpp"

#include <cmath>

namespace tessera::preprocess::surface {

std::vector<AreaSample> samplesByArea(const geometry::TriangleMesh& mesh, std::size_t triangles,
                                      double count) {
  double area = 0.0;
  for (std::size_t t = 0; t < triangles; ++t) area += length(geometry::areaVector(mesh, t));
  std::vector<AreaSample> samples;
  double passed = 0.0;
  for (std::size_t t = 0; t < triangles; ++t) {
    const Double3 vector = geometry::areaVector(mesh, t);
    const double size = length(vector);
    const double next = passed + size * count / area;
    // One sample for each whole number passed, spread over the triangle.
    for (double k = std::ceil(passed); k < next; k += 1.0) {
      const double along = (k - passed) / (next - passed);
      const double other = std::fmod(0.618034 * k, 1.0);
      const double u = 1.0 - std::sqrt(1.0 - along * (1.0 - 1e-12)), v = (1.0 - u) * other;
      const stage::Triangle& c = mesh.triangle[t];
      samples.push_back(
          {(1.0 - u - v) * mesh.vertex[c[0]] + u * mesh.vertex[c[1]] + v * mesh.vertex[c[2]],
           (1.0 / size) * vector, static_cast<std::uint32_t>(t), false});
    }
    passed = next;
  }
  return samples;
}

}  // namespace tessera::preprocess::surface
