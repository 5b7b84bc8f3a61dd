// SPDX-License-Identifier: GPL-3.0-or-later
// From populations to what run.fields holds.
#include <algorithm>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "preprocess/lattice/lattice_file.hpp"
#include "solver/simulation.hpp"

namespace tessera {

namespace {

// One tile's observedValues x 64 numbers to its nodes of the file, from position `node` on.
void placeTile(const float* values, const std::uint8_t* types, std::uint64_t node, Fields& fields) {
  for (std::size_t l = 0; l < tileNodes; ++l) {
    if (types[l] == static_cast<std::uint8_t>(NodeType::Solid)) continue;
    const auto at = [&](std::size_t e) { return values[64 * e + l]; };
    fields.pressure[node] = at(0) / 3.0F;
    fields.velocity[node] = {at(1), at(2), at(3)};
    fields.stress[node] = {at(4), at(5), at(6), at(7), at(8), at(9)};
    ++node;
  }
}

}  // namespace

template <class Visit>
void Simulation::observe(Visit&& visit) {
  std::vector<std::uint32_t> tileOfSlot(setup_.order.tiles);
  for (const std::uint32_t t : ownTiles_) tileOfSlot[setup_.order.slotOfTile[t]] = t;
  constexpr std::uint32_t atOnce = 8192;
  // As often on every rank.
  const auto most = static_cast<std::uint32_t>(largestOf(ranks_, setup_.order.tiles));
  std::vector<float> values;
  // With all, so that none waits for one that has no memory.
  together(ranks_, [&] {
    values.reserve(std::size_t{std::min(atOnce, most)} * observedValues * tileNodes);
  });
  const std::vector<double> coefficients = drive_.amplitudes(step_, 1);
  for (std::uint32_t next = 0; next < most; next += atOnce) {
    const std::uint32_t slot = std::min(next, setup_.order.tiles);
    const std::uint32_t count = std::min(atOnce, setup_.order.tiles - slot);
    // Where nothing is left one tile is looked at once more, for the others' sake.
    backend_->sampleTiles(coefficients, count > 0 ? slot : 0, std::max(count, 1U), values);
    for (std::uint32_t k = 0; k < count; ++k)
      visit(std::size_t{tileOfSlot[slot + k]},
            values.data() + std::size_t{k} * observedValues * tileNodes);
  }
}

Fields Simulation::fields(const RunResult& result) {
  const TiledGeometry& geometry = tiles_.geometry;
  Fields fields;
  const OwnNodes own = ownNodes();
  together(ranks_, [&] {
    fields.pressure.resize(own.count);
    fields.velocity.resize(own.count);
    fields.stress.resize(own.count);
  });
  observe([&](std::size_t t, const float* values) {
    placeTile(values, &geometry.nodeType[t * tileNodes], own.first[t], fields);
  });
  together(ranks_, [&] {
    if (!allNumbers(fields))
      fail(ExitCode::RunFailed,
           "the fields of step " + std::to_string(result.step) +
               " hold values that are not numbers, so they are not written; use a finer spacing, a "
               "smaller velocity_scale or a longer ramp");
  });
  describe(result, fields);
  if (meanSamples_ > 0 && meanSamples_ == setup_.cycles.samples)
    together(ranks_, [&] { meansToFields(result.step, fields); });
  return fields;
}

Fields Simulation::fields(const RunResult& result, const RunFiles& files,
                          const MonitorTable& monitor, const Provenance& provenance) {
  Fields out = fields(result);
  out.tilesName = files.tilesName;
  out.caseText = files.caseText;
  out.monitorColumns = monitor.columns;
  out.monitorRows = monitor.rows;
  out.provenance = provenance;
  return out;
}

BrokenPlace Simulation::findBrokenPlace() {
  const TiledGeometry& geometry = tiles_.geometry;
  BrokenPlace place;
  observe([&](std::size_t t, const float* values) {
    for (std::size_t l = 0; l < tileNodes; ++l) {
      if (geometry.nodeType[t * tileNodes + l] == static_cast<std::uint8_t>(NodeType::Solid))
        continue;
      const auto at = [&](std::size_t e) { return static_cast<double>(values[tileNodes * e + l]); };
      place.add(geometry.nodeOf(t, static_cast<int>(l)), at(0), {at(1), at(2), at(3)});
    }
  });
  BrokenPlace all;
  for (const BrokenPlace& each : gatherValues<BrokenPlace>(ranks_, std::span(&place, 1)))
    all.add(each);
  return all;
}

void Simulation::describe(const RunResult& result, Fields& fields) const {
  const Scales& scales = setup_.lattice.scales;
  fields.tilesHash = tiles_.contentHash;
  fields.step = result.step;
  fields.time = static_cast<double>(result.step) * scales.timeStep;
  fields.timeStep = scales.timeStep;
  fields.density = scales.density;
  fields.kinematicViscosity = setup_.run.kinematicViscosity;
  const ViscosityLaw& law = setup_.run.law;
  fields.fluidModel = nameOf(law.model);
  fields.largestViscosity =
      law.model == FluidModel::Newtonian ? fields.kinematicViscosity : law.highest;
  fields.smagorinsky = law.smagorinsky;
  fields.tau = setup_.lattice.tau;
  fields.machMax = result.last.nodes.speedMax * std::sqrt(3.0);
  fields.densityRange = {result.last.nodes.densityMin, result.last.nodes.densityMax};
  fields.converged = result.converged;
  fields.massResidual = massResidual(result.last.flowRate);
  fields.bodyForce = setup_.run.bodyForce;
  fields.variant = setup_.variant->name();
  fields.pressureReference = referenceNow();
  fields.pressureFactor = scales.pressure();
  fields.velocityFactor = scales.velocity();
  fields.stressFactor = scales.pressure();
  for (std::size_t k = 0; k < tiles_.geometry.openings.size(); ++k)
    fields.openings.push_back({tiles_.geometry.openings[k].id, tiles_.geometry.openings[k].name,
                               nameOf(setup_.run.openings[k]), result.last.flowRate[k],
                               result.last.pressure[k]});
}

}  // namespace tessera
