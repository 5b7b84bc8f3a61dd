// SPDX-License-Identifier: GPL-3.0-or-later
// A state of ten moments against the regularised collision on populations, which is the same
// physics; the columns of tiles that the CUDA kernel marches through, and the nodes at openings and
// walls that it steps separately.
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "solver/backend/gpu/device.hpp"
#include "solver/backend/registry.hpp"
#include "solver/boundary/moment_openings.hpp"
#include "solver/domain/build.hpp"
#include "solver/domain/separate_nodes.hpp"
#include "solver/domain/tile_columns.hpp"
#include "solver/model/stored_values.hpp"
#include "solver/run/output.hpp"
#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/geometries.hpp"
#include "tests/fixtures/oracle/reference.hpp"
#include "tests/solver/model/moment_cases.hpp"

using namespace tessera;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::domain;
using namespace tessera::solver::file;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::solver::tiles;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

Domain domainOf(const TilesFile& tiles, const Setup& setup) {
  return buildDomain(setup.order, tiles.geometry, setup.run, setup.lattice, setup.variant->lattice);
}

// Obstacles, three openings, an axis that closes on whole tiles.
TilesFile boxOfThreeOpenings(const Int3& nodes) {
  const auto grains = strewn(0.8);
  return imageGeometry(
      nodes, [=](int x, int y, int z) { return x < 3 || grains(x / 3, y / 2, z / 3); },
      {false, true, false}, {{0, false, 1}, {0, true, 2}, {2, true, 3}}, 1e-3, {0, 0, 0});
}

bool isSolid(const Domain& domain, std::uint32_t slot, int local) {
  const std::int32_t masks = domain.neighbourTable[std::size_t{slot} * neighbourStride + maskEntry];
  return masks >= 0 &&
         (domain.masks[static_cast<std::size_t>(masks) * 64 + static_cast<std::size_t>(local)] >>
              solidBit &
          1U) != 0;
}

// Checks on a GPU that one step and two in a pass, in two copies and in one, give the same bits
// after 7 steps and `then` more. initial: moments; at rest without. Returns the flow rates.
std::vector<double> checkStepsOfPass(const TilesFile& tiles, SolverCase run,
                                     const std::vector<double>& initial, std::uint64_t then) {
  std::vector<std::vector<double>> states;
  std::vector<std::vector<double>> flows;
  for (const auto& [steps, copies] : {std::pair(1, "2"), std::pair(2, "2"), std::pair(2, "1")}) {
    run.copies = copies;
    Setup setup = prepare(tiles.geometry, run, "cuda");
    setup.stepsInPass = steps;
    Simulation simulation(tiles, std::move(setup));
    CHECK(simulation.backend().form().starts_with(steps == 2 ? "two steps" : "one step"));
    if (!initial.empty()) simulation.setState(initial);
    simulation.advance(7);
    simulation.advance(then);
    states.push_back(simulation.state());
    flows.push_back(simulation.sample().flowRate);
  }
  CHECK(states[1] == states[0]);
  CHECK(states[2] == states[0]);
  CHECK(flows[1] == flows[0]);
  CHECK(std::any_of(states[0].begin(), states[0].end(), [](double v) { return v > 1e-6; }));
  return flows[0];
}

// Entries of a table by their place in a column: calls body(part, entry, whether inside).
template <class Body>
void forEntries(const ColumnTable& table, const ColumnTiles& shape, const Body& body) {
  const std::uint32_t width = static_cast<std::uint32_t>(shape[0]) + 2;
  const std::uint32_t around = width * (static_cast<std::uint32_t>(shape[1]) + 2);
  for (std::size_t part = 0; part + 1 < table.firstPiece.size(); ++part)
    for (std::uint32_t p = table.firstPiece[part]; p < table.firstPiece[part + 1]; ++p)
      for (std::uint32_t row = 0; row < table.pieces[p].layers + 2; ++row)
        for (std::uint32_t k = 0; k < around; ++k) {
          const bool inside = row > 0 && row <= table.pieces[p].layers && k % width > 0 &&
                              k % width < width - 1 && k / width > 0 &&
                              k / width <= static_cast<std::uint32_t>(shape[1]);
          body(part, table.rows[std::size_t{table.pieces[p].firstRow + row} * around + k], inside);
        }
}

}  // namespace

