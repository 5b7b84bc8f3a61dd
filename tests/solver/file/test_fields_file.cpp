// SPDX-License-Identifier: GPL-3.0-or-later
// Values that are not numbers are never written as a result.
#include <catch2/catch.hpp>
#include <functional>
#include <limits>

#include "solver/file/fields_file.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::solver::file;
using namespace tessera::stage;

namespace {

Fields pulsatileFields() {
  constexpr std::size_t nodes = 5;
  Fields fields;
  fields.variant = "D3Q19 trt quasi-compressible f32";
  fields.step = 1234;
  fields.openings = {{1, "inlet", "velocity", -1e-6, 20.0, {{1.5, 2.5, 3.5}}, {{0.4, 0.5, 0.6}}},
                     {2, "outlet", "pressure", 1e-6, 0.0}};
  fields.walls = {{"wall",
                   {1.0, 2.0, 3.0},
                   {-1.0, 0.0, 0.5},
                   PressureEffect{{7.0, 8.0, 9.0}, {0.1, 0.2, 0.3}}}};
  fields.torqueAbout = {4.0, 5.0, 6.0};
  fields.forceReference = {0.1, 1e-6, 1e-3, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0}};
  fields.pressure.assign(nodes, 0.5F);
  fields.velocity.assign(nodes, {0.1F, -0.2F, 0.0F});
  fields.stress.assign(nodes, {1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F});
  fields.monitorColumns = {"step", "time[s]"};
  fields.monitorRows = {0.0, 0.0, 100.0, 0.1};
  fields.provenance = newProvenance("test");
  MeanFields means;
  means.samples = 20;
  means.distance = 0.0125;
  means.pressure.assign(nodes, 0.25F);
  means.velocity.assign(nodes, {0.1F, 0.2F, 0.3F});
  means.wallNode = {0, 4};
  means.wallTraction.assign(2, {1.0F, 0.0F, 0.0F});
  means.wallShear.assign(2, 1.0F);
  fields.means = std::move(means);
  return fields;
}

using Break = std::function<void(Fields&, double)>;
const std::vector<std::pair<const char*, Break>> breaks{
    {"pressure", [](Fields& f, double x) { f.pressure.back() = static_cast<float>(x); }},
    {"velocity", [](Fields& f, double x) { f.velocity[2][1] = static_cast<float>(x); }},
    {"stress", [](Fields& f, double x) { f.stress[0][5] = static_cast<float>(x); }},
    {"monitor", [](Fields& f, double x) { f.monitorRows[1] = x; }},
    {"time", [](Fields& f, double x) { f.time = x; }},
    {"density range", [](Fields& f, double x) { f.densityRange[1] = x; }},
    {"flow rate", [](Fields& f, double x) { f.openings[0].flowRate = x; }},
    {"force on an opening", [](Fields& f, double x) { (*f.openings[0].force)[1] = x; }},
    {"area of an opening", [](Fields& f, double x) { (*f.openings[0].forcePerPascal)[2] = x; }},
    {"force", [](Fields& f, double x) { f.walls[0].force[2] = x; }},
    {"torque", [](Fields& f, double x) { f.walls[0].torque[0] = x; }},
    {"area", [](Fields& f, double x) { f.walls[0].perPascal->force[1] = x; }},
    {"mean pressure", [](Fields& f, double x) { f.means->pressure[0] = static_cast<float>(x); }},
    {"mean velocity", [](Fields& f, double x) { f.means->velocity[4][0] = static_cast<float>(x); }},
    {"traction", [](Fields& f, double x) { f.means->wallTraction[1][2] = static_cast<float>(x); }},
    {"shear", [](Fields& f, double x) { f.means->wallShear[1] = static_cast<float>(x); }},
    {"reference", [](Fields& f, double x) { f.means->pressureReference = x; }},
    {"distance", [](Fields& f, double x) { f.means->distance = x; }}};

}  // namespace

TEST_CASE("Fields file: forces, their reference and the cycle's distance come back as they were",
          "[unit]") {
  const TemporaryFolder folder;
  const Fields fields = pulsatileFields();
  writeFieldsFile(folder / "run.fields", fields);
  const Fields back = readFieldsFile(folder / "run.fields");
  REQUIRE(back.openings.size() == 2);
  CHECK(back.openings[0].force == fields.openings[0].force);
  CHECK(back.openings[0].forcePerPascal == fields.openings[0].forcePerPascal);
  CHECK_FALSE(back.openings[1].force);  // as in files of older versions
  CHECK_FALSE(back.openings[1].forcePerPascal);
  REQUIRE(back.means);
  CHECK(back.means->distance == 0.0125);
  REQUIRE(back.walls.size() == 1);
  CHECK(back.walls[0].name == "wall");
  CHECK(back.walls[0].force == fields.walls[0].force);
  CHECK(back.walls[0].torque == fields.walls[0].torque);
  REQUIRE(back.walls[0].perPascal);
  CHECK(back.walls[0].perPascal->force == fields.walls[0].perPascal->force);
  CHECK(back.walls[0].perPascal->torque == fields.walls[0].perPascal->torque);
  CHECK(back.torqueAbout == fields.torqueAbout);
  REQUIRE(back.forceReference);
  CHECK(back.forceReference->velocity == 0.1);
  CHECK(back.forceReference->area == 1e-6);
  CHECK(back.forceReference->length == 1e-3);
  CHECK(back.forceReference->flow == fields.forceReference->flow);
  CHECK(back.forceReference->across == fields.forceReference->across);
  CHECK(back.forceReference->walls == fields.forceReference->walls);
}

TEST_CASE("Fields file: one value that is not a number prevents the write, and the old file stays",
          "[unit]") {
  const TemporaryFolder folder;
  const auto target = folder / "run.fields";
  writeFieldsFile(target, pulsatileFields());
  const std::string before = readWhole(target);
  for (const auto& [what, breakIt] : breaks)
    for (const double value :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity()}) {
      INFO(what << " is " << value);
      Fields fields = pulsatileFields();
      CHECK(allNumbers(fields));
      breakIt(fields, value);
      CHECK_FALSE(allNumbers(fields));
      const std::string sentence =
          sentenceOfError(ExitCode::RunFailed, [&] { writeFieldsFile(target, fields); });
      CHECK_THAT(sentence, Catch::Contains("1234"));
      CHECK(readWhole(target) == before);
    }
}

TEST_CASE("Fields file: values at the ends of their type are numbers", "[unit]") {
  Fields fields = pulsatileFields();
  fields.pressure = {std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest(),
                     std::numeric_limits<float>::denorm_min(), -0.0F, 0.0F};
  CHECK(allNumbers(fields));
}
