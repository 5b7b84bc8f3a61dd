// SPDX-License-Identifier: GPL-3.0-or-later
// Units of length that coordinates of meshes and images come in, and files of results have.
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

namespace tessera::stage {

struct LengthUnit {
  const char* name = "m";
  double metres = 1.0;
  [[nodiscard]] double perMetre() const { return 1.0 / metres; }
};

constexpr LengthUnit lengthUnits[] = {
    {"m", 1.0}, {"cm", 1e-2}, {"mm", 1e-3}, {"um", 1e-6}, {"nm", 1e-9}};

// Null for an unknown name.
inline const LengthUnit* findLengthUnit(std::string_view name) {
  const auto found = std::find_if(std::begin(lengthUnits), std::end(lengthUnits),
                                  [&](const LengthUnit& unit) { return name == unit.name; });
  return found == std::end(lengthUnits) ? nullptr : found;
}

// Unit of that many metres; millimetres, in which scans are, for others such as inches.
inline const LengthUnit& lengthUnitOf(double metres) {
  for (const LengthUnit& unit : lengthUnits)
    if (std::abs(metres / unit.metres - 1.0) < 1e-9) return unit;
  return lengthUnits[2];
}

}  // namespace tessera::stage