TEST_CASE("Moments: they flow as regularised populations do, to round-off", "[unit]") {
  const auto [tiles, scheme, moves] =
      GENERATE(std::tuple(openGeometry(), WallScheme::Halfway, false),
               std::tuple(openGeometry(), WallScheme::Halfway, true),
               std::tuple(cutBoxOfThreeOpenings({18, 12, 10}), WallScheme::Bouzidi, false),
               std::tuple(cutBoxOfThreeOpenings({18, 12, 10}), WallScheme::Multireflection, true),
               std::tuple(cutBoxOfThreeOpenings({34, 16, 20}), WallScheme::Multireflection, false));
  for (const auto& [precision, tolerance] :
       {std::pair(PrecisionId::F64, 1e-12), std::pair(PrecisionId::F32, 2e-5)}) {
    CAPTURE(nameOf(precision), tiles.geometry.nodes[0], static_cast<int>(scheme), moves);
    const auto with = [&](StateId state) {
      SolverCase run = regularisedCase(state, precision);
      run.walls = scheme;
      run.wallConditions.resize(tiles.geometry.wallNames.size());
      if (moves) {
        run.wallConditions[0].kind = WallKind::Moving;
        run.wallConditions[0].velocity = {0.0, 1e-3, 0.0};
        run.wallConditions[0].rate = {0.0, 0.0, 0.05};
      }
      return prepare(tiles.geometry, run, "cpu");
    };
    Simulation one(tiles, with(StateId::Populations));
    Simulation two(tiles, with(StateId::Moments));
    CHECK(one.setup().walls.links.empty() == (scheme == WallScheme::Halfway && !moves));
    one.advance(400);
    two.advance(400);
    CHECK(largestDifference(tiles, one.populations(), two.populations()) < tolerance);
    const MonitorSample a = one.sample();
    const MonitorSample b = two.sample();
    for (std::size_t o = 0; o < 3; ++o) {
      CHECK(relative(a.flowRate[o], b.flowRate[o], std::abs(a.flowRate[0])) < 10 * tolerance);
      CHECK(relative(a.pressure[o], b.pressure[o], std::abs(a.pressure[0])) < 10 * tolerance);
    }
    CHECK(relative(a.nodes.kineticEnergy, b.nodes.kineticEnergy, a.nodes.kineticEnergy) <
          10 * tolerance);
    REQUIRE(a.walls.size() == b.walls.size());
    for (std::size_t w = 0; w < a.walls.size(); ++w)
      CHECK(length(a.walls[w].force - b.walls[w].force) <
            100 * tolerance * length(a.walls[w].force));
    RunResult result;
    result.last = a;
    const Fields first = fieldsOf(one, result);
    const Fields second = fieldsOf(two, result);
    float worst = 0.0F;
    float largest = 0.0F;
    for (std::size_t n = 0; n < first.velocity.size(); ++n)
      for (std::size_t e = 0; e < 6; ++e) {
        worst = std::max(worst, std::abs(first.stress[n][e] - second.stress[n][e]));
        largest = std::max(largest, std::abs(first.stress[n][e]));
      }
    CHECK(double(worst) < 1e-4 * double(largest));
  }
}

TEST_CASE("Moments: what they do not hold is refused", "[unit]") {
  const TilesFile tiles = cutBoxOfThreeOpenings({18, 12, 10});
  SolverCase run = regularisedCase(StateId::Moments, PrecisionId::F64);
  run.walls = WallScheme::SingleNode;
  checkError(ExitCode::Usage, [&] { prepare(tiles.geometry, run, "cpu"); },
             {"single-node", "--scheme tile-populations"});
  run.walls = WallScheme::Auto;
  CHECK(prepare(tiles.geometry, run, "cpu").run.walls == WallScheme::Multireflection);
  run.wallConditions.resize(tiles.geometry.wallNames.size());
  run.wallConditions[0].kind = WallKind::Symmetry;
  checkError(ExitCode::Usage, [&] { prepare(tiles.geometry, run, "cpu"); },
             {"symmetry plane", "--scheme tile-populations"});
}

