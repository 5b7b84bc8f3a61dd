// SPDX-License-Identifier: GPL-3.0-or-later
// A state of ten moments against the regularised collision on populations, which is the same
// physics; the columns of tiles that the CUDA kernel marches through, and the nodes around openings
// that it steps apart.
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "solver/backend/gpu/device.hpp"
#include "solver/backend/registry.hpp"
#include "solver/boundary/moment_openings.hpp"
#include "solver/domain/build.hpp"
#include "solver/domain/opening_surroundings.hpp"
#include "solver/domain/tile_columns.hpp"
#include "solver/model/stored_values.hpp"
#include "solver/run/output.hpp"
#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/geometries.hpp"
#include "tests/fixtures/oracle/reference.hpp"

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

// Obstacles, a velocity and two pressure openings, an axis that closes without meeting tiles.
TilesFile openGeometry() {
  const auto porous = strewn(0.85);
  return imageGeometry({14, 9, 8}, [=](int x, int y, int z) { return x < 2 || porous(x, y, z); },
                       {false, true, false}, {{0, false, 1}, {0, true, 2}, {2, true, 3}}, 1e-3,
                       {2, 1, 3});
}

SolverCase regularisedCase(StateId state, PrecisionId precision) {
  SolverCase run = waterCase(0.7);
  run.collision = CollisionId::Regularised;
  run.precision = precision;
  run.state = state;
  run.ramp = 5.0;
  run.steps = 400;
  run.openings.assign(3, Pressure{});
  run.openings[0] = Velocity{Profile::Parabolic, 2e-4};
  run.openings[2] = Pressure{1e-4};
  return run;
}

