// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers with units: "0.1 mm", "1060 kg/m3", "80 mmHg". SI inside, a bare number is SI.
#pragma once

#include <string>
#include <string_view>

namespace tessera::stage {

// Units: the table in README.md, in any customary spelling (dimensions() in quantity.cpp).
enum class Dimension {
  None,
  Length,              // m
  Area,                // m2
  Time,                // s
  Velocity,            // m/s
  Density,             // kg/m3
  DynamicViscosity,    // Pa.s
  KinematicViscosity,  // m2/s
  Consistency,         // Pa.s^n, n the exponent of a power law
  Pressure,            // Pa
  FlowRate,            // m3/s
  ForceDensity,        // N/m3
  AngularVelocity,     // rad/s
  Bandwidth,           // B/s
  Resistance,          // Pa.s/m3, pressure over flow rate
  Compliance,          // m3/Pa, volume over pressure
};

// SI value of text such as "3.5e-3 Pa.s". Throws StageError(Usage) that names the finding and the
// units of the dimension.
double parseQuantity(std::string_view text, Dimension dimension);

// Whether a unit of the dimension stands behind the number.
bool hasUnitOf(std::string_view text, Dimension dimension);
// A number without a unit.
bool isBareNumber(std::string_view text);

// The SI unit of a dimension, e.g. "Pa.s".
std::string_view siUnit(Dimension dimension);

// For people: 4 significant digits with a convenient unit, e.g. 3.43e-2 m -> "34.3 mm".
std::string formatQuantity(double si, Dimension dimension);

// For commands: the fewest digits, in that unit or in SI, without a blank, that parseQuantity()
// returns as exactly this finite value: "0.878906mm".
std::string exactQuantity(double si, Dimension dimension, std::string_view unit);

}  // namespace tessera::stage
