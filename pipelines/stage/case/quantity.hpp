// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers with units: "0.1 mm", "1060 kg/m3", "80 mmHg". SI inside, a bare number is SI.
#pragma once

#include <string>
#include <string_view>

namespace tessera::stage {

enum class Dimension {
  None,
  Length,              // m   (um mm cm m)
  Area,                // m2  (um2 mm2 cm2 m2)
  Time,                // s   (us ms s min h)
  Velocity,            // m/s (mm/s cm/s m/s)
  Density,             // kg/m3 (g/cm3 g/ml kg/m3)
  DynamicViscosity,    // Pa.s (mPa.s cP P)
  KinematicViscosity,  // m2/s (mm2/s cSt)
  Consistency,         // Pa.s^n, n the exponent of a power law (mPa.s^n)
  Pressure,            // Pa  (kPa mmHg mbar bar)
  FlowRate,            // m3/s (ml/s ml/min l/min L/min mm3/s ul/min)
  ForceDensity,        // N/m3 (also Pa/m)
  AngularVelocity,     // rad/s (deg/s rpm)
  Bandwidth,           // B/s (MB/s GB/s TB/s)
  Resistance,          // Pa.s/m3 (mmHg.s/ml), pressure over flow rate
  Compliance,          // m3/Pa (ml/mmHg), volume over pressure
};

// SI value of text such as "3.5e-3 Pa.s". Throws StageError(Usage) that names the finding and the
// units of the dimension.
double parseQuantity(std::string_view text, Dimension dimension);

// The SI unit of a dimension, e.g. "Pa.s".
std::string_view siUnit(Dimension dimension);

// For people: 4 significant digits with a convenient unit, e.g. 3.43e-2 m -> "34.3 mm".
std::string formatQuantity(double si, Dimension dimension);

// For commands: the fewest digits, in that unit or in SI, without a blank, that parseQuantity()
// returns as exactly this finite value: "0.878906mm".
std::string exactQuantity(double si, Dimension dimension, std::string_view unit);

}  // namespace tessera::stage
