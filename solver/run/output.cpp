// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/output.hpp"

#include <cmath>
#include <new>

#include "pipelines/stage/system/large_array.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/file/node_types.hpp"
#include "solver/run/recovery.hpp"

namespace tessera::solver::run {

using file::Fields;
using stage::ExitCode;

namespace {

// Moments of one tile to its nodes of the file, from node `first` on.
void storeTile(const float* moments, const std::uint8_t* types, std::uint64_t first,
               Fields& fields) {
  std::uint64_t node = first;
  for (std::size_t l = 0; l < tiler::tileNodes; ++l) {
    if (types[l] == static_cast<std::uint8_t>(preprocess::file::NodeType::Solid)) continue;
    const auto at = [&](std::size_t e) { return moments[tiler::tileNodes * e + l]; };
    fields.pressure[node] = at(0) / 3.0F;
    fields.velocity[node] = {at(1), at(2), at(3)};
    fields.stress[node] = {at(4), at(5), at(6), at(7), at(8), at(9)};
    ++node;
  }
}

void describeFluid(const Setup& setup, Fields& fields) {
  const model::ViscosityLaw& law = setup.run.law;
  fields.density = setup.lattice.scales.density;
  fields.kinematicViscosity = setup.run.kinematicViscosity;
  fields.fluidModel = model::nameOf(law.model);
  fields.largestViscosity =
      law.model == model::FluidModel::Newtonian ? fields.kinematicViscosity : law.highest;
  fields.smagorinsky = law.smagorinsky;
  fields.tau = setup.lattice.tau;
  fields.bodyForce = setup.run.bodyForce;
}

void describeRun(const Simulation& simulation, const RunResult& result, Fields& fields) {
  const Setup& setup = simulation.setup();
  const model::Scales& scales = setup.lattice.scales;
  fields.tilesHash = simulation.tiles().contentHash;
  fields.step = result.step;
  fields.time = static_cast<double>(result.step) * scales.timeStep;
  fields.timeStep = scales.timeStep;
  fields.machMax = result.last.nodes.speedMax * std::sqrt(3.0);
  fields.densityRange = {result.last.nodes.densityMin, result.last.nodes.densityMax};
  fields.converged = result.converged;
  fields.massResidual = massResidual(result.last.flowRate);
  fields.variant = setup.variant->name();
  fields.wallScheme = boundary::wallSchemeNames[static_cast<std::size_t>(setup.run.walls)];
  if (setup.lattice.sound)
    fields.soundError = cases::acousticError(*setup.lattice.sound, setup.lattice.soundSpeed());
  fields.recovered = recoveredText(setup);
  fields.pressureReference = simulation.referencePressure();
  fields.pressureFactor = scales.pressure();
  fields.velocityFactor = scales.velocity();
  fields.stressFactor = scales.pressure();
  const std::vector<preprocess::geometry::Opening>& openings = simulation.tiles().geometry.openings;
  for (std::size_t k = 0; k < openings.size(); ++k)
    fields.openings.push_back({openings[k].id, openings[k].name,
                               boundary::nameOf(setup.run.openings[k]), result.last.flowRate[k],
                               result.last.pressure[k]});
}

// Forces of the last sample: the step that the fields show.
void describeForces(const Simulation& simulation, const RunResult& result, Fields& fields) {
  const std::vector<std::string>& names = simulation.tiles().geometry.wallNames;
  const BoundaryForces perPascal = simulation.forcesPerPascal();
  for (std::size_t k = 0; k < result.last.walls.size(); ++k)
    fields.walls.push_back(
        {names[k], result.last.walls[k].force, result.last.walls[k].torque,
         file::PressureEffect{perPascal.walls[k].force, perPascal.walls[k].torque}});
  for (std::size_t k = 0; k < result.last.openings.size(); ++k) {
    fields.openings[k].force = result.last.openings[k].force;
    fields.openings[k].forcePerPascal = perPascal.openings[k].force;
  }
  const cases::ForceCase& forces = simulation.setup().run.forces;
  fields.torqueAbout = forces.torqueAbout;
  if (forces.velocity > 0.0)
    fields.forceReference = {forces.velocity, forces.area,   forces.length,
                             forces.flow,     forces.across, forces.walls};
}

}  // namespace

Fields fieldsOf(Simulation& simulation, const RunResult& result) {
  const Setup& setup = simulation.setup();
  const tiler::TiledGeometry& geometry = simulation.tiles().geometry;
  Fields fields;
  stage::together(*setup.ranks, [&] {
    stage::resizeTogether(fields.pressure, setup.tiles.nodes());
    stage::resizeTogether(fields.velocity, setup.tiles.nodes());
    stage::resizeTogether(fields.stress, setup.tiles.nodes());
  });
  simulation.observeTogether([&](std::size_t tile, const float* moments) {
    storeTile(moments, &geometry.nodeType[tile * tiler::tileNodes], setup.tiles.firstNode(tile),
              fields);
  });
  stage::together(*setup.ranks, [&] {
    if (!file::allNumbers(fields))
      stage::fail(
          ExitCode::RunFailed,
          fmt::format("the fields of step {} hold values that are not numbers, so they are not "
                      "written; use a finer spacing, a smaller lattice_velocity or a longer ramp",
                      result.step));
  });
  describeFluid(setup, fields);
  describeRun(simulation, result, fields);
  describeForces(simulation, result, fields);
  return fields;
}

void writeFields(const std::filesystem::path& path, const Fields& fields, const Setup& setup) {
  if (setup.ranks->alone()) return file::writeFieldsFile(path, fields);
  file::writeFieldsTogether(path, fields, setup.tiles.nodeOffsets(),
                            setup.tiles.sectionOffsets().wallPoints, *setup.ranks);
}

// A run that is done is not lost for want of memory to measure the copy in.
void measureBandwidth(Simulation& simulation, RunResult& result) {
  std::uint64_t bandwidth = 0;
  try {
    bandwidth = static_cast<std::uint64_t>(std::llround(simulation.copyBandwidth()));
  } catch (const std::bad_alloc&) {
  } catch (const stage::StageError& error) {
    if (error.code() != ExitCode::NoResource) throw;  // of a device: the same
  }
  bandwidth = stage::sumOf(*simulation.setup().ranks, bandwidth);
  if (bandwidth > 0)
    result.bandwidthFraction = 1e6 * result.mflups * simulation.setup().variant->bytesPerNode() /
                               simulation.backend().stepsInPass() / static_cast<double>(bandwidth);
}

std::optional<stage::StageError> missingResource(comm::Ranks& ranks,
                                                 const std::function<void()>& body) {
  try {
    body();
  } catch (const stage::StageError& error) {
    if (error.code() != ExitCode::OutputFailed && error.code() != ExitCode::NoResource) throw;
    return error;
  } catch (const std::bad_alloc&) {
    if (!ranks.alone()) throw;  // not known to the other ranks
    return stage::StageError(ExitCode::NoResource, stage::notEnoughMemory);
  }
  return std::nullopt;
}

}  // namespace tessera::solver::run
