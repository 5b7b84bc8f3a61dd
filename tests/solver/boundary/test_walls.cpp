// SPDX-License-Identifier: GPL-3.0-or-later
// Interpolated, moving and symmetric walls: every variant against the plain reference, sampling and
// resuming without change, refused cases.
#include <tbb/global_control.h>

#include <bit>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/backend/gpu/device.hpp"
#include "solver/boundary/plan_wall_force.hpp"
#include "solver/domain/build.hpp"
#include "solver/run/memory_needs.hpp"
#include "solver/run/time_loop.hpp"
#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/device_steps.hpp"
#include "tests/fixtures/each_collision.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/geometries.hpp"
#include "tests/fixtures/oracle/reference.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/solver/boundary/wall_situations.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::file;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;

EACH_COLLISION_TEST_CASE("Walls: every variant equals the plain reference at walls of every kind",
                         "[unit]") {
  for (const Situation& situation : situations()) {
    std::map<WallScheme, ReferenceRuns> runs;
    for (const VariantInfo& variant : variantsFor(situation))
      for (const WallScheme scheme : schemes) {
        if (variant.axes.collision != collision) continue;
        INFO(situation.name << ", " << variant.name() << ", scheme " << int(scheme));
        Simulation simulation = started(situation, variant, scheme, "cpu");
        const std::vector<double>& expected = runs[scheme].after(situation.tiles, simulation, 15);
        simulation.advance(15);
        const double difference =
            largestDifference(situation.tiles, expected, simulation.populations());
        INFO("difference " << difference);
        CHECK(difference < toleranceOfReference(variant));
      }
  }
}

namespace {

// Bytes of the entries of two plans.
template <class Entry>
bool same(const std::vector<Entry>& a, const std::vector<Entry>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Entry)) == 0;
}

// Steps between nodes of the lattice, along the axis on which they are farthest apart.
int apart(const Int3& a, const Int3& b) {
  return std::max({std::abs(a[0] - b[0]), std::abs(a[1] - b[1]), std::abs(a[2] - b[2])});
}

}  // namespace

