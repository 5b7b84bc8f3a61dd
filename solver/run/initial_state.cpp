// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/initial_state.hpp"

#include <tbb/parallel_for.h>

#include <cmath>
#include <string_view>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/file/node_types.hpp"
#include "solver/model/viscosity/law.hpp"

namespace tessera::solver::run {

using file::Fields;
using tiler::tileNodes;

namespace {

// Macroscopic state of a node in lattice units, from which its post-collision populations follow.
struct NodeState {
  double r = 0.0;              // rho - 1
  Double3 u{};                 // force included
  std::array<double, 6> pi{};  // second moments out of equilibrium after the collision
};

// Factors from stored values to lattice units, and the effect of the collision on the stress.
struct Conversion {
  double pressure = 1.0;
  double pressureOffset = 0.0;
  double velocity = 1.0;
  double stress = 1.0;
  double tau = 1.0;
  model::ViscosityLaw law;  // lattice units
  Double3 halfForce{};
  bool compressible = true;
};

Conversion conversionTo(const cases::LatticeRun& lattice, const backend::VariantInfo& variant,
                        const Fields& fields, double reference) {
  const model::Scales& scales = lattice.scales;
  Conversion out;
  out.pressure = fields.pressureFactor / scales.pressure();
  out.pressureOffset = (fields.pressureReference - reference) / scales.pressure();
  out.velocity = fields.velocityFactor / scales.velocity();
  out.stress = fields.stressFactor / scales.pressure();
  out.tau = lattice.tau;
  out.law = lattice.law;
  for (std::size_t a = 0; a < 3; ++a) out.halfForce[a] = 0.5 * lattice.force[a];
  out.compressible = variant.axes.equilibrium == model::EquilibriumId::QuasiCompressible;
  return out;
}

// Ratio of the part of Pi that the collision leaves, 1 - omega, to the stress -(1 - omega / 2) Pi.
double leftOfStress(const std::array<float, 6>& stored, const Conversion& to) {
  double tau = to.tau;
  if (to.law.local()) {
    double squares = 0.0;
    for (std::size_t e = 0; e < 6; ++e)
      squares += (e < 3 ? 1.0 : 2.0) * double(stored[e]) * double(stored[e]);
    tau = 0.5 + 3.0 * model::viscosityAtStress(to.law, std::sqrt(0.5 * squares) * to.stress);
  }
  return -(tau - 1.0) / (tau - 0.5);
}

NodeState stateOf(const Fields& fields, std::uint64_t node, const Conversion& to) {
  constexpr std::size_t row[6] = {0, 1, 2, 0, 0, 1};
  constexpr std::size_t column[6] = {0, 1, 2, 1, 2, 2};
  NodeState state;
  state.r = 3.0 * (double(fields.pressure[node]) * to.pressure + to.pressureOffset);
  for (std::size_t a = 0; a < 3; ++a) state.u[a] = double(fields.velocity[node][a]) * to.velocity;
  const double stress = to.stress * leftOfStress(fields.stress[node], to);
  for (std::size_t e = 0; e < 6; ++e)
    state.pi[e] = double(fields.stress[node][e]) * stress +
                  state.u[row[e]] * to.halfForce[column[e]] +
                  state.u[column[e]] * to.halfForce[row[e]];
  return state;
}

double populationOf(const NodeState& state, const std::array<int, 3>& c, double weight,
                    const Conversion& to) {
  const double density = to.compressible ? 1.0 + state.r : 1.0;
  double cu = 0.0;
  double uu = 0.0;
  double cF = 0.0;
  for (std::size_t a = 0; a < 3; ++a) {
    cu += c[a] * state.u[a];
    uu += state.u[a] * state.u[a];
    cF += c[a] * to.halfForce[a];
  }
  const auto& pi = state.pi;
  const double along = c[0] * c[0] * pi[0] + c[1] * c[1] * pi[1] + c[2] * c[2] * pi[2] +
                       2.0 * (c[0] * c[1] * pi[3] + c[0] * c[2] * pi[4] + c[1] * c[2] * pi[5]);
  return weight * (state.r + 3.0 * (density * cu + cF) + density * (4.5 * cu * cu - 1.5 * uu) +
                   4.5 * along - 1.5 * (pi[0] + pi[1] + pi[2]));
}

// nodes: number of nodes in the file.
void checkBelongs(const std::filesystem::path& path, const Fields& fields, std::uint64_t nodes,
                  const tiler::file::TilesFile& tiles) {
  if (fields.tilesHash != tiles.contentHash)
    stage::fail(stage::ExitCode::BadInput,
                path.string() + ": was computed on another geometry (" + fields.tilesName + " " +
                    fields.tilesHash + ", expected " + tiles.contentHash +
                    "); give --initial fields of these tiles, or leave it out");
  if (nodes != tiles.geometry.fluidNodes)
    stage::fail(
        stage::ExitCode::BadInput,
        fmt::format("{}: holds {} nodes, expected {}; run the solver again without --initial",
                    path.string(), nodes, tiles.geometry.fluidNodes));
}

void checkNumbers(const std::filesystem::path& path, const Fields& fields) {
  if (!file::allNumbers(fields))
    stage::fail(stage::ExitCode::BadInput,
                path.string() +
                    ": holds values that are not numbers; run the solver again "
                    "without --initial");
}

}  // namespace

void checkInitialFields(const std::filesystem::path& path, const Fields& fields,
                        const tiler::file::TilesFile& tiles) {
  checkBelongs(path, fields, fields.pressure.size(), tiles);
  checkNumbers(path, fields);
}

Fields readInitialFields(const std::filesystem::path& path, const tiler::file::TilesFile& tiles,
                         const tiles::RankPart& part, comm::Ranks& ranks) {
  Fields fields;
  if (ranks.alone()) {
    fields = file::readFieldsFile(path);
    checkInitialFields(path, fields, tiles);
    return fields;
  }
  file::TileOffsets nodes;
  nodes.all = tiles.geometry.fluidNodes;
  for (std::size_t t = 0; t < tiles.geometry.tiles(); ++t) {
    if (!part.owns(t)) continue;
    nodes.first.push_back(part.firstNode[t]);
    nodes.count.push_back(tiles::nodesIn(tiles.geometry, t));
  }
  stage::together(ranks, [&] {
    fields = file::readFieldsPart(path, nodes, [&](const Fields& read, std::uint64_t inFile) {
      checkBelongs(path, read, inFile, tiles);
    });
    checkNumbers(path, fields);
  });
  stage::requireSameFile(ranks, path, fields.contentHash);
  return fields;
}

std::vector<double> populationsOf(const Fields& fields, const tiler::TiledGeometry& geometry,
                                  const tiles::RankPart& part, const backend::VariantInfo& variant,
                                  const cases::LatticeRun& lattice, double reference) {
  const std::size_t q = variant.lattice.velocities.size();
  const Conversion to = conversionTo(lattice, variant, fields, reference);
  std::vector<std::uint64_t> first(geometry.tiles() + 1, 0);
  for (std::size_t t = 0; t < geometry.tiles(); ++t)
    first[t + 1] = first[t] + (part.owns(t) ? tiles::nodesIn(geometry, t) : 0);
  std::vector<double> f(geometry.tiles() * q * tileNodes, 0.0);
  tbb::parallel_for(std::size_t{0}, geometry.tiles(), [&](std::size_t t) {
    std::uint64_t node = first[t];
    for (std::size_t l = 0; l < tileNodes && part.owns(t); ++l) {
      if (geometry.nodeType[t * tileNodes + l] ==
          static_cast<std::uint8_t>(preprocess::file::NodeType::Solid))
        continue;
      const NodeState state = stateOf(fields, node++, to);
      for (std::size_t i = 0; i < q; ++i)
        f[(t * q + i) * tileNodes + l] =
            populationOf(state, variant.lattice.velocities[i], variant.lattice.weights[i], to);
    }
  });
  return f;
}

}  // namespace tessera::solver::run
