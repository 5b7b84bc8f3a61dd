// SPDX-License-Identifier: GPL-3.0-or-later
// The layouts and the counts of section 3.2 of arXiv:1611.02445.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "tests/fixtures/geometry/plain_tiling.hpp"
#include "tiler/analysis/transactions.hpp"
#include "tiler/search_rows.hpp"
#include "tiler/tile.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::tiler;
using namespace tessera::tiler::analysis;

namespace {

const LayoutAssignment& assignment(const std::string& name) {
  for (const LayoutAssignment& known : layoutAssignments())
    if (name == known.name) return known;
  throw std::runtime_error("no assignment " + name);
}

// E, NW, ..., O for the rest direction: east +x, north +y, top +z.
std::string nameOf(const Int3& step) {
  std::string name;
  if (step[1] != 0) name += step[1] > 0 ? "N" : "S";
  if (step[0] != 0) name += step[0] > 0 ? "E" : "W";
  if (step[2] != 0) name += step[2] > 0 ? "T" : "B";
  return name.empty() ? "O" : name;
}

TiledGeometry tilesOf(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                      const Int3& offset) {
  return coverWithTiles(plain::geometryOf(fluid, periodic), offset);
}

// Straight from the definition, a value at a time.
SectorCounts plainCounts(const TiledGeometry& tiled, const TileLayout& layout, int direction,
                         int bytes) {
  using Sector = std::pair<std::int32_t, int>;
  const Int3 step = directionStep(direction);
  SectorCounts counts;
  std::set<Sector> read, written;
  for (std::size_t t = 0; t < tiled.tiles(); ++t)
    for (int half = 0; half < 2; ++half) {
      std::set<Sector> requested;
      for (int l = 32 * half; l < 32 * half + 32; ++l) {
        if (tiled.nodeType[t * tileNodes + static_cast<std::size_t>(l)] == 0) continue;
        const int own = layout.place(l % 4, l / 4 % 4, l / 16) * bytes / sectorBytes;
        written.insert({static_cast<std::int32_t>(t), own});
        Int3 from = tiled.nodeOf(t, l);
        bool inside = true;
        for (std::size_t a = 0; a < 3; ++a) {
          from[a] -= step[a];
          if (tiled.periodic[a]) from[a] = (from[a] + tiled.nodes[a]) % tiled.nodes[a];
          inside = inside && from[a] >= 0 && from[a] < tiled.nodes[a];
        }
        if (!inside) continue;
        const auto [at, local] = tiled.placeOf(from);
        const std::int32_t tile = tiled.tileAt(at[0], at[1], at[2]);
        if (tile < 0) continue;
        const Int3 in{local % 4, local / 4 % 4, local / 16};
        if (tiled.nodeType[static_cast<std::size_t>(tile) * tileNodes +
                           static_cast<std::size_t>(local)] == 0)
          continue;
        requested.insert({tile, layout.place(in[0], in[1], in[2]) * bytes / sectorBytes});
      }
      counts.requested += requested.size();
      read.insert(requested.begin(), requested.end());
    }
  counts.read = read.size();
  counts.written = written.size();
  return counts;
}

SectorCounts sumOver(const TiledGeometry& tiled, const LayoutAssignment& layouts, int bytes) {
  const TileNeighbourhood around = neighboursOfTiles(tiled);
  SectorCounts counts;
  for (const int n : populationDirections(19))
    counts += sectorsOfGeometry(
        around, tileLayouts()[layouts.layoutOf[static_cast<std::size_t>(n)]], n, bytes);
  return counts;
}

}  // namespace

TEST_CASE("Layouts: each assigns the 64 nodes different offsets", "[unit]") {
  for (std::size_t id = 0; id < tileLayouts().size(); ++id) {
    const TileLayout& layout = tileLayouts()[id];
    CHECK(layout.id == static_cast<int>(id));
    std::set<int> places;
    for (int l = 0; l < 64; ++l) places.insert(layout.place(l % 4, l / 4 % 4, l / 16));
    INFO(layout.name);
    CHECK(places.size() == 64);
    CHECK(*places.begin() == 0);
    CHECK(*places.rbegin() == 63);
  }
}

TEST_CASE("Layouts: zigzagNE follows Figure 7", "[unit]") {
  const TileLayout& zigzag = tileLayouts()[2];
  REQUIRE(zigzag.name == std::string("zigzagNE"));
  CHECK(zigzag.place(0, 0, 1) == 1);
  CHECK(zigzag.place(2, 0, 0) == 4);
  CHECK(zigzag.place(0, 1, 0) == 6);
  CHECK(zigzag.place(3, 3, 0) == 24);
  CHECK(zigzag.place(3, 0, 1) == 31);
  CHECK(zigzag.place(0, 0, 2) == 32);
}

