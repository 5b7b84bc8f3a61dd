// SPDX-License-Identifier: GPL-3.0-or-later
// The declaration of what drives a flow: every member of the case, in the order of the physics hash
// of checkpoints; of openings the members are in physics() of each kind (boundary/condition.hpp). A
// new member of one of these structs needs a line here to compile; those that are hashed, at the
// end of their struct's hashed ones, change the hash of older checkpoints, which are then refused.
#pragma once

#include <string>
#include <tuple>

#include "solver/run/field_table.hpp"
#include "solver/run/setup.hpp"

namespace tessera {

template <>
inline constexpr auto memberTable<Waveform> =
    std::tuple{hashed("period", &Waveform::period),   hashed("time", &Waveform::time),
               hashed("value", &Waveform::value),     hashed("slope", &Waveform::slope),
               freeToChange("name", &Waveform::name),  // its values count
               freeToChange("hash", &Waveform::hash)};

// Hashed for a local viscosity alone: of a constant one kinematicViscosity says all.
template <>
inline constexpr auto memberTable<ViscosityLaw> =
    std::tuple{hashed("model", &ViscosityLaw::model),
               hashed("lowest", &ViscosityLaw::lowest),
               hashed("highest", &ViscosityLaw::highest),
               hashed("time_constant", &ViscosityLaw::timeConstant),
               hashed("a", &ViscosityLaw::a),
               hashed("n", &ViscosityLaw::n),
               hashed("yield", &ViscosityLaw::yield),
               hashed("consistency", &ViscosityLaw::consistency),
               hashed("smagorinsky", &ViscosityLaw::smagorinsky)};

// Not physics of the flow, but a mean over two kinds of samples would be of neither.
template <>
inline constexpr auto memberTable<PulseCase> = std::tuple{
    resolved("period", &PulseCase::period, [](const Setup& s) { return s.cycles.steps; }),
    resolved("phases", &PulseCase::phases, [](const Setup& s) { return s.cycles.phases; }),
    resolved("mean_every", &PulseCase::meanEvery, [](const Setup& s) { return s.cycles.samples; }),
    freeToChange("cycles", &PulseCase::cycles), freeToChange("converged", &PulseCase::converged)};

template <>
inline constexpr auto memberTable<WallCondition> =
    std::tuple{hashed("kind", &WallCondition::kind), hashed("velocity", &WallCondition::velocity),
               hashed("centre", &WallCondition::centre), hashed("rate", &WallCondition::rate)};

template <>
inline constexpr auto memberTable<SolverCase> = std::tuple{
    hashed("density", &SolverCase::density),
    hashed("kinematic_viscosity", &SolverCase::kinematicViscosity),
    resolved("magic", &SolverCase::magic, [](const Setup& s) { return s.lattice.magic; }),
    resolved("ramp", &SolverCase::ramp, [](const Setup& s) { return s.rampSteps; }),
    hashed("body_force", &SolverCase::bodyForce), hashed("law", &SolverCase::law),
    hashed("openings", &SolverCase::openings), hashed("time", &SolverCase::pulse),
    hashed("initial", &SolverCase::initialHash), hashed("walls", &SolverCase::walls),
    hashed("wall_conditions", &SolverCase::wallConditions),
    // The variant's name.
    compared("lattice", &SolverCase::lattice), compared("collision", &SolverCase::collision),
    compared("equilibrium", &SolverCase::equilibrium),
    compared("precision", &SolverCase::precision), compared("state", &SolverCase::state),
    // Relaxation time and time step.
    compared("velocity_scale", &SolverCase::velocityScale),
    compared("time_step", &SolverCase::timeStep), compared("tau", &SolverCase::tau),
    freeToChange("place", &SolverCase::place), freeToChange("copies", &SolverCase::copies),
    freeToChange("steps", &SolverCase::steps), freeToChange("converged", &SolverCase::converged),
    freeToChange("require_convergence", &SolverCase::requireConvergence),
    freeToChange("monitor_every", &SolverCase::monitorEvery),
    freeToChange("fields_every_steps", &SolverCase::fieldsEverySteps),
    freeToChange("fields_every_time", &SolverCase::fieldsEveryTime),
    freeToChange("checkpoint_every", &SolverCase::checkpointEvery),
    freeToChange("checkpoint_every_steps", &SolverCase::checkpointEverySteps)};

static_assert(listsEveryMember<Waveform>() &&
                  listsEveryMember<ViscosityLaw>() && listsEveryMember<PulseCase>() &&
                  listsEveryMember<WallCondition>() && listsEveryMember<SolverCase>(),
              "a member of the case has no line, or two, in its table above");

// Hash of what drives the flow: a run may be resumed with another stop rule, not with other
// physics.
std::string physicsHash(const Setup& setup);

}  // namespace tessera
