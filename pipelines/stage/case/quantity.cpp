// SPDX-License-Identifier: GPL-3.0-or-later
// Table of units; conversion to SI and back.
#include "pipelines/stage/case/quantity.hpp"

#include <charconv>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::stage {
namespace {

struct Unit {
  const char* name;
  double si;   // one of this unit in SI
  bool shown;  // used by formatQuantity; these ascend
};

struct DimensionInfo {
  Dimension dimension;
  const char* name;  // with its article, for sentences
  const char* si;
  std::vector<Unit> units;
};

const std::vector<DimensionInfo>& dimensions() {
  static const std::vector<DimensionInfo> table{
      {Dimension::None, "a plain number", "", {}},
      {Dimension::Length,
       "a length",
       "m",
       {{"um", 1e-6, true}, {"mm", 1e-3, true}, {"cm", 1e-2, false}, {"m", 1.0, true}}},
      {Dimension::Area,
       "an area",
       "m2",
       {{"um2", 1e-12, true}, {"mm2", 1e-6, true}, {"cm2", 1e-4, false}, {"m2", 1.0, true}}},
      {Dimension::Time,
       "a time",
       "s",
       {{"us", 1e-6, true},
        {"ms", 1e-3, true},
        {"s", 1.0, true},
        {"min", 60.0, false},
        {"h", 3600.0, false}}},
      {Dimension::Velocity,
       "a velocity",
       "m/s",
       {{"um/s", 1e-6, true}, {"mm/s", 1e-3, true}, {"cm/s", 1e-2, false}, {"m/s", 1.0, true}}},
      {Dimension::Density,
       "a density",
       "kg/m3",
       {{"g/cm3", 1e3, false}, {"g/ml", 1e3, false}, {"kg/m3", 1.0, true}}},
      {Dimension::DynamicViscosity,
       "a dynamic viscosity",
       "Pa.s",
       {{"mPa.s", 1e-3, true}, {"cP", 1e-3, false}, {"P", 0.1, false}, {"Pa.s", 1.0, true}}},
      {Dimension::KinematicViscosity,
       "a kinematic viscosity",
       "m2/s",
       {{"mm2/s", 1e-6, true}, {"cSt", 1e-6, false}, {"m2/s", 1.0, true}}},
      {Dimension::Consistency,
       "a consistency",
       "Pa.sn",
       {{"mPa.sn", 1e-3, true}, {"Pa.sn", 1.0, true}}},
      {Dimension::Pressure,
       "a pressure",
       "Pa",
       {{"mPa", 1e-3, true},
        {"Pa", 1.0, true},
        {"mbar", 100.0, false},
        {"mmHg", 133.322387415, false},
        {"kPa", 1e3, true},
        {"bar", 1e5, false}}},
      {Dimension::FlowRate,
       "a flow rate",
       "m3/s",
       {{"mm3/s", 1e-9, true},
        {"ul/min", 1e-9 / 60.0, false},
        {"ml/min", 1e-6 / 60.0, false},
        {"ml/s", 1e-6, true},
        {"l/min", 1e-3 / 60.0, false},
        {"L/min", 1e-3 / 60.0, false},
        {"m3/s", 1.0, true}}},
      {Dimension::ForceDensity,
       "a force density",
       "N/m3",
       {{"N/m3", 1.0, true}, {"Pa/m", 1.0, false}}},
      {Dimension::AngularVelocity,
       "an angular velocity",
       "rad/s",
       {{"deg/s", std::numbers::pi / 180.0, false},
        {"rpm", std::numbers::pi / 30.0, false},
        {"rad/s", 1.0, true}}},
      {Dimension::Bandwidth,
       "a memory bandwidth",
       "B/s",
       {{"B/s", 1.0, true}, {"MB/s", 1e6, true}, {"GB/s", 1e9, true}, {"TB/s", 1e12, true}}},
      {Dimension::Resistance,
       "a resistance to flow",
       "Pa.s/m3",
       {{"mmHg.s/ml", 133.322387415e6, false}, {"dyn.s/cm5", 1e5, false}, {"Pa.s/m3", 1.0, true}}},
      {Dimension::Compliance,
       "a compliance",
       "m3/Pa",
       {{"ml/mmHg", 1e-6 / 133.322387415, false}, {"cm5/dyn", 1e-5, false}, {"m3/Pa", 1.0, true}}},
  };
  return table;
}

const DimensionInfo& infoOf(Dimension dimension) {
  return dimensions()[static_cast<std::size_t>(dimension)];
}

const Unit* findUnit(const DimensionInfo& info, std::string_view name) {
  for (const Unit& unit : info.units) {
    if (name == unit.name) return &unit;
  }
  return nullptr;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

void replaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
  }
}