TEST_CASE("Layouts: the populations have the layouts of section 3.2", "[unit]") {
  const std::map<std::string, std::string> others{
      {"E", "YXZ"},  {"W", "YXZ"},  {"ET", "YXZ"}, {"EB", "YXZ"},      {"NW", "YXZ"},
      {"SW", "YXZ"}, {"WT", "YXZ"}, {"WB", "YXZ"}, {"NE", "zigzagNE"}, {"SE", "zigzagNE"}};
  std::size_t found = 0;
  for (const int n : populationDirections(19)) {
    const std::string name = nameOf(directionStep(n));
    const auto at = others.find(name);
    const auto id = assignment("XYZ + YXZ + zigzagNE").layoutOf[static_cast<std::size_t>(n)];
    INFO(name);
    CHECK(tileLayouts()[id].name == (at == others.end() ? "XYZ" : at->second));
    found += at != others.end();
  }
  CHECK(found == others.size());
}

TEST_CASE("Layouts: lattices have their own populations", "[unit]") {
  for (const int q : {9, 19, 27}) {
    const auto directions = populationDirections(q);
    REQUIRE(static_cast<int>(directions.size()) == q);
    for (const int n : directions) {
      const Int3 step = directionStep(n);
      if (q == 9) CHECK(step[2] == 0);
      if (q == 19) CHECK(step[0] * step[0] + step[1] * step[1] + step[2] * step[2] <= 2);
      CHECK(std::count(directions.begin(), directions.end(), oppositeDirection(n)) == 1);
    }
  }
}

TEST_CASE("Layouts: transactions of a full tile are those of section 3.2", "[unit]") {
  const LayoutAssignment& plainRows = assignment("XYZ");
  const LayoutAssignment& paper = assignment("XYZ + YXZ + zigzagNE");
  CHECK(sectorsOfFullTile(paper, 19, 8).requested == 344);
  CHECK(sectorsOfFullTile(paper, 19, 8).read == 304);
  CHECK(sectorsOfFullTile(paper, 19, 8).written == 304);
  CHECK(sectorsOfFullTile(plainRows, 19, 4).requested == 288);
  CHECK(sectorsOfFullTile(paper, 19, 4).requested == 240);
  CHECK(sectorsOfFullTile(paper, 19, 4).read == 152);
  // Not in the paper, by the same count.
  CHECK(sectorsOfFullTile(plainRows, 19, 8).requested == 464);
  CHECK(sectorsOfFullTile(plainRows, 19, 2).requested == 172);
  CHECK(sectorsOfFullTile(plainRows, 19, 2).written == 76);
}

TEST_CASE("Layouts: transactions of each population are those of section 3.2", "[unit]") {
  const auto requested = [](const std::string& layouts, const std::string& name, int bytes) {
    for (const int n : populationDirections(19))
      if (nameOf(directionStep(n)) == name)
        return sectorsOfFullTile(
                   tileLayouts()[assignment(layouts).layoutOf[static_cast<std::size_t>(n)]], n,
                   bytes)
            .requested;
    throw std::runtime_error("no population " + name);
  };
  const std::string paper = "XYZ + YXZ + zigzagNE";
  for (const std::string name :
       {"O", "N", "S", "T", "B", "NT", "NB", "ST", "SB", "E", "W", "ET", "EB", "WT", "WB"})
    CHECK(requested(paper, name, 8) == 16);
  for (const std::string name : {"NE", "SE"}) CHECK(requested(paper, name, 8) == 20);
  for (const std::string name : {"NW", "SW"}) CHECK(requested(paper, name, 8) == 32);
  for (const std::string name : {"O", "T", "B"}) CHECK(requested("XYZ", name, 4) == 8);
  for (const std::string name : {"N", "S", "NT", "NB", "ST", "SB"})
    CHECK(requested("XYZ", name, 4) == 12);
  for (const std::string name : {"E", "W", "ET", "EB", "WT", "WB"}) {
    CHECK(requested("XYZ", name, 4) == 16);
    CHECK(requested(paper, name, 4) == 12);
  }
  for (const std::string name : {"NE", "SE", "NW", "SW"}) CHECK(requested("XYZ", name, 4) == 24);
  for (const std::string name : {"NE", "SE"}) CHECK(requested(paper, name, 4) == 12);
}

