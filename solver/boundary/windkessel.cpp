// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/windkessel.hpp"

#include "solver/boundary/resistance.hpp"

namespace tessera::solver::boundary {

using stage::Dimension;

Windkessel Windkessel::fromCase(OpeningTable& from) {
  const auto required = [&](const char* key, Dimension dimension, const std::string& example,
                            double lowest) {
    return from.required(key, dimension,
                         std::string("a Windkessel needs ") + key + ", for instance " + key +
                             " = \"" + example + "\"",
                         lowest, largestOutletValue);
  };
  Windkessel out;
  out.distal = from.pressure("distal_pressure").value_or(0.0);
  out.initial = from.pressure("initial_pressure").value_or(out.distal);
  out.proximal = required("resistance_proximal", Dimension::Resistance, "1e9 Pa.s/m3", 0.0);
  out.compliance =
      required("compliance", Dimension::Compliance, "1e-9 m3/Pa", 1.0 / largestOutletValue);
  out.resistance =
      required("resistance_distal", Dimension::Resistance, "1e9 Pa.s/m3", 1.0 / largestOutletValue);
  return out;
}

Prescription Windkessel::prescription() const {
  return {Prescribed::Relation, Profile::Plug, 0.0, initial, nullptr, false};
}

std::optional<Outlet> Windkessel::outlet(const model::Scales& scales) const {
  const double inflow = scales.timeStep / compliance;  // Pa per step and flow rate
  const double outflow = inflow / resistance;          // part of p_c lost in a step
  Outlet out{};
  out.proximal = latticeResistance(proximal, scales);
  out.keep = 1.0 / (1.0 + outflow);
  out.gain = inflow * out.keep * (3.0 / scales.pressure() * scales.flowRate());
  out.rest = outflow * out.keep * distal * (3.0 / scales.pressure());
  return out;
}

OpeningLinks Windkessel::links(const PlannedOpening& opening) const {
  return outletLinks(opening);
}

Amplitudes Windkessel::amplitudes() const {
  return outletAmplitudes();
}

OpeningPhysics Windkessel::physics() const {
  const auto& [proximalOf, complianceOf, resistanceOf, distalOf, initialOf] = *this;
  return {.pressure = initialOf,
          .resistance = resistanceOf,
          .proximal = proximalOf,
          .compliance = complianceOf,
          .distal = distalOf};
}

}  // namespace tessera::solver::boundary
