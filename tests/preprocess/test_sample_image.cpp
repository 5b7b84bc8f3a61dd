// SPDX-License-Identifier: GPL-3.0-or-later
// Sample images: porosity, periodicity, the same bytes for the same seed.
#include <catch2/catch.hpp>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/provenance.hpp"
#include "preprocess/sample/sample.hpp"

using namespace tessera;

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

TEST_CASE("Spheres reach the porosity with the last one placed", "[unit]") {
  const SpheresShape shape{.size = {80, 60, 70}, .diameter = 12.0, .porosity = 0.45, .seed = 3};
  const double sphere = M_PI / 6.0 * 12.0 * 12.0 * 12.0 / (80.0 * 60.0 * 70.0);
  for (const bool periodic : {true, false}) {
    SpheresShape tried = shape;
    tried.periodic = periodic;
    const double porosity = sampleSpheres(tried).porosity();
    CHECK(porosity <= 0.45);
    CHECK(porosity > 0.45 - 1.05 * sphere);
  }
}

TEST_CASE("A seed means the same image for ever", "[unit]") {
  const SpheresShape shape{.size = {40, 40, 40}, .diameter = 9.0, .porosity = 0.5, .seed = 7};
  const SampleImage image = sampleSpheres(shape);
  CHECK(hashBytes(image.value.data(), image.value.size()) == "7e6dd28579f95c79be37e25fe25357b9");
  SpheresShape other = shape;
  other.seed = 8;
  CHECK(sampleSpheres(other).value != image.value);
}

TEST_CASE("Periodic spheres go on across the sides", "[unit]") {
  SpheresShape shape{.size = {64, 64, 64}, .diameter = 20.0, .porosity = 0.5};
  for (const bool periodic : {true, false}) {
    shape.periodic = periodic;
    const SampleImage image = sampleSpheres(shape);
    std::size_t within = 0;
    for (int x = 0; x < 63; ++x) within += differing(image, x, x + 1);
    const double mean = static_cast<double>(within) / 63.0;
    const auto across = static_cast<double>(differing(image, 63, 0));
    CHECK((periodic ? across < 2.0 * mean : across > 4.0 * mean));
    CHECK(solidIn(image, 0) > 64 * 64 / 4);  // the side is as solid as the middle
  }
}

TEST_CASE("Images that cannot be are refused", "[unit]") {
  CHECK_THROWS_AS(sampleSpheres({.size = {10, 10, 10}, .diameter = 24.0}), StageError);
  CHECK_THROWS_AS(sampleSpheres({.porosity = 0.0}), StageError);
  CHECK_THROWS_AS(sampleChannelImage(10, 2), StageError);
}

TEST_CASE("The plane channel has two solid rows", "[unit]") {
  const SampleImage image = sampleChannelImage(5, 6);
  CHECK(image.porosity() == Approx(4.0 / 6.0));
  CHECK(image.value.front() == solidValue);
  CHECK(image.value[5] == poreValue);
  CHECK(image.value.back() == solidValue);
}
