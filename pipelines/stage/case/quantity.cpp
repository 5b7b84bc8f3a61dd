// SPDX-License-Identifier: GPL-3.0-or-later
// Table of units; conversion to SI and back.
#include "pipelines/stage/case/quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
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
       {{"g/cm3", 1e3, false}, {"g/ml", 1e3, false}, {"kg/l", 1e3, false}, {"kg/m3", 1.0, true}}},
      {Dimension::DynamicViscosity,
       "a dynamic viscosity",
       "Pa.s",
       {{"mPa.s", 1e-3, true},
        {"cP", 1e-3, false},
        {"P", 0.1, false},
        {"dyn.s/cm2", 0.1, false},
        {"g/(cm.s)", 0.1, false},
        {"kg/(m.s)", 1.0, false},
        {"Pa.s", 1.0, true}}},
      {Dimension::KinematicViscosity,
       "a kinematic viscosity",
       "m2/s",
       {{"mm2/s", 1e-6, true},
        {"cSt", 1e-6, false},
        {"cm2/s", 1e-4, false},
        {"St", 1e-4, false},
        {"m2/s", 1.0, true}}},
      {Dimension::Consistency,
       "a consistency",
       "Pa.sn",
       {{"mPa.sn", 1e-3, true}, {"Pa.sn", 1.0, true}}},
      {Dimension::Pressure,
       "a pressure",
       "Pa",
       {{"mPa", 1e-3, true},
        {"Pa", 1.0, true},
        {"dyn/cm2", 0.1, false},
        {"N/m2", 1.0, false},
        {"hPa", 100.0, false},
        {"mbar", 100.0, false},
        {"cmH2O", 98.0665, false},
        {"mmHg", 133.322387415, false},
        {"Torr", 101325.0 / 760.0, false},
        {"kPa", 1e3, true},
        {"psi", 6894.757293168361, false},
        {"bar", 1e5, false},
        {"atm", 101325.0, false},
        {"MPa", 1e6, false}}},
      {Dimension::FlowRate,
       "a flow rate",
       "m3/s",
       {{"mm3/s", 1e-9, true},
        {"ul/min", 1e-9 / 60.0, false},
        {"ml/h", 1e-6 / 3600.0, false},
        {"ml/min", 1e-6 / 60.0, false},
        {"ml/s", 1e-6, true},
        {"cm3/s", 1e-6, false},
        {"cc/s", 1e-6, false},
        {"l/min", 1e-3 / 60.0, false},
        {"l/s", 1e-3, false},
        {"m3/h", 1.0 / 3600.0, false},
        {"m3/s", 1.0, true}}},
      {Dimension::ForceDensity,
       "a force density",
       "N/m3",
       {{"dyn/cm3", 10.0, false}, {"N/m3", 1.0, true}, {"Pa/m", 1.0, false}}},
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
       {{"mmHg.s/ml", 133.322387415e6, false},
        {"mmHg.min/l", 133.322387415 * 60e3, false},
        {"Wood units", 133.322387415 * 60e3, false},
        {"dyn.s/cm5", 1e5, false},
        {"Pa.s/ml", 1e6, false},
        {"Pa.s/m3", 1.0, true}}},
      {Dimension::Compliance,
       "a compliance",
       "m3/Pa",
       {{"ml/mmHg", 1e-6 / 133.322387415, false},
        {"cm5/dyn", 1e-5, false},
        {"ml/Pa", 1e-6, false},
        {"m3/Pa", 1.0, true}}},
  };
  return table;
}

