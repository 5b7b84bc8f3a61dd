// SPDX-License-Identifier: GPL-3.0-or-later
// Recovery of a run that diverged: it goes back to a kept state and continues with half the time
// step, or with cumulants on D3Q27.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "solver/run/kept_states.hpp"
#include "solver/run/monitor.hpp"
#include "solver/run/simulation.hpp"

namespace tessera::solver::run {

constexpr std::size_t mostRecoveries = 3;

// How a run continues from a kept state. A velocity above 0.1 in lattice units, or a relaxation
// time of at least 0.55, at which collisions are stable up to high velocities, asks for half the
// time step. Otherwise velocity x spacing / viscosity is too large for the collision, which no time
// step changes, and cumulants on D3Q27 follow (Geier et al. 2015), without an eddy viscosity.
// fastest: largest velocity that is expected or was seen in the kept state, lattice units. nullopt:
// mostRecoveries were made, or neither is left.
std::optional<file::Recovery> planRecovery(const Setup& setup, const file::KeptState& kept,
                                           double fastest, std::uint64_t divergedAt,
                                           bool roomForCumulants = true);

// Whether the populations of cumulants, 27 values a node, fit in place of the run's state and what
// is free beside it, on every rank. Collective.
bool hasRoomForCumulants(const Setup& setup);

// The same for a run that diverged after its state was extrapolated (steady_march.hpp), which may
// be the cause: the plain march. It does not count as one of mostRecoveries.
file::Recovery withoutAcceleration(const Setup& setup, const file::KeptState& kept,
                                   std::uint64_t divergedAt);

// How a run goes on: "half the time step", "cumulants on D3Q27". before: the recovery's own set-up.
std::string continuationText(const Setup& before, const file::Recovery& recovery);

// How a run continued after it diverged: "half the time step from 0.1 s on, ..."; empty: it did
// not.
std::string recoveredText(const Setup& setup);

// Identity of a set-up without recoveries.
RunIdentity identityOf(const Setup& setup);

// The set-up that follows; all intervals, in steps, grow with the steps. Collective. Throws as
// prepare().
Setup setupAfter(const tiler::TiledGeometry& geometry, const Setup& before,
                 const file::Recovery& recovery);

// The state that the run continues from, as a checkpoint without populations: what the time loop
// needs of it. monitor: of the run that diverged. Collective.
file::Checkpoint goBack(const file::KeptState& kept, const file::Recovery& recovery,
                        const MonitorTable& monitor, Simulation& simulation);

// Steps up to the kept state at which the run's state was extrapolated, in the steps that follow.
std::vector<std::uint64_t> jumpsUntil(const file::KeptState& kept, const file::Recovery& recovery,
                                      const std::vector<std::uint64_t>& jumps);

// Brings a simulation of the case's own set-up to the one that a checkpoint at that step needs.
// Collective. Throws StageError(BadInput) for recoveries that no run makes. path: for the message.
void repeatRecoveries(const std::filesystem::path& path,
                      const std::vector<file::Recovery>& recoveries, std::uint64_t step,
                      Simulation& simulation);

}  // namespace tessera::solver::run
