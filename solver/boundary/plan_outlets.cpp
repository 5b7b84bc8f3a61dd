// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/plan_outlets.hpp"

#include <algorithm>
#include <cmath>

#include "solver/boundary/outlets.hpp"

namespace tessera::solver::boundary {

namespace {

// Appends the links of one opening, in chunks.
void addFlowLinks(std::span<const IncomingLink> links, std::uint32_t opening, OutletPlan& plan) {
  const auto first = static_cast<std::uint32_t>(plan.links.size());
  for (std::size_t k = 0; k < links.size(); ++k)
    if (links[k].opening == opening) plan.links.push_back(static_cast<std::uint32_t>(k));
  const auto end = static_cast<std::uint32_t>(plan.links.size());
  const auto outlet = static_cast<std::uint32_t>(plan.outlets.size());
  for (std::uint32_t at = first; at < end; at += outletChunk)
    plan.chunks.push_back({at, std::min(outletChunk, end - at), outlet});
}

}  // namespace

OutletPlan planOutlets(const std::vector<Condition>& conditions,
                       std::span<const IncomingLink> links, std::span<const DrivenOpening> driven,
                       const model::Scales& scales, int longest) {
  OutletPlan plan;
  plan.meanGain = 1.0 / (meanCrossings * std::sqrt(3.0) * longest);
  for (std::size_t o = 0; o < conditions.size(); ++o) {
    if (prescribesPressure(conditions[o])) plan.prescribedPressures.push_back(driven[o].first);
    std::optional<Outlet> outlet = outletOf(conditions[o], scales);
    if (!outlet) continue;
    outlet->coefficient = driven[o].first;
    outlet->opening = static_cast<std::uint32_t>(o);
    addFlowLinks(links, outlet->opening, plan);
    plan.outlets.push_back(*outlet);
    const double start = 3.0 * prescriptionOf(conditions[o]).pressure / scales.pressure();
    plan.states.push_back({start, start, 0.0, 0.0});
  }
  return plan;
}

}  // namespace tessera::solver::boundary
