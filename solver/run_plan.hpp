// SPDX-License-Identifier: GPL-3.0-or-later
// Plan of a run: flow at each opening and throat, and the wall time.
#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <string>

#include "pipelines/stage/io/json.hpp"
#include "solver/case/flow_plan.hpp"
#include "solver/run/setup.hpp"

namespace tessera::solver {

// Fractions.
struct PlannedErrors {
  double flow = 0.0;       // flow rates and pressure drops that no condition prescribes
  double shear = 0.0;      // mean wall shear stress
  double highShear = 0.0;  // its 95th percentile and above
  double kept = 0.0;       // of these, Mach number, sound and precision
};

struct RunPlan {
  cases::FlowPlan flow;
  std::optional<PlannedErrors> errors;  // absent on several ranks, or with an unknown velocity
  double seconds = 0.0;                 // wall time of all steps; 0: unknown
  double mflups = 0.0;                  // of all ranks
  std::string speedSource;              // "measured by --bench, less the time of wall links"
  std::uint64_t memory = 0;             // bytes of the state and for checkpoints, of this rank
};

// smoothed: the surface was made of voxels. network: as for flowPlan().
RunPlan planOf(const run::Setup& setup, const tiler::TiledGeometry& geometry, bool smoothed,
               const cases::NetworkFlow& network);

// Result of an action, which another thread begins at once if this process is `alone`; otherwise,
// and where there is no further thread, the one who asks for the result begins it. The action is
// copied, since std::async may move it away before it finds that there is no thread (libstdc++ 12).
template <class Action>
auto inThread(bool alone, const Action& action) {
  constexpr auto threadIfAny = std::launch::async | std::launch::deferred;
  return std::async(alone ? threadIfAny : std::launch::deferred, action);
}

// The plan of a run that is about to step: a thread completes it with the flow, as soon as the
// network is there, and logs it. Several ranks wait, each for its part of the network. geometry
// must outlive it.
std::future<RunPlan> planDuringRun(const run::Setup& setup, const tiler::TiledGeometry& geometry,
                                   bool smoothed, std::future<cases::NetworkFlow> network);

// Lines for a person; flows in and out, that is, without a sign.
std::string runPlanText(const RunPlan& plan, const run::Setup& setup);

// For the report, SI; flow rates are positive out of the fluid, as in results.
stage::Json runPlanJson(const RunPlan& plan);
// The report's expected_error {quantity: fraction}; null without.
stage::Json expectedErrorJson(const RunPlan& plan);

}  // namespace tessera::solver
