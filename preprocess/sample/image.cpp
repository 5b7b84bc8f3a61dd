// SPDX-License-Identifier: GPL-3.0-or-later
// Sample images: random overlapping spheres, boxes, a plane channel.
#include <algorithm>
#include <cmath>
#include <string>

#include "pipelines/stage/error.hpp"
#include "preprocess/sample/sample.hpp"

namespace tessera {

namespace {
// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): fixed here, so that a seed means the same for
// ever, which the standard library's distributions do not promise.
struct Random {
  std::uint64_t state = 0;

  std::uint64_t next() {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  // Uniform in [0, 1).
  double unitInterval() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }
};

std::size_t voxels(const Int3& size) {
  return static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
         static_cast<std::size_t>(size[2]);
}

void needSize(const Int3& size) {
  double product = 1.0;
  for (int s : size) product *= s;
  if (std::min({size[0], size[1], size[2]}) < 1 || product > 1e11)
    fail(ExitCode::Usage, "--size must be at least 1 voxel each way and 10^11 in all.");
}

// The integers of [low, high] on an axis of n voxels, wrapped or clipped.
template <class Visit>
void visitRange(double low, double high, int n, bool wrap, const Visit& visit) {
  const int first = static_cast<int>(std::ceil(low));
  const int last = static_cast<int>(std::floor(high));
  for (int i = first; i <= last; ++i) {
    const int at = wrap ? (i % n + n) % n : i;
    if (at >= 0 && at < n) visit(i, at);
  }
}

// Turns the voxels whose centres lie within the sphere to solid; returns how many were pore.
std::size_t placeSphere(SampleImage& image, const Double3& centre, double radius, bool wrap) {
  std::size_t turned = 0;
  const auto& n = image.size;
  const double square = radius * radius;
  visitRange(centre[2] - radius, centre[2] + radius, n[2], wrap, [&](int iz, int z) {
    const double dz = iz - centre[2];
    const double ry = std::sqrt(square - dz * dz);
    visitRange(centre[1] - ry, centre[1] + ry, n[1], wrap, [&](int iy, int y) {
      const double dy = iy - centre[1];
      const double rx = std::sqrt(std::max(0.0, square - dz * dz - dy * dy));
      const std::size_t row = static_cast<std::size_t>(n[0]) *
                              (static_cast<std::size_t>(y) +
                               static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(z));
      visitRange(centre[0] - rx, centre[0] + rx, n[0], wrap, [&](int, int x) {
        std::uint8_t& value = image.value[row + static_cast<std::size_t>(x)];
        turned += value == poreValue;
        value = solidValue;
      });
    });
  });
  return turned;
}
}  // namespace

double SampleImage::porosity() const {
  const auto pore = std::count(value.begin(), value.end(), poreValue);
  return static_cast<double>(pore) / static_cast<double>(value.size());
}

SampleImage sampleSpheres(const SpheresShape& shape) {
  needSize(shape.size);
  const int shortest = std::min({shape.size[0], shape.size[1], shape.size[2]});
  if (!(shape.diameter >= 2.0) || shape.diameter > shortest)
    fail(ExitCode::Usage,
         "--diameter must be 2 voxels or more and no more than the shortest side (" +
             std::to_string(shortest) + " voxels).");
  if (!(shape.porosity >= 0.02) || shape.porosity > 1.0)
    fail(ExitCode::Usage, "--porosity must be from 0.02 to 1.");
  SampleImage image = sampleBoxImage(shape.size);
  Random random{shape.seed};
  std::size_t pore = image.value.size();
  const double target = shape.porosity * static_cast<double>(pore);
  const double radius = 0.5 * shape.diameter;
  // Without wrapping, centres reach one radius beyond the box, so that the edge is like the middle.
  const double beyond = shape.periodic ? 0.0 : radius;
  while (static_cast<double>(pore) > target) {
    Double3 centre{};
    for (std::size_t a = 0; a < 3; ++a)
      centre[a] = -0.5 - beyond + random.unitInterval() * (shape.size[a] + 2.0 * beyond);
    pore -= placeSphere(image, centre, radius, shape.periodic);
  }
  return image;
}

SampleImage sampleBoxImage(const Int3& size) {
  needSize(size);
  return {size, std::vector<std::uint8_t>(voxels(size), poreValue)};
}

SampleImage sampleChannelImage(int length, int height) {
  if (height < 3) fail(ExitCode::Usage, "--size must give at least 3 rows: two walls and a pore.");
  SampleImage image = sampleBoxImage({length, height, 1});
  const auto wall = static_cast<std::ptrdiff_t>(length);
  std::fill(image.value.begin(), image.value.begin() + wall, solidValue);
  std::fill(image.value.end() - wall, image.value.end(), solidValue);
  return image;
}

}  // namespace tessera
