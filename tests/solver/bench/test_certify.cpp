// SPDX-License-Identifier: GPL-3.0-or-later
// Precision certificate: comparison, order of the precisions, refusals.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "pipelines/stage/error.hpp"
#include "solver/bench/certify.hpp"
#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/geometries.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::solver::bench;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

TilesFile shortDuct() {
  return openBox({20, 8, 8});
}

SolverCase ductCase(PrecisionId precision) {
  SolverCase run = ductFlow(0.0);
  run.precision = precision;
  run.latticeVelocity = 0.05;
  run.ramp = 0.0;
  return run;
}

const CertifiedQuantity& quantity(const Certificate& certificate, const std::string& name) {
  for (const CertifiedQuantity& of : certificate.quantities)
    if (of.name == name) return of;
  FAIL("no " << name);
  return certificate.quantities.front();
}

}  // namespace

TEST_CASE("Certificate: the error of each precision is found, the narrower the larger", "[unit]") {
  const TilesFile tiles = shortDuct();
  double before = 0.0;
  for (const PrecisionId precision : {PrecisionId::F32F64, PrecisionId::F32, PrecisionId::F16}) {
    const Certificate found = certify(tiles, ductCase(precision), "cpu", 600, nullptr);
    INFO(certificateText(found));
    CHECK(found.steps == 600);
    CHECK(found.foundVariant == std::string("D3Q19 trt quasi-compressible ") + nameOf(precision));
    CHECK(found.exactVariant == "D3Q19 trt quasi-compressible f64");
    CHECK(quantity(found, "flow_rate_1[m3/s]").exact == Approx(-0.02 * 64e-8));
    CHECK(quantity(found, "pressure_drop[Pa]").exact > 0.0);
    CHECK(quantity(found, "kinetic_energy[J]").exact > 0.0);
    CHECK(found.velocity > before);
    CHECK(found.velocity <= found.largest());
    before = found.velocity;
  }
  CHECK(before > 1e-5);
  CHECK(before < 0.05);
}

TEST_CASE("Certificate: mixed moments are compared with moments in double", "[unit]") {
  SolverCase run = ductCase(PrecisionId::M32F16);
  run.collision = CollisionId::Regularised;
  setState("auto", run);
  const Certificate found = certify(shortDuct(), run, "cpu", 600, nullptr);
  INFO(certificateText(found));
  CHECK(found.foundVariant == "D3Q19 regularised quasi-compressible m32/16 moments");
  CHECK(found.exactVariant == "D3Q19 regularised quasi-compressible f64 moments");
  CHECK(found.velocity > 1e-7);
  CHECK(found.velocity < 1e-3);
}

TEST_CASE("Certificate: file and text agree", "[unit]") {
  const TemporaryFolder folder;
  const Certificate found = certify(shortDuct(), ductCase(PrecisionId::F16), "cpu", 50, nullptr);
  writeCertificate(folder.path() / "certificate.json", found);
  std::ifstream file(folder.path() / "certificate.json");
  const auto report = nlohmann::json::parse(file);
  CHECK(report.at("steps") == 50);
  CHECK(report.at("largest_difference") == found.largest());
  CHECK(report.at("velocity_difference") == found.velocity);
  CHECK(report.at("quantities").size() == found.quantities.size());
  CHECK_THAT(certificateText(found),
             Catch::Contains("f16 against D3Q19 trt") && Catch::Contains("flow_rate_2[m3/s]"));
}

TEST_CASE("Certificate: a missing precision is refused, and a divergence fails with the step",
          "[unit]") {
  const TilesFile tiles = shortDuct();
  checkError(ExitCode::Usage,
             [&] { certify(tiles, ductCase(PrecisionId::F64), "cpu", 10, nullptr); },
             {"--precision"});
  SolverCase fast = ductCase(PrecisionId::F32);
  fast.bodyForce = {1e5, 0.0, 0.0};
  checkError(ExitCode::RunFailed, [&] { certify(tiles, fast, "cpu", 2000, nullptr); },
             {"diverged"});
}
