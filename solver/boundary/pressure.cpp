// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/pressure.hpp"

namespace tessera::solver::boundary {

Pressure Pressure::fromCase(OpeningTable& from) {
  Pressure out;
  out.zouHe = readZouHe(from);
  const ConstantOrSeries given =
      readConstantOrSeries(from, "value", "pressure", stage::Dimension::Pressure,
                           "a pressure opening needs value, for instance value = \"0 Pa\"");
  out.value = given.value;
  out.series = given.series;
  return out;
}

Prescription Pressure::prescription() const {
  return {Prescribed::Pressure, Profile::Plug, 0.0, value, series, zouHe};
}

OpeningLinks Pressure::links(const PlannedOpening& opening) const {
  const double r = opening.course == PressureCourse::Constant
                       ? 3.0 * (value - opening.reference) / opening.lattice.scales.pressure()
                       : 1.0;
  OpeningLinks out;
  out.condition = zouHe ? LinkCondition::ZouHePressure : LinkCondition::Pressure;
  out.parts.assign(opening.links.size(), {r, 0.0});
  return out;
}

Amplitudes Pressure::amplitudes() const {
  return {1, [held = prescription()](const OpeningMoment& now, std::span<double> out) {
            const double r = 3.0 * (held.pressureAt(now.time) - now.reference) / now.pressureScale;
            out[0] = now.course == PressureCourse::Constant
                         ? now.ramp
                         : (now.course == PressureCourse::Coupled ? 1.0 : now.ramp) * r;
          }};
}

OpeningPhysics Pressure::physics() const {
  const auto& [valueOf, seriesOf, onNodes] = *this;
  return {.pressure = valueOf, .zouHe = onNodes};
}

}  // namespace tessera::solver::boundary