const DimensionInfo& infoOf(Dimension dimension) {
  return dimensions()[static_cast<std::size_t>(dimension)];
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

// Customary spellings of the same characters: "Pa*s", the micro sign, raised digits.
std::string plainUnit(std::string_view written) {
  static constexpr std::array<std::array<std::string_view, 2>, 13> spellings{{{"**", "^"},
                                                                              {"*", "."},
                                                                              {"\u00b7", "."},
                                                                              {"\u22c5", "."},
                                                                              {"\u00b5", "u"},
                                                                              {"\u03bc", "u"},
                                                                              {"\u207b", "-"},
                                                                              {"\u00b9", "1"},
                                                                              {"\u00b2", "2"},
                                                                              {"\u00b3", "3"},
                                                                              {"\u2075", "5"},
                                                                              {"ood units", "ood"},
                                                                              {"ood unit", "ood"}}};
  std::string unit(written);
  for (const auto& [from, to] : spellings) replaceAll(unit, from, to);
  return unit;
}

// Symbols of a unit with their powers: "dyn.s/cm5", "dyn s cm^-5" and "s dyne/cm^5" have the same.
using Symbols = std::map<std::string, int, std::less<>>;

struct Alias {
  std::string_view written, symbol;
  int power = 1;
};
constexpr Alias aliases[] = {
    {"L", "l"},           {"mL", "cm", 3},   {"ml", "cm", 3},  {"cc", "cm", 3},
    {"uL", "mm", 3},      {"ul", "mm", 3},   {"sec", "s"},     {"hr", "h"},
    {"dyne", "dyn"},      {"dynes", "dyn"},  {"poise", "P"},   {"Poise", "P"},
    {"centipoise", "cP"}, {"stokes", "St"},  {"Stokes", "St"}, {"centistokes", "cSt"},
    {"micron", "um"},     {"microns", "um"}, {"torr", "Torr"}, {"WU", "Wood"},
    {"wood", "Wood"}};

// Adds one symbol with its power, such as "cm^-5". False: it is none.
bool addSymbol(std::string_view word, int sign, Symbols& symbols) {
  std::string text(word);
  replaceAll(text, "^", "");
  std::size_t end = text.size();
  while (end > 0 && text[end - 1] >= '0' && text[end - 1] <= '9') --end;
  int power = 1;
  if (end < text.size()) {
    if (text.size() - end > 2) return false;
    power = std::stoi(text.substr(end));
    if (end > 0 && (text[end - 1] == '-' || text[end - 1] == '+') && text[--end] == '-')
      power = -power;
  }
  text.resize(end);
  if (text.empty()) return power == 1;  // "1/s"
  for (const Alias& alias : aliases)
    if (text == alias.written) {
      text = alias.symbol;
      power *= alias.power;
      break;
    }
  symbols[text] += sign * power;
  return true;
}

// All after a solidus divides, to the next closing parenthesis. nullopt: not a unit.
std::optional<Symbols> symbolsOf(std::string_view unit) {
  constexpr std::size_t longest = 60;
  struct Group {
    int sign, before;
  };
  if (unit.size() > longest) return std::nullopt;
  Symbols symbols;
  std::vector<Group> groups{{1, 1}};
  int sign = 1;
  bool open = true;  // a symbol or parenthesis must follow
  for (std::size_t at = 0; at < unit.size(); ++at) {
    const char c = unit[at];
    if (c == ' ' || c == '\t') continue;
    if (c == '.' || c == '/') {
      if (open) return std::nullopt;
      if (c == '/') sign = -groups.back().sign;
      open = true;
    } else if (c == '(') {
      groups.push_back({sign, sign});
      open = true;
    } else if (c == ')') {
      if (open || groups.size() == 1) return std::nullopt;
      sign = groups.back().before;
      groups.pop_back();
    } else {
      const std::size_t end = std::min(unit.find_first_of(" \t./()", at), unit.size());
      if (!addSymbol(unit.substr(at, end - at), sign, symbols)) return std::nullopt;
      at = end - 1;
      open = false;
    }
  }
  if (open || groups.size() > 1) return std::nullopt;
  return symbols;
}

// Units of a dimension by their symbols.
const std::vector<Symbols>& symbolsOfUnits(const DimensionInfo& info) {
  static const std::vector<std::vector<Symbols>> all = [] {
    std::vector<std::vector<Symbols>> table;
    for (const DimensionInfo& of : dimensions()) {
      table.emplace_back();
      for (const Unit& unit : of.units)
        table.back().push_back(symbolsOf(plainUnit(unit.name)).value_or(Symbols{}));
    }
    return table;
  }();
  return all[static_cast<std::size_t>(info.dimension)];
}

const Unit* findUnit(const DimensionInfo& info, std::string_view written) {
  const std::optional<Symbols> symbols = symbolsOf(plainUnit(written));
  if (!symbols) return nullptr;
  const std::vector<Symbols>& known = symbolsOfUnits(info);
  for (std::size_t k = 0; k < known.size(); ++k)
    if (known[k] == *symbols) return &info.units[k];
  return nullptr;
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

namespace {

// A number and the unit behind it, as written.
struct Written {
  double value = 0.0;
  std::from_chars_result end{};
  std::string_view unit;
};

Written writtenIn(std::string_view text) {
  std::string_view number = trimmed(text);
  if (number.starts_with('+') && !number.starts_with("+-")) number.remove_prefix(1);
  Written out;
  out.end = std::from_chars(number.data(), number.data() + number.size(), out.value);
  number.remove_prefix(static_cast<std::size_t>(out.end.ptr - number.data()));
  out.unit = trimmed(number);
  return out;
}

}  // namespace

double parseQuantity(std::string_view text, Dimension dimension) {
  const DimensionInfo& info = infoOf(dimension);
  const Written written = writtenIn(text);
  double value = written.value;
  if (written.end.ec == std::errc::result_out_of_range) reject(text, "is out of range", info);
  if (written.end.ec != std::errc{} || !std::isfinite(value)) reject(text, "is not a number", info);
  if (written.unit.empty()) return value;
  const Unit* known = findUnit(info, written.unit);
  if (known == nullptr) rejectUnit(text, std::string(written.unit), info);
  value *= known->si;
  if (!std::isfinite(value)) reject(text, "is out of range", info);
  return value;
}

bool hasUnitOf(std::string_view text, Dimension dimension) {
  const std::string_view unit = writtenIn(text).unit;
  return !unit.empty() && findUnit(infoOf(dimension), unit) != nullptr;
}

bool isBareNumber(std::string_view text) {
  const Written written = writtenIn(text);
  return written.end.ec == std::errc{} && written.unit.empty();
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