TEST_CASE("Walls: plans of many tiles are the same for any number of threads, and fit together",
          "[unit]") {
  const Situation situation = ofManyTiles();
  const tiler::TiledGeometry& geometry = situation.tiles.geometry;
  const VariantInfo variant = variantsFor(situation).front();
  SolverCase run = caseFor(variant, situation, WallScheme::Multireflection);
  const auto planned = [&] {
    const Setup setup = prepare(geometry, run, "cpu");
    solver::domain::Domain domain = solver::domain::buildDomain(
        setup.order, geometry, setup.run, setup.lattice, setup.variant->lattice);
    domain.walls = setup.walls;
    domain.wallForces = planWallForces(
        setup.order, geometry, {setup.walls, setup.run.wallConditions, setup.lattice.scales, {}},
        setup.variant->lattice, solver::comm::noOthers());
    return std::pair(std::move(domain), setup.order.slotOfTile);
  };
  const auto [many, slotOfTile] = planned();
  const Walls& walls = many.walls;
  const WallMass& mass = walls.mass;
  // Several blocks each.
  REQUIRE(geometry.tiles() > 3 * 512);
  REQUIRE(mass.nodes.size() > 3 * 2048);
  REQUIRE(many.stencils.links.size() > 3 * 256);

  std::map<std::uint32_t, std::size_t> tileOf;
  for (std::size_t t = 0; t < slotOfTile.size(); ++t) tileOf[slotOfTile[t]] = t;
  const auto place = [&](std::uint32_t slot, int local) {
    return geometry.nodeOf(tileOf.at(slot), local);
  };
  std::size_t links = 0;
  for (const WallNode& node : mass.nodes) {
    REQUIRE(node.firstLink == links);
    for (std::size_t k = 0; k < node.links; ++k, ++links) {
      REQUIRE(walls.links[links].slot == node.slot);
      REQUIRE(walls.links[links].local == node.local);
    }
    REQUIRE(mass.near[node.firstNear] == static_cast<std::uint32_t>(&node - mass.nodes.data()));
    for (std::size_t k = 0; k < node.nears; ++k) {
      const WallNode& near = mass.nodes[mass.near[node.firstNear + k]];
      REQUIRE(apart(place(node.slot, node.local), place(near.slot, near.local)) <= 1);
    }
  }
  CHECK(links == ownLinks(walls));

  REQUIRE(walls.push.size() == links);
  for (std::size_t k = 0; k < links; ++k) {
    const WallLink& link = walls.links[k];
    const auto& c = variant.lattice.velocities[link.direction];
    const Int3 beyond = place(link.slot, link.local) + Int3{c[0], c[1], c[2]};
    // Lids beyond the box on two axes; obstacles inside rest.
    const bool lid = beyond[1] >= geometry.nodes[1] || beyond[0] >= geometry.nodes[0];
    if (!lid) REQUIRE(walls.push[k] == 0.0);
  }
  CHECK(std::ranges::count_if(walls.push, [](double push) { return push != 0.0; }) > 1000);
  CHECK(walls.mirrored.size() > 1000);

  std::uint64_t forced = 0;
  for (const WallForceNode& node : many.wallForces.nodes) forced += std::popcount(node.reflected);
  CHECK(forced == links);

  const std::size_t q = variant.lattice.velocities.size();
  const auto placeOfRest = [&](std::uint64_t index) {
    return place(static_cast<std::uint32_t>(index / 64 / q), static_cast<int>(index % 64));
  };
  for (std::size_t k = 0; k < many.stencils.links.size(); ++k) {
    const LinkStencil& stencil = many.stencils.links[k];
    for (std::size_t e = stencil.first; e < stencil.first + stencil.count; ++e)
      REQUIRE(apart(placeOfRest(many.links[k].node),
                    placeOfRest(many.stencils.nodes.at(many.stencils.entries.at(e).node))) <= 2);
  }

  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
  const solver::domain::Domain one = planned().first;
  CHECK(same(one.walls.links, walls.links));
  CHECK(one.walls.farSlots == walls.farSlots);
  CHECK(same(one.walls.mass.nodes, mass.nodes));
  CHECK(one.walls.mass.near == mass.near);
  CHECK(one.stencils.nodes == many.stencils.nodes);
  CHECK(same(one.stencils.entries, many.stencils.entries));
  CHECK(same(one.stencils.links, many.stencils.links));
  CHECK(same(one.wallForces.nodes, many.wallForces.nodes));
  CHECK(same(one.wallForces.chunks, many.wallForces.chunks));
  CHECK(same(one.wallForces.mirrors, many.wallForces.mirrors));
  CHECK(one.walls.push == walls.push);
  CHECK(same(one.walls.mirrored, walls.mirrored));

  Simulation simulation = started(situation, variant, WallScheme::Multireflection, "cpu");
  ReferenceRuns reference;
  const std::vector<double>& expected = reference.after(situation.tiles, simulation, 2);
  simulation.advance(2);
  CHECK(largestDifference(situation.tiles, expected, simulation.populations()) <
        toleranceOfReference(variant));
}

EACH_COLLISION_TEST_CASE("Walls: CUDA equals the CPU at walls and repeats its bits", "[gpu]") {
  if (!findDevice()) {
    WARN("no CUDA device: CUDA is not compared with the CPU here");
    return;
  }
  const std::uint64_t steps = stepsOnDevice(500);
  for (const Situation& situation : situations())
    for (const VariantInfo& variant : variantsFor(situation))
      for (const WallScheme scheme : schemes) {
        if (variant.axes.collision != collision) continue;
        INFO(situation.name << ", " << variant.name() << ", scheme " << int(scheme));
        Simulation cpu = started(situation, variant, scheme, "cpu");
        Simulation cuda = started(situation, variant, scheme, "cuda");
        Simulation again = started(situation, variant, scheme, "cuda");
        RunResult look;
        look.last = cuda.sample();
        fieldsOf(cuda, look);
        for (Simulation* simulation : {&cpu, &cuda, &again}) simulation->advance(steps);
        CHECK(largestDifference(situation.tiles, cpu.populations(), cuda.populations()) <
              toleranceOfCuda(variant));
        CHECK(cuda.populations() == again.populations());
      }
}

TEST_CASE("Walls: sampling a flow between interpolated walls does not change it", "[unit]") {
  for (const Situation& situation : situations()) {
    const VariantInfo variant = variantsFor(situation).front();
    for (const WallScheme scheme : schemes) {
      Simulation straight = started(situation, variant, scheme, "cpu");
      Simulation watched = started(situation, variant, scheme, "cpu");
      straight.advance(20);
      RunResult look;
      for (int k = 0; k < 4; ++k) {
        look.last = watched.sample();
        const Fields once = fieldsOf(watched, look);
        const Fields twice = fieldsOf(watched, look);
        CHECK(once.velocity == twice.velocity);
        watched.advance(5);
      }
      CHECK(watched.populations() == straight.populations());
    }
  }
}

