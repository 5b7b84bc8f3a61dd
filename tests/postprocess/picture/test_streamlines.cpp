// SPDX-License-Identifier: GPL-3.0-or-later
// Streamlines in flows whose streamlines are known.
#include <tbb/global_control.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "postprocess/picture/streamlines.hpp"
#include "tests/fixtures/geometry/near_channels.hpp"

using namespace tessera;
using namespace tessera::postprocess::fields;
using namespace tessera::postprocess::picture;
using namespace tessera::preprocess::geometry;
using namespace tessera::tiler;
using namespace tessera::solver::file;
using namespace tessera::test;

namespace {

VelocityField fieldOf(const NodeLookup& lookup, const AnalyticPipe& pipe) {
  return {lookup, pipe.fields.velocity, pipe.fields.velocityFactor};
}

}  // namespace

TEST_CASE("Streamlines: those of a pipe begin at its inlet, run straight and end at its outlet",
          "[unit]") {
  const AnalyticPipe pipe = analyticPipe({8.0, 40.0});
  const NodeLookup lookup(pipe.geometry);
  const auto lines =
      traceStreamlines(fieldOf(lookup, pipe), seedStreamlines(fieldOf(lookup, pipe), 60));
  CHECK(lines.size() > 50);
  CHECK(lines.size() <= 62);
  const Double3& axis = pipe.spec.direction;
  const double h = pipe.spec.spacing;
  double fastest = 0.0;
  for (const Streamline& line : lines) {
    const Double3 off = line.point.front() - pipe.middle;
    const double radius = length(off - dot(off, axis) * axis);
    CHECK(radius < pipe.radius());
    const Double3 along = line.point.back() - line.point.front();
    CHECK(length(along - dot(along, axis) * axis) < 0.02 * h);
    // All but two nodes at each end; closer to the wall there may be no node.
    if (radius < pipe.radius() - h) CHECK(dot(along, axis) > pipe.length() - 4.0 * h);
    for (float speed : line.speed) fastest = std::max(fastest, static_cast<double>(speed));
  }
  CHECK(fastest ==
        Approx(2.0 * pipe.flowRate() / (3.14159265 * pipe.radius() * pipe.radius())).epsilon(0.03));
}

TEST_CASE("Streamlines: one of a solid rotation stays on its circle for many turns", "[unit]") {
  const TiledGeometry geometry =
      imageGeometry({33, 33, 8}, {false, false, true}, [](int, int, int) { return true; });
  Fields fields = emptyFields(geometry);
  const NodeLookup lookup(geometry);
  forEachNode(lookup, [&](std::size_t t, int l, std::uint64_t i) {
    const Int3 n = geometry.nodeOf(t, l);
    fields.velocity[i] = {static_cast<float>(16 - n[1]), static_cast<float>(n[0] - 16), 0.0F};
  });
  const VelocityField field{lookup, fields.velocity, 1.0};
  const auto lines = traceStreamlines(field, {{{26.0, 16.0, 4.0}}, false});
  REQUIRE(lines.size() == 1);
  const Double3 centre = geometry.frame.toWorld({16.0, 16.0, 4.0});
  double length0 = 0.0;
  for (std::size_t i = 0; i < lines[0].point.size(); ++i) {
    CHECK(length(lines[0].point[i] - centre) ==
          Approx(10.0 * geometry.frame.spacing).epsilon(1e-4));
    CHECK(lines[0].speed[i] == Approx(10.0).epsilon(1e-3));
    if (i > 0) length0 += length(lines[0].point[i] - lines[0].point[i - 1]);
  }
  CHECK(length0 > 2.0 * 6.28 * 10.0 * geometry.frame.spacing);
}

