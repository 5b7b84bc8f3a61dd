// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers with units.
#include <catch2/catch.hpp>

#include "pipelines/stage/case/quantity.hpp"
#include "tests/fixtures/expect_error.hpp"

namespace tessera {

using namespace tessera::stage;
namespace {

using Catch::Matchers::Contains;

struct Row {
  const char* text;
  Dimension dimension;
  double si;
};

TEST_CASE("Quantity: every unit is known", "[unit]") {
  const Row row = GENERATE(values<Row>({
      {"2", Dimension::None, 2.0},
      {"2 um", Dimension::Length, 2e-6},
      {"2 mm", Dimension::Length, 2e-3},
      {"2 cm", Dimension::Length, 2e-2},
      {"2 m", Dimension::Length, 2.0},
      {"2 um2", Dimension::Area, 2e-12},
      {"2 mm2", Dimension::Area, 2e-6},
      {"2 cm2", Dimension::Area, 2e-4},
      {"2 m2", Dimension::Area, 2.0},
      {"2 us", Dimension::Time, 2e-6},
      {"2 ms", Dimension::Time, 2e-3},
      {"2 s", Dimension::Time, 2.0},
      {"2 min", Dimension::Time, 120.0},
      {"2 h", Dimension::Time, 7200.0},
      {"2 um/s", Dimension::Velocity, 2e-6},
      {"2 mm/s", Dimension::Velocity, 2e-3},
      {"2 cm/s", Dimension::Velocity, 2e-2},
      {"2 m/s", Dimension::Velocity, 2.0},
      {"2 g/cm3", Dimension::Density, 2000.0},
      {"2 g/ml", Dimension::Density, 2000.0},
      {"2 kg/m3", Dimension::Density, 2.0},
      {"2 mPa.s", Dimension::DynamicViscosity, 2e-3},
      {"2 cP", Dimension::DynamicViscosity, 2e-3},
      {"2 P", Dimension::DynamicViscosity, 0.2},
      {"2 Pa.s", Dimension::DynamicViscosity, 2.0},
      {"2 mm2/s", Dimension::KinematicViscosity, 2e-6},
      {"2 cSt", Dimension::KinematicViscosity, 2e-6},
      {"2 m2/s", Dimension::KinematicViscosity, 2.0},
      {"2 Pa", Dimension::Pressure, 2.0},
      {"2 mPa", Dimension::Pressure, 2e-3},
      {"2 kPa", Dimension::Pressure, 2000.0},
      {"2 mmHg", Dimension::Pressure, 266.64477483},
      {"2 mbar", Dimension::Pressure, 200.0},
      {"2 bar", Dimension::Pressure, 2e5},
      {"2 ml/s", Dimension::FlowRate, 2e-6},
      {"60 ml/min", Dimension::FlowRate, 1e-6},
      {"6 l/min", Dimension::FlowRate, 1e-4},
      {"6 L/min", Dimension::FlowRate, 1e-4},
      {"2 mm3/s", Dimension::FlowRate, 2e-9},
      {"60 ul/min", Dimension::FlowRate, 1e-9},
      {"2 m3/s", Dimension::FlowRate, 2.0},
      {"2 kg/l", Dimension::Density, 2000.0},
      {"2 dyn.s/cm2", Dimension::DynamicViscosity, 0.2},
      {"2 g/(cm.s)", Dimension::DynamicViscosity, 0.2},
      {"2 kg/(m.s)", Dimension::DynamicViscosity, 2.0},
      {"2 cm2/s", Dimension::KinematicViscosity, 2e-4},
      {"2 St", Dimension::KinematicViscosity, 2e-4},
      {"2 dyn/cm2", Dimension::Pressure, 0.2},
      {"2 N/m2", Dimension::Pressure, 2.0},
      {"2 hPa", Dimension::Pressure, 200.0},
      {"2 cmH2O", Dimension::Pressure, 196.133},
      {"760 Torr", Dimension::Pressure, 101325.0},
      {"2 psi", Dimension::Pressure, 13789.514586336722},
      {"2 atm", Dimension::Pressure, 202650.0},
      {"2 MPa", Dimension::Pressure, 2e6},
      {"2 cm3/s", Dimension::FlowRate, 2e-6},
      {"2 cc/s", Dimension::FlowRate, 2e-6},
      {"2 l/s", Dimension::FlowRate, 2e-3},
      {"3600 ml/h", Dimension::FlowRate, 1e-6},
      {"3600 m3/h", Dimension::FlowRate, 1.0},
      {"2 dyn/cm3", Dimension::ForceDensity, 20.0},
      {"2 mmHg.s/ml", Dimension::Resistance, 2.6664477483e8},
      {"2 mmHg.min/l", Dimension::Resistance, 1.59986864898e7},
      {"2 Wood units", Dimension::Resistance, 1.59986864898e7},
      {"2 dyn.s/cm5", Dimension::Resistance, 2e5},
      {"2 Pa.s/ml", Dimension::Resistance, 2e6},
      {"2 Pa.s/m3", Dimension::Resistance, 2.0},
      {"133.322387415 ml/mmHg", Dimension::Compliance, 1e-6},
      {"2 cm5/dyn", Dimension::Compliance, 2e-5},
      {"2 ml/Pa", Dimension::Compliance, 2e-6},
      {"2 m3/Pa", Dimension::Compliance, 2.0},
      {"180 deg/s", Dimension::AngularVelocity, 3.14159265358979323846},
      {"30 rpm", Dimension::AngularVelocity, 3.14159265358979323846},
      {"2 rad/s", Dimension::AngularVelocity, 2.0},
      {"2 mPa.s^n", Dimension::Consistency, 2e-3},
      {"2 Pa.s^n", Dimension::Consistency, 2.0},
      {"2 N/m3", Dimension::ForceDensity, 2.0},
      {"2 Pa/m", Dimension::ForceDensity, 2.0},
      {"2 B/s", Dimension::Bandwidth, 2.0},
      {"2 MB/s", Dimension::Bandwidth, 2e6},
      {"2 GB/s", Dimension::Bandwidth, 2e9},
      {"2 TB/s", Dimension::Bandwidth, 2e12},
  }));
  INFO(row.text);
  CHECK(parseQuantity(row.text, row.dimension) == Approx(row.si).epsilon(1e-14));
}

TEST_CASE("Quantity: a bare number is SI, however it is written", "[unit]") {
  CHECK(parseQuantity("3.5e-3", Dimension::Length) == 3.5e-3);
  CHECK(parseQuantity("+4", Dimension::Length) == 4.0);
  CHECK(parseQuantity(" -4. ", Dimension::Pressure) == -4.0);
  CHECK(parseQuantity("0.1mm", Dimension::Length) == Approx(1e-4));
  CHECK(parseQuantity("0.1\tmm ", Dimension::Length) == Approx(1e-4));
}

TEST_CASE("Quantity: a unit may be written in other customary ways", "[unit]") {
  CHECK(parseQuantity("3 \u00b5m", Dimension::Length) == Approx(3e-6));
  CHECK(parseQuantity("3 \u03bcm", Dimension::Length) == Approx(3e-6));
  CHECK(parseQuantity("1060 kg/m^3", Dimension::Density) == 1060.0);
  CHECK(parseQuantity("3 mm\u00b2/s", Dimension::KinematicViscosity) == Approx(3e-6));
  CHECK(parseQuantity("3 Pa*s", Dimension::DynamicViscosity) == 3.0);
  CHECK(parseQuantity("3 Pa\u00b7s", Dimension::DynamicViscosity) == 3.0);
  CHECK(parseQuantity("3 Pa s", Dimension::DynamicViscosity) == 3.0);
  CHECK(parseQuantity("3.5 centipoise", Dimension::DynamicViscosity) == Approx(3.5e-3));
  CHECK(parseQuantity("0.035 Poise", Dimension::DynamicViscosity) == Approx(3.5e-3));
  CHECK(parseQuantity("0.035 g/cm/s", Dimension::DynamicViscosity) == Approx(3.5e-3));
  CHECK(parseQuantity("0.035 g cm^-1 s^-1", Dimension::DynamicViscosity) == Approx(3.5e-3));
  CHECK(parseQuantity("0.04 dyn s/cm^2", Dimension::DynamicViscosity) == Approx(4e-3));
  CHECK(parseQuantity("1.06 g/cc", Dimension::Density) == Approx(1060.0));
  CHECK(parseQuantity("1.06 g/mL", Dimension::Density) == Approx(1060.0));
  CHECK(parseQuantity("1060 kg m-3", Dimension::Density) == 1060.0);
  CHECK(parseQuantity("1060 kg m\u207b\u00b3", Dimension::Density) == 1060.0);
  CHECK(parseQuantity("3 mL/s", Dimension::FlowRate) == Approx(3e-6));
  CHECK(parseQuantity("3 mL/sec", Dimension::FlowRate) == Approx(3e-6));
  CHECK(parseQuantity("3 cm^3/s", Dimension::FlowRate) == Approx(3e-6));
  CHECK(parseQuantity("60 cc/min", Dimension::FlowRate) == Approx(1e-6));
  CHECK(parseQuantity("60 uL/min", Dimension::FlowRate) == Approx(1e-9));
  CHECK(parseQuantity("60 \u00b5L/min", Dimension::FlowRate) == Approx(1e-9));
  CHECK(parseQuantity("1500 dyn s/cm5", Dimension::Resistance) == Approx(1.5e8));
  CHECK(parseQuantity("1500 dynes\u00b7s\u00b7cm\u207b\u2075", Dimension::Resistance) ==
        Approx(1.5e8));
  CHECK(parseQuantity("2 WU", Dimension::Resistance) == Approx(1.59986864898e7));
  CHECK(parseQuantity("2 mmHg/(L/min)", Dimension::Resistance) == Approx(1.59986864898e7));
  CHECK(parseQuantity("2 mmHg s/mL", Dimension::Resistance) == Approx(2.6664477483e8));
  CHECK(parseQuantity("2 cm^3/mmHg", Dimension::Compliance) == Approx(2e-6 / 133.322387415));
  CHECK(parseQuantity("3 microns", Dimension::Length) == Approx(3e-6));
}

TEST_CASE("Quantity: what only looks like a unit is none", "[unit]") {
  for (const char* text : {"1 m//s", "1 m/", "1 /s", "1 (m/s", "1 m/s)", "1 m.", "1 ()", "1 m3/s2",
                           "1 s/m", "1 m^333", "1 .m/s"}) {
    INFO(text);
    CHECK_THROWS_AS(parseQuantity(text, Dimension::Velocity), StageError);
  }
  const std::string deep = "1 " + std::string(100000, '(') + "m/s" + std::string(100000, ')');
  CHECK_THROWS_AS(parseQuantity(deep, Dimension::Velocity), StageError);
}

TEST_CASE("Quantity: a unit behind a number, or none, is seen", "[unit]") {
  CHECK(hasUnitOf("3.3 mm^2/s", Dimension::KinematicViscosity));
  CHECK(hasUnitOf("0.033 St", Dimension::KinematicViscosity));
  CHECK_FALSE(hasUnitOf("3.3 cP", Dimension::KinematicViscosity));
  CHECK_FALSE(hasUnitOf("3.3", Dimension::KinematicViscosity));
  CHECK(isBareNumber(" 22 "));
  CHECK_FALSE(isBareNumber("22 cm/s"));
  CHECK_FALSE(isBareNumber("cm/s"));
}

std::string refusalOf(const std::string& text, Dimension dimension) {
  return sentenceOfError(ExitCode::Usage, [&] { (void)parseQuantity(text, dimension); });
}

TEST_CASE("Quantity: a wrong unit is refused with its dimension and the required one", "[unit]") {
  CHECK(refusalOf("5 mm/s", Dimension::Length) ==
        "\"5 mm/s\" is a velocity; expected a length in um, mm, cm and m or a bare number in m.");
  CHECK_THAT(refusalOf("5 furlong", Dimension::Length), Contains("\"furlong\"") && Contains("mm"));
  CHECK_THAT(refusalOf("5 MM", Dimension::Length), Contains("\"MM\""));
  CHECK_THAT(refusalOf("5 mm", Dimension::None), Contains("unit"));
  CHECK_THAT(refusalOf("0,5 mm", Dimension::Length), Contains("comma"));
  CHECK_THAT(refusalOf("5 5 mm", Dimension::Length), Contains("unit"));
}

TEST_CASE("Quantity: invalid numbers are refused", "[unit]") {
  const std::string text = GENERATE("", " ", "mm", "nan", "inf", "-inf", "NaN mm", "1e", "--3",
                                    "+-3", "x3", "0x10", "1,5 mm", "3 mm mm");
  INFO(text);
  refusalOf(text, Dimension::Length);
}

TEST_CASE("Quantity: numbers too large or too small for a double are refused", "[unit]") {
  const std::string text = GENERATE("1e999", "-1e999 m", "1e-999", "1e308 h");
  CHECK_THAT(refusalOf(text, Dimension::Time), Contains("range"));
}

TEST_CASE("Quantity: the exact text reads back as the same value, in the fewest digits", "[unit]") {
  const auto text = [](double value) { return exactQuantity(value, Dimension::Length, "mm"); };
  CHECK(text(parseQuantity("0.878906 mm", Dimension::Length)) == "0.878906mm");
  CHECK(text(parseQuantity("0.4 mm", Dimension::Length)) == "0.4mm");
  CHECK(text(3e-6) == "0.003mm");
  CHECK(text(1.25) == "1250mm");
  CHECK(text(0.878906e-3) == "0.000878906m");  // not the product 0.878906 * 1e-3
  CHECK(exactQuantity(3e-6, Dimension::Length, "um") == "3um");
  CHECK(exactQuantity(0.25, Dimension::None, "") == "0.25");
  for (int k = 1; k < 5000; ++k) {
    const double value = 7e-3 / k;
    REQUIRE(parseQuantity(text(value), Dimension::Length) == value);
  }
}

TEST_CASE("Quantity: quantities are printed in a convenient unit", "[unit]") {
  CHECK(formatQuantity(3.43e-2, Dimension::Length) == "34.3 mm");
  CHECK(formatQuantity(1e-4, Dimension::Length) == "100 um");
  CHECK(formatQuantity(1e-3, Dimension::Length) == "1 mm");
  CHECK(formatQuantity(2.5e-8, Dimension::Length) == "0.025 um");
  CHECK(formatQuantity(-0.3, Dimension::Velocity) == "-300 mm/s");
  CHECK(formatQuantity(12345.6, Dimension::Pressure) == "12.35 kPa");
  CHECK(formatQuantity(4.2e-6, Dimension::FlowRate) == "4.2 ml/s");
  CHECK(formatQuantity(0.0, Dimension::Pressure) == "0 Pa");
  CHECK(formatQuantity(0.05, Dimension::None) == "0.05");
  CHECK(siUnit(Dimension::DynamicViscosity) == "Pa.s");
}

}  // namespace
}  // namespace tessera