double relative(double a, double b, double scale) {
  return std::abs(a - b) / scale;
}

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
  const TilesFile tiles = openGeometry();
  for (const auto& [precision, tolerance] :
       {std::pair(PrecisionId::F64, 1e-12), std::pair(PrecisionId::F32, 2e-5)}) {
    INFO(nameOf(precision));
    Simulation one(
        tiles, prepare(tiles.geometry, regularisedCase(StateId::Populations, precision), "cpu"));
    Simulation two(tiles,
                   prepare(tiles.geometry, regularisedCase(StateId::Moments, precision), "cpu"));
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
TEST_CASE("Moments: surroundings of openings hold all that two steps at openings read", "[unit]") {
  for (const TilesFile& tiles :
       {boxOfThreeOpenings({40, 36, 44}), boxOfThreeOpenings({64, 8, 16})}) {
    SolverCase run = regularisedCase(StateId::Moments, PrecisionId::F64);
    const Setup setup = prepare(tiles.geometry, run, "cpu");
    Domain domain = domainOf(tiles, setup);
    const MomentOpenings openings =
        takeOpenings(domain.links, domain.stencils.nodes, domain.copies, D3Q19::q);
    REQUIRE(openings.stepped > 0);
    const OpeningSurroundings one = openingSurroundings(domain, D3Q19::c, openings, false);
    const OpeningSurroundings around = openingSurroundings(domain, D3Q19::c, openings, true);
    CHECK(one.nodes.size() == openings.stepped);
    CHECK(one.sourcesAgain.empty());
    CHECK(openings.stepped < around.again);
    CHECK(around.again < around.nodes.size());
    std::map<std::uint32_t, std::size_t> indexOf;  // by place
    std::set<std::uint32_t> atOpenings;
    std::vector<int> rebuilt(openings.nodes.size());
    for (std::size_t k = 0; k < around.nodes.size(); ++k) {
      const OpeningNodeLocation& node = around.nodes[k];
      indexOf[64 * node.slot + node.local] = k;
      CHECK_FALSE(isSolid(domain, node.slot, node.local));
      if (k < openings.stepped) {
        atOpenings.insert(64 * node.slot + node.local);
        CHECK(node.firstLink == openings.nodes[k].firstLink);
        CHECK(node.incoming == openings.nodes[k].incoming);
      }
      if (around.openingOf[k] < 0) continue;
      const auto index = static_cast<std::size_t>(around.openingOf[k]);
      CHECK(openings.nodes[index].slot == node.slot);
      CHECK(openings.nodes[index].local == node.local);
      ++rebuilt[index];
    }
    CHECK(indexOf.size() == around.nodes.size());
    CHECK(rebuilt == std::vector<int>(openings.nodes.size(), 1));
    // The place from which direction i arrives, by the neighbour table; its own at a wall.
    const auto from = [&](std::uint32_t slot, int local, int i) {
      const std::int32_t* row = &domain.neighbourTable[std::size_t{slot} * neighbourStride];
      const auto c = D3Q19::c[static_cast<std::size_t>(i)];
      if (row[maskEntry] >= 0 && (domain.masks[static_cast<std::size_t>(row[maskEntry]) * 64 +
                                               static_cast<std::size_t>(local)] >>
                                      linkBit<D3Q19>(opposite(i)) &
                                  1U) != 0)
        return 64 * slot + static_cast<std::uint32_t>(local);
      const int x = (local & 3) - c[0];
      const int y = (local >> 2 & 3) - c[1];
      const int z = (local >> 4) - c[2];
      return 64 * static_cast<std::uint32_t>(row[13 + (x >> 2) + 3 * (y >> 2) + 9 * (z >> 2)]) +
             static_cast<std::uint32_t>((x & 3) + 4 * (y & 3) + 16 * (z & 3));
    };
    bool right = true;
    for (std::size_t k = 0; k < around.nodes.size(); ++k)
      for (int i = 1; i < D3Q19::q; ++i) {
        const OpeningNodeLocation& node = around.nodes[k];
        const std::uint32_t source =
            around.sources[static_cast<std::size_t>(i - 1) * around.nodes.size() + k];
        const bool entering = (node.incoming >> i & 1U) != 0;
        right = right &&
                source == (entering ? 64 * node.slot + node.local : from(node.slot, node.local, i));
        if (k < around.again)
          right =
              right && indexOf.at(source) ==
                           around.sourcesAgain[static_cast<std::size_t>(i - 1) * around.again + k];
        if (k < openings.stepped)
          right = right &&
                  source == one.sources[static_cast<std::size_t>(i - 1) * openings.stepped + k];
      }
    CHECK(right);
    // No other gathers from a node at an opening.
    bool untouched = true;
    for (std::uint32_t slot = 0; slot < domain.tiles; ++slot)
      for (int local = 0; local < 64; ++local) {
        const auto found = indexOf.find(64 * slot + static_cast<std::uint32_t>(local));
        if (isSolid(domain, slot, local) ||
            (found != indexOf.end() && found->second < around.again))
          continue;
        for (int i = 1; i < D3Q19::q; ++i)
          untouched = untouched && atOpenings.count(from(slot, local, i)) == 0;
      }
    CHECK(untouched);
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
  for (const PrecisionId precision : {PrecisionId::F64, PrecisionId::F32})
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

// A ramped velocity, constant pressure, a pressure that follows from the flow rate.
TEST_CASE("Moments: two steps in a pass on a GPU give the bits of one step at openings", "[gpu]") {
  if (!solver::backend::findDevice()) {
    WARN("no CUDA device: two steps in a pass are not compared with one at openings here");
    return;
  }
  for (const PrecisionId precision : {PrecisionId::F64, PrecisionId::F32})
    for (const bool forced : {false, true})
      for (const Int3& nodes : {Int3{40, 36, 44}, Int3{12, 8, 100}, Int3{64, 8, 16}}) {
        CAPTURE(nameOf(precision), forced, nodes[0], nodes[1], nodes[2]);
        const TilesFile tiles = boxOfThreeOpenings(nodes);
        SolverCase run = regularisedCase(StateId::Moments, precision);
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