TEST_CASE("Walls: a run between interpolated walls is resumed bit by bit", "[unit]") {
  const Situation situation = situations()[2];
  for (const VariantInfo& variant : {variantsFor(situation).front()})
    for (const WallScheme scheme : {WallScheme::Bouzidi, WallScheme::SingleNode}) {
      INFO(variant.name());
      const TemporaryFolder folder;
      SolverCase run = caseFor(variant, situation, scheme);
      run.steps = 251;
      const RunFiles files{folder.path() / "run.monitor.csv", folder.path() / "run.ckpt"};
      const auto runIt = [&](Simulation& simulation, bool resume, bool stop) {
        return runToEnd(simulation, files, resume, std::atomic<bool>{stop}, newProvenance("test"));
      };
      Simulation straight(situation.tiles, prepare(situation.tiles.geometry, run, "cpu"));
      runIt(straight, false, false);
      Simulation first(situation.tiles, prepare(situation.tiles.geometry, run, "cpu"));
      CHECK(runIt(first, false, true).stopped);
      Simulation second(situation.tiles, prepare(situation.tiles.geometry, run, "cpu"));
      runIt(second, true, false);
      CHECK(second.populations() == straight.populations());
      // Another scheme is another run.
      run.walls = scheme == WallScheme::Bouzidi ? WallScheme::Halfway : WallScheme::Bouzidi;
      Simulation other(situation.tiles, prepare(situation.tiles.geometry, run, "cpu"));
      CHECK_THROWS_AS(runIt(other, true, false), StageError);
    }
}

TEST_CASE("Walls: walls halfway at rest take no memory, whatever the scheme", "[unit]") {
  const TilesFile tiles = imageGeometry({13, 10, 9}, strewn(0.85), {}, {}, 1e-3, {0, 0, 0});
  SolverCase run = waterCase(0.8);
  for (const WallScheme scheme : schemes) {
    run.walls = scheme;
    CHECK(prepare(tiles.geometry, run, "cpu").walls.links.empty());
  }
}

TEST_CASE("Walls: a case that is silent gets multireflection where walls lie between nodes",
          "[unit]") {
  const auto chosen = [](double distance, const std::string& solver) {
    LatticeGeometry geometry = imageLattice(
        {8, 8, 8}, [](int, int, int) { return true; }, {true, false, false}, {}, 1e-3);
    setWalls(geometry, 1, [&](const Int3& node, const Int3&, double& q, int&) {
      q = node[1] > 3 ? distance : 0.5;
    });
    const TilesFile tiles = inTiles(geometry, {0, 0, 0});
    const std::string text =
        "[fluid]\ndensity = 1000\nviscosity = \"1e-6 m2/s\"\n[solver]\ntau = 0.8\n" + solver;
    return prepare(tiles.geometry,
                   readSolverCase(CaseFile::parse(text, "case.toml"), tiles.geometry), "cpu");
  };
  for (const std::string solver : {"", "walls = \"auto\"\ncollision = \"auto\"\n"}) {
    const Setup smooth = chosen(0.3, solver);
    CHECK(smooth.run.walls == WallScheme::Multireflection);
    CHECK(smooth.variant->axes.collision == CollisionId::Trt);
    CHECK(smooth.lattice.magic == Approx(0.05));
    const Setup voxels = chosen(0.5, solver);
    CHECK(voxels.run.walls == WallScheme::Halfway);
    CHECK(voxels.walls.links.empty());
    CHECK(voxels.lattice.magic == Approx(3.0 / 16.0));
    const Setup moments = chosen(0.3, "state = \"moments\"\n" + solver);
    CHECK(moments.run.walls == WallScheme::Multireflection);
    CHECK(moments.variant->axes.collision == CollisionId::Regularised);
    CHECK(chosen(0.5, "state = \"moments\"\n" + solver).run.walls == WallScheme::Halfway);
  }
  CHECK(chosen(0.3, "walls = \"halfway\"\n").run.walls == WallScheme::Halfway);
  CHECK_FALSE(chosen(0.3, "collision = \"bgk\"\n").run.automaticCollision);
}

