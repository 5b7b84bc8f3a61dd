// SPDX-License-Identifier: GPL-3.0-or-later
// Channels whose walls are thinner than a spacing: results in one of them are those of that channel
// alone, and as accurate as at any other wall.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "postprocess/fields/sample_field.hpp"
#include "postprocess/fields/velocity_gradient.hpp"
#include "postprocess/fields/wall_distance_grid.hpp"
#include "postprocess/quantity/compute_results.hpp"
#include "postprocess/quantity/planes_and_lines.hpp"
#include "postprocess/quantity/wall_stress.hpp"
#include "tests/fixtures/geometry/near_channels.hpp"

using namespace tessera;
using namespace tessera::postprocess::fields;
using namespace tessera::postprocess::quantity;
using namespace tessera::postprocess::results;
using namespace tessera::test;

namespace {

Double3 positionOf(const Int3& node) {
  return {1.0 * node[0], 1.0 * node[1], 1.0 * node[2]};
}

// All three channels, and the middle one alone.
struct Pair {
  explicit Pair(const ChannelSpec& spec)
      : all(nearChannels(spec)),
        alone(nearChannels(spec, 1)),
        inAll(all.geometry),
        inAlone(alone.geometry) {
    REQUIRE(inAll.hasCutLinks());
    REQUIRE_FALSE(inAlone.hasCutLinks());
  }
  NearChannels all, alone;
  NodeLookup inAll, inAlone;

  // visit(node, index in all, index in alone) for the nodes of the middle channel.
  template <class Visit>
  void forEachOfMiddle(Visit&& visit) const {
    forEachNode(inAlone, [&](std::size_t t, int l, std::uint64_t index) {
      const Int3 node = alone.geometry.nodeOf(t, l);
      visit(node, static_cast<std::uint64_t>(inAll.indexOf(node)), index);
    });
  }
};

double largestOf(const VelocityGradient& g) {
  double largest = 0.0;
  for (const Double3& row : g)
    for (const double value : row) largest = std::max(largest, std::abs(value));
  return largest;
}

}  // namespace

TEST_CASE("Near channels: the links between them are cut at both ends, those within are not",
          "[unit]") {
  const Pair pair(channelSpecs()[GENERATE(0, 1, 2)]);
  std::size_t cut = 0;
  forEachNode(pair.inAll, [&](std::size_t t, int l, std::uint64_t) {
    const Int3 node = pair.all.geometry.nodeOf(t, l);
    for (const auto& [n, step] : stepsTo(Neighbours::TwentySix)) {
      const Int3 next = node + step;
      if (pair.inAll.indexOf(next) < 0) continue;
      const bool same =
          pair.all.channelAt(positionOf(node)) == pair.all.channelAt(positionOf(next));
      REQUIRE(pair.inAll.connected(node, step) == same);
      cut += same ? 0 : 1;
    }
  });
  CHECK(cut > 1000);
}

TEST_CASE("Near channels: velocity gradients are those of one channel alone", "[unit]") {
  const ChannelSpec spec = channelSpecs()[GENERATE(0, 1, 2)];
  const Pair pair(spec);
  std::size_t compared = 0;
  double worst = 0.0;
  pair.forEachOfMiddle([&](const Int3& node, std::uint64_t inAll, std::uint64_t inAlone) {
    const VelocityGradient found = velocityGradient(pair.inAll, pair.all.fields, node, inAll);
    REQUIRE(found == velocityGradient(pair.inAlone, pair.alone.fields, node, inAlone));
    ++compared;
    if (!pair.all.isDeveloped(positionOf(node), 3.0)) return;
    VelocityGradient error = found;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        error[i][j] -=
            pair.all.axis[1][i] * pair.all.axis[0][j] * pair.all.slopeAt(positionOf(node));
    worst = std::max(worst, largestOf(error));
  });
  CHECK(compared > 1000);
  // Differences over three nodes are exact for a parabola, up to the rounding of stored values.
  const double steepest = 0.5 * pair.all.gradient / pair.all.viscosity * spec.width * 1e-4;
  CHECK(worst < 1e-4 * steepest);
}

