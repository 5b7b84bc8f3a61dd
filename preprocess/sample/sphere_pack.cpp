// SPDX-License-Identifier: GPL-3.0-or-later
// Image of a pack of spheres, and the surface of its pores.
#include <algorithm>
#include <cmath>
#include <string>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/neighbourhood.hpp"
#include "preprocess/sample/boxed_surface.hpp"
#include "preprocess/sample/spheres.hpp"

namespace tessera::preprocess::sample {

namespace {
// visit(i, wrapped i) for the integers of [low, high] on an axis of n voxels, wrapped or clipped.
template <class Visit>
void visitRange(double low, double high, int n, bool wrap, const Visit& visit) {
  const int first = static_cast<int>(std::ceil(wrap ? low : std::max(low, 0.0)));
  const int last = static_cast<int>(std::floor(wrap ? high : std::min(high, n - 1.0)));
  for (int i = first; i <= last; ++i) visit(i, wrap ? (i % n + n) % n : i);
}
}  // namespace

SpherePack withFreeEnds(SpherePack pack, int voxels) {
  double required = 0.0;
  for (Sphere& sphere : pack.sphere) {
    const double before = sphere.radius - sphere.centre[0] - 0.5;
    const double behind = sphere.centre[0] + sphere.radius - pack.size[0] + 0.5;
    required = std::max({required, before, behind});
    sphere.centre[0] += voxels;
  }
  if (voxels < required + 1.0)
    stage::fail(
        stage::ExitCode::Usage,
        fmt::format(
            "--free-ends is {}; expected at least {} voxels, so that no sphere reaches the sides.",
            voxels, static_cast<int>(std::ceil(required + 1.0))));
  pack.size[0] += 2 * voxels;
  return pack;
}

std::size_t placeSphere(SampleImage& image, const Sphere& sphere, bool periodic) {
  std::size_t turned = 0;
  const auto& n = image.size;
  const auto& [centre, radius] = sphere;
  const double square = radius * radius;
  visitRange(centre[2] - radius, centre[2] + radius, n[2], periodic, [&](int iz, int z) {
    const double dz = iz - centre[2];
    const double ry = std::sqrt(std::max(0.0, square - dz * dz));
    visitRange(centre[1] - ry, centre[1] + ry, n[1], periodic, [&](int iy, int y) {
      const double dy = iy - centre[1];
      const double rx = std::sqrt(std::max(0.0, square - dz * dz - dy * dy));
      const std::size_t row = image.index(0, y, z);
      visitRange(centre[0] - rx, centre[0] + rx, n[0], periodic, [&](int, int x) {
        std::uint8_t& value = image.value[row + static_cast<std::size_t>(x)];
        turned += value == poreValue;
        value = solidValue;
      });
    });
  });
  return turned;
}

SampleImage imageOf(const SpherePack& pack) {
  SampleImage image = sampleBoxImage(pack.size);
  for (const Sphere& sphere : pack.sphere) placeSphere(image, sphere, pack.periodic);
  return image;
}

namespace {
// Depth of a point in the spheres (negative distance outside), exact within reach of their
// surfaces: negative in the pores.
class SphereDepth {
 public:
  SphereDepth(const SpherePack& pack, double reach) : size_(pack.size), reach_(reach) {
    double largest = 0.0;
    for (const Sphere& s : pack.sphere) largest = std::max(largest, s.radius);
    bin_ = std::max(largest, 4.0 * reach);
    for (std::size_t a = 0; a < 3; ++a) count_[a] = 1 + static_cast<int>(size_[a] / bin_);
    bins_.resize(slot({0, 0, count_[2]}));
    for (const Sphere& s : pack.sphere) {
      if (!pack.periodic) {
        add(s);
        continue;
      }
      for (const geometry::Neighbour& image : geometry::neighbourhood)
        add({{s.centre[0] + image.step[0] * size_[0], s.centre[1] + image.step[1] * size_[1],
              s.centre[2] + image.step[2] * size_[2]},
             s.radius});
    }
  }

  double operator()(const Double3& point) const {
    double depth = -reach_;
    for (const Sphere& s : bins_[slot(binOf(point))])
      depth = std::max(depth, s.radius - length(point - s.centre));
    return depth;
  }

 private:
  [[nodiscard]] std::size_t slot(const Int3& bin) const {
    return static_cast<std::size_t>(bin[0]) +
           static_cast<std::size_t>(count_[0]) *
               (static_cast<std::size_t>(bin[1]) +
                static_cast<std::size_t>(count_[1]) * static_cast<std::size_t>(bin[2]));
  }
  [[nodiscard]] Int3 binOf(const Double3& point) const {
    Int3 bin;
    for (std::size_t a = 0; a < 3; ++a)
      bin[a] = static_cast<int>(std::clamp((point[a] + 0.5) / bin_, 0.0, count_[a] - 1.0));
    return bin;
  }
  // Adds a sphere to every bin of the box near its surface.
  void add(const Sphere& s) {
    const double far = s.radius + reach_;
    for (std::size_t a = 0; a < 3; ++a)
      if (s.centre[a] + far < -0.5 || s.centre[a] - far > size_[a] - 0.5) return;
    const Double3 to{far, far, far};
    const Int3 first = binOf(s.centre - to);
    const Int3 last = binOf(s.centre + to);
    for (int z = first[2]; z <= last[2]; ++z)
      for (int y = first[1]; y <= last[1]; ++y)
        for (int x = first[0]; x <= last[0]; ++x) bins_[slot({x, y, z})].push_back(s);
  }

  Int3 size_;
  double reach_;
  double bin_ = 0.0;
  Int3 count_{};
  std::vector<std::vector<Sphere>> bins_;
};
}  // namespace

geometry::TriangleMesh poreSurface(const SpherePack& pack, double edge, double voxel) {
  Int3 cells;
  Double3 high;
  for (std::size_t a = 0; a < 3; ++a) {
    cells[a] = std::max(1, static_cast<int>(std::lround(pack.size[a] / edge)));
    high[a] = pack.size[a] - 0.5;
  }
  const Double3 low{-0.5, -0.5, -0.5};
  geometry::TriangleMesh mesh = boxedSurface(SphereDepth(pack, 2.0 * edge), low, high, cells);
  for (Double3& v : mesh.vertex) v = voxel * (v - low);
  return mesh;
}

}  // namespace tessera::preprocess::sample
