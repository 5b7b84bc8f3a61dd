// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/case/solver_case.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string_view>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/case/scheme.hpp"
#include "solver/case/unit_slips.hpp"
#include "solver/model/built_variants.hpp"

namespace tessera::solver::cases {

using boundary::WallScheme;
using stage::CaseTable;
using stage::Dimension;
using stage::ExitCode;
using stage::fail;
using tiler::TiledGeometry;

namespace {

// Nodes of a Stokes layer from which on mrt on D3Q27 has the magnitude of the wall shear as well as
// TRT.
constexpr double thickStokesLayer = 5.0;

// A pressure difference across a period acts as a body force.
void addPressureDifference(CaseTable& table, const TiledGeometry& geometry, SolverCase& run) {
  const auto difference = table.vector("pressure_difference", Dimension::Pressure);
  if (!difference) return;
  for (std::size_t a = 0; a < 3; ++a) {
    if ((*difference)[a] == 0.0) continue;
    if (!geometry.periodic[a] || (geometry.dimensions == 2 && a == 2))
      fail(ExitCode::Usage, table.where("pressure_difference") + ": pressure_difference on axis " +
                                "xyz"[a] +
                                ", but the geometry is not periodic there; preprocess with "
                                "--periodic, or give its openings pressures");
    const double gradient = (*difference)[a] / (geometry.nodes[a] * geometry.frame.spacing);
    for (std::size_t c = 0; c < 3; ++c) run.bodyForce[c] += gradient * geometry.frame.axis[a][c];
  }
}

// A name of this build; combinations are checked by findVariant().
template <model::AxisId Id>
void readAxis(CaseTable& table, Id& id) {
  if (const auto name = table.word(model::Axis<Id>::word, model::builtNames<Id>()))
    id = model::builtId<Id>(*name);
}

// The same where "auto", or no value, leaves the choice to the program; returns whether it does.
template <model::AxisId Id>
bool readAxisOrAuto(CaseTable& table, Id& id) {
  std::vector<std::string> names = model::builtNames<Id>();
  names.emplace_back("auto");
  const auto name = table.word(model::Axis<Id>::word, names);
  if (!name || *name == "auto") return true;
  id = model::builtId<Id>(*name);
  return false;
}

void readVariant(CaseTable& table, const TiledGeometry& geometry, SolverCase& run) {
  if (geometry.dimensions == 2) run.lattice = model::LatticeId::D2Q9;
  run.automaticLattice = !table.has(model::Axis<model::LatticeId>::word);
  readAxis(table, run.lattice);
  run.automaticCollision = readAxisOrAuto(table, run.collision);
  run.automaticEquilibrium = readAxisOrAuto(table, run.equilibrium);
  readAxis(table, run.precision);
  setState(table.word(model::Axis<model::StateId>::word, stateWords()).value_or("auto"), run);
  if (const auto scheme = schemeNamed(table.word("scheme", schemeWords()).value_or("auto"))) {
    if (table.has(model::Axis<model::StateId>::word))
      fail(ExitCode::Usage, table.where("scheme") +
                                ": scheme names the state, which is given as well; leave one of "
                                "them out");
    setState(model::nameOf(scheme->state), run);
    run.copies = std::to_string(scheme->copies);
  }
}

WallScheme wallScheme(const std::string& name) {
  const auto& names = boundary::wallSchemeNames;
  return static_cast<WallScheme>(std::find(names.begin(), names.end(), name) - names.begin());
}

// Key of the largest expected velocity in lattice units; velocity_scale is its name in version 0.1.
const char* latticeVelocityKey(const CaseTable& table) {
  const bool older = table.has("velocity_scale");
  if (older && table.has("lattice_velocity"))
    fail(ExitCode::Usage, table.where("velocity_scale") +
                              ": velocity_scale is the older name of lattice_velocity, which is "
                              "given as well; leave velocity_scale out");
  return older ? "velocity_scale" : "lattice_velocity";
}

void readSolver(CaseTable table, const TiledGeometry& geometry, SolverCase& run) {
  readVariant(table, geometry, run);
  run.magic = table.quantity("magic", Dimension::None, 1e-6, 10.0);
  const char* const velocityKey = latticeVelocityKey(table);
  run.latticeVelocity = table.quantity(velocityKey, Dimension::None, 1e-9, 1e9);
  run.timeStep = table.quantity("time_step", Dimension::Time, 1e-15, 1e6);
  run.tau = table.quantity("tau", Dimension::None);
  run.ramp = table.quantity("ramp", Dimension::Time, 0.0, 1e6);
  run.law.smagorinsky = table.quantity("smagorinsky", Dimension::None, 1e-3, 1.0).value_or(0.0);
  if (run.law.smagorinsky > 0.0 && run.law.model != model::FluidModel::Newtonian)
    fail(ExitCode::Usage,
         table.where("smagorinsky") + ": smagorinsky requires model = \"newtonian\" in [fluid]");
  run.bodyForce = table.vector("body_force", Dimension::ForceDensity).value_or(run.bodyForce);
  addPressureDifference(table, geometry, run);
  run.walls = wallScheme(table.word("walls", boundary::wallSchemeNames).value_or("auto"));
  if (table.word("on_divergence", {"recover", "stop"}) == "stop") run.keepEvery = 0;
  const auto march = table.word("acceleration", {"auto", "none", "extrapolation"});
  if (march && march != "auto") run.accelerate = march == "extrapolation";
  const int chosen = int(run.latticeVelocity.has_value()) + int(run.timeStep.has_value()) +
                     int(run.tau.has_value());
  if (chosen > 1)
    fail(ExitCode::Usage, table.where() +
                              ": [solver] takes one of lattice_velocity, time_step and "
                              "tau, each of which fixes the time step");
  run.place = table.where(run.timeStep ? "time_step" : run.tau ? "tau" : velocityKey);
  table.rejectUnknown();
}

constexpr std::int64_t mostSteps = 1'000'000'000'000;

// A time, or steps as "5000 steps"; of bareSteps also a bare whole number of steps.
struct TimeOrSteps {
  double time = 0.0;  // s; 0: absent
  std::uint64_t steps = 0;
};

TimeOrSteps readTimeOrSteps(CaseTable& output, const char* key, double leastTime, bool bareSteps) {
  constexpr std::string_view ending = " steps";
  const std::string text = output.isText(key) ? output.text(key).value_or("") : "";
  const auto refuse = [&](const std::string& found) {
    fail(ExitCode::Usage,
         fmt::format("{}: {} is {}, expected a time as \"{}\" or a whole number of steps of at "
                     "least 1 as \"5000 steps\"{}",
                     output.where(key), key, found, bareSteps ? "10 ms" : "30 min",
                     bareSteps ? " or 5000" : ""));
  };
  TimeOrSteps every;
  if (text.ends_with("step") || text.ends_with("steps")) {
    const char* last = text.data() + text.size() - std::min(text.size(), ending.size());
    const auto end = std::from_chars(text.data(), last, every.steps);
    if (!text.ends_with(ending) || end.ptr != last || end.ec != std::errc{} || every.steps == 0 ||
        every.steps > static_cast<std::uint64_t>(mostSteps))
      refuse('"' + text + '"');
  } else if (bareSteps && output.isText(key) && !stage::hasUnitOf(text, Dimension::Time)) {
    refuse('"' + text + '"');
  } else if (bareSteps && output.has(key) && !output.isText(key)) {
    every.steps = static_cast<std::uint64_t>(output.integer(key, 1, mostSteps).value_or(0));
  } else {
    every.time = output.quantity(key, Dimension::Time, leastTime, 1e9).value_or(0.0);
  }
  return every;
}

void readStop(CaseTable stop, SolverCase& run) {
  run.steps = static_cast<std::uint64_t>(
      stop.integer("steps", 1, mostSteps).value_or(static_cast<std::int64_t>(run.steps)));
  run.converged = stop.quantity("converged", Dimension::None, 1e-15, 1.0);
  run.requireConvergence = stop.flag("require_convergence").value_or(false);
  stop.rejectUnknown();
}

void readOutput(CaseTable output, SolverCase& run) {
  run.monitorEvery =
      static_cast<std::uint64_t>(output.integer("monitor_every", 1, mostSteps)
                                     .value_or(static_cast<std::int64_t>(run.monitorEvery)));
  const TimeOrSteps checkpoint = readTimeOrSteps(output, "checkpoint_every", 1.0, false);
  run.checkpointEvery = checkpoint.time;
  run.checkpointEverySteps = checkpoint.steps;
  const TimeOrSteps fields = readTimeOrSteps(output, "fields_every", 1e-15, true);
  run.fieldsEveryTime = fields.time;
  run.fieldsEverySteps = fields.steps;
  output.rejectUnknown();
}

// Common period of all periodic waveforms; 0 for none or several.
double sharedPeriod(const std::vector<boundary::Condition>& openings) {
  double period = 0.0;
  for (const boundary::Condition& condition : openings) {
    const auto series = boundary::prescriptionOf(condition).series;
    if (!series || series->period <= 0.0) continue;
    if (period > 0.0 && std::abs(series->period - period) > 1e-9 * period) return 0.0;
    period = series->period;
  }
  return period;
}

// Reads [time], after [stop], [output] and the openings, which it depends on.
void readTime(const stage::CaseFile& file, SolverCase& run) {
  constexpr std::int64_t most = 1'000'000'000;
  CaseTable table = file.table("time"), stop = file.table("stop");
  PulseCase& pulse = run.pulse;
  const auto period = table.quantity("period", Dimension::Time, 1e-12, 1e9);
  const auto count = [&](const char* key, std::uint64_t& value) {
    if (const auto given = table.integer(key, 1, most)) value = static_cast<std::uint64_t>(*given);
  };
  count("cycles", pulse.cycles);
  count("phases", pulse.phases);
  count("mean_every", pulse.meanEvery);
  pulse.converged =
      table.quantity("cycle_converged", Dimension::None, 0.0, 1.0).value_or(pulse.converged);
  table.rejectUnknown();
  if (!table.present() || file.hasMistakes()) return;
  pulse.period = period.value_or(sharedPeriod(run.openings));
  if (pulse.period <= 0.0)
    fail(ExitCode::Usage, table.where() +
                              ": [time] needs the period of the flow, for instance period = "
                              "\"1 s\", where the openings' waveforms do not share one");
  if (run.converged)
    fail(ExitCode::Usage, stop.where("converged") +
                              ": converged is for steady flows; a flow with a period takes "
                              "cycle_converged in [time]");
  if (run.fieldsEverySteps > 0 || run.fieldsEveryTime > 0.0)
    fail(ExitCode::Usage, table.where() +
                              ": a run with a period writes the fields of its phases; leave "
                              "fields_every out of [output]");
  if (!stop.has("steps")) run.steps = static_cast<std::uint64_t>(most) * 1000;
}

}  // namespace

double stokesLayer(const SolverCase& run) {
  double shortest = 0.0;
  for (const boundary::Condition& condition : run.openings) {
    const auto series = boundary::prescriptionOf(condition).series;
    if (!series || !series->swings()) continue;
    shortest = shortest > 0.0 ? std::min(shortest, series->period) : series->period;
  }
  return std::sqrt(run.kinematicViscosity * shortest / std::numbers::pi);
}

bool hasThinStokesLayer(const SolverCase& run, double spacing) {
  const double layer = stokesLayer(run);
  return layer > 0.0 && layer < thickStokesLayer * spacing;
}

void setState(std::string_view name, SolverCase& run) {
  const auto state = model::idNamed<model::StateId>(name);
  run.automaticState = !state;
  run.state = state.value_or(model::StateId::Populations);
}

bool followPrecision(SolverCase& run) {
  if (run.precision != model::PrecisionId::M32F16) return false;
  if (!run.automaticState && run.state == model::StateId::Populations)
    stage::fail(stage::ExitCode::Usage, std::string("precision \"") + model::nameOf(run.precision) +
                                            "\" needs moments; use --scheme " +
                                            schemesThat([](const Scheme& scheme) {
                                              return scheme.state == model::StateId::Moments;
                                            }) +
                                            ", or another precision");
  const bool open = run.automaticState;
  setState(model::nameOf(model::StateId::Moments), run);
  return open;
}

SolverCase readSolverCase(const stage::CaseFile& file, const TiledGeometry& geometry) {
  SolverCase run;
  const stage::MistakeNotes mistakes(file.mistakes());
  file.part([&] { readFluid(file.table("fluid"), run); });
  file.part([&] { readSolver(file.table("solver"), geometry, run); });
  file.part([&] { readStop(file.table("stop"), run); });
  file.part([&] { readOutput(file.table("output"), run); });
  file.part([&] { run.openings = readOpenings(file, geometry); });
  file.part([&] { run.wallConditions = boundary::readWalls(file, geometry); });
  file.part([&] {
    const double density = std::isfinite(run.density) ? run.density : 1.0;  // refused already
    run.initialField = readInitialField(file.table("initial"), density, geometry);
  });
  if (run.initialField) run.initialHash = run.initialField->hash;
  file.part([&] { readTime(file, run); });
  file.part([&] { run.forces = readForces(file.table("forces"), geometry); });
  run.probes = readProbes(file);
  run.stations = readStations(file);
  mistakes.reject();
  if (file.hasMistakes()) return run;
  if (run.requireConvergence && !run.converged && run.pulse.period <= 0.0)
    fail(ExitCode::Usage, file.name() +
                              ": require_convergence needs converged, for instance "
                              "converged = 1e-6 in [stop]");
  run.unitQuestions = unitQuestions(file, geometry, run);
  return run;
}

}  // namespace tessera::solver::cases
