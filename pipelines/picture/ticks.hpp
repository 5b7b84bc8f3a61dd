// SPDX-License-Identifier: GPL-3.0-or-later
// Ticks at round numbers, and numbers and units as displayed.
#pragma once

#include <string>
#include <vector>

namespace tessera::picture {

struct Tick {
  double value = 0.0;
  std::string text;
};

// Multiples of 1, 2, 2.5 or 5 times a power of ten within [lowest, highest], about `wanted` of
// them, with the digits they need. An empty range has one tick.
std::vector<Tick> linearTicks(double lowest, double highest, int wanted);

// Powers of ten within [lowest, highest], both positive, thinned to at most `most`; written as
// 0.01, 1, 10, 1000 and beyond that as 10 with a raised exponent.
std::vector<Tick> decadeTicks(double lowest, double highest, int most);

// `digits` significant digits; as "3.4 × 10⁻⁷" beyond 1e-3 .. 1e5.
std::string formatNumber(double value, int digits = 4);
// 412345 -> "412 345", with no-break spaces
std::string formatCount(unsigned long long value);
// "10⁻³"
std::string powerOfTen(int exponent);

// Unit to display values of SI `unit` ("m3/s", "Pa", "m/s", "m") with, and its factor, so that the
// largest has one to three digits before the point.
struct DisplayUnit {
  double factor = 1.0;
  std::string name;
};
DisplayUnit displayUnit(const std::string& unit, double largest);

}  // namespace tessera::picture
