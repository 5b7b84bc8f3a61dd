// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/cycle_means.hpp"

#include "pipelines/stage/error.hpp"
#include "preprocess/file/node_types.hpp"
#include "solver/domain/halo_plan.hpp"

namespace tessera::solver::run {

using tiler::tileNodes;

namespace {

constexpr std::size_t sumsPerSlot = model::meanValues * tileNodes;

}  // namespace

void CycleMeans::makeAccumulator() {
  const Setup& setup = simulation_.setup();
  // On the host with several ranks, where moments of other ranks' tiles are received.
  const bool onHost = setup.backend == BackendKind::Cpu || !setup.ranks->alone();
#if defined(TESSERA_HAS_GPU)
  if (!onHost) accumulator_ = makeCudaAccumulator(setup.order.tiles, setup.wallPoints.points);
#endif
  if (onHost)
    accumulator_ = backend::makeCpuAccumulator(setup.order.tiles, setup.wallPoints.points);
  samples_ = 0;
  pressureReference_ = 0.0;
}

void CycleMeans::start() {
  stage::together(*simulation_.setup().ranks, [&] { makeAccumulator(); });
  observeAll();
}

void CycleMeans::discard() {
  accumulator_.reset();
}

const float* CycleMeans::observeAll() {
  if (!simulation_.setup().ranks->alone()) return observeWithOtherRanks();
  return simulation_.backend().sampleAllTiles(simulation_.openingValues());
}

const float* CycleMeans::observeWithOtherRanks() {
  const Setup& setup = simulation_.setup();
  simulation_.backend().sampleTiles(simulation_.openingValues(), 0, setup.order.tiles, observed_);
  observed_.resize(setup.order.slotsOfTiles() * backend::observedPerSlot);
  if (!halo_) {
    std::vector<std::uint64_t> wanted;
    for (const backend::WallPoint& point : setup.wallPoints.points)
      for (const std::uint64_t node : point.node)
        for (std::uint64_t e = 4; e < backend::observedValues; ++e)
          wanted.push_back(node + tileNodes * e);
    plan_ = domain::planHalo(*setup.ranks, setup.part, setup.order, backend::observedValues,
                             std::move(wanted));
    halo_.emplace(plan_, *setup.ranks);
  }
  halo_->exchange(observed_.data());
  return observed_.data();
}

void CycleMeans::add() {
  accumulator_->add(observeAll());
  ++samples_;
  pressureReference_ += simulation_.referencePressure();
}

bool CycleMeans::complete() const {
  return recording() && samples_ > 0 && samples_ == simulation_.setup().cycles.samples;
}

file::MeanFields CycleMeans::fields(std::uint64_t lastStep) const {
  const Setup& setup = simulation_.setup();
  const tiler::TiledGeometry& geometry = simulation_.tiles().geometry;
  const backend::Sums sums = accumulator_->sums();
  const auto count = static_cast<double>(samples_);
  file::MeanFields means;
  means.samples = samples_;
  means.firstStep = lastStep - setup.cycles.steps;
  means.lastStep = lastStep;
  means.pressureReference = pressureReference_ / count;
  means.pressure.reserve(setup.tiles.nodes());
  means.velocity.reserve(setup.tiles.nodes());
  for (const std::size_t t : setup.tiles.tiles()) {
    const float* tile = &sums.nodes[setup.order.slotOfTile[t] * sumsPerSlot];
    for (std::size_t l = 0; l < tileNodes; ++l) {
      if (geometry.nodeType[t * tileNodes + l] ==
          static_cast<std::uint8_t>(preprocess::file::NodeType::Solid))
        continue;
      const auto mean = [&](std::size_t v) { return double(tile[tileNodes * v + l]) / count; };
      means.pressure.push_back(static_cast<float>(mean(0) / 3.0));
      means.velocity.push_back(
          {static_cast<float>(mean(1)), static_cast<float>(mean(2)), static_cast<float>(mean(3))});
    }
  }
  means.wallNode = setup.wallPoints.node;
  for (const auto& sum : sums.wall) {
    means.wallTraction.push_back({static_cast<float>(sum[0] / count),
                                  static_cast<float>(sum[1] / count),
                                  static_cast<float>(sum[2] / count)});
    means.wallShear.push_back(static_cast<float>(sum[3] / count));
  }
  return means;
}

file::CycleState CycleMeans::state() const {
  file::CycleState out;
  if (!recording()) return out;
  backend::Sums sums = accumulator_->sums();
  out.samples = samples_;
  out.pressureReference = pressureReference_;
  out.nodes = std::move(sums.nodes);
  out.wall = std::move(sums.wall);
  return out;
}

void CycleMeans::restore(const std::filesystem::path& path, file::CycleState& state) {
  if (state.nodes.empty()) return;
  const Setup& setup = simulation_.setup();
  if (state.nodes.size() != setup.order.tiles * sumsPerSlot ||
      state.wall.size() != setup.wallPoints.points.size())
    stage::fail(stage::ExitCode::BadInput,
                path.string() +
                    ": section cycle_nodes or cycle_wall does not fit the geometry; "
                    "run without --resume");
  makeAccumulator();
  accumulator_->setSums({std::move(state.nodes), std::move(state.wall)});
  samples_ = state.samples;
  pressureReference_ = state.pressureReference;
}

}  // namespace tessera::solver::run