TEST_CASE("Moments: they become populations and back without loss", "[unit]") {
  std::mt19937 engine(5);
  std::vector<double> moments(3 * 64 * 10);
  for (double& m : moments) m = static_cast<double>(engine()) / 4294967296.0 - 0.5;
  const std::vector<double> back = momentsFromPopulations(populationsFromMoments(moments));
  REQUIRE(back.size() == moments.size());
  for (std::size_t k = 0; k < back.size(); ++k) CHECK(std::abs(back[k] - moments[k]) < 1e-14);
}

TEST_CASE("Moments: a reversed population is that of the opposite direction, to the bit",
          "[unit]") {
  std::mt19937 engine(7);
  float m[moment::count];
  for (float& value : m) value = static_cast<float>(engine()) / 4294967296.0F - 0.5F;
  const auto get = [&](int n) { return m[n]; };
  forEach<D3Q19::q - 1>([&](auto k) {
    constexpr int i = k + 1;
    CHECK(populationByWeight<D3Q19, i, float>(get, true) ==
          populationByWeight<D3Q19, opposite(i), float>(get));
  });
  // Those of reversed words.
  const auto check = [&](auto format) {
    using Format = decltype(format);
    typename Format::Word words[Format::words], back[Format::words];
    const auto next = [&] { return static_cast<float>(engine()) / 4294967296.0F - 0.5F; };
    RelaxedMoments<float> node;
    node.r = next();
    for (float& j : node.j) j = next();
    for (float& e : node.a) e = Format::scale * next();
    Format::pack(node, words);
    std::copy(words, words + Format::words, back);
    Format::reverse(back);
    const AllMoments<float> forwards = unpack<Format>(words);
    const AllMoments<float> backwards = unpack<Format>(back);
    forEach<D3Q19::q - 1>([&](auto k) {
      constexpr int i = k + 1;
      CHECK(populationByWeight<D3Q19, i, float>([&](int n) { return backwards.of[n]; }) ==
            populationByWeight<D3Q19, opposite(i), float>([&](int n) { return forwards.of[n]; }));
    });
  };
  check(PlainMoments<float>{});
  check(MixedMoments{});
}

TEST_CASE("Moments: a population is rebuilt from the stored values that are named for it",
          "[unit]") {
  forEach<D3Q19::q>([](auto i) {
    bool asked[moment::count] = {};
    populationByWeight<D3Q19, i, double>([&](int n) {
      asked[n] = true;
      return 0.0;
    });
    CAPTURE(int{i});
    for (int n = 0; n < moment::count; ++n) CHECK(asked[n] == readsMoment(D3Q19::c[i], n));
  });
}

TEST_CASE("Moments: nodes at openings know their links, and nodes of stencils their place",
          "[unit]") {
  const TilesFile tiles = openGeometry();
  const Setup setup =
      prepare(tiles.geometry, regularisedCase(StateId::Moments, PrecisionId::F64), "cpu");
  Domain domain = domainOf(tiles, setup);
  const std::vector<IncomingLink> links = domain.links;
  const std::vector<std::uint64_t> stencilNodes = domain.stencils.nodes;
  const MomentOpenings openings =
      takeOpenings(domain.links, domain.stencils.nodes, domain.copies, D3Q19::q);
  REQUIRE(openings.stepped > 0);
  std::uint32_t next = 0;
  for (std::size_t k = 0; k < openings.stepped; ++k) {
    const OpeningNodeLocation& node = openings.nodes[k];
    CHECK(node.firstLink == next);
    for (std::uint32_t link = next; link < next + node.links; ++link)
      CHECK(links[link].node == D3Q19::q * 64U * node.slot + node.local);
    next += node.links;
  }
  CHECK(next == links.size());
  REQUIRE(openings.stencilOf.size() == openings.nodes.size());
  std::size_t found = 0;
  for (std::size_t k = 0; k < openings.nodes.size(); ++k) {
    if (openings.stencilOf[k] < 0) continue;
    ++found;
    CHECK(stencilNodes[static_cast<std::size_t>(openings.stencilOf[k])] ==
          D3Q19::q * 64U * openings.nodes[k].slot + openings.nodes[k].local);
  }
  CHECK(found == stencilNodes.size());
}

