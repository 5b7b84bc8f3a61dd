// SPDX-License-Identifier: GPL-3.0-or-later
// Part of its bound, the copy bandwidth over the bytes that it moves a node, that each structure
// reaches: the tables of what has been measured, for predictions (structure_table.hpp).
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>

namespace tessera::solver::bench {

// Values of a geometry that a share depends on.
struct SharedGeometry {
  double utilisation = 1.0;  // of tiles
  double porosity = 1.0;     // of the box
  double movedBytes = 0.0;   // a step, of all nodes
  double parts = 0.0;        // of a pass that PartTime counts
};

using Shares = std::array<double, 3>;

// Tile utilisations of spheres:160, vessel:300 and dense:128, at which shares were measured on a
// CPU.
constexpr Shares utilisationsOfCpu{0.74, 0.85, 1.0};

struct SharesOnCpu {
  std::string_view structure;
  Shares f64, f32;
};

// D3Q19, LBGK, two cores, in the faster order of nodes (tests/bench/RESULTS.md, "Other structures
// on a CPU"); tests/bench/structure_shares.awk makes such lines. Tiles: times 1.31 to 1.5, what
// prefetches into the second-level cache gained since on these geometries.
constexpr std::array sharesOnCpu = std::to_array<SharesOnCpu>({
    {"tiles", {0.474, 0.648, 0.860}, {0.282, 0.721, 0.729}},
    {"lists", {0.389, 0.411, 0.323}, {0.231, 0.363, 0.299}},
    {"lists-in-place", {0.431, 0.349, 0.336}, {0.233, 0.376, 0.264}},
    {"connectivity-matrix", {0.264, 0.312, 0.307}, {0.154, 0.336, 0.273}},
    {"fluid-index-array", {0.123, 0.154, 0.177}, {0.066, 0.100, 0.120}},
    {"dense", {0.086, 0.095, 0.269}, {0.054, 0.074, 0.265}},
    {"dense-unpadded", {0.088, 0.094, 0.275}, {0.057, 0.064, 0.256}},
    {"hybrid", {0.165, 0.143, 0.130}, {0.081, 0.060, 0.103}},
    {"tiles-ghost-buffers", {0.062, 0.078, 0.071}, {0.055, 0.086, 0.062}},
    {"tiles-compact", {0.050, 0.114, 0.156}, {0.038, 0.084, 0.117}},
});

// Emptiness that costs time: 1 / u - 1 of tiles with utilisation u, (1 / p)^1/2 - 1 of a box
// with porosity p, and the root of (1 / u - 1) (1 / p - 1).
enum class Empty { Tiles, Box, Both };

// Time of a step on a GPU, microseconds: t^2 = c^2 (a + b x) + d, c the time in which the bytes are
// copied at 4.25 TB/s, x what is empty. d is what starting and waiting costs small states, or,
// where it is negative, what the cache of 60 MB saves them.
struct StepTime {
  double a, b, d;
};

struct TimesOnGpu {
  std::string_view structure;
  Empty empty;
  StepTime f64, f32;
};

constexpr double copyOfTimes = 4.25e12;  // bytes/s

// D3Q19, TRT, one H200, seven vessels, three rocks and four generated geometries of 0.2 to 7
// million nodes, in the faster order of nodes (tests/bench/RESULTS.md, "Which structures become
// schemes"); tests/bench/structure_times.awk makes such lines.
constexpr std::array timesOnGpu = std::to_array<TimesOnGpu>({
    {"tiles", Empty::Tiles, {1.121, 0.5042, 86.88}, {1.231, 0.379, -12.13}},
    {"lists", Empty::Box, {1.147, 0.02129, 30.48}, {1.165, 0.02866, -39.2}},
    {"lists-in-place", Empty::Both, {1.381, 0.126, -156.8}, {1.585, 0.07876, -95.69}},
    {"connectivity-matrix", Empty::Box, {1.151, 0.01747, 21.31}, {1.157, 0.0343, -38.32}},
    {"dense", Empty::Both, {1.158, 2.656, 46.77}, {1.485, 2.173, 32.98}},
    {"dense-unpadded", Empty::Both, {1.139, 2.663, -2.978}, {1.458, 2.167, 10.79}},
    {"hybrid", Empty::Tiles, {1.38, -0.1583, 36.23}, {1.699, -0.3616, -50.9}},
    {"hybrid-tiles", Empty::Tiles, {1.449, 0.03108, 137.1}, {1.791, 0.1698, -20.72}},
    {"tiles-ghost-buffers", Empty::Tiles, {1.876, 1.686, 223.7}, {1.821, 1.469, 12.9}},
    {"tiles-compact", Empty::Tiles, {1.316, 1.189, 94.86}, {1.438, 1.921, -9.269}},
    {"fluid-index-array", Empty::Both, {1.205, 1.508, -19.51}, {1.713, 1.691, -94.91}},
});

// Time of a step on a GPU that is made of parts, microseconds: c (a + b (1 / u - 1)) + each n +
// start, and at least `least` a part. Parts are the chunks of an update in place, of which two run
// at a time, or the layers of the columns of moments that hold a tile, full or not.
struct PartTime {
  double a, b, each, start, least;
};

struct PartTimesOnGpu {
  std::string_view structure;
  PartTime f64, f32;
};

// D3Q19, TRT, and regularised for moments, one H200, 28 generated geometries of 0.1 to 15 million
// nodes; from the same program. The shortest chunk took 4.0 and 3.8 microseconds (f64, f32) on one
// machine, 4.4 and 5.3 on another; `least` lies between.
constexpr std::array partTimesOnGpu = std::to_array<PartTimesOnGpu>({
    {"tiles-in-place", {0.9691, 0.08864, 2.734, 0, 4.6}, {1.007, 0.007131, 2.6, 0, 4.8}},
    {"tiles-moments", {0.67, 0, 0.01646, 7.31, 0}, {0.6243, 0, 0.009668, 7.262, 0}},
    {"tiles-moments-twice", {0.1718, 0, 0.0244, 8.956, 0}, {0.361, 0, 0.02152, 6.064, 0}},
});

// Linear between the measured utilisations, and that of the nearest beyond them.
constexpr double interpolated(const Shares& share, double utilisation) {
  const Shares& at = utilisationsOfCpu;
  if (utilisation <= at.front()) return share.front();
  for (std::size_t k = 1; k < share.size(); ++k)
    if (utilisation <= at[k])
      return share[k - 1] +
             (share[k] - share[k - 1]) * (utilisation - at[k - 1]) / (at[k] - at[k - 1]);
  return share.back();
}

// Microseconds.
constexpr double copyTime(const SharedGeometry& geometry) {
  return 1e6 * geometry.movedBytes / copyOfTimes;
}

// Share of the bound of a step that a fit says to take `time`. Only what the cache can hold moves
// faster than a copy; savings for smaller states than were measured are not known. No step is
// shorter than its start, which the fit of tiles in f64 gives.
inline double shareOfTime(double time, const SharedGeometry& geometry) {
  constexpr double cacheBytes = 60e6;
  constexpr double start = 9.3;  // microseconds
  const double highest = geometry.movedBytes < 2.0 * cacheBytes ? 1.2 : 1.0;
  const double copy = copyTime(geometry);
  return copy / std::fmax(time, std::fmax(copy / highest, start));
}

inline double shareOf(const TimesOnGpu& of, unsigned valueBytes, const SharedGeometry& geometry) {
  const double tiles = 1.0 / geometry.utilisation - 1.0;
  const double box = 1.0 / geometry.porosity - 1.0;
  const double x = of.empty == Empty::Tiles ? tiles
                   : of.empty == Empty::Box ? std::sqrt(box + 1.0) - 1.0
                                            : std::sqrt(tiles * box);
  const StepTime& time = valueBytes == 8 ? of.f64 : of.f32;
  const double copy = copyTime(geometry);
  return shareOfTime(std::sqrt(std::fmax(copy * copy * (time.a + time.b * x) + time.d, 0.0)),
                     geometry);
}

inline double shareOf(const PartTimesOnGpu& of, unsigned valueBytes,
                      const SharedGeometry& geometry) {
  const PartTime& time = valueBytes == 8 ? of.f64 : of.f32;
  const double copy = copyTime(geometry);
  const double sum = copy * (time.a + time.b * (1.0 / geometry.utilisation - 1.0)) +
                     time.each * geometry.parts + time.start;
  return shareOfTime(std::fmax(sum, time.least * geometry.parts), geometry);
}

// Empty: not measured.
inline std::optional<double> measuredShare(std::string_view structure, bool cuda,
                                           unsigned valueBytes, const SharedGeometry& geometry) {
  if (cuda) {
    for (const TimesOnGpu& of : timesOnGpu)
      if (of.structure == structure) return shareOf(of, valueBytes, geometry);
    for (const PartTimesOnGpu& of : partTimesOnGpu)
      if (of.structure == structure) return shareOf(of, valueBytes, geometry);
  } else {
    for (const SharesOnCpu& of : sharesOnCpu)
      if (of.structure == structure)
        return interpolated(valueBytes == 8 ? of.f64 : of.f32, geometry.utilisation);
  }
  return std::nullopt;
}

}  // namespace tessera::solver::bench