TEST_CASE("Layouts: sectors of a geometry equal a count value by value", "[unit]") {
  const std::array<bool, 3> open{false, false, false};
  const std::vector<TiledGeometry> geometries{
      tilesOf(plain::randomLattice({23, 14, 17}, 0.6, 3, 1), open, {1, 3, 2}),
      tilesOf(plain::randomLattice({16, 12, 20}, 0.8, 5, 2), {true, true, true}, {0, 0, 0}),
      tilesOf(plain::randomLattice({9, 22, 13}, 0.3, 1, 3), open, {0, 0, 0})};
  for (const TiledGeometry& tiled : geometries)
    for (const TileLayout& layout : tileLayouts())
      for (const int bytes : {2, 4, 8})
        for (const int n : populationDirections(27)) {
          INFO(layout.name << " " << bytes << " " << n);
          REQUIRE(sectorsOfGeometry(neighboursOfTiles(tiled), layout, n, bytes) ==
                  plainCounts(tiled, layout, n, bytes));
        }
}

TEST_CASE("Layouts: sectors of a shifted tiling equal a count value by value, in any order of axes",
          "[unit]") {
  const BitLattice fluid = plain::randomLattice({21, 18, 15}, 0.6, 4, 6);
  std::vector<PopulationLayout> asked;
  for (const TileLayout& layout : tileLayouts())
    for (const int bytes : {2, 4, 8})
      for (const int n : populationDirections(27)) asked.push_back({&layout, n, bytes});
  for (const std::array<int, 3>& axes :
       {std::array{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}}) {
    const TiledGeometry tiled =
        coverByMesh(plain::geometryOf(fluid, {}), searchRows(fluid, axes).mesh);
    const std::vector<SectorCounts> found = sectorsInRows(tiled, asked);
    REQUIRE(found.size() == asked.size());
    for (std::size_t k = 0; k < asked.size(); ++k) {
      INFO(asked[k].layout->name << " " << asked[k].bytes << " " << asked[k].direction);
      REQUIRE(found[k] == plainCounts(tiled, *asked[k].layout, asked[k].direction, asked[k].bytes));
    }
  }
}

TEST_CASE("Layouts: a shifted tiling without shifts equals the aligned one", "[unit]") {
  const BitLattice fluid = plain::randomLattice({24, 16, 20}, 0.7, 4, 9);
  const LatticeGeometry geometry = plain::geometryOf(fluid, {});
  const TiledGeometry rows = coverByMesh(geometry, rowMesh(fluid.size, {0, 1, 2}, 0));
  const TiledGeometry mesh = coverWithTiles(geometry, {0, 0, 0});
  REQUIRE(rows.tiles() == mesh.tiles());
  for (const TileLayout& layout : tileLayouts())
    for (const int n : populationDirections(19)) {
      const PopulationLayout population{&layout, n, 4};
      CHECK(sectorsInRows(rows, {&population, 1}).at(0) ==
            sectorsOfGeometry(neighboursOfTiles(mesh), layout, n, 4));
    }
}

TEST_CASE("Layouts: full tiles on a torus equal a full tile", "[unit]") {
  const TiledGeometry torus =
      tilesOf(plain::fullLattice({8, 12, 8}), {true, true, true}, {0, 0, 0});
  for (const LayoutAssignment& layouts : layoutAssignments())
    for (const int bytes : {2, 4, 8})
      CHECK(sumOver(torus, layouts, bytes).requested ==
            12 * sectorsOfFullTile(layouts, 19, bytes).requested);
}

TEST_CASE("Layouts: savings in a cavity of 100^3 nodes are those of Table 5", "[unit]") {
  // L2 reads of a propagation kernel in double precision. They hold tile indices and node types
  // too, the same for every layout, so savings are compared: within 1 %.
  const TiledGeometry cavity =
      tilesOf(plain::fullLattice({100, 100, 100}), {false, false, false}, {0, 0, 0});
  const auto reads = [&](const std::string& name) {
    return static_cast<double>(sumOver(cavity, assignment(name), 8).requested);
  };
  const double rows = reads("XYZ");
  CHECK(rows - reads("XYZ + zigzagNE") == Approx(8188609.0 - 7827219.0).epsilon(0.01));
  CHECK(rows - reads("XYZ + YXZ") == Approx(8188609.0 - 6730769.0).epsilon(0.01));
  CHECK(rows - reads("XYZ + YXZ + zigzagNE") == Approx(8188609.0 - 6368191.0).epsilon(0.01));
  CHECK(sumOver(cavity, assignment("XYZ"), 8).written == 4750000);
}
