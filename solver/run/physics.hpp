// SPDX-License-Identifier: GPL-3.0-or-later
// The declaration of what drives a flow: every member of the case, in the order of the physics hash
// of checkpoints; of openings the members are in physics() of each kind (boundary/condition.hpp). A
// new member of one of these structs needs a line here to compile; those that are hashed, at the
// end of their struct's hashed ones, change the hash of older checkpoints, which are then refused.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "solver/run/field_table.hpp"
#include "solver/run/setup.hpp"

namespace tessera::solver::run {

template <>
inline constexpr auto memberTable<boundary::Waveform> = std::tuple{
    hashed("period", &boundary::Waveform::period),   hashed("time", &boundary::Waveform::time),
    hashed("value", &boundary::Waveform::value),     hashed("slope", &boundary::Waveform::slope),
    freeToChange("name", &boundary::Waveform::name),  // its values count
    freeToChange("hash", &boundary::Waveform::hash)};

// Hashed for a local viscosity alone: of a constant one kinematicViscosity says all.
template <>
inline constexpr auto memberTable<model::ViscosityLaw> =
    std::tuple{hashed("model", &model::ViscosityLaw::model),
               hashed("lowest", &model::ViscosityLaw::lowest),
               hashed("highest", &model::ViscosityLaw::highest),
               hashed("time_constant", &model::ViscosityLaw::timeConstant),
               hashed("a", &model::ViscosityLaw::a),
               hashed("n", &model::ViscosityLaw::n),
               hashed("yield", &model::ViscosityLaw::yield),
               hashed("consistency", &model::ViscosityLaw::consistency),
               hashed("smagorinsky", &model::ViscosityLaw::smagorinsky)};

// Not physics of the flow, but a mean over two kinds of samples would be of neither.
template <>
inline constexpr auto memberTable<cases::PulseCase> = std::tuple{
    resolved("period", &cases::PulseCase::period, [](const Setup& s) { return s.cycles.steps; }),
    resolved("phases", &cases::PulseCase::phases, [](const Setup& s) { return s.cycles.phases; }),
    resolved("mean_every", &cases::PulseCase::meanEvery,
             [](const Setup& s) { return s.cycles.samples; }),
    freeToChange("cycles", &cases::PulseCase::cycles),
    freeToChange("converged", &cases::PulseCase::converged)};

template <>
inline constexpr auto memberTable<boundary::WallCondition> =
    std::tuple{hashed("kind", &boundary::WallCondition::kind),
               hashed("velocity", &boundary::WallCondition::velocity),
               hashed("centre", &boundary::WallCondition::centre),
               hashed("rate", &boundary::WallCondition::rate)};

// Points and reference values of reports; the flow does not depend on them.
template <>
inline constexpr auto memberTable<cases::ForceCase> =
    std::tuple{freeToChange("torque_about", &cases::ForceCase::torqueAbout),
               freeToChange("velocity", &cases::ForceCase::velocity),
               freeToChange("area", &cases::ForceCase::area),
               freeToChange("length", &cases::ForceCase::length),
               freeToChange("flow_direction", &cases::ForceCase::flow),
               freeToChange("lift_direction", &cases::ForceCase::across),
               freeToChange("walls", &cases::ForceCase::walls)};

// Rows of the monitor go on with the same columns.
template <>
inline constexpr auto memberTable<cases::Probe> =
    std::tuple{hashed("name", &cases::Probe::name), hashed("at", &cases::Probe::at)};
template <>
inline constexpr auto memberTable<cases::Station> = std::tuple{
    hashed("name", &cases::Station::name), hashed("at", &cases::Station::at),
    hashed("normal", &cases::Station::normal), hashed("radius", &cases::Station::radius)};

template <>
inline constexpr auto memberTable<cases::SolverCase> = std::tuple{
    hashed("density", &cases::SolverCase::density),
    hashed("kinematic_viscosity", &cases::SolverCase::kinematicViscosity),
    resolved("magic", &cases::SolverCase::magic, [](const Setup& s) { return s.lattice.magic; }),
    resolved("ramp", &cases::SolverCase::ramp, [](const Setup& s) { return s.rampSteps; }),
    hashed("body_force", &cases::SolverCase::bodyForce), hashed("law", &cases::SolverCase::law),
    hashed("openings", &cases::SolverCase::openings), hashed("time", &cases::SolverCase::pulse),
    hashed("initial", &cases::SolverCase::initialHash), hashed("walls", &cases::SolverCase::walls),
    hashed("wall_conditions", &cases::SolverCase::wallConditions),
    hashed("probes", &cases::SolverCase::probes), hashed("stations", &cases::SolverCase::stations),
    // The variant's name.
    compared("lattice", &cases::SolverCase::lattice),
    compared("collision", &cases::SolverCase::collision),
    compared("automatic_collision", &cases::SolverCase::automaticCollision),
    compared("automatic_lattice", &cases::SolverCase::automaticLattice),
    compared("equilibrium", &cases::SolverCase::equilibrium),
    compared("automatic_equilibrium", &cases::SolverCase::automaticEquilibrium),
    compared("precision", &cases::SolverCase::precision),
    compared("state", &cases::SolverCase::state),
    compared("automatic_state", &cases::SolverCase::automaticState),
    // Relaxation time and time step.
    compared("lattice_velocity", &cases::SolverCase::latticeVelocity),
    compared("time_step", &cases::SolverCase::timeStep), compared("tau", &cases::SolverCase::tau),
    freeToChange("initial_field", &cases::SolverCase::initialField),  // initialHash is of it
    freeToChange("unit_questions", &cases::SolverCase::unitQuestions),
    freeToChange("place", &cases::SolverCase::place),
    freeToChange("kept_state", &cases::SolverCase::keptState),  // state is of it
    freeToChange("copies", &cases::SolverCase::copies),
    freeToChange("on_divergence", &cases::SolverCase::keepEvery),
    freeToChange("acceleration", &cases::SolverCase::accelerate),
    freeToChange("steps", &cases::SolverCase::steps),
    freeToChange("converged", &cases::SolverCase::converged),
    freeToChange("require_convergence", &cases::SolverCase::requireConvergence),
    freeToChange("monitor_every", &cases::SolverCase::monitorEvery),
    freeToChange("forces", &cases::SolverCase::forces),
    freeToChange("fields_every_steps", &cases::SolverCase::fieldsEverySteps),
    freeToChange("fields_every_time", &cases::SolverCase::fieldsEveryTime),
    freeToChange("checkpoint_every", &cases::SolverCase::checkpointEvery),
    freeToChange("checkpoint_every_steps", &cases::SolverCase::checkpointEverySteps)};

static_assert(listsEveryMember<boundary::Waveform>() && listsEveryMember<model::ViscosityLaw>() &&
                  listsEveryMember<cases::PulseCase>() &&
                  listsEveryMember<boundary::WallCondition>() &&
                  listsEveryMember<cases::ForceCase>() && listsEveryMember<cases::Probe>() &&
                  listsEveryMember<cases::Station>() && listsEveryMember<cases::SolverCase>(),
              "a member of the case has no line, or two, in its table above");

// Formulas of openings, of interpolated and of moving walls.
enum class Formulas : std::uint8_t { Present, Version01 };

// Hash of what drives the flow: a run may be resumed with another stop rule, not with other
// physics. Formulas::Version01: the one that version 0.1 computed for the same case.
std::string physicsHash(const Setup& setup, Formulas formulas = Formulas::Present);

}  // namespace tessera::solver::run
