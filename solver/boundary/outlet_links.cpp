// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/outlet_links.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

// Implicit Euler over a step, see outlets.hpp.
Outlet outletOf(const OpeningCondition& condition, const Scales& scales) {
  const double pressure = 3.0 / scales.pressure();         // Pa to r
  const double resistance = pressure * scales.flowRate();  // Pa s / m3 to r per flow rate
  Outlet out{};
  if (condition.kind == OpeningKind::Resistance) {
    out.proximal = condition.resistance * resistance;
    out.rest = condition.distal * pressure;
    return out;
  }
  const double inflow = scales.timeStep / condition.compliance;  // Pa a step and flow rate
  const double outflow = inflow / condition.resistance;          // part of p_c lost in a step
  out.proximal = condition.proximal * resistance;
  out.keep = 1.0 / (1.0 + outflow);
  out.gain = inflow * out.keep * resistance;
  out.rest = outflow * out.keep * condition.distal * pressure;
  return out;
}

}  // namespace

void setOutlets(const SolverCase& run, const Scales& scales, int longest, Domain& domain) {
  domain.meanGain = 1.0 / (meanCrossings * std::sqrt(3.0) * longest);
  for (std::size_t o = 0; o < run.openings.size(); ++o) {
    const OpeningCondition& condition = run.openings[o];
    if (prescribesPressure(condition)) domain.prescribedPressures.push_back(domain.driven[o].first);
    if (!isCoupled(condition)) continue;
    Outlet out = outletOf(condition, scales);
    out.coefficient = domain.driven[o].first;
    out.opening = static_cast<std::uint32_t>(o);
    const auto first = static_cast<std::uint32_t>(domain.outletLinks.size());
    for (std::size_t k = 0; k < domain.sampledLinks; ++k)
      if (domain.links[k].opening == o) domain.outletLinks.push_back(static_cast<std::uint32_t>(k));
    const auto end = static_cast<std::uint32_t>(domain.outletLinks.size());
    const auto outlet = static_cast<std::uint32_t>(domain.outlets.size());
    for (std::uint32_t at = first; at < end; at += outletChunk)
      domain.flowChunks.push_back({at, std::min(outletChunk, end - at), outlet});
    domain.outlets.push_back(out);
    const double start = 3.0 * condition.pressure / scales.pressure();
    domain.outletStates.push_back({start, start, 0.0, 0.0});
  }
}

}  // namespace tessera