// Customary spellings of the same unit: "kg/m^3", "Pa*s", the micro sign.
std::string plainUnit(std::string_view written) {
  std::string unit(written);
  replaceAll(unit, "^", "");
  replaceAll(unit, "*", ".");
  replaceAll(unit, "\u00b7", ".");
  replaceAll(unit, "\u00b5", "u");
  replaceAll(unit, "\u03bc", "u");
  replaceAll(unit, "\u00b2", "2");
  replaceAll(unit, "\u00b3", "3");
  return unit;
}

// "expected a length in um, mm, cm and m or a bare number in m".
std::string expectation(const DimensionInfo& info) {
  if (info.units.empty()) return "expected a plain number without a unit";
  std::vector<std::string> names;
  for (const Unit& unit : info.units) names.emplace_back(unit.name);
  return fmt::format("expected {} in {} or a bare number in {}", info.name, enumeration(names),
                     info.si);
}

[[noreturn]] void reject(std::string_view text, const std::string& reason,
                         const DimensionInfo& info) {
  fail(ExitCode::Usage, fmt::format("\"{}\" {}; {}.", text, reason, expectation(info)));
}

[[noreturn]] void rejectUnit(std::string_view text, const std::string& unit,
                             const DimensionInfo& info) {
  if (unit.size() > 1 && unit[0] == ',' && unit[1] >= '0' && unit[1] <= '9')
    reject(text, "has a decimal comma; use a point", info);
  for (const DimensionInfo& other : dimensions()) {
    if (findUnit(other, unit) != nullptr) {
      reject(text, "is " + std::string(other.name), info);
    }
  }
  reject(text, fmt::format("has the unknown unit \"{}\"", unit), info);
}

}  // namespace

double parseQuantity(std::string_view text, Dimension dimension) {
  const DimensionInfo& info = infoOf(dimension);
  std::string_view number = trimmed(text);
  if (number.starts_with('+') && !number.starts_with("+-")) number.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error == std::errc::result_out_of_range) reject(text, "is out of range", info);
  if (error != std::errc{} || !std::isfinite(value)) reject(text, "is not a number", info);
  number.remove_prefix(static_cast<std::size_t>(end - number.data()));
  const std::string unit = plainUnit(trimmed(number));
  if (unit.empty()) return value;
  const Unit* known = findUnit(info, unit);
  if (known == nullptr) rejectUnit(text, unit, info);
  value *= known->si;
  if (!std::isfinite(value)) reject(text, "is out of range", info);
  return value;
}

std::string_view siUnit(Dimension dimension) {
  return infoOf(dimension).si;
}

std::string formatQuantity(double si, Dimension dimension) {
  const DimensionInfo& info = infoOf(dimension);
  const Unit plain{info.si, 1.0, true};
  const Unit* chosen = &plain;
  bool first = true;
  for (const Unit& unit : info.units) {
    // The largest unit that leaves a number of at least 1, otherwise the smallest.
    if (!unit.shown || si == 0.0) continue;
    if (first || std::abs(si) >= unit.si * (1.0 - 1e-9)) chosen = &unit;
    first = false;
  }
  const std::string text = number(si / chosen->si, 4);
  return chosen->name[0] == '\0' ? text : fmt::format("{} {}", text, chosen->name);
}

std::string exactQuantity(double si, Dimension dimension, std::string_view unit) {
  const DimensionInfo& info = infoOf(dimension);
  const Unit plain{info.si, 1.0, true};
  const Unit* const known = findUnit(info, unit);
  std::string text;
  for (int digits = 1; digits <= 17; ++digits)
    for (const Unit* const tried : {known, &plain}) {
      if (tried == nullptr) continue;
      const double rounded = parseQuantity(number(si / tried->si, digits), Dimension::None);
      text = fmt::format("{}{}", rounded, tried->name);
      if (parseQuantity(text, dimension) == si) return text;
    }
  return text;
}

}  // namespace tessera::stage