TEST_CASE("Streamlines: without openings they pass through points all over the fluid, both ways",
          "[unit]") {
  const TiledGeometry geometry =
      imageGeometry({24, 8, 8}, {true, false, false},
                    [](int, int y, int z) { return y > 0 && y < 7 && z > 0 && z < 7; });
  Fields fields = emptyFields(geometry);
  for (auto& u : fields.velocity) u = {1.0F, 0.0F, 0.0F};
  const NodeLookup lookup(geometry);
  const VelocityField field{lookup, fields.velocity, 1.0};
  const Seeds seeds = seedStreamlines(field, 20);
  CHECK(seeds.bothWays);
  CHECK(seeds.place.size() >= 20);
  for (const Streamline& line : traceStreamlines(field, seeds))
    CHECK(length(line.point.back() - line.point.front()) > 22.0 * geometry.frame.spacing);
  for (auto& u : fields.velocity) u = {0.0F, 0.0F, 0.0F};
  CHECK(traceStreamlines(field, seeds).empty());  // nothing flows
}

TEST_CASE("Streamlines: they are the same on one thread and on two", "[unit]") {
  const AnalyticPipe pipe = analyticPipe({6.0, 20.0});
  const NodeLookup lookup(pipe.geometry);
  const VelocityField field = fieldOf(lookup, pipe);
  const auto trace = [&](std::size_t threads) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return traceStreamlines(field, seedStreamlines(field, 30));
  };
  const auto one = trace(1), two = trace(2);
  REQUIRE(one.size() == two.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    CHECK(one[i].point == two[i].point);
    CHECK(one[i].speed == two[i].speed);
  }
}

TEST_CASE("Streamlines: an opening that is no disc is seeded at its nodes", "[unit]") {
  AnalyticPipe pipe = analyticPipe({8.0, 24.0});
  // As if each opening were many times as wide as it is: most of its disc lies outside the fluid.
  for (Opening& opening : pipe.geometry.openings) opening.radius *= 4.0;
  const NodeLookup lookup(pipe.geometry);
  const Seeds seeds = seedStreamlines(fieldOf(lookup, pipe), 60);
  CHECK_FALSE(seeds.bothWays);
  CHECK(seeds.place.size() == 60);
  for (const Double3& place : seeds.place) {
    for (double coordinate : place) CHECK(coordinate == std::round(coordinate));
    const Double3 off = pipe.geometry.frame.toWorld(place) - pipe.middle;
    CHECK(std::abs(dot(off, pipe.spec.direction)) > 0.5 * pipe.length() - 3.0 * pipe.spec.spacing);
  }
}

TEST_CASE("Streamlines: none crosses a wall thinner than a spacing", "[unit]") {
  NearChannels channels = nearChannels(channelSpecs()[GENERATE(0, 1, 2)]);
  Fields& fields = channels.fields;
  // A flow through the walls, which would carry a line from one channel to the next.
  const Double3 push = (0.4 / fields.velocityFactor) * (channels.axis[0] + channels.axis[1]);
  for (auto& u : fields.velocity)
    for (std::size_t a = 0; a < 3; ++a) u[a] = static_cast<float>(push[a]);
  const NodeLookup lookup(channels.geometry);
  const VelocityField field{lookup, fields.velocity, fields.velocityFactor};
  Seeds seeds;
  for (int channel = 0; channel < 3; ++channel)
    for (double across = -2.3; across < 2.4; across += 0.23)
      for (const double along : {-6.0, -2.4, 1.7})
        seeds.place.push_back(channels.middleOf(channel) + across * channels.axis[0] +
                              along * channels.axis[1]);
  seeds.bothWays = GENERATE(false, true);
  const auto lines = traceStreamlines(field, seeds);
  std::size_t ended = 0;
  for (const Streamline& line : lines) {
    const Frame& frame = channels.geometry.frame;
    const int channel = channels.channelAt(frame.toLattice(line.point[line.point.size() / 2]));
    for (const Double3& point : line.point) {
      const Double3 from = frame.toLattice(point) - channels.middleOf(channel);
      const double across = dot(from, channels.axis[0]);
      // The outer walls of the first and the last channel stand halfway along their links.
      const bool outer = across < 0.0 ? channel == 0 : channel == 2;
      REQUIRE(std::abs(across) - 0.5 * channels.spec.width < (outer ? 0.8 : channels.spec.wall));
    }
    const Double3 end = frame.toLattice(line.point.back()) - channels.middleOf(channel);
    ended += dot(end, channels.axis[0]) > 0.5 * channels.spec.width - 1.0 ? 1 : 0;
  }
  CHECK(lines.size() > 100);
  CHECK(ended > lines.size() / 2);
}
