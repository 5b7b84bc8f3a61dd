// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/check_case.hpp"

#include <algorithm>

#include "pipelines/stage/case/pressure_tap.hpp"
#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/given_options.hpp"
#include "solver/backend/registry.hpp"
#include "solver/case/reference_point.hpp"
#include "solver/case/solver_case.hpp"
#include "solver/comm/ranks.hpp"
#include "solver/stand_in_geometry.hpp"
#include "tiler/file/tiles_file.hpp"

namespace tessera::solver {

using boundary::Prescribed;
using cases::SolverCase;
using stage::Dimension;
using stage::formatQuantity;
using tiler::TiledGeometry;

namespace {

std::string line(const std::string& name, const std::string& text) {
  return fmt::format("{:<12} {}\n", name, text);
}

std::string fluidText(const SolverCase& run) {
  const auto viscosity = [&](double kinematic) {
    return formatQuantity(kinematic * run.density, Dimension::DynamicViscosity);
  };
  std::string text =
      fmt::format("{}, {}, {}", model::nameOf(run.law.model),
                  formatQuantity(run.density, Dimension::Density), viscosity(run.law.lowest));
  if (run.law.highest > run.law.lowest) text += " to " + viscosity(run.law.highest);
  if (run.law.smagorinsky > 0.0)
    text += fmt::format(", Smagorinsky's share with C = {}", stage::number(run.law.smagorinsky, 3));
  return text;
}

std::string solverText(const SolverCase& run) {
  const auto chosen = [](bool automatic, const char* name) {
    return automatic ? std::string("chosen by the program") : std::string(name);
  };
  std::string text = fmt::format("lattice {}, collision {}, equilibrium {}, precision {}, state {}",
                                 chosen(run.automaticLattice, model::nameOf(run.lattice)),
                                 chosen(run.automaticCollision, model::nameOf(run.collision)),
                                 chosen(run.automaticEquilibrium, model::nameOf(run.equilibrium)),
                                 model::nameOf(run.precision),
                                 chosen(run.automaticState, model::nameOf(run.state)));
  if (run.timeStep) text += ", time step " + formatQuantity(*run.timeStep, Dimension::Time);
  if (run.tau) text += fmt::format(", tau {}", stage::number(*run.tau));
  if (run.latticeVelocity)
    text += fmt::format(", largest velocity {} nodes a step", stage::number(*run.latticeVelocity));
  return text;
}

std::string seriesText(const boundary::Waveform& series) {
  std::string text = fmt::format("{}, {}", series.name, stage::plural(series.time.size(), "time"));
  return series.period > 0.0 ? text + ", period " + formatQuantity(series.period, Dimension::Time)
                             : text;
}

std::string valueText(const boundary::Prescription& given) {
  if (given.prescribed == Prescribed::Nothing) return "closed";
  if (given.prescribed != Prescribed::Velocity) {
    const char* what = given.prescribed == Prescribed::Relation ? "starts at " : "";
    return given.series ? seriesText(*given.series)
                        : what + formatQuantity(given.pressure, Dimension::Pressure);
  }
  if (given.series)
    return fmt::format("into the fluid, at most {} ({})",
                       formatQuantity(given.mean, Dimension::Velocity), seriesText(*given.series));
  return formatQuantity(given.mean, Dimension::Velocity) + " into the fluid on average";
}

// area: of the opening, from which a flow rate's mean velocity was found, m2.
std::string conditionText(const boundary::Condition& condition, double area) {
  const std::string name = boundary::nameOf(condition);
  const boundary::Prescription given = boundary::prescriptionOf(condition);
  if (const auto* split = std::get_if<boundary::OutflowSplit>(&condition))
    return fmt::format("{}, {} of the inflow", name, stage::percent(split->fraction));
  if (!std::holds_alternative<boundary::FlowRate>(condition)) return name + ", " + valueText(given);
  const std::string rate = formatQuantity(given.mean * area, Dimension::FlowRate);
  return given.series ? fmt::format("{}, into the fluid, at most {} ({})", name, rate,
                                    seriesText(*given.series))
                      : fmt::format("{}, {} into the fluid", name, rate);
}

std::string openingsText(const SolverCase& run, const TiledGeometry& geometry, bool isStandIn) {
  std::string text;
  for (std::size_t k = 0; k < run.openings.size(); ++k) {
    const auto& opening = geometry.openings[k];
    const bool named = !isStandIn || opening.name != fmt::format("opening{}", opening.id);
    text += line(fmt::format("opening {}", isStandIn && named ? "" : std::to_string(opening.id)),
                 (named ? opening.name + ": " : "") + conditionText(run.openings[k], opening.area));
  }
  return text;
}

std::string wallsText(const SolverCase& run, const TiledGeometry& geometry) {
  std::string text;
  for (std::size_t k = 0; k < run.wallConditions.size(); ++k)
    if (run.wallConditions[k].kind != boundary::WallKind::Rest)
      text += line("wall",
                   geometry.wallNames[k] +
                       (run.wallConditions[k].kind == boundary::WallKind::Moving
                            ? ": moving, " + formatQuantity(length(run.wallConditions[k].velocity),
                                                            Dimension::Velocity)
                            : ": symmetry plane"));
  return text;
}

std::string endText(const SolverCase& run) {
  if (run.pulse.period > 0.0)
    return line("time", fmt::format("period {}, at most {}, {}",
                                    formatQuantity(run.pulse.period, Dimension::Time),
                                    stage::plural(run.pulse.cycles, "cycle"),
                                    stage::plural(run.pulse.phases, "phase")));
  std::string text = fmt::format("at most {}", stage::plural(run.steps, "step"));
  if (run.converged)
    text += fmt::format(", or when changes fall below {}", stage::number(*run.converged));
  return line("stop", text);
}

// Refuses combinations that this build does not have, as far as the case fixes them.
void checkVariant(SolverCase run) {
  cases::followPrecision(run);
  const model::VariantAxes axes{
      run.lattice,     run.collision,
      run.equilibrium, run.law.local() ? model::ViscosityId::Local : model::ViscosityId::Constant,
      run.precision,   model::TilingId::Aligned,
      run.state};
  const auto& all = backend::variants();
  const bool built = std::any_of(all.begin(), all.end(), [&](const backend::VariantInfo& variant) {
    const model::VariantAxes& of = variant.axes;
    return (run.automaticLattice || of.lattice == axes.lattice) &&
           (run.automaticCollision || of.collision == axes.collision) &&
           (run.automaticEquilibrium || of.equilibrium == axes.equilibrium) &&
           of.viscosity == axes.viscosity && of.precision == axes.precision &&
           of.tiling == axes.tiling && of.state == axes.state;
  });
  if (!built) (void)backend::findVariant(axes);
}

std::string monitorText(const SolverCase& run) {
  std::vector<std::string> followed;
  if (!run.probes.empty()) followed.push_back(stage::plural(run.probes.size(), "probe"));
  if (!run.stations.empty()) followed.push_back(stage::plural(run.stations.size(), "station"));
  return followed.empty() ? "" : line("monitor", stage::joined(followed, ", "));
}

std::string forceText(const SolverCase& run) {
  const auto& f = run.bodyForce;
  if (f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0) return "";
  return line("body force", fmt::format("{}, {}, {} N/m3", stage::number(f[0]), stage::number(f[1]),
                                        stage::number(f[2])));
}

}  // namespace

std::string checkedCase(const std::filesystem::path& caseFile, const std::filesystem::path& tiles) {
  const stage::CaseFile file = stage::CaseFile::load(caseFile);
  const stage::MistakeNotes mistakes(file.mistakes());
  const bool isStandIn = tiles.empty();
  const TiledGeometry geometry =
      isStandIn ? standInGeometry(file) : tiler::file::readTilesFile(tiles).geometry;
  const SolverCase run = cases::readSolverCase(file, geometry);
  preprocess::GivenOptions ofPreprocess;
  preprocess::addCase(file.table("preprocess"), ofPreprocess);
  file.part([&] { (void)stage::readPressureTap(file); });
  mistakes.reject();
  if (!isStandIn) {
    cases::checkReferencePoint(file, geometry, comm::noOthers());
    cases::checkProbes(file, geometry);
  }
  checkVariant(run);
  std::string text = line("fluid", fluidText(run)) + line("solver", solverText(run));
  if (!file.table("solver").has("pressure_difference") || !isStandIn) text += forceText(run);
  text += openingsText(run, geometry, isStandIn) + wallsText(run, geometry);
  if (run.initialField) text += line("initial", run.initialField->text);
  text += monitorText(run) + endText(run);
  for (const std::filesystem::path& named : file.namedFiles())
    text += line("file", named.string() + " is read");
  return text + line("check", isStandIn ? "valid; whether its openings and walls are those of the "
                                          "geometry is checked with the tiles"
                                        : "valid for " + tiles.string());
}

}  // namespace tessera::solver
