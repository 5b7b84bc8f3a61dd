// SPDX-License-Identifier: GPL-3.0-or-later
// Cross-sections of the monitor's stations: which fluid belongs to one, and its area.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "pipelines/stage/error.hpp"
#include "solver/run/section_nodes.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

using namespace tessera;
using namespace tessera::solver;
using namespace tessera::solver::run;
using namespace tessera::testing;

namespace {

constexpr double h = 1e-4;  // spacing, m

// at in nodes.
cases::Station stationAt(const tiler::TiledGeometry& geometry, const Double3& at,
                         const Double3& normal, double radius = 0.0) {
  return {"s", geometry.frame.toWorld(at), unit(normal), radius};
}

SectionNodes sectionOf(const TilesFile& tiles, const Double3& at, const Double3& normal,
                       double radius = 0.0) {
  return sectionNodes(stationAt(tiles.geometry, at, normal, radius), tiles.geometry, {},
                      comm::noOthers());
}

double areaOf(const TilesFile& tiles, const Double3& at, const Double3& normal,
              double radius = 0.0) {
  return sectionOf(tiles, at, normal, radius).area / (h * h);
}

// Two ducts along x, 9 and 7 nodes wide on y, 8 on z.
bool ducts(int, int y, int) {
  return y < 9 || y >= 11;
}

}  // namespace

TEST_CASE("Stations: one vessel is cut, and its weights are those of means", "[unit]") {
  const TilesFile tiles = imageGeometry({12, 18, 8}, ducts, {}, {}, h, {1, 2, 3});
  for (const Double3& at : {Double3{6.0, 4.0, 4.0}, {6.3, 2.2, 3.1}}) {
    const SectionNodes section = sectionOf(tiles, at, {1.0, 0.0, 0.0});
    CHECK(section.area / (h * h) == Approx(9.0 * 8.0).epsilon(0.02));
    double pressure = 0.0, velocity = 0.0;
    for (const WeightedNode& node : section.nodes) {
      const Int3 place = tiles.geometry.nodeOf(node.tile, static_cast<int>(node.local));
      CHECK(place[1] < 9);
      CHECK(std::abs(place[0] - at[0]) < 1.0);
      pressure += node.pressure;
      velocity += node.velocity;
    }
    CHECK(pressure == Approx(1.0).epsilon(1e-12));
    // Each node of a layer stands for one spacing each way.
    CHECK(velocity * section.area / (h * h) == Approx(9.0 * 8.0).epsilon(1e-9));
  }
  CHECK(areaOf(tiles, {6.0, 14.0, 4.0}, {1.0, 0.0, 0.0}) == Approx(7.0 * 8.0).epsilon(0.02));
  CHECK(areaOf(tiles, {6.0, 4.0, 4.0}, {1.0, 1.0, 0.0}) ==
        Approx(9.0 * std::numbers::sqrt2 * 8.0).epsilon(0.03));
}

TEST_CASE("Stations: a radius limits the section", "[unit]") {
  const TilesFile tiles = closedBox({30, 40, 40}, {}, h);
  for (const double radius : {5.0, 15.0}) {
    const SectionNodes section = sectionOf(tiles, {15.2, 20.1, 19.7}, {1.0, 0.3, 0.2}, radius * h);
    CHECK(section.area / (h * h) == Approx(std::numbers::pi * radius * radius).epsilon(0.01));
  }
  // No raster point is as near.
  const TilesFile split =
      imageGeometry({9, 9, 9}, [](int x, int, int) { return x != 4; }, {}, {}, h, {0, 0, 0});
  checkError(stage::ExitCode::Usage,
             [&] {
               sectionOf(split, {3.7, 4.0, 4.0}, {1.0, 0.0, 0.0}, 1e-3 * h);
             },
             {"larger radius"});
}

TEST_CASE("Stations: periodic boxes and 2D", "[unit]") {
  const TilesFile periodic = closedBox({10, 12, 14}, {true, true, true}, h);
  CHECK(areaOf(periodic, {5.0, 4.0, 4.0}, {1.0, 0.0, 0.0}) == Approx(12.0 * 14.0).epsilon(1e-9));
  CHECK(areaOf(periodic, {5.0, 4.0, 4.0}, {0.0, 0.0, 1.0}) == Approx(10.0 * 12.0).epsilon(1e-9));
  const TilesFile flat = closedBox({20, 11, 1}, {}, h);
  CHECK(areaOf(flat, {7.0, 5.0, 0.0}, {1.0, 0.0, 0.0}) == Approx(11.0).epsilon(1e-9));
  CHECK(areaOf(flat, {7.0, 5.0, 0.0}, {1.0, 0.5, 0.0}) ==
        Approx(11.0 * std::hypot(1.0, 0.5)).epsilon(0.03));
}

TEST_CASE("Stations: a sheet between two nodes ends the section", "[unit]") {
  LatticeGeometry lattice = imageLattice(
      {12, 14, 8}, [](int, int, int) { return true; }, {}, {}, h);
  cutLinks(lattice, [](const Int3& one, const Int3& other) {
    return std::min(one[1], other[1]) == 4 && std::max(one[1], other[1]) == 5;
  });
  const TilesFile tiles = inTiles(lattice, {0, 0, 0});
  CHECK(areaOf(tiles, {6.0, 2.0, 4.0}, {1.0, 0.0, 0.0}) == Approx(5.0 * 8.0).epsilon(0.02));
  CHECK(areaOf(tiles, {6.0, 8.0, 4.0}, {1.0, 0.0, 0.0}) == Approx(9.0 * 8.0).epsilon(0.02));
}
