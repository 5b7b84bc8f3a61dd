// SPDX-License-Identifier: GPL-3.0-or-later
// Throats of several passages in parallel.
#include <bit>
#include <catch2/catch.hpp>

#include "preprocess/lattice/throats/throats.hpp"
#include "tests/fixtures/geometry/throat_lattices.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::test;

TEST_CASE("Throats: sections in parallel are one throat with the sum of their areas", "[unit]") {
  const auto chambers = [](int x, int y, int z) {
    const bool isChamber = (x < 15 || x > 44) && std::abs(y - 20) < 18 && std::abs(z - 15) < 8;
    const bool isOne = std::hypot(y - 10.0, z - 15.0) < 5.0;
    const bool isOther = std::hypot(y - 30.0, z - 15.0) < 6.0;
    return std::array<bool, 3>{isChamber, isOne, isOther};
  };
  const auto both = [&](int x, int y, int z) {
    const auto [isChamber, isOne, isOther] = chambers(x, y, z);
    return isChamber || isOne || isOther;
  };
  const auto single = [&](int x, int y, int z) {
    const auto [isChamber, isOne, isOther] = chambers(x, y, z);
    return isChamber || isOther;
  };
  const double node = spacing * spacing;
  const std::vector<Throat> two = findThroats(openLattice({60, 41, 31}, 2, both));
  REQUIRE(two.size() == 1);
  CHECK(two.front().passages == 2);
  CHECK(two.front().area == Approx(std::numbers::pi * (25.0 + 36.0) * node).epsilon(0.1));
  const ThroatSearch search = searchThroats(openLattice({60, 41, 31}, 2, both));
  CHECK(search.notSearched.empty());
  REQUIRE(search.narrowestPassages.size() == 1);
  CHECK(search.narrowestPassages[0] == Approx(69.0 * node).epsilon(0.02));  // nodes of a disc
  CHECK(two.front().centre[1] == Approx(30.0 * spacing).margin(spacing));   // of the wider one
  const std::vector<Throat> found = findThroats(openLattice({60, 41, 31}, 2, single));
  REQUIRE(found.size() == 1);
  CHECK(found.front().passages == 1);
  CHECK(found.front().area == Approx(std::numbers::pi * 36.0 * node).epsilon(0.08));
}

TEST_CASE("Throats: more passages than are followed are one surface of least area", "[unit]") {
  // Chambers joined by round channels.
  const auto joinedBy = [](int channels) {
    LatticeGeometry geometry =
        openLattice({50, 12 * channels + 4, 25}, 2, [=](int x, int y, int z) {
          const bool isChamber = x < 15 || x > 34;
          const int within = (y - 2) % 12;
          const bool isChannel =
              y >= 2 && y < 12 * channels + 2 && std::hypot(within - 5.5, z - 12.0) < 4.0;
          return isChannel || (isChamber && y > 0 && y < 12 * channels + 3 && z > 3 && z < 21);
        });
    for (Opening& opening : geometry.openings) opening.area *= 3.0;  // wider than all channels
    return geometry;
  };
  const ThroatSearch six = searchThroats(joinedBy(6));
  CHECK(six.notSearched.empty());
  REQUIRE(six.throats.size() == 1);
  CHECK(six.throats[0].passages == 6);
  const ThroatSearch seven = searchThroats(joinedBy(7));
  CHECK(seven.notSearched.empty());
  REQUIRE(seven.throats.size() == 1);
  CHECK(seven.throats[0].passages == 7);
  CHECK(seven.throats[0].area == Approx(7.0 / 6.0 * six.throats[0].area).epsilon(0.05));
}

TEST_CASE("Throats: with more than 16 openings passages in parallel are one surface of least area",
          "[unit]") {
  // Channels of y from one side to a chamber, which round channels join to one at the other side.
  const auto branched = [](int branches, int channels) {
    LatticeGeometry geometry = openLattice({60, 12 * branches, 17}, 2, [=](int x, int y, int z) {
      const bool isBranch = x < 18 && std::hypot(y % 12 - 5.5, z - 8.0) < 5.0;
      const bool isChamber = x >= 18 && (x < 30 || x > 41) && y > 0 && y < 12 * branches - 1;
      const bool isChannel = x > 17 && y / 12 < channels && std::hypot(y % 12 - 5.5, z - 8.0) < 3.5;
      return isBranch || (isChamber && z > 1 && z < 15) || isChannel;
    });
    const Opening inlet = geometry.openings[0], outlet = geometry.openings[1];
    geometry.openings.assign(static_cast<std::size_t>(branches), inlet);
    geometry.openings.push_back(outlet);
    for (std::size_t k = 0; k < geometry.openings.size(); ++k)
      geometry.openings[k].id = static_cast<int>(k) + 1;
    std::size_t link = 0;
    for (std::size_t k = 0; k < geometry.boundary.node.size(); ++k) {
      const int y = geometry.fluid.nodeAt(geometry.boundary.node[k])[1];
      for (int n = std::popcount(geometry.boundary.mask[k]); n > 0; --n, ++link) {
        Patch& patch = geometry.boundary.patch[link];
        if (!isOpening(patch)) continue;
        patch = openingPatch(openingId(patch) == 1 ? 1 + y / 12 : branches + 1);
      }
    }
    return searchThroats(geometry);
  };
  const ThroatSearch many = branched(16, 2);  // 17 openings
  CHECK(many.notSearched.empty());
  CHECK(many.throats.size() == 16);
  CHECK(std::count_if(many.throats.begin(), many.throats.end(),
                      [](const Throat& throat) { return throat.passages == 2; }) == 1);
  const ThroatSearch single = branched(16, 1);
  CHECK(single.notSearched.empty());
  CHECK(single.throats.size() == 16);
  const ThroatSearch few = branched(15, 2);  // 16 openings
  CHECK(few.notSearched.empty());
  CHECK(few.throats.size() == 15);
}