TEST_CASE(
    "Columns of tiles: each tile is written by one piece of its part, whatever its neighbours",
    "[unit]") {
  const auto porous = strewn(0.5);
  const std::array<std::array<bool, 3>, 2> closings{{{false, false, false}, {true, true, true}}};
  for (const auto& periodic : closings)
    for (const Int3& nodes : {Int3{20, 12, 28}, Int3{4, 8, 12}, Int3{21, 11, 6}}) {
      const TilesFile tiles =
          imageGeometry(nodes, [&](int x, int y, int z) { return porous(x / 4, y / 4, z / 4); },
                        periodic, {}, 1e-3, {0, 0, 0});
      SolverCase run = regularisedCase(StateId::Moments, PrecisionId::F64);
      run.openings.clear();
      const Setup setup = prepare(tiles.geometry, run, "cpu");
      const Domain domain = domainOf(tiles, setup);
      std::vector<std::int32_t> maskOf(domain.tiles);
      for (std::size_t s = 0; s < maskOf.size(); ++s)
        maskOf[s] = domain.neighbourTable[s * neighbourStride + maskEntry];
      const std::vector<std::uint32_t> ends{domain.tiles / 3, domain.tiles};
      for (const auto& [shape, layers] :
           {std::pair(ColumnTiles{4, 4}, 3), std::pair(ColumnTiles{2, 1}, 1),
            std::pair(ColumnTiles{8, 4}, 16)}) {
        const ColumnTable table = columnTable(domain, shape, layers, ends, maskOf);
        std::vector<int> written(domain.tiles, 0);
        forEntries(table, shape, [&](std::size_t part, const ColumnTile& tile, bool inside) {
          if (tile.slot < 0) return;
          const auto slot = static_cast<std::size_t>(tile.slot & ~ColumnTile::foreign);
          if ((tile.slot & ColumnTile::foreign) == 0) {
            CHECK(inside);
            CHECK((slot < ends[0]) == (part == 0));
            ++written[slot];
          }
          CHECK(tile.masks == (slot < domain.tiles ? maskOf[slot] : -1));
        });
        CHECK(written == std::vector<int>(domain.tiles, 1));
        for (const ColumnPiece& piece : table.pieces)
          CHECK(piece.layers <= static_cast<std::uint32_t>(layers));
        const ColumnTable whole =
            columnTable(domain, shape, layers, std::vector{domain.tiles}, maskOf);
        CHECK(columnBytes(domain.positions, shape, layers) ==
              double(whole.pieces.size() * sizeof(ColumnPiece) +
                     whole.rows.size() * sizeof(ColumnTile)));
      }
    }
}

