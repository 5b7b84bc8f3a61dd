// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/case/unit_slips.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "pipelines/stage/text.hpp"

namespace tessera::solver::cases {

namespace {

using stage::CaseTable;
using stage::Dimension;

// Reynolds number of the opening, above which a velocity or flow rate in SI units is asked about.
constexpr double reynoldsAsked = 1e4;
// Pa: blood pressures in mmHg, as numbers.
constexpr double pressureLowest = 40.0, pressureHighest = 250.0;
// Pa.s/m3 and m3/Pa: 1e5 and 1e-5 are those of a tube of some 10 cm in width.
constexpr double resistanceAsked = 1e5, complianceAsked = 1e-5;
// Pa.s: liquids thicker than oil, at the density of a liquid; gases are thinner than 1e-4.
constexpr double thickLiquid = 0.5, thickestGas = 2e-4;
constexpr double lightestLiquid = 100.0;  // kg/m3

std::string quoted(double value, std::string_view unit) {
  return fmt::format("\"{} {}\"", stage::number(value), unit);
}

// "case.toml:9: mean = 22 is 22 m/s ...": the beginning of a question.
std::string asWritten(const CaseTable& table, const char* key, double value, Dimension dimension) {
  return fmt::format("{}: {} = {} is {} {}", table.where(key), key, stage::number(value),
                     stage::number(value), stage::siUnit(dimension));
}

// Two digits, without an exponent.
std::string reynoldsText(double reynolds) {
  if (!(reynolds > 1.0 && reynolds < 1e12)) return stage::number(reynolds, 2);
  const double unit = std::pow(10.0, std::floor(std::log10(reynolds)) - 1.0);
  return fmt::format("{:.0f}", std::round(reynolds / unit) * unit);
}

// The opening of a table; nullopt: it has none.
std::optional<std::size_t> openingOf(CaseTable& table, const tiler::TiledGeometry& geometry) {
  const auto id = table.integer("id", 1, 32767);
  const auto name = table.text("name");
  for (std::size_t k = 0; k < geometry.openings.size(); ++k)
    if (id ? geometry.openings[k].id == *id : name && geometry.openings[k].name == *name) return k;
  return std::nullopt;
}

struct OtherUnit {
  const char* name;
  double si;
};

// The first unit in which the Reynolds number is one of vessels, else the first.
const OtherUnit& likelyUnit(std::span<const OtherUnit> units, double reynolds) {
  for (const OtherUnit& unit : units)
    if (reynolds * unit.si > 1.0 && reynolds * unit.si < 5000.0) return unit;
  return units.front();
}

// Whether a text is a number with that unit.
bool isIn(CaseTable& table, const char* key, std::string_view unit) {
  if (!table.isText(key)) return false;
  std::string text = table.text(key).value_or("");
  std::erase(text, ' ');
  const std::size_t digits = text.size() - std::min(text.size(), unit.size());
  return text.ends_with(unit) && digits > 0 && text.find_first_not_of("0123456789.eE+-") == digits;
}

// A mean velocity or flow rate that is bare, or in SI units without an eddy viscosity.
void askAboutFlow(CaseTable& table, std::size_t k, const tiler::TiledGeometry& geometry,
                  const SolverCase& run, std::vector<std::string>& questions) {
  static constexpr OtherUnit velocities[] = {{"cm/s", 1e-2}, {"mm/s", 1e-3}};
  static constexpr OtherUnit flows[] = {
      {"ml/s", 1e-6}, {"l/min", 1e-3 / 60.0}, {"ml/min", 1e-6 / 60.0}, {"ul/min", 1e-9 / 60.0}};
  const bool velocity = table.text("kind") == "velocity";
  const char* const key = velocity ? "mean" : "value";
  const Dimension dimension = velocity ? Dimension::Velocity : Dimension::FlowRate;
  const bool bare = table.isBare(key);
  const bool isAsked =
      bare || (run.law.smagorinsky == 0.0 && isIn(table, key, stage::siUnit(dimension)));
  if (!isAsked) return;
  const preprocess::geometry::Opening& opening = geometry.openings[k];
  const double across =
      geometry.dimensions == 2 ? opening.area / geometry.frame.spacing : 2.0 * opening.radius;
  const double reynolds =
      std::abs(boundary::prescriptionOf(run.openings[k]).mean) * across / run.kinematicViscosity;
  if (reynolds <= reynoldsAsked) return;
  const double value = table.quantity(key, dimension).value_or(0.0);
  const OtherUnit& unit = likelyUnit(
      velocity ? std::span<const OtherUnit>(velocities) : std::span<const OtherUnit>(flows),
      reynolds);
  const std::string written = bare ? asWritten(table, key, value, dimension)
                                   : fmt::format("{}: {} = {}", table.where(key), key,
                                                 quoted(value, stage::siUnit(dimension)));
  questions.push_back(fmt::format("{}{} a Reynolds number of {}; is that meant? {} = {} gives {}",
                                  written, bare ? "," : " is", reynoldsText(reynolds), key,
                                  quoted(value, unit.name), reynoldsText(reynolds * unit.si)));
}

// A bare resistance or compliance of another system of units.
void askAboutOutlet(CaseTable& table, std::vector<std::string>& questions) {
  for (const char* key : {"resistance", "resistance_proximal", "resistance_distal"}) {
    if (!table.isBare(key)) continue;
    const double value = table.quantity(key, Dimension::Resistance).value_or(0.0);
    if (value <= 0.0 || value >= resistanceAsked) continue;
    questions.push_back(asWritten(table, key, value, Dimension::Resistance) +
                        ", next to no resistance; is " + quoted(value, "mmHg.s/ml") + " or " +
                        quoted(value, "dyn.s/cm5") + " meant?");
  }
  if (!table.isBare("compliance")) return;
  const double value = table.quantity("compliance", Dimension::Compliance).value_or(0.0);
  if (value > complianceAsked)
    questions.push_back(asWritten(table, "compliance", value, Dimension::Compliance) + "; is " +
                        quoted(value, "ml/mmHg") + " meant?");
}

// Bare pressures that are all as high as those of blood in mmHg: the first is asked about.
void askAboutPressures(const stage::CaseFile& file, std::vector<std::string>& questions) {
  std::optional<std::string> question;
  for (CaseTable& table : file.tables("opening")) {
    const bool pressure = table.text("kind") == "pressure";
    for (const char* key : {"value", "distal_pressure", "initial_pressure"}) {
      if (std::string_view(key) == "value" && !pressure) continue;
      if (!table.has(key)) continue;
      const double value = table.quantity(key, Dimension::Pressure).value_or(0.0);
      if (!table.isBare(key) || value < pressureLowest || value > pressureHighest) return;
      if (!question)
        question = fmt::format("{}; is mmHg meant? {} = {}",
                               asWritten(table, key, value, Dimension::Pressure), key,
                               quoted(value, "mmHg"));
    }
    if (pressure && table.has("waveform")) return;  // with its unit
  }
  if (question) questions.push_back(*question);
}

void askAboutFluid(CaseTable table, const SolverCase& run, std::vector<std::string>& questions) {
  const double dynamic = run.kinematicViscosity * run.density;
  const bool kinematic =
      table.isText("viscosity") &&
      stage::hasUnitOf(table.text("viscosity").value_or(""), Dimension::KinematicViscosity);
  if (table.isBare("density") && run.density > 0.3 && run.density < 30.0 && !kinematic &&
      dynamic > thickestGas)
    questions.push_back(asWritten(table, "density", run.density, Dimension::Density) +
                        ", that of a gas, with the viscosity of a liquid; is " +
                        quoted(run.density, "g/cm3") + " meant?");
  if (dynamic < thickLiquid || run.density < lightestLiquid) return;
  if (kinematic)
    questions.push_back(fmt::format(
        "{}: viscosity = \"{}\" is {} Pa.s at this density, as thick as syrup; is {} meant?",
        table.where("viscosity"), table.text("viscosity").value_or(""), stage::number(dynamic, 3),
        quoted(run.kinematicViscosity, "Pa.s")));
  else if (table.isBare("viscosity"))
    questions.push_back(asWritten(table, "viscosity", dynamic, Dimension::DynamicViscosity) +
                        ", as thick as syrup; is " + quoted(dynamic, "mPa.s") + " meant?");
}

}  // namespace

std::vector<std::string> unitQuestions(const stage::CaseFile& file,
                                       const tiler::TiledGeometry& geometry,
                                       const SolverCase& run) {
  std::vector<std::string> questions;
  askAboutFluid(file.table("fluid"), run, questions);
  for (CaseTable& table : file.tables("opening")) {
    const std::optional<std::size_t> k = openingOf(table, geometry);
    const std::string kind = table.text("kind").value_or("");
    if (k && (kind == "velocity" || kind == "flow-rate"))
      askAboutFlow(table, *k, geometry, run, questions);
    askAboutOutlet(table, questions);
  }
  askAboutPressures(file, questions);
  return questions;
}

}  // namespace tessera::solver::cases