TEST_CASE("Near channels: a sample between the nodes never mixes two channels", "[unit]") {
  const Pair pair(channelSpecs()[GENERATE(0, 1, 2)]);
  std::size_t inside = 0, nearWalls = 0;
  for (double z = 6.03; z < 29.0; z += 0.71)
    for (double y = 6.07; y < 29.0; y += 0.37)
      for (double x = 6.01; x < 29.0; x += 0.59) {
        const Double3 place{x, y, z};
        const Stencil found = stencilByWeight(pair.inAll, place);
        if (found.count > 0) {
          // The pressure is a channel's number.
          const double pressure = sample(pair.all.fields.pressure, found);
          REQUIRE(pressure == Approx(std::round(pressure)).margin(1e-12));
        }
        const Stencil expected = stencilAt(pair.inAlone, place);
        if (!(expected.fluidPart > 0.5)) continue;
        ++inside;
        nearWalls += found.nearCut ? 1 : 0;
        REQUIRE(found.fluidPart == expected.fluidPart);
        REQUIRE(found.centre == expected.centre);
        REQUIRE(sampleVelocity(pair.all.fields, found) ==
                sampleVelocity(pair.alone.fields, expected));
      }
  CHECK(inside > 1000);
  CHECK(nearWalls > 300);
}

TEST_CASE("Near channels: a position is on its side of the wall, not of halfway to it", "[unit]") {
  const NearChannels all = nearChannels(channelSpecs()[GENERATE(0, 1, 2)]);
  const NodeLookup lookup(all.geometry);
  std::size_t compared = 0, otherwise = 0;
  for (double along = -6.0; along < 6.0; along += 0.37)
    for (double third = -5.0; third < 5.0; third += 0.53)
      for (double across = -7.0; across < 7.0; across += 0.0731) {
        const Double3 place =
            all.middle + along * all.axis[1] + across * all.axis[0] + third * all.axis[2];
        const int channel = all.channelAt(place);
        const double from = std::abs(dot(place - all.middleOf(channel), all.axis[0]));
        if (from > 0.5 * all.spec.width - 0.01) continue;  // within the wall
        const Stencil stencil = stencilAt(lookup, place);
        REQUIRE(stencil.count > 0);
        REQUIRE(sample(all.fields.pressure, stencil) == Approx(1.0 + channel));
        ++compared;
        const double byWeight = sample(all.fields.pressure, stencilByWeight(lookup, place));
        otherwise += byWeight == Approx(1.0 + channel) ? 0 : 1;
      }
  CHECK(compared > 10000);
  // Walls that are halfway are the same for both.
  CHECK((otherwise > 0) == (all.axis[0] != Double3{0.0, 1.0, 0.0}));
}

TEST_CASE("Near channels: positions on either side of a wall are not connected", "[unit]") {
  const NearChannels all = nearChannels(channelSpecs()[GENERATE(0, 1, 2)]);
  const NodeLookup lookup(all.geometry);
  std::size_t together = 0, apart = 0;
  const auto channelOf = [&](const Stencil& s) { return sample(all.fields.pressure, s); };
  for (double along = -5.0; along < 5.0; along += 0.83)
    for (double across = -8.0; across < 8.0; across += 0.31) {
      const Double3 place = all.middle + along * all.axis[1] + across * all.axis[0];
      const Stencil a = stencilAt(lookup, place);
      for (const double step : {0.3, 0.7, 1.0}) {
        const Stencil b = stencilAt(lookup, place + step * all.axis[0]);
        if (a.count == 0 || b.count == 0) continue;
        REQUIRE(sameSide(lookup, a, b) == (channelOf(a) == Approx(channelOf(b))));
        ++(sameSide(lookup, a, b) ? together : apart);
      }
    }
  CHECK(together > 500);
  CHECK(apart > 50);
}

TEST_CASE("Near channels: wall shear on both sides of a thin wall is that of one channel alone",
          "[unit]") {
  ChannelSpec spec = channelSpecs()[GENERATE(0, 1, 2)];
  spec.width = GENERATE_COPY(double{spec.width}, 2.6, 1.4);
  const Pair pair(spec);
  double worst = 0.0;
  int compared = 0;
  for (const double side : {-1.0, 1.0})
    for (double along = -5.0; along <= 5.0; along += 0.47)
      for (double third = -3.0; third <= 3.0; third += 0.61) {
        const Double3 normal = side * pair.all.axis[0];
        const Double3 point = pair.all.middleOf(1) + 0.5 * spec.width * normal +
                              along * pair.all.axis[1] + third * pair.all.axis[2];
        const StressAtWall found = stressAtWall(pair.inAll, pair.all.fields, point, normal);
        const StressAtWall expected = stressAtWall(pair.inAlone, pair.alone.fields, point, normal);
        REQUIRE(found.measured);
        REQUIRE(found.stress == expected.stress);
        const double shear = length(stressTimes(found.stress, normal));
        worst = std::max(worst, relative(shear, pair.all.wallShear()));
        ++compared;
      }
  CHECK(compared > 400);
  // Linear extrapolation of a linear stress; in the narrow channel there is no room for it.
  if (spec.width > 5.0) CHECK(worst < 1e-5);
}