// Each node that a node of the second step gathers from makes the first step.
TEST_CASE("Moments: separate nodes are all whose steps read openings or walls", "[unit]") {
  for (const auto& [tiles, scheme] :
       {std::pair(boxOfThreeOpenings({40, 36, 44}), WallScheme::Halfway),
        std::pair(boxOfThreeOpenings({64, 8, 16}), WallScheme::Halfway),
        std::pair(cutBoxOfThreeOpenings({28, 12, 20}), WallScheme::Multireflection)}) {
    SolverCase run = regularisedCase(StateId::Moments, PrecisionId::F64);
    run.walls = scheme;
    const Setup setup = prepare(tiles.geometry, run, "cpu");
    Domain domain = domainOf(tiles, setup);
    const std::vector<WallLink> links = setup.walls.links;
    const MomentOpenings openings =
        takeOpenings(domain.links, domain.stencils.nodes, domain.copies, D3Q19::q);
    const MomentWalls walls = takeWalls(setup.walls, openings);
    REQUIRE(openings.stepped > 0);
    CHECK(walls.links.empty() == (scheme == WallScheme::Halfway));
    const SeparateNodes one = separateNodes(domain, openings, walls, 0);
    const SeparateNodes two = separateNodes(domain, openings, walls, 10);
    CHECK(one.again.size() + one.all.size() == 0);
    CHECK(one.known.bits() == two.known.bits());
    CHECK(two.atBoundaries.size() < two.again.size());
    CHECK(two.again.size() < two.all.size());

    std::set<std::uint32_t> boundaries;
    for (std::size_t k = 0; k < openings.nodes.size(); ++k) {
      const OpeningNodeLocation& at = openings.nodes[k];
      if (k < openings.stepped) boundaries.insert(placeOf(at.slot, at.local));
      const SeparateNode& node = two.nodes.at(two.known.view().indexOf(at.slot, at.local));
      CHECK(node.opening == static_cast<std::int32_t>(k));
      CHECK(node.incoming == at.incoming);
      CHECK(two.all.view().has(at.slot, at.local));
    }
    for (std::size_t k = 0; k < links.size(); ++k) {
      boundaries.insert(placeOf(links[k].slot, links[k].local));
      const SeparateNode& node =
          two.nodes.at(two.known.view().indexOf(links[k].slot, links[k].local));
      CHECK((node.reflected >> links[k].direction & 1U) == 1);
      CHECK(links[node.firstReflected].slot == links[k].slot);
      CHECK(links[node.firstReflected].local == links[k].local);
    }
    const std::vector<std::uint32_t> places = two.atBoundaries.places();
    CHECK(places == std::vector(boundaries.begin(), boundaries.end()));
    for (std::uint32_t k = 0; k < places.size(); ++k)
      CHECK(two.atBoundaries.view().indexOf(places[k] >> 6U, static_cast<int>(places[k] & 63U)) ==
            k);

    // The place from which direction i arrives, by the neighbour table; its own at a wall.
    const auto from = [&](std::uint32_t slot, int local, int i) {
      const std::int32_t* row = &domain.neighbourTable[std::size_t{slot} * neighbourStride];
      const auto c = D3Q19::c[static_cast<std::size_t>(i)];
      if (row[maskEntry] >= 0 && (domain.masks[static_cast<std::size_t>(row[maskEntry]) * 64 +
                                               static_cast<std::size_t>(local)] >>
                                      linkBit<D3Q19>(opposite(i)) &
                                  1U) != 0)
        return placeOf(slot, local);
      const int x = (local & 3) - c[0];
      const int y = (local >> 2 & 3) - c[1];
      const int z = (local >> 4) - c[2];
      return placeOf(static_cast<std::uint32_t>(row[13 + (x >> 2) + 3 * (y >> 2) + 9 * (z >> 2)]),
                     (x & 3) + 4 * (y & 3) + 16 * (z & 3));
    };
    const auto isIn = [](const NodeSet& set, std::uint32_t place) {
      return set.view().has(place >> 6U, static_cast<int>(place & 63U));
    };
    bool right = true;
    for (std::uint32_t slot = 0; slot < domain.tiles; ++slot)
      for (int local = 0; local < 64; ++local) {
        const std::uint32_t place = placeOf(slot, local);
        if (isSolid(domain, slot, local)) {
          right = right && !isIn(two.all, place) && !isIn(two.again, place);
          continue;
        }
        const bool known = two.known.view().has(slot, local);
        const std::uint32_t incoming =
            known ? two.nodes[two.known.view().indexOf(slot, local)].incoming : 0;
        for (int i = 1; i < D3Q19::q; ++i) {
          if ((incoming >> i & 1U) != 0) continue;
          const std::uint32_t source = from(slot, local, i);
          // A node that gathers from one at a boundary makes the second step.
          if (boundaries.count(source) != 0) right = right && isIn(two.again, place);
          if (isIn(two.again, place)) right = right && isIn(two.all, source);
        }
      }
    CHECK(right);
    // Multireflection reads the nodes behind and behind that.
    for (const MomentWallLink& link : walls.links) {
      CHECK(isIn(two.again, link.node));
      if (link.pair == 0 && link.arrival == static_cast<std::uint8_t>(ArrivalAtLink::FromBehind))
        CHECK(isIn(two.all, link.behind));
      if (link.deep != 0) CHECK(isIn(two.all, link.far));
    }
  }
}

