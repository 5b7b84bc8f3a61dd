// SPDX-License-Identifier: GPL-3.0-or-later
// Sample images: porosity, periodicity, the same bytes for the same seed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/provenance.hpp"
#include "preprocess/sample/image.hpp"
#include "preprocess/sample/scan.hpp"
#include "preprocess/sample/spheres.hpp"
#include "preprocess/sample/summary.hpp"

using namespace tessera;
using namespace tessera::preprocess::sample;
using namespace tessera::stage;

namespace {
std::size_t solidIn(const SampleImage& image, int x) {
  std::size_t solid = 0;
  for (std::size_t k = static_cast<std::size_t>(x); k < image.value.size();
       k += static_cast<std::size_t>(image.size[0]))
    solid += image.value[k] == solidValue;
  return solid;
}

std::size_t differing(const SampleImage& image, int x, int y) {
  std::size_t count = 0;
  for (std::size_t row = 0; row < image.value.size();
       row += static_cast<std::size_t>(image.size[0]))
    count += image.value[row + static_cast<std::size_t>(x)] !=
             image.value[row + static_cast<std::size_t>(y)];
  return count;
}
}  // namespace

TEST_CASE("Sample images: spheres reach the porosity with the last one placed", "[unit]") {
  const SpheresShape shape{.size = {80, 60, 70}, .diameter = 12.0, .porosity = 0.45, .seed = 3};
  const double sphere = M_PI / 6.0 * 12.0 * 12.0 * 12.0 / (80.0 * 60.0 * 70.0);
  for (const bool periodic : {true, false}) {
    SpheresShape tried = shape;
    tried.periodic = periodic;
    const double porosity = imageOf(randomSpheres(tried)).porosity();
    CHECK(porosity <= 0.45);
    CHECK(porosity > 0.45 - 1.05 * sphere);
  }
}

TEST_CASE("Sample images: a seed gives the same image on every machine", "[unit]") {
  const SpheresShape shape{.size = {40, 40, 40}, .diameter = 9.0, .porosity = 0.5, .seed = 7};
  const SampleImage image = imageOf(randomSpheres(shape));
  CHECK(hashBytes(image.value.data(), image.value.size()) == "7e6dd28579f95c79be37e25fe25357b9");
  SpheresShape other = shape;
  other.seed = 8;
  CHECK(imageOf(randomSpheres(other)).value != image.value);
}

TEST_CASE("Sample images: periodic spheres continue across the sides", "[unit]") {
  SpheresShape shape{.size = {64, 64, 64}, .diameter = 20.0, .porosity = 0.5};
  for (const bool periodic : {true, false}) {
    shape.periodic = periodic;
    const SampleImage image = imageOf(randomSpheres(shape));
    std::size_t within = 0;
    for (int x = 0; x < 63; ++x) within += differing(image, x, x + 1);
    const double mean = static_cast<double>(within) / 63.0;
    const auto across = static_cast<double>(differing(image, 63, 0));
    CHECK((periodic ? across < 2.0 * mean : across > 4.0 * mean));
    CHECK(solidIn(image, 0) > 64 * 64 / 4);  // the side is as solid as the middle
  }
}

TEST_CASE("Sample images: impossible images are refused", "[unit]") {
  CHECK_THROWS_AS(randomSpheres({.size = {10, 10, 10}, .diameter = 24.0}), StageError);
  CHECK_THROWS_AS(randomSpheres({.porosity = 0.0}), StageError);
  CHECK_THROWS_AS(sampleChannelImage(10, 2), StageError);
}

TEST_CASE("Sample images: the plane channel has two solid rows", "[unit]") {
  const SampleImage image = sampleChannelImage(5, 6);
  CHECK(image.porosity() == Approx(4.0 / 6.0));
  CHECK(image.value.front() == solidValue);
  CHECK(image.value[5] == poreValue);
  CHECK(image.value.back() == solidValue);
}

