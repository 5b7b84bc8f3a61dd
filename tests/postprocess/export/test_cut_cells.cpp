// SPDX-License-Identifier: GPL-3.0-or-later
// Exported grids of channels whose walls are thinner than a spacing.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "postprocess/export/cell_mesh.hpp"
#include "postprocess/export/cut_cells.hpp"
#include "postprocess/export/writers.hpp"
#include "tests/fixtures/geometry/geometries.hpp"
#include "tests/fixtures/geometry/near_channels.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::postprocess::exports;
using namespace tessera::test;

namespace {

struct Grid {
  std::vector<float> point;
  std::vector<std::int64_t> connectivity;
};

Grid gridOf(const CellMesh& mesh) {
  Grid grid;
  mesh.givePoints({}, [&](float x) { grid.point.push_back(x); });
  mesh.giveConnectivity([&](std::int64_t p) { grid.connectivity.push_back(p); });
  REQUIRE(grid.point.size() == 3 * mesh.points());
  REQUIRE(grid.connectivity.size() == 8 * mesh.cells());
  return grid;
}

// Channel of each selected cell, in order.
std::vector<int> channelsOf(const NearChannels& channels, const SelectedNodes& nodes) {
  std::vector<int> channel;
  nodes.forEach([&](const Int3&, const Int3& n, std::uint64_t) {
    channel.push_back(channels.channelAt({1.0 * n[0], 1.0 * n[1], 1.0 * n[2]}));
  });
  return channel;
}

}  // namespace

TEST_CASE("Cut cells: cells of two channels share no point, those of one channel all of theirs",
          "[pipeline]") {
  const NearChannels channels = nearChannels(channelSpecs()[GENERATE(0, 1, 2)]);
  const NodeLookup lookup(channels.geometry);
  FieldSelection selection;
  selection.every = GENERATE(1, 2);
  const SelectedNodes nodes(lookup, selection);
  const CellMesh mesh(nodes);
  const Grid grid = gridOf(mesh);
  const std::vector<int> channel = channelsOf(channels, nodes);
  std::map<std::int64_t, int> channelOfPoint;
  std::map<std::pair<int, std::array<float, 3>>, std::int64_t> pointAt;
  std::set<std::array<float, 3>> places;
  for (std::size_t e = 0; e < grid.connectivity.size(); ++e) {
    const std::int64_t p = grid.connectivity[e];
    REQUIRE(p >= 0);
    REQUIRE(static_cast<std::uint64_t>(p) < mesh.points());
    const auto at = 3 * static_cast<std::size_t>(p);
    const std::array<float, 3> place{grid.point[at], grid.point[at + 1], grid.point[at + 2]};
    places.insert(place);
    REQUIRE(channelOfPoint.emplace(p, channel[e / 8]).first->second == channel[e / 8]);
    REQUIRE(pointAt.emplace(std::pair(channel[e / 8], place), p).first->second == p);
  }
  CHECK(channelOfPoint.size() == mesh.points());
  CHECK(mesh.points() > places.size());
}

namespace {

// A box with a sheet halfway between z = 3 and 4 that ends between x = 4 and 5.
TiledGeometry boxWithSheet(const Int3& nodes) {
  LatticeGeometry lattice = testing::imageLattice(
      nodes, [](int, int, int) { return true; }, {}, {}, 1e-4);
  testing::cutLinks(lattice, [](const Int3& one, const Int3& other) {
    return one[0] + other[0] < 9 && std::min(one[2], other[2]) == 3 &&
           std::max(one[2], other[2]) == 4;
  });
  return coverWithTiles(std::move(lattice), {0, 0, 0});
}

}  // namespace

TEST_CASE("Cut cells: a sheet has two points on its area and one on its free edge", "[pipeline]") {
  const TiledGeometry geometry = boxWithSheet({10, 3, 8});
  const NodeLookup lookup(geometry);
  const SelectedNodes nodes(lookup, {});
  const SplitPoints split(nodes);
  // Corners at x = 0 .. 4 lie on the sheet, the one at 5 between its last link and the first uncut
  // one; y = 0 .. 3.
  REQUIRE(split.further().size() == 5 * 4);
  for (const Int3& corner : split.further()) {
    CHECK(corner[2] == 4);
    CHECK(corner[0] < 5);
  }
  // Cell corners 4 to 7 are the upper ones: those of the cells below the sheet.
  for (int k = 0; k < 8; ++k) {
    CHECK(split.furtherOf({5, 1, 4}, k) == -1);
    CHECK(split.furtherOf({2, 1, 3}, k) == -1);
    CHECK((split.furtherOf({2, 1, 4}, k) >= 0) == (k >= 4));
  }
}

TEST_CASE("Cut cells: cells between the nodes are hidden where a sheet cuts them", "[pipeline]") {
  const Int3 size = GENERATE(Int3{10, 3, 8}, Int3{10, 1, 8});
  const TiledGeometry geometry = boxWithSheet(size);
  const NodeLookup lookup(geometry);
  const SelectedNodes nodes(lookup, {});
  const BitLattice hidden = hiddenCells(nodes);
  CHECK(hidden.size == Int3{9, std::max(1, size[1] - 1), 7});
  // Links from x <= 4 to x <= 4, and the diagonal ones from 4 to 5 are not cut.
  CHECK(hidden.count() == static_cast<std::uint64_t>(5 * hidden.size[1]));
  for (int x = 0; x < 9; ++x) CHECK(hidden.at(x, 0, 3) == (x < 5));
}

TEST_CASE("Cut cells: fields.vti has an array of hidden cells only with cut links", "[pipeline]") {
  const TemporaryFolder folder;
  const auto ghostArrays = [&](const NearChannels& channels) {
    const NodeLookup lookup(channels.geometry);
    const SelectedNodes nodes(lookup, {});
    writeVti(folder / "fields.vti", nodes, fieldArrays(lookup, channels.fields, {}), {});
    const std::string text = readWhole(folder / "fields.vti");
    std::size_t found = 0;
    for (std::size_t at = text.find("vtkGhostType"); at != std::string::npos;
         at = text.find("vtkGhostType", at + 1))
      ++found;
    return found;
  };
  const ChannelSpec spec = channelSpecs()[0];
  CHECK(ghostArrays(nearChannels(spec, 1)) == 1);
  CHECK(ghostArrays(nearChannels(spec)) == 2);
}