TEST_CASE("Near channels: the statistics of wall shear are those of channels far apart", "[unit]") {
  const ChannelSpec spec = channelSpecs()[GENERATE(0, 1, 2)];
  const Pair pair(spec);
  const WallShear wall = computeResults(pair.all.fields, pair.all.geometry).wall;
  double area = 0.0, sum = 0.0, worst = 0.0;
  for (std::size_t t = 0; t < wall.triangle.size(); ++t) {
    const auto& corner = wall.triangle[t];
    const Double3 centre =
        (1.0 / 3.0) * (wall.vertex[corner[0]] + wall.vertex[corner[1]] + wall.vertex[corner[2]]);
    const Double3 normal = unit(cross(wall.vertex[corner[1]] - wall.vertex[corner[0]],
                                      wall.vertex[corner[2]] - wall.vertex[corner[0]]));
    if (std::abs(dot(normal, pair.all.axis[0])) < 0.9) continue;  // an end of the channel
    if (!pair.all.isDeveloped(pair.all.geometry.frame.toLattice(centre), 3.0)) continue;
    area += wall.triangleArea[t];
    sum += wall.triangleArea[t] * wall.triangleShear[t];
    worst = std::max(worst, relative(wall.triangleShear[t], pair.all.wallShear()));
  }
  CHECK(area > 0.0);
  CHECK(relative(sum / area, pair.all.wallShear()) < 1e-5);
  CHECK(worst < 1e-4);
}

TEST_CASE("Near channels: planes and lines end at the thin wall", "[unit]") {
  const ChannelSpec spec = channelSpecs()[GENERATE(0, 1, 2)];
  const Pair pair(spec);
  const Double3 middle = pair.all.geometry.frame.toWorld(pair.all.middleOf(1));
  const Plane plane{"p", middle, pair.all.axis[1]};
  const auto found = planeFlow(plane, pair.inAll, pair.all.fields);
  const auto expected = planeFlow(plane, pair.inAlone, pair.alone.fields);
  REQUIRE((found && expected));
  CHECK(found->area == expected->area);
  CHECK(found->flowRate == Approx(expected->flowRate).epsilon(1e-12));
  CHECK(found->meanPressure == Approx(pair.all.fields.pressurePa(2.0)).epsilon(1e-9));
  const double size = 2.0 * spec.halfDepth * spec.width * std::pow(pair.all.spacing(), 2);
  CHECK(relative(found->area, size) < 0.05);

  const Double3 reach = (1.5 * spec.width * pair.all.spacing()) * pair.all.axis[0];
  std::vector<std::string> warnings;
  const auto lines = lineProfiles({{"l", middle - reach, middle + reach, 400}}, pair.inAll,
                                  pair.all.fields, warnings);
  std::array<int, 3> points{};
  for (const LinePoint& point : lines.at(0).points) {
    if (!point.inside) continue;
    const auto pressure =
        (point.pressure - pair.all.fields.pressureReference) / pair.all.fields.pressureFactor;
    const int channel = static_cast<int>(std::lround(pressure)) - 1;
    REQUIRE(pressure == Approx(channel + 1).margin(1e-9));
    REQUIRE(NearChannels::sense(channel) * dot(point.velocity, pair.all.axis[1]) > 0.0);
    ++points[static_cast<std::size_t>(channel)];
  }
  for (const int count : points) CHECK(count > 90);
}

TEST_CASE("Near channels: no path of the distance grid crosses a thin wall", "[unit]") {
  const Pair pair(channelSpecs()[GENERATE(0, 1, 2)]);
  const int side = GENERATE(1, 2);
  const WallDistanceGrid grid = wallDistanceGrid(pair.inAll, side);
  const auto cellIn = [&](int channel, double along) {
    return grid.nearest(pair.all.middleOf(channel) + along * pair.all.axis[1], 2.0);
  };
  REQUIRE(cellIn(0, 6.0) >= 0);
  REQUIRE(cellIn(1, 6.0) >= 0);
  CHECK_FALSE(middleWay(grid, cellIn(1, -6.0), cellIn(1, 6.0)).empty());
  CHECK(middleWay(grid, cellIn(1, -6.0), cellIn(0, 6.0)).empty());
  CHECK(middleWay(grid, cellIn(1, -6.0), cellIn(2, 6.0)).empty());
  if (side > 1) return;
  const WallDistanceGrid expected = wallDistanceGrid(pair.inAlone, side);
  for (std::size_t c = 0; c < expected.cell.size(); ++c)
    REQUIRE(grid.distance[static_cast<std::size_t>(grid.at(expected.cell[c]))] ==
            expected.distance[c]);
}