TEST_CASE("Sample images: the plane expansion has the pores of its two channels", "[unit]") {
  for (const bool oneSided : {false, true}) {
    const ExpansionPicture shape{
        .size = {50, 32, 1}, .ratio = 3.0, .step = 20, .oneSided = oneSided};
    const SampleImage image = sampleExpansionImage(shape);
    CHECK(image.porosity() == Approx((20 * 10 + 30 * 30) / (50.0 * 32.0)));
    CHECK(image.value[image.index(0, 1, 0)] == (oneSided ? poreValue : solidValue));
    CHECK(image.value[image.index(20, 1, 0)] == poreValue);
    CHECK(image.value[image.index(19, 25, 0)] == solidValue);
  }
  CHECK_THROWS_WITH(sampleExpansionImage({.size = {50, 8, 1}, .ratio = 50.0}),
                    Catch::Contains("--ratio"));
}

TEST_CASE("Sample images: a regular network has the pores of its strips", "[unit]") {
  for (const int width : {7, 10}) {
    const NetworkShape shape{.cells = {5, 4, 1}, .cell = 30, .width = double(width)};
    const Network network = sampleNetwork(shape);
    const int pores = 4 * width * 150 + 5 * 3 * width * (30 - width);
    CHECK(network.image.porosity() == Approx(pores / (150.0 * 120.0)));
    CHECK(network.kept == 1.0);
  }
}

TEST_CASE("Sample images: a random network leads from left to right, and all of it is connected",
          "[unit]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const NetworkShape shape{.cells = {8, 6, 1},
                             .cell = 24,
                             .width = 6.0,
                             .spread = 0.4,
                             .jitter = 0.3,
                             .keep = seed % 2 == 0 ? 0.3 : 0.7,
                             .seed = seed};
    const Network network = sampleNetwork(shape);
    const SampleImage& image = network.image;
    CHECK(network.kept >= shape.keep - 0.01);
    // Pores that a path from the left side reaches, by sweeps until nothing changes.
    std::vector<std::uint8_t> reached(image.value.size(), 0);
    const auto at = [&](int x, int y) { return image.index(x, y, 0); };
    for (bool changed = true; changed;) {
      changed = false;
      for (int y = 0; y < image.size[1]; ++y)
        for (int x = 0; x < image.size[0]; ++x) {
          if (image.value[at(x, y)] != poreValue || reached[at(x, y)] != 0) continue;
          const bool next = x == 0 || reached[at(x - 1, y)] != 0 ||
                            (x + 1 < image.size[0] && reached[at(x + 1, y)] != 0) ||
                            (y > 0 && reached[at(x, y - 1)] != 0) ||
                            (y + 1 < image.size[1] && reached[at(x, y + 1)] != 0);
          if (next) reached[at(x, y)] = changed = true;
        }
    }
    std::size_t alone = 0;
    bool right = false;
    for (int y = 0; y < image.size[1]; ++y)
      for (int x = 0; x < image.size[0]; ++x) {
        alone += image.value[at(x, y)] == poreValue && reached[at(x, y)] == 0;
        right = right || (x + 1 == image.size[0] && reached[at(x, y)] != 0);
      }
    CHECK(alone == 0);
    CHECK(right);
    CHECK(sampleNetwork(shape).image.value == image.value);
  }
  CHECK_THROWS_WITH(sampleNetwork({.cell = 10, .width = 9.0}), Catch::Contains("--width"));
}

TEST_CASE("Sample scans: the lumen has the vessel's volume and lies where the vessel does",
          "[unit]") {
  const Vessel vessel = aortaVessel({});
  const double voxel = 1.5e-3;
  const Scan scan = scanOf(vessel, voxel);
  const auto lumen = std::count(scan.image.value.begin(), scan.image.value.end(), 1);
  const auto mesh = meshVessel(vessel, 1e-3);
  const double volume = cappedVolume(mesh, rimsOf(mesh));
  CHECK(static_cast<double>(lumen) * std::pow(voxel, 3) == Approx(volume).epsilon(0.01));
  const Double3 inside = vessel.ends[0].centre - 5e-3 * vessel.ends[0].normal;
  const Double3 beyond = vessel.ends[0].centre + 3e-3 * vessel.ends[0].normal;
  const auto valueAt = [&](const Double3& point) {
    Int3 at{};
    for (std::size_t a = 0; a < 3; ++a)
      at[a] = static_cast<int>(std::lround((point[a] - scan.origin[a]) / voxel));
    return int{scan.image.value[scan.image.index(at[0], at[1], at[2])]};
  };
  CHECK(valueAt(inside) == 1);
  CHECK(valueAt(beyond) == 0);
  CHECK_THROWS_AS(scanOf(vessel, 5e-3), StageError);
}