TEST_CASE("Walls: a case that is silent gets mrt on D3Q27, TRT in a thin Stokes layer, cumulants",
          "[unit]") {
  LatticeGeometry geometry = imageLattice(
      {8, 8, 8}, [](int, int, int) { return true; }, {},
      std::vector<BoxFace>{{0, false, 1}, {0, true, 2}}, 1e-3);
  setWalls(geometry, 1, [](const Int3&, const Int3&, double& q, int&) { q = 0.3; });
  const TilesFile tiles = inTiles(geometry, {0, 0, 0});
  const TemporaryFolder folder;
  // Openings with a largest inflow of 6 mm/s, grid Reynolds number 12, or 2 cm/s, 40.
  const auto inflow = [](const std::string& words) {
    return "[[opening]]\nid = 1\nkind = \"velocity\"\n" + words +
           "[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = 0\n";
  };
  const std::string steady = inflow("mean = \"6 mm/s\"\n");
  const auto swinging = [&](double period, double least = 0.0, double most = 6e-3) {
    writeWhole(folder / "inlet.csv", fmt::format("time[s],velocity[m/s]\n0,{1}\n{2},{0}\n{3},{1}\n",
                                                 least, most, 0.5 * period, period));
    return inflow("waveform = \"inlet.csv\"\nperiodic = true\n");
  };
  const auto chosen = [&](const std::string& text) {
    const std::string fluid = "[fluid]\ndensity = 1000\nviscosity = \"1e-6 m2/s\"\n";
    const Setup setup =
        prepare(tiles.geometry,
                readSolverCase(CaseFile::parse(fluid + text, (folder / "case.toml").string()),
                               tiles.geometry),
                "cpu");
    return std::pair(setup.variant->axes.collision, setup.collisionReason);
  };
  const std::pair mrt(CollisionId::Mrt, CollisionReason::Advection);
  const std::pair trt(CollisionId::Trt, CollisionReason::ThinStokesLayer);
  const std::pair cumulant(CollisionId::Cumulant, CollisionReason::Stability);
  CHECK(chosen(steady) == mrt);
  // Grid Reynolds numbers of 30 and 34, and 34 where cumulants are not built.
  CHECK(chosen(inflow("mean = \"15 mm/s\"\n")) == mrt);
  CHECK(chosen(inflow("mean = \"17 mm/s\"\n")) == cumulant);
  CHECK(chosen(inflow("mean = \"17 mm/s\"\n") + "[solver]\nequilibrium = \"incompressible\"\n") ==
        mrt);
  // Stokes layer (nu period / pi)^1/2.
  CHECK(chosen(swinging(90.0)) == mrt);  // 5.4 nodes
  CHECK(chosen(swinging(70.0)) == trt);  // 4.7
  CHECK(chosen(swinging(5.0)) == trt);   // 1.3
  // The period of [time] has no say.
  CHECK(chosen(steady + "[time]\nperiod = \"5 s\"\n") == mrt);
  CHECK(chosen(swinging(5.0) + "[time]\n") == trt);
  CHECK(chosen(swinging(5.0) + "[time]\nperiod = \"200 s\"\n") == trt);
  CHECK(chosen(swinging(5.0, 6e-3)) == mrt);  // constant
  // A pressure that swings.
  writeWhole(folder / "outlet.csv", "time[s],pressure[Pa]\n0,0\n2,1e-3\n5,0\n");
  CHECK(chosen("[[opening]]\nid = 1\nkind = \"velocity\"\nmean = \"6 mm/s\"\n[[opening]]\nid = 2\n"
               "kind = \"pressure\"\nwaveform = \"outlet.csv\"\nperiodic = true\n") == trt);
  // A lattice that the case names.
  CHECK(chosen(swinging(5.0) + "[solver]\nlattice = \"D3Q27\"\n") == mrt);
  // Where TRT is not stable: too coarse, and a relaxation time of 0.5045.
  CHECK(chosen(swinging(5.0, 0.0, 0.02)) == cumulant);
  CHECK(chosen(swinging(5.0) + "[solver]\ntime_step = \"1.5 ms\"\n") == mrt);
  // Where mrt is not taken anyway: a grid Reynolds number of 2, or a local viscosity.
  const std::pair plain(CollisionId::Trt, CollisionReason::Walls);
  CHECK(chosen(swinging(5.0, 0.0, 1e-3)) == plain);
  CHECK(chosen(swinging(5.0) + "[solver]\nsmagorinsky = 0.1\n") == plain);
  CHECK(chosen(swinging(5.0) + "[solver]\ncollision = \"trt\"\n") ==
        std::pair(CollisionId::Trt, CollisionReason::Given));
}

