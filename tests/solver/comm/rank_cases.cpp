// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/solver/comm/rank_cases.hpp"

#include <cmath>

#include "tests/fixtures/geometry/geometries.hpp"

namespace tessera::testing {

using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::tiler::file;

namespace {

const std::string water =
    "[fluid]\ndensity = \"1000 kg/m3\"\nviscosity = \"1e-3 Pa.s\"\n"
    "[output]\nmonitor_every = 7\n[stop]\nsteps = 41\n";

std::string velocityInlet(const std::string& profile) {
  return "[[opening]]\nid = 1\nkind = \"velocity\"\nmean = \"0.002 m/s\"\nprofile = \"" + profile +
         "\"\n";
}

std::string pressureOutlet(int id) {
  return "[[opening]]\nid = " + std::to_string(id) + "\nkind = \"pressure\"\nvalue = \"20 Pa\"\n";
}

std::string solver(const std::string& keys) {
  return "[solver]\nramp = \"0 s\"\ntau = 0.8\n" + keys;
}

// A tube that turns from x to z, with openings at both ends.
bool bent(int x, int y, int z) {
  const double across = std::hypot(y - 5.0, z - 5.0);
  const double up = std::hypot(x - 21.0, y - 5.0);
  return (x <= 21 && across < 4.6) || (z >= 5 && up < 4.6);
}

// One inlet and two outlets.
bool branched(int x, int y, int z) {
  return std::hypot(y - 8.0, z - 5.0) < 4.6 || (x >= 13 && std::abs(z - 5.0) < 3.5);
}

TilesFile bentTube() {
  return imageGeometry({27, 11, 23}, bent, {}, {{0, false, 1}, {2, true, 2}}, 1e-4, {1, 0, 2});
}

TilesFile branch(const std::array<bool, 3>& periodic = {}) {
  return imageGeometry({25, 17, 11}, branched, periodic,
                       {{0, false, 1}, {1, false, 2}, {0, true, 3}}, 1e-4, {0, 3, 1});
}

// Walls at every distance, labelled by where they are.
LatticeGeometry unevenWalls(const std::function<bool(int, int, int)>& fluid, const Int3& nodes,
                            const std::array<bool, 3>& periodic,
                            const std::vector<BoxFace>& faces) {
  LatticeGeometry geometry = imageLattice(nodes, fluid, periodic, faces, 1e-4);
  setWalls(geometry, 3, [](const Int3& node, const Int3& step, double& distance, int& label) {
    distance = 0.05 + 0.9 * std::abs(std::sin(1.7 * node[0] + 2.3 * node[1] + 3.1 * node[2] +
                                              0.7 * step[0] + 1.9 * step[1]));
    label = node[2] > 12 ? 2 : node[0] > 13 ? 1 : 0;
  });
  return geometry;
}

TilesFile unevenTube() {
  return inTiles(unevenWalls(bent, {27, 11, 23}, {}, {{0, false, 1}, {2, true, 2}}), {1, 0, 2});
}

TilesFile unevenRock() {
  return inTiles(unevenWalls(strewn(0.8), {18, 14, 10}, {true, true, true}, {}), {1, 0, 2});
}

// One of its sides is a plane halfway between nodes.
TilesFile boxWithPlane() {
  LatticeGeometry geometry =
      imageLattice({18, 14, 9}, strewn(0.85), {true, false, false}, {}, 1e-4);
  setWalls(geometry, 2, [](const Int3& node, const Int3& step, double& distance, int& label) {
    const bool plane = node[1] + step[1] < 0 || node[2] + step[2] < 0;
    label = plane ? 1 : 0;
    distance = plane ? 0.5 : 0.2;
  });
  return inTiles(geometry, {1, 0, 0});
}

TilesFile porous(const Int3& offset) {
  return imageGeometry({18, 14, 10}, strewn(0.8), {true, true, true}, {}, 1e-4, offset);
}

const std::string force = "body_force = [20, 3, 0]\n";
const std::string tube = velocityInlet("parabolic") + pressureOutlet(2);
const std::string moments =
    "precision = \"f64\"\ncollision = \"regularised\"\nstate = \"moments\"\n";
const std::string mixedMoments = "precision = \"m32/16\"\ncollision = \"regularised\"\n";

const std::string windkessel =
    "[[opening]]\nid = 2\nkind = \"windkessel\"\nresistance_proximal = \"1e8 Pa.s/m3\"\n"
    "compliance = \"5e-11 m3/Pa\"\nresistance_distal = \"1e9 Pa.s/m3\"\n"
    "[[opening]]\nid = 3\nkind = \"resistance\"\nresistance = \"2e8 Pa.s/m3\"\n";

std::string walls(const std::string& scheme) {
  return solver("precision = \"f64\"\nwalls = \"" + scheme + "\"\n");
}

std::vector<RankCase> openings() {
  const TilesFile plane = imageGeometry(
      {45, 21, 1}, [](int x, int y, int) { return std::hypot(x - 14, y - 9) > 4.2; },
      {false, false, true}, {{0, false, 1}, {0, true, 2}}, 1e-4, {3, 0, 0}, 2);
  const std::string split =
      "[[opening]]\nid = 2\nkind = \"outflow-split\"\nfraction = 0.3\n"
      "[[opening]]\nid = 3\nkind = \"outflow-split\"\nfraction = 0.7\n";
  std::string zouHe = velocityInlet("parabolic") + pressureOutlet(2);
  for (std::size_t at = 0; (at = zouHe.find("kind", at)) != std::string::npos; at += 30)
    zouHe.insert(at, "scheme = \"zou-he\"\n");
  return {{"a bent tube", bentTube(), water + solver("") + tube},
          {"a tube in halves", bentTube(), water + solver("precision = \"f16\"\n") + tube},
          {"a tube of cumulants", bentTube(),
           water + solver("lattice = \"D3Q27\"\ncollision = \"cumulant\"\n") + tube},
          {"a tube of moments", bentTube(), water + solver(moments) + tube},
          {"a tube of mixed moments", bentTube(), water + solver(mixedMoments) + tube},
          {"a tube in rows",
           shiftedTiles(imageLattice({27, 11, 23}, bent, {}, {{0, false, 1}, {2, true, 2}}, 1e-4),
                        {1, 0, 2}),
           water + solver("precision = \"f64\"\n") + tube},
          {"a Windkessel and a resistance", branch(),
           water + solver("") + velocityInlet("developed") + windkessel},
          {"a split outflow", branch(), water + solver("") + velocityInlet("plug") + split},
          {"Zou and He around a cylinder", plane, water + solver("precision = \"f64\"\n") + zouHe}};
}

}  // namespace

RankCase smallCase() {
  return {"a small box", closedBox({8, 4, 4}, {true, true, true}), water + solver(force)};
}

std::vector<RankCase> rankCases() {
  const std::string moving =
      "[[wall]]\nid = 1\nkind = \"moving\"\nvelocity = [\"1 mm/s\", 0, 0]\n"
      "[[wall]]\nid = 2\nkind = \"moving\"\nvelocity = [0, \"1 mm/s\", 0]\n";
  std::vector<RankCase> cases = openings();
  const auto add = [&](const std::string& name, TilesFile tiles, const std::string& toml) {
    cases.push_back({name, std::move(tiles), water + toml});
  };
  for (const std::string scheme : {"bouzidi", "single-node", "multireflection"})
    add(scheme + " walls", unevenTube(), walls(scheme) + tube + moving);
  for (const std::string scheme : {"bouzidi", "multireflection"})
    add(scheme + " walls and a symmetry plane", boxWithPlane(),
        walls(scheme) + force + "[[wall]]\nid = 1\nkind = \"symmetry\"\n");
  add("rock that whole tiles do not fill", porous({1, 0, 2}), solver(force));
  add("rock between multireflecting walls", unevenRock(), walls("multireflection") + force);
  add("rock of moments", porous({1, 0, 2}), solver(moments + force));
  for (const std::string scheme : {"bouzidi", "multireflection"})
    add("moments between " + scheme + " walls", unevenTube(),
        solver(moments + "walls = \"" + scheme + "\"\n") + tube + moving);
  for (const auto& [name, settings] :
       {std::pair("moments", moments), std::pair("mixed moments", mixedMoments)})
    add(std::string("rock of ") + name + " between multireflecting walls", unevenRock(),
        solver(settings + "walls = \"multireflection\"\n" + force));
  add("rock that whole tiles fill",
      imageGeometry({16, 12, 8}, strewn(0.8), {true, true, true}, {}, 1e-4, {0, 0, 0}),
      solver(force));
  add("a pulse, recorded", unevenTube(),
      walls("single-node") + tube + "[time]\nperiod = \"20 ms\"\ncycles = 2\nphases = 3\n");
  return cases;
}

std::vector<RankCase> deviceCases() {
  const std::string moving = "[[wall]]\nid = 1\nkind = \"moving\"\nvelocity = [\"1 mm/s\", 0, 0]\n";
  const auto filled = [](const std::function<bool(int, int, int)>& solid) {
    return inTiles(unevenWalls(solid, {16, 12, 24}, {true, true, true}, {}), {0, 0, 0});
  };
  const TilesFile duct = inTiles(unevenWalls([](int, int, int) { return true; }, {16, 16, 600}, {},
                                             {{2, false, 1}, {2, true, 2}}),
                                 {0, 0, 0});
  return {{"a long duct of moments in place", duct, water + solver(moments) + tube, true},
          {"a long duct of moments in place between multireflecting walls", duct,
           water + solver(moments + "walls = \"multireflection\"\n") + tube + moving, true},
          {"a Windkessel and a resistance by moments", branch(),
           water + solver(moments) + velocityInlet("developed") + windkessel},
          {"a Windkessel between multireflecting walls by moments", branch(),
           water + solver(moments + "walls = \"multireflection\"\n") + velocityInlet("parabolic") +
               windkessel},
          {"rock of moments that whole tiles fill",
           imageGeometry({16, 12, 24}, strewn(0.8), {true, true, true}, {}, 1e-4, {0, 0, 0}),
           water + solver(moments + force)},
          {"rock of moments between Bouzidi walls that whole tiles fill", filled(strewn(0.8)),
           water + solver(moments + "walls = \"bouzidi\"\n" + force) + moving},
          {"rock of mixed moments between multireflecting walls that whole tiles fill",
           filled(strewn(0.9)),
           water + solver(mixedMoments + "walls = \"multireflection\"\n" + force)}};
}

}  // namespace tessera::testing
