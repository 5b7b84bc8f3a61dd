// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/resistance.hpp"

namespace tessera::solver::boundary {

Resistance Resistance::fromCase(OpeningTable& from) {
  Resistance out;
  out.distal = from.pressure("distal_pressure").value_or(0.0);
  out.initial = from.pressure("initial_pressure").value_or(out.distal);
  out.resistance = from.required("resistance", stage::Dimension::Resistance,
                                 "a resistance opening needs resistance, for instance resistance "
                                 "= \"1e9 Pa.s/m3\"",
                                 0.0, largestOutletValue);
  return out;
}

Prescription Resistance::prescription() const {
  return {Prescribed::Relation, Profile::Plug, 0.0, initial, nullptr, false};
}

std::optional<Outlet> Resistance::outlet(const model::Scales& scales) const {
  Outlet out{};
  out.proximal = latticeResistance(resistance, scales);
  out.rest = distal * (3.0 / scales.pressure());
  return out;
}

OpeningLinks Resistance::links(const PlannedOpening& opening) const {
  return outletLinks(opening);
}

Amplitudes Resistance::amplitudes() const {
  return outletAmplitudes();
}

OpeningPhysics Resistance::physics() const {
  const auto& [resistanceOf, distalOf, initialOf] = *this;
  return {.pressure = initialOf, .resistance = resistanceOf, .distal = distalOf};
}

OpeningLinks outletLinks(const PlannedOpening& opening) {
  OpeningLinks out;
  out.condition = LinkCondition::Pressure;
  out.parts.assign(opening.links.size(), {1.0, 0.0});
  return out;
}

Amplitudes outletAmplitudes() {
  return {1, [](const OpeningMoment&, std::span<double> out) { out[0] = 0.0; }};
}

double latticeResistance(double resistance, const model::Scales& scales) {
  const double pressure = 3.0 / scales.pressure();  // Pa to r
  return resistance * (pressure * scales.flowRate());
}

}  // namespace tessera::solver::boundary