TEST_CASE("Walls: those of a case are read by name or number, refused with file, line and advice",
          "[unit]") {
  LatticeGeometry geometry = imageLattice(
      {8, 8, 8}, [](int, int, int) { return true; }, {true, false, false}, {}, 1e-3);
  setWalls(geometry, 3, [](const Int3& node, const Int3& step, double& distance, int& label) {
    label = node[1] + step[1] > 7 ? 1 : (node[1] + step[1] < 0 ? 2 : 0);
    if (label == 0) distance = 0.3;
  });
  const TilesFile tiles = inTiles(geometry, {0, 0, 0});
  const std::string fluid =
      "[fluid]\ndensity = 1000\nviscosity = \"1e-6 m2/s\"\n[solver]\ntau = 0.8\n";
  const auto read = [&](const std::string& text) {
    return prepare(tiles.geometry,
                   readSolverCase(CaseFile::parse(fluid + text, "case.toml"), tiles.geometry),
                   "cpu");
  };
  const Setup setup = read(
      "walls = \"bouzidi\"\npressure_difference = [\"2 Pa\", 0, 0]\n"
      "[[wall]]\nname = \"wall1\"\nkind = \"moving\"\nvelocity = [\"0.1 mm/s\", 0, 0]\n"
      "rate = \"0.03 rpm\"\naxis = [0, 0, 2]\ncentre = [\"1 mm\", 0, 0]\n"
      "[[wall]]\nid = 2\nkind = \"symmetry\"\n");
  CHECK(setup.run.walls == WallScheme::Bouzidi);
  CHECK(setup.run.wallConditions[0].kind == WallKind::Rest);
  CHECK(setup.run.wallConditions[1].velocity[0] == Approx(1e-4));
  CHECK(setup.run.wallConditions[1].rate[2] == Approx(3.14159265358979e-3));
  CHECK(setup.run.wallConditions[1].velocityAt({3e-3, 0.0, 0.0})[1] == Approx(6.2831853e-6));
  CHECK(setup.run.wallConditions[2].kind == WallKind::Symmetry);
  // 2 Pa along 8 mm.
  CHECK(setup.run.bodyForce[0] == Approx(250.0));
  CHECK(stateBytes(setup) > stateBytes(read("walls = \"halfway\"\n")));

  const auto refused = [&](const std::string& text, const std::string& part) {
    INFO(text);
    checkError(ExitCode::Usage, [&] { read(text); }, {part});
  };
  refused("walls = \"bouzdi\"\n", "case.toml:6");
  refused("pressure_difference = [0, 1, 0]\n", "pressure_difference");
  refused("[[wall]]\nkind = \"symmetry\"\n", "name");
  refused("[[wall]]\nid = 3\nkind = \"symmetry\"\n", "wall 3");
  refused("[[wall]]\nname = \"lid\"\nkind = \"moving\"\n", "0 (wall0), 1 (wall1), 2 (wall2)");
  refused("[[wall]]\nid = 1\n", "kind");
  refused("[[wall]]\nid = 1\nkind = \"moving\"\n", "velocity");
  refused("[[wall]]\nid = 1\nkind = \"moving\"\nrate = \"1 rad/s\"\n", "axis");
  refused("[[wall]]\nid = 1\nkind = \"symmetry\"\nvelocity = [1, 0, 0]\n", "velocity");
  refused("[[wall]]\nid = 1\nkind = \"moving\"\nvelocity = [\"1 Pa\", 0, 0]\n", "case.toml:9");
  refused("[[wall]]\nid = 2\nkind = \"symmetry\"\n[[wall]]\nid = 2\nkind = \"symmetry\"\n",
          "wall 2");
  refused("[[wall]]\nid = 0\nkind = \"symmetry\"\n", "halfway");
  // Mach 17.
  refused("[[wall]]\nid = 1\nkind = \"moving\"\nvelocity = [\"1 m/s\", 0, 0]\n", "Mach");
}