// Boxes that columns do not fill, that are narrower than one, with layers of every number.
TEST_CASE("Moments: two steps in a pass on a GPU give the bits of one step", "[gpu]") {
  if (!solver::backend::findDevice()) {
    WARN("no CUDA device: two steps in a pass are not compared with one here");
    return;
  }
  const auto grains = strewn(0.8);
  const std::array<std::array<bool, 3>, 3> closings{
      {{false, false, false}, {true, true, true}, {false, true, false}}};
  for (const PrecisionId precision : {PrecisionId::F64, PrecisionId::F32, PrecisionId::M32F16})
    for (const auto& periodic : closings)
      for (const Int3& nodes : {Int3{40, 36, 44}, Int3{8, 12, 100}, Int3{64, 4, 16}}) {
        CAPTURE(nameOf(precision), periodic[0], periodic[1], nodes[0], nodes[1], nodes[2]);
        const TilesFile tiles =
            imageGeometry(nodes, [&](int x, int y, int z) { return grains(x / 3, y / 2, z / 3); },
                          periodic, {}, 1e-3, {0, 0, 0});
        SolverCase run = regularisedCase(StateId::Moments, precision);
        run.openings.clear();
        if (periodic[0] || periodic[1]) run.bodyForce = {5e-3, -2.5e-3, 1e-3};
        std::mt19937 engine(3);
        std::vector<double> initial(tiles.geometry.tiles() * 64 * moment::count);
        for (double& value : initial)
          value = 1e-3 * (static_cast<double>(engine()) / 4294967296.0 - 0.5);
        checkStepsOfPass(tiles, run, initial, 40);
      }
}

// A ramped velocity, constant pressure, a pressure that follows from the flow rate; halfway walls,
// and others that move.
TEST_CASE("Moments: two steps in a pass on a GPU give the bits of one step at openings and walls",
          "[gpu]") {
  if (!solver::backend::findDevice()) {
    WARN("no CUDA device: two steps in a pass are not compared with one at openings here");
    return;
  }
  for (const PrecisionId precision : {PrecisionId::F64, PrecisionId::F32, PrecisionId::M32F16})
    for (const auto& [forced, scheme] :
         {std::pair(false, WallScheme::Halfway), std::pair(true, WallScheme::Halfway),
          std::pair(true, WallScheme::Multireflection), std::pair(false, WallScheme::Bouzidi)})
      for (const Int3& nodes : {Int3{40, 36, 44}, Int3{12, 8, 100}, Int3{64, 8, 16}}) {
        CAPTURE(nameOf(precision), forced, static_cast<int>(scheme), nodes[0], nodes[1], nodes[2]);
        const bool halfway = scheme == WallScheme::Halfway;
        const TilesFile tiles = halfway ? boxOfThreeOpenings(nodes) : cutBoxOfThreeOpenings(nodes);
        SolverCase run = regularisedCase(StateId::Moments, precision);
        run.walls = scheme;
        if (scheme == WallScheme::Multireflection) {
          run.wallConditions.resize(tiles.geometry.wallNames.size());
          run.wallConditions[0].kind = WallKind::Moving;
          run.wallConditions[0].velocity = {0.0, 1e-3, 0.0};
        }
        run.openings[1] = Windkessel{2e5, 2.5e-6, 8e5, 0.0, 0.0};
        if (forced) run.bodyForce = {5e-3, -2.5e-3, 1e-3};
        const std::vector<double> flows = checkStepsOfPass(tiles, run, {}, 60);
        CHECK(std::abs(flows[0]) > 0.0);
      }
}

TEST_CASE("Moments: a collision without a moment representation is refused with the available ones",
          "[unit]") {
  const TilesFile tiles = openGeometry();
  SolverCase run = regularisedCase(StateId::Moments, PrecisionId::F32);
  run.collision = CollisionId::Trt;
  checkError(ExitCode::Usage, [&] { prepare(tiles.geometry, run, "cpu"); },
             {"moments", "D3Q19 regularised quasi-compressible f32 moments"});
}
