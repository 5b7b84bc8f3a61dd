// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/structure_rule.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "pipelines/stage/text.hpp"
#include "solver/bench/structure_table.hpp"
#include "solver/run/memory_needs.hpp"

namespace tessera::paper {

using namespace tessera::solver::bench;
using namespace tessera::solver::comparators;
using namespace tessera::solver::model;
using namespace tessera::tiler::file;

namespace {

constexpr double copyOfH200 = 4.25e12;  // B/s

unsigned valueBytes(PrecisionId precision) {
  return precision == PrecisionId::F64 ? 8 : 4;
}

bool isCandidate(const std::string& structure) {
  return std::find(candidates.begin(), candidates.end(), structure) != candidates.end();
}
bool isWholeTiles(const std::string& structure) {
  return structure == "tiles" || structure == "tiles-in-place";
}

// Bytes on the device besides populations, neighbour table and masks, walls as a case has them by
// default. Openings are closed.
double otherBytes(const TilesFile& closed, const FluidNodes& nodes, PrecisionId precision) {
  solver::cases::SolverCase run;
  run.density = 1000.0;
  run.kinematicViscosity = 1e-6;
  run.lattice = latticeOf(closed.geometry);
  run.precision = precision;
  run.tau = 0.8;
  run.walls = solver::boundary::WallScheme::Auto;
  const solver::run::Setup setup =
      solver::run::setUp(closed.geometry, run, "cpu", solver::comm::noOthers(), {});
  return static_cast<double>(solver::run::stateBytes(setup)) -
         tileBytes(nodes, {setup.variant->storedWords, setup.variant->storageBytes}).held;
}

RuleRow rowOf(const std::string& name, bool real, const tiler::TiledGeometry& geometry) {
  RuleRow row;
  row.geometry = name;
  row.real = real;
  row.nodes = geometry.fluidNodes;
  row.porosity = porosityOf(geometry);
  row.utilisation = geometry.utilisation();
  return row;
}

std::vector<RuleRow> counted(const RuleRow& like, const TilesFile& closed, PrecisionId precision) {
  std::vector<RuleRow> rows;
  const auto nodes = static_cast<double>(like.nodes);
  for (const StructurePlan& plan :
       planStructures(closed.geometry, {valueBytes(precision), true, true})) {
    if (!plan.bytes) continue;
    RuleRow row = like;
    row.structure = plan.name;
    row.parts = partsOfPass(closed.geometry, plan.name, valueBytes(precision));
    row.bytesPerNode = plan.bytes->moved / nodes;
    row.memoryPerNode = plan.bytes->held / nodes;
    if (plan.share) row.predictedMflups = predictedMflups(plan, like.nodes, copyOfH200);
    rows.push_back(row);
  }
  return rows;
}

std::vector<RuleRow> measured(const RuleRow& like, const TilesFile& closed,
                              const RuleChoice& choice) {
  std::vector<RuleRow> rows;
  for (const StructureSpeed& speed : measureStructures(
           closed,
           {choice.backend, like.precision, choice.collision, choice.structures, choice.effort})) {
    RuleRow row = like;
    row.structure = speed.structure;
    row.parts = partsOfPass(closed.geometry, speed.structure, valueBytes(speed.precision));
    row.order = solver::comparators::nameOf(speed.order);
    row.bytesPerNode = speed.bytesPerNode;
    row.memoryPerNode = speed.memoryPerNode;
    row.predictedMflups = speed.predictedMflups;
    row.mflups = speed.measured.mflups;
    row.collision = solver::model::nameOf(speed.collision);
    row.backend = speed.cuda ? "cuda" : "cpu";
    row.boundFraction = speed.measured.fraction.median;
    rows.push_back(row);
  }
  return rows;
}

std::string percent(const std::optional<double>& part) {
  return part ? fmt::format("{:.1f}", 100.0 * *part) : "";
}

// Largest of a speed over rows; empty where none has it.
template <class Speed>
std::optional<double> fastest(const std::vector<const RuleRow*>& rows, const Speed& speedOf) {
  std::optional<double> most;
  for (const RuleRow* row : rows)
    if (const std::optional<double> speed = speedOf(*row); speed && *speed > most.value_or(0.0))
      most = speed;
  return most;
}
std::optional<double> measuredSpeed(const RuleRow& row) {
  return row.mflups ? std::optional(row.mflups->median) : std::nullopt;
}
std::optional<double> predictedSpeed(const RuleRow& row) {
  return row.predictedMflups;
}

}  // namespace

std::vector<RuleRow> ruleRows(const std::string& name, bool real, const TilesFile& closed,
                              const RuleChoice& choice) {
  const FluidNodes nodes(closed.geometry, NodeOrder::Curve);
  std::vector<RuleRow> rows;
  for (const PrecisionId precision : {PrecisionId::F64, PrecisionId::F32}) {
    RuleRow like = rowOf(name, real, closed.geometry);
    like.precision = solver::model::nameOf(precision);
    if (std::find(choice.precisions.begin(), choice.precisions.end(), like.precision) ==
        choice.precisions.end())
      continue;
    like.otherMemoryPerNode = otherBytes(closed, nodes, precision) / nodes.count();
    const std::vector<RuleRow> more =
        choice.countOnly ? counted(like, closed, precision) : measured(like, closed, choice);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

std::vector<RuleGain> gainsOf(const std::vector<RuleRow>& rows) {
  std::vector<RuleGain> gains;
  std::set<std::tuple<std::string, std::string, std::string>> done;
  for (const RuleRow& row : rows) {
    if (!isCandidate(row.structure) ||
        !done.insert({row.geometry, row.precision, row.structure}).second)
      continue;
    std::vector<const RuleRow*> tiles, own;
    for (const RuleRow& other : rows) {
      if (other.geometry != row.geometry || other.precision != row.precision) continue;
      if (isWholeTiles(other.structure)) tiles.push_back(&other);
      if (other.structure == row.structure) own.push_back(&other);
    }
    if (tiles.empty()) continue;
    const auto allMemory = [](const RuleRow& of) {
      return of.memoryPerNode + of.otherMemoryPerNode;
    };
    RuleGain gain{row.geometry, row.precision, row.structure, row.real, 0.0, 0.0, {}, {}};
    double least = allMemory(*tiles.front());
    for (const RuleRow* of : tiles) {
      least = std::min(least, allMemory(*of));
      if (of->structure == "tiles") gain.memoryOfTwoCopies = 1.0 - allMemory(row) / allMemory(*of);
    }
    gain.memory = 1.0 - allMemory(row) / least;
    const auto speedGain = [&](const auto& speedOf) -> std::optional<double> {
      const auto theirs = fastest(tiles, speedOf), ours = fastest(own, speedOf);
      if (!theirs || !ours) return std::nullopt;
      return *ours / *theirs - 1.0;
    };
    gain.speed = speedGain(measuredSpeed);
    gain.predictedSpeed = speedGain(predictedSpeed);
    gains.push_back(gain);
  }
  return gains;
}

std::string rowTable(const std::vector<RuleRow>& rows) {
  std::string text =
      "geometry,real,fluid_nodes,porosity,utilisation,precision,structure,order,collision,backend,"
      "bytes_per_node,memory_per_node,other_memory_per_node,mflups_median,mflups_min,mflups_max,"
      "bound_fraction,predicted_mflups,measured_over_predicted,parts\n";
  for (const RuleRow& row : rows) {
    text += fmt::format("{},{},{},{:.4f},{:.4f},{},{},{},{},{},{:.1f},{:.1f},{:.1f},", row.geometry,
                        row.real ? 1 : 0, row.nodes, row.porosity, row.utilisation, row.precision,
                        row.structure, row.order, row.collision, row.backend, row.bytesPerNode,
                        row.memoryPerNode, row.otherMemoryPerNode);
    text += row.mflups ? fmt::format("{:.1f},{:.1f},{:.1f},", row.mflups->median, row.mflups->least,
                                     row.mflups->most)
                       : ",,,";
    text += row.boundFraction ? fmt::format("{:.4f},", *row.boundFraction) : ",";
    text += row.predictedMflups ? fmt::format("{:.1f},", *row.predictedMflups) : ",";
    if (row.mflups && row.predictedMflups)
      text += fmt::format("{:.3f}", row.mflups->median / *row.predictedMflups);
    text += row.parts > 0.0 ? fmt::format(",{:.0f}\n", row.parts) : ",\n";
  }
  return text;
}

std::string gainTable(const std::vector<RuleGain>& gains) {
  std::string text =
      "geometry,real,precision,structure,memory_gain[%],memory_gain_of_two_copies[%],"
      "speed_gain[%],predicted_speed_gain[%],passes\n";
  for (const RuleGain& gain : gains)
    text += fmt::format("{},{},{},{},{},{},{},{},{}\n", gain.geometry, gain.real ? 1 : 0,
                        gain.precision, gain.structure, percent(gain.memory),
                        percent(gain.memoryOfTwoCopies), percent(gain.speed),
                        percent(gain.predictedSpeed), gain.passes() ? 1 : 0);
  return text;
}

std::string verdict(const std::vector<RuleGain>& gains) {
  std::string text = fmt::format(
      "More than {:.0f} % faster, or {:.0f} % less memory, than whole "
      "tiles; {} real geometries are asked for:\n",
      100.0 * speedAsked, 100.0 * memoryAsked, geometriesAsked);
  for (const char* precision : {"f64", "f32"})
    for (const char* candidate : candidates) {
      int real = 0, faster = 0, smaller = 0, smallerOfTwo = 0, either = 0;
      for (const RuleGain& gain : gains) {
        if (!gain.real || gain.precision != precision || gain.structure != candidate) continue;
        ++real;
        faster += gain.speed.value_or(0.0) > speedAsked ? 1 : 0;
        smaller += gain.memory > memoryAsked ? 1 : 0;
        smallerOfTwo += gain.memoryOfTwoCopies > memoryAsked ? 1 : 0;
        either += gain.passes() ? 1 : 0;
      }
      if (real == 0) continue;
      text +=
          fmt::format("{:<16} {}: faster on {}, smaller on {} of {} (than two copies on {}): {}\n",
                      candidate, precision, faster, smaller, real, smallerOfTwo,
                      either >= geometriesAsked ? "qualifies" : "does not qualify");
    }
  return text;
}

}  // namespace tessera::paper
