// SPDX-License-Identifier: GPL-3.0-or-later
// The lid-driven cavity from a picture to fields and forces: a side of the box is named, slides,
// and the flow is that of Ghia, Ghia & Shin 1982 at a Reynolds number of 100.
#include <catch2/catch.hpp>

#include "postprocess/fields/node_lookup.hpp"
#include "solver/file/fields_file.hpp"
#include "tests/fixtures/case/case_builder.hpp"
#include "tests/fixtures/chain.hpp"
#include "tests/validation/ghia.hpp"
#include "tiler/file/tiles_file.hpp"

using namespace tessera;
using namespace tessera::postprocess::fields;
using namespace tessera::solver::file;
using namespace tessera::tiler::file;
using namespace tessera::chain;
using namespace tessera::testing;
using namespace tessera::validation;

namespace {

constexpr int n = 48;               // pixels on a side
constexpr double lid = 20.8333e-3;  // m/s: Re 100 over 4.8 mm of water

std::string cavityCase() {
  CaseBuilder flow = fluidOf("1e-3 Pa.s");
  flow.table("solver").with("precision", "f64").with("velocity_scale", 0.1);
  flow.wall("lid", "moving").raw("velocity", "[\"20.8333 mm/s\", 0, 0]");
  return flow.steps(15000).toml();
}

// Along the lid up the middle of the box, and across on its middle height, over the lid's velocity.
struct MiddleLines {
  std::vector<double> u, v;
};

MiddleLines middleLines(const WorkFolder& work) {
  const TilesFile tiles = readTilesFile(work.path("geom.tiles"));
  const Fields fields = readFieldsFile(work.path("run.fields"));
  const NodeLookup lookup(tiles.geometry);
  const auto velocity = [&](int x, int y, std::size_t axis) {
    const auto node = static_cast<std::size_t>(lookup.indexOf({x, y, 0}));
    return fields.velocity.at(node)[axis] * fields.velocityFactor / lid;
  };
  MiddleLines lines;
  for (int k = 0; k < n; ++k) {
    lines.u.push_back(0.5 * (velocity(n / 2 - 1, k, 0) + velocity(n / 2, k, 0)));
    lines.v.push_back(0.5 * (velocity(k, n / 2 - 1, 1) + velocity(k, n / 2, 1)));
  }
  return lines;
}

double forceOn(const nlohmann::json& summary, const std::string& wall, const std::string& part) {
  return summary.at("forces_n").at(wall).at(part).at(0).get<double>();
}

}  // namespace

TEST_CASE("Lid-driven cavity: velocities through the whole chain equal those of Ghia, Ghia & Shin",
          "[slow]") {
  const WorkFolder work;
  const std::string side = std::to_string(n);
  work.mustRun("tessera-sample box2d --size " + side + "," + side + " -o box.pgm");
  work.write("case.toml", cavityCase());
  work.mustRun("tessera-preprocess --voxel 0.1mm --pore 0 --wall y+=lid box.pgm -o geom.vdb");
  work.mustRun("tessera-tiler geom.vdb -o geom.tiles");
  const Outcome solved =
      work.mustRun("tessera-solver --backend cpu geom.tiles --case case.toml -o run.fields");
  CHECK_THAT(solved.output, !Catch::Contains("opening"));  // no table of none
  work.mustRun("tessera-postprocess run.fields geom.tiles -o out");

  const MiddleLines lines = middleLines(work);
  CHECK(largestDifference(lines.u, ghia100.y, ghia100.u) < 0.01);
  CHECK(largestDifference(lines.v, ghia100.x, ghia100.v) < 0.01);

  // Nothing else drives the fluid: the drag on the lid equals the force on the other walls.
  const auto summary = work.json("out/summary.json");
  INFO(summary.dump(2));
  const double drag = forceOn(summary, "lid", "total");
  CHECK(drag < 0.0);
  CHECK(forceOn(summary, "wall", "total") == Approx(-drag).epsilon(1e-4));
  // The integral of the stresses lacks part of the corners.
  CHECK(forceOn(summary, "lid", "viscous") == Approx(drag).epsilon(0.03));
  double others = 0.0;
  for (const char* part : {"viscous", "pressure"}) others += forceOn(summary, "wall", part);
  CHECK(others == Approx(-drag).epsilon(0.03));
}
