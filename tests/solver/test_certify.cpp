// SPDX-License-Identifier: GPL-3.0-or-later
// The precision certificate: what it compares, that it tells precisions apart, what it refuses.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "pipelines/stage/error.hpp"
#include "solver/bench/certify.hpp"
#include "tests/solver/geometries.hpp"
#include "tests/stage/expect_error.hpp"
#include "tests/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::solver::bench;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

TilesFile duct() {
  return imageGeometry({20, 8, 8}, [](int, int, int) { return true; }, {},
                       {{0, false, 1}, {0, true, 2}}, 1e-4, {0, 0, 0});
}

SolverCase ductCase(PrecisionId precision) {
  SolverCase run;
  run.density = 1000.0;
  run.kinematicViscosity = 1e-6;
  run.precision = precision;
  run.velocityScale = 0.05;
  run.ramp = 0.0;
  run.openings = {Velocity{Profile::Plug, 0.02}, Pressure{}};
  return run;
}

const CertifiedQuantity& quantity(const Certificate& certificate, const std::string& name) {
  for (const CertifiedQuantity& of : certificate.quantities)
    if (of.name == name) return of;
  FAIL("no " << name);
  return certificate.quantities.front();
}

}  // namespace

TEST_CASE("a certificate tells what each precision costs, the narrower the more", "[unit]") {
  const TilesFile tiles = duct();
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

TEST_CASE("a certificate's file says what its text says", "[unit]") {
  const TemporaryFolder folder;
  const Certificate found = certify(duct(), ductCase(PrecisionId::F16), "cpu", 50, nullptr);
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

TEST_CASE("what cannot be certified is refused or fails with the step", "[unit]") {
  const TilesFile tiles = duct();
  CHECK_THAT(
      sentenceOfError(ExitCode::Usage,
                      [&] { certify(tiles, ductCase(PrecisionId::F64), "cpu", 10, nullptr); }),
      Catch::Contains("--precision"));
  SolverCase fast = ductCase(PrecisionId::F32);
  fast.bodyForce = {1e5, 0.0, 0.0};
  CHECK_THAT(
      sentenceOfError(ExitCode::RunFailed, [&] { certify(tiles, fast, "cpu", 2000, nullptr); }),
      Catch::Contains("diverged before step"));
}
