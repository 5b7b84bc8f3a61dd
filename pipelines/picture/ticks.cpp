// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/ticks.hpp"
#include "pipelines/stage/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tessera::picture {
namespace {

// Smallest of 1, 2, 2.5, 5, 10 times a power of ten that is at least `least`.
double roundStep(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (double m : {1.0, 2.0, 2.5, 5.0})
    if (m * power >= least * (1.0 - 1e-9)) return m * power;
  return 10.0 * power;
}

std::string fixed(double value, int decimals) {
  return fmt::format("{:.{}f}", value, decimals);
}

std::string withMinus(std::string text) {
  if (text.starts_with("-")) text.replace(0, 1, "\u2212");
  return text;
}

// Decimals that show a multiple of step exactly: 3 for 0.025.
int decimalsOf(double step) {
  int decimals = 0;
  double scaled = step;
  while (decimals < 15 && std::abs(scaled - std::round(scaled)) > 1e-6 * scaled) {
    scaled *= 10.0;
    ++decimals;
  }
  return decimals;
}

std::string mantissaTimesPower(double value, int digits) {
  auto exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  double mantissa = value / std::pow(10.0, exponent);
  if (fixed(std::abs(mantissa), digits - 1).starts_with("10")) {
    mantissa /= 10.0;
    ++exponent;
  }
  return withMinus(fixed(mantissa, digits - 1)) + " \u00d7 " + powerOfTen(exponent);
}

}  // namespace

std::string powerOfTen(int exponent) {
  static constexpr std::array<const char*, 10> raised{"\u2070", "\u00b9", "\u00b2", "\u00b3",
                                                      "\u2074", "\u2075", "\u2076", "\u2077",
                                                      "\u2078", "\u2079"};
  std::string text = exponent < 0 ? "10\u207b" : "10";
  for (char digit : fmt::format("{}", std::abs(exponent)))
    text += raised[static_cast<std::size_t>(digit - '0')];
  return text;
}

std::vector<Tick> linearTicks(double lowest, double highest, int wanted) {
  if (!(highest > lowest)) return {{lowest, formatNumber(lowest, 3)}};
  if (!std::isfinite(highest - lowest))
    return {{lowest, formatNumber(lowest, 3)}, {highest, formatNumber(highest, 3)}};
  const double step = roundStep((highest - lowest) / std::max(wanted, 1));
  const double largest = std::max(std::abs(lowest), std::abs(highest));
  const bool plain = largest < 1e5 && step >= 1e-4;
  const int decimals = decimalsOf(step);
  // Significant digits that tell neighbours apart: those of the step and one more for 2.5.
  const int digits = std::clamp(
      static_cast<int>(std::floor(std::log10(largest)) - std::floor(std::log10(step))) + 2, 3, 9);
  std::vector<Tick> ticks;
  const double slack = 1e-9 * (highest - lowest);
  for (double k = std::ceil((lowest - slack) / step); k * step <= highest + slack; k += 1.0) {
    const double value = k == 0.0 ? 0.0 : k * step;
    const bool whole = decimals == 0 && value >= 1e4 && value < 1e15;
    std::string text = value == 0.0 ? "0"
                       : whole      ? formatCount(static_cast<unsigned long long>(value))
                       : plain      ? withMinus(fixed(value, decimals))
                                    : formatNumber(value, digits);
    ticks.push_back({value, std::move(text)});
  }
  return ticks;
}

std::vector<Tick> decadeTicks(double lowest, double highest, int most) {
  const auto first = static_cast<int>(std::ceil(std::log10(lowest) - 1e-9));
  const auto last = static_cast<int>(std::floor(std::log10(highest) + 1e-9));
  const int stride = std::max(1, (last - first) / std::max(most, 1) + 1);
  std::vector<Tick> ticks;
  for (int e = first; e <= last; e += stride) {
    const bool plain = e >= -2 && e <= 3;
    const double value = std::pow(10.0, e);
    ticks.push_back({value, plain ? fixed(value, std::max(0, -e)) : powerOfTen(e)});
  }
  return ticks;
}

std::string formatNumber(double value, int digits) {
  if (value == 0.0) return "0";
  if (!std::isfinite(value)) return value != value ? "not a number" : "infinite";
  const double size = std::abs(value);
  if (size < 1e-3 || size >= 1e5) return mantissaTimesPower(value, digits);
  const auto exponent = static_cast<int>(std::floor(std::log10(size)));
  return withMinus(fixed(value, std::max(0, digits - 1 - exponent)));
}

std::string formatCount(unsigned long long value) {
  std::string text = fmt::format("{}", value);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, "\u00a0");
  return text;
}

DisplayUnit displayUnit(const std::string& unit, double largest) {
  struct Choice {
    const char* si;
    double factor;  // display = SI * factor
    const char* name;
  };
  static constexpr std::array<Choice, 33> choices{
      {{"m3/s", 1.0, "m\u00b3/s"}, {"m3/s", 1e3, "l/s"},  {"m3/s", 1e6, "ml/s"},
       {"m3/s", 1e9, "\u00b5l/s"}, {"Pa", 1.0, "Pa"},     {"Pa", 1e3, "mPa"},
       {"Pa", 1e6, "\u00b5Pa"},    {"m/s", 1.0, "m/s"},   {"m/s", 1e3, "mm/s"},
       {"m/s", 1e6, "\u00b5m/s"},  {"s", 1.0, "s"},       {"s", 1e3, "ms"},
       {"s", 1e6, "\u00b5s"},      {"J", 1.0, "J"},       {"J", 1e3, "mJ"},
       {"J", 1e6, "\u00b5J"},      {"J", 1e9, "nJ"},      {"J", 1e12, "pJ"},
       {"J", 1e15, "fJ"},          {"m", 1.0, "m"},       {"m", 1e3, "mm"},
       {"m", 1e6, "\u00b5m"},      {"N", 1.0, "N"},       {"N", 1e3, "mN"},
       {"N", 1e6, "\u00b5N"},      {"N", 1e9, "nN"},      {"N", 1e12, "pN"},
       {"N.m", 1.0, "N m"},        {"N.m", 1e3, "mN m"},  {"N.m", 1e6, "\u00b5N m"},
       {"N.m", 1e9, "nN m"},       {"N.m", 1e12, "pN m"}, {"N.m", 1e15, "fN m"}}};
  // Below this value the next smaller unit is chosen.
  constexpr double least = 0.2;
  DisplayUnit chosen{1.0, unit};
  for (const Choice& choice : choices) {
    if (unit != choice.si) continue;
    chosen = {choice.factor, choice.name};
    if (std::abs(largest) * choice.factor >= least) break;
  }
  return chosen;
}

}  // namespace tessera::picture
