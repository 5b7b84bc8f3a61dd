// SPDX-License-Identifier: GPL-3.0-or-later
// Means over the recorded cycle of a pulsatile run: from the sums where the state lies to what the
// files hold.
#include "pipelines/stage/error.hpp"
#include "preprocess/lattice/lattice_file.hpp"
#include "solver/ranks/plan_halo.hpp"
#include "solver/simulation.hpp"

namespace tessera {

namespace {

constexpr std::size_t perSlot = meanValues * 64;

}  // namespace

void Simulation::startMeans() {
  // Of several ranks on the host, where what others hold is put beside it.
  const bool onHost = setup_.backend == BackendKind::Cpu || !ranks_.alone();
#if defined(TESSERA_HAS_CUDA)
  if (!onHost) accumulator_ = makeCudaAccumulator(setup_.order.tiles, setup_.wallPoints.points);
#endif
  if (onHost) accumulator_ = makeCpuAccumulator(setup_.order.tiles, setup_.wallPoints.points);
  meanSamples_ = 0;
  meanReference_ = 0.0;
}

const float* Simulation::observedAll() {
  const std::vector<double> coefficients = drive_.amplitudes(step_, 1);
  if (ranks_.alone()) return backend_->sampleAllTiles(coefficients);
  backend_->sampleTiles(coefficients, 0, setup_.order.tiles, observed_);
  observed_.resize(setup_.order.held() * observedPerSlot);
  if (!observedHalo_) {
    std::vector<std::uint64_t> wanted;
    for (const WallPoint& point : setup_.wallPoints.points)
      for (const std::uint64_t node : point.node)
        for (std::uint64_t e = 4; e < observedValues; ++e) wanted.push_back(node + tileNodes * e);
    observedPlan_ = planHalo(ranks_, setup_.part, setup_.order, observedValues, std::move(wanted));
    observedHalo_.emplace(observedPlan_, ranks_);
  }
  observedHalo_->exchange(observed_.data());
  return observed_.data();
}

void Simulation::addToMeans() {
  accumulator_->add(observedAll());
  ++meanSamples_;
  meanReference_ += referenceNow();
}

void Simulation::meansToFields(std::uint64_t lastStep, Fields& fields) {
  if (!accumulator_ || meanSamples_ == 0) return;
  const TiledGeometry& geometry = tiles_.geometry;
  const Sums sums = accumulator_->sums();
  const auto count = static_cast<double>(meanSamples_);
  CycleMeans means;
  means.samples = meanSamples_;
  means.firstStep = lastStep - setup_.cycles.steps;
  means.lastStep = lastStep;
  means.pressureReference = meanReference_ / count;
  const OwnNodes own = ownNodes();
  means.pressure.resize(own.count);
  means.velocity.resize(own.count);
  for (const std::size_t t : ownTiles_) {
    const float* tile = sums.nodes.data() + setup_.order.slotOfTile[t] * perSlot;
    std::uint64_t node = own.first[t];
    for (std::size_t l = 0; l < tileNodes; ++l) {
      if (geometry.nodeType[t * tileNodes + l] == static_cast<std::uint8_t>(NodeType::Solid))
        continue;
      const auto mean = [&](std::size_t v) { return double(tile[64 * v + l]) / count; };
      means.pressure[node] = static_cast<float>(mean(0) / 3.0);
      for (std::size_t a = 0; a < 3; ++a) means.velocity[node][a] = static_cast<float>(mean(1 + a));
      ++node;
    }
  }
  means.wallNode = setup_.wallPoints.node;
  for (const auto& sum : sums.wall) {
    means.wallTraction.push_back({static_cast<float>(sum[0] / count),
                                  static_cast<float>(sum[1] / count),
                                  static_cast<float>(sum[2] / count)});
    means.wallShear.push_back(static_cast<float>(sum[3] / count));
  }
  fields.means = std::move(means);
}

CycleState Simulation::meansState() {
  CycleState out;
  if (!accumulator_) return out;
  Sums sums = accumulator_->sums();
  out.samples = meanSamples_;
  out.pressureReference = meanReference_;
  out.nodes = std::move(sums.nodes);
  out.wall = std::move(sums.wall);
  return out;
}

void Simulation::restoreMeans(const std::filesystem::path& path, CycleState& state) {
  if (state.nodes.size() != setup_.order.tiles * perSlot ||
      state.wall.size() != setup_.wallPoints.points.size())
    fail(ExitCode::BadInput, path.string() +
                                 ": section cycle_nodes or cycle_wall does not fit the geometry; "
                                 "run without --resume");
  startMeans();
  accumulator_->setSums({std::move(state.nodes), std::move(state.wall)});
  meanSamples_ = state.samples;
  meanReference_ = state.pressureReference;
}

}  // namespace tessera
