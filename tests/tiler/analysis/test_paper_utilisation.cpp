// SPDX-License-Identifier: GPL-3.0-or-later
// Tile utilisation of channels and of random spheres against Tomczak & Szafran 2017.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/fixtures/geometry/tiling_cases.hpp"

using namespace tessera::tilings;

namespace {

struct Channels {
  std::vector<int> across;
  std::vector<double> lowest, mean;
};

Channels channelsTo(Section section, int widest) {
  Channels channels;
  for (int across = 4; across <= widest; ++across) {
    const std::vector<double> all = channelUtilisations(section, across);
    REQUIRE(all.size() == 16);
    channels.across.push_back(across);
    channels.lowest.push_back(*std::min_element(all.begin(), all.end()));
    channels.mean.push_back(meanOf(all));
  }
  return channels;
}

}  // namespace

// The paper reads off its figures that channels of about 40 nodes are always above 0.8. At 40 they
// are; counted size by size a square one falls below again up to 50, a circular one up to 42.
TEST_CASE("Tile utilisation: square channels as in Figure 8", "[unit]") {
  const Channels c = channelsTo(Section::Square, 130);
  for (std::size_t i = 0; i < c.across.size(); ++i) {
    const double d = c.across[i];
    // A side of d nodes meets (d + 3) / 4 tiles in the mean over the places, at most that rounded
    // up; the mean of 1 / tiles is not below 1 / mean.
    CHECK(c.mean[i] > d * d / ((d + 3) * (d + 3)) - 1e-12);
    CHECK(c.lowest[i] == Approx(std::pow(d / (4.0 * std::ceil((d + 3) / 4.0)), 2)));
  }
  CHECK(c.lowest[40 - 4] > 0.8);
  CHECK(alwaysAboveFrom(c.across, c.lowest, 0.8) == 51);
  CHECK(alwaysAboveFrom(c.across, c.mean, 0.8) == Approx(25).margin(2));
  CHECK(alwaysAboveFrom(c.across, c.mean, 0.9) == Approx(55).margin(2));
}

TEST_CASE("Tile utilisation: circular channels as in Figure 10", "[unit]") {
  const Channels c = channelsTo(Section::Circular, 130);
  CHECK(c.lowest[40 - 4] > 0.8);
  CHECK(alwaysAboveFrom(c.across, c.lowest, 0.8) == 43);
  CHECK(alwaysAboveFrom(c.across, c.mean, 0.8) == Approx(32).margin(2));
  CHECK(alwaysAboveFrom(c.across, c.mean, 0.9) == Approx(70).margin(2));
}

TEST_CASE("Tile utilisation: random spheres as in Table 6", "[slow]") {
  for (const TableSix& row : tableSix) {
    const PackTiling pack = meanPack(row.porosity);
    INFO("porosity " << row.porosity << ": utilisation " << pack.utilisation << ", in the paper "
                     << row.utilisation);
    CHECK(pack.porosity == Approx(row.porosity).margin(0.005));
    if (row.porosity > 0.35)
      CHECK(pack.utilisation == Approx(row.utilisation).margin(0.015));
    else  // where the paper's spheres, which overlap less, leave more of their surface free
      CHECK(pack.utilisation == Approx(row.utilisation + 0.035).margin(0.04));
  }
}
