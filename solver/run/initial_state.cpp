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

// From values in SI units with pressures over a reference, Pa.
Conversion conversionTo(const cases::LatticeRun& lattice, const backend::VariantInfo& variant,
                        double reference) {
  const model::Scales& scales = lattice.scales;
  Conversion out;
  out.pressure = 1.0 / scales.pressure();
  out.pressureOffset = -reference / scales.pressure();
  out.velocity = 1.0 / scales.velocity();
  out.stress = 1.0 / scales.pressure();
  out.tau = lattice.tau;
  out.law = lattice.law;
  for (std::size_t a = 0; a < 3; ++a) out.halfForce[a] = 0.5 * lattice.force[a];
  out.compressible = variant.axes.equilibrium == model::EquilibriumId::QuasiCompressible;
  return out;
}

Conversion conversionTo(const cases::LatticeRun& lattice, const backend::VariantInfo& variant,
                        const Fields& fields, double reference) {
  const model::Scales& scales = lattice.scales;
  Conversion out = conversionTo(lattice, variant, reference);
  out.pressure = fields.pressureFactor / scales.pressure();
  out.pressureOffset = (fields.pressureReference - reference) / scales.pressure();
  out.velocity = fields.velocityFactor / scales.velocity();
  out.stress = fields.stressFactor / scales.pressure();
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

// Indices of the second moments xx yy zz xy xz yz.
constexpr std::size_t rowOf[6] = {0, 1, 2, 0, 0, 1};
constexpr std::size_t columnOf[6] = {0, 1, 2, 1, 2, 2};

// Stored values of a node.
struct StoredNode {
  float pressure;
  std::array<float, 3> velocity;
  std::array<float, 6> stress;
};

NodeState stateOf(const StoredNode& node, const Conversion& to) {
  NodeState state;
  state.r = 3.0 * (double(node.pressure) * to.pressure + to.pressureOffset);
  for (std::size_t a = 0; a < 3; ++a) state.u[a] = double(node.velocity[a]) * to.velocity;
  const double stress = to.stress * leftOfStress(node.stress, to);
  for (std::size_t e = 0; e < 6; ++e)
    state.pi[e] = double(node.stress[e]) * stress + state.u[rowOf[e]] * to.halfForce[columnOf[e]] +
                  state.u[columnOf[e]] * to.halfForce[rowOf[e]];
  return state;
}

NodeState stateOf(const cases::InitialField& field, const Double3& node,
                  const preprocess::geometry::Frame& frame, const Conversion& to) {
  constexpr double spacings = cases::InitialField::differenceStep;
  NodeState state;
  state.r = 3.0 * (field.pressureAt(node, frame) * to.pressure + to.pressureOffset);
  state.u = to.velocity * field.velocityAt(node, frame);
  std::array<Double3, 3> gradient{};  // along each axis, lattice units
  for (std::size_t a = 0; a < 3; ++a) {
    Double3 step{};
    step[a] = spacings;
    gradient[a] = to.velocity / (2.0 * spacings) *
                  (field.velocityAt(node + step, frame) - field.velocityAt(node - step, frame));
  }
  std::array<double, 6> strain{};
  double squares = 0.0;
  for (std::size_t e = 0; e < 6; ++e) {
    strain[e] = 0.5 * (gradient[rowOf[e]][columnOf[e]] + gradient[columnOf[e]][rowOf[e]]);
    squares += (e < 3 ? 1.0 : 2.0) * strain[e] * strain[e];
  }
  const double tau =
      to.law.local() ? 0.5 + 3.0 * model::viscosityAt(to.law, std::sqrt(2.0 * squares)) : to.tau;
  // (1 - omega) Pi, Pi = -2/3 tau S.
  for (std::size_t e = 0; e < 6; ++e)
    state.pi[e] = -2.0 / 3.0 * (tau - 1.0) * strain[e] +
                  state.u[rowOf[e]] * to.halfForce[columnOf[e]] +
                  state.u[columnOf[e]] * to.halfForce[rowOf[e]];
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

namespace {

// stateAt(tile, local, node of this rank counted from 0): of nodes that are not solid.
template <class StateAt>
std::vector<double> populationsFrom(const tiler::TiledGeometry& geometry,
                                    const tiles::RankPart& part,
                                    const backend::VariantInfo& variant, const Conversion& to,
                                    StateAt&& stateAt) {
  const std::size_t q = variant.lattice.velocities.size();
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
      const NodeState state = stateAt(t, l, node++);
      for (std::size_t i = 0; i < q; ++i)
        f[(t * q + i) * tileNodes + l] =
            populationOf(state, variant.lattice.velocities[i], variant.lattice.weights[i], to);
    }
  });
  return f;
}

}  // namespace

std::vector<double> populationsOf(const Fields& fields, const tiler::TiledGeometry& geometry,
                                  const tiles::RankPart& part, const backend::VariantInfo& variant,
                                  const cases::LatticeRun& lattice, double reference) {
  const Conversion to = conversionTo(lattice, variant, fields, reference);
  return populationsFrom(
      geometry, part, variant, to, [&](std::size_t, std::size_t, std::uint64_t node) {
        return stateOf({fields.pressure[node], fields.velocity[node], fields.stress[node]}, to);
      });
}

std::vector<double> populationsOf(const ObservedTile& observed, double ratio,
                                  const tiler::TiledGeometry& geometry, const tiles::RankPart& part,
                                  const backend::VariantInfo& variant,
                                  const cases::LatticeRun& lattice) {
  Conversion to = conversionTo(lattice, variant, 0.0);
  to.pressure = ratio * ratio / 3.0;  // stored: r
  to.velocity = ratio;
  to.stress = ratio * ratio;
  return populationsFrom(
      geometry, part, variant, to, [&](std::size_t tile, std::size_t l, std::uint64_t) {
        const std::span<const float> values = observed(tile);
        const auto at = [&](std::size_t e) { return values[tileNodes * e + l]; };
        return stateOf(
            StoredNode{at(0), {at(1), at(2), at(3)}, {at(4), at(5), at(6), at(7), at(8), at(9)}},
            to);
      });
}

std::vector<double> populationsOf(const cases::InitialField& field,
                                  const tiler::TiledGeometry& geometry, const tiles::RankPart& part,
                                  const backend::VariantInfo& variant,
                                  const cases::LatticeRun& lattice, double reference) {
  const Conversion to = conversionTo(lattice, variant, reference);
  return populationsFrom(
      geometry, part, variant, to, [&](std::size_t t, std::size_t l, std::uint64_t) {
        const Int3 at = geometry.nodeOf(t, static_cast<int>(l));
        return stateOf(field, {double(at[0]), double(at[1]), double(at[2])}, geometry.frame, to);
      });
}

}  // namespace tessera::solver::run
