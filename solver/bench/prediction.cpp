// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/bench/prediction.hpp"

#include <algorithm>

namespace tessera::solver::bench {

namespace {

constexpr double sectorPart = 16.0;  // bytes of a value packed or unpacked

double valuesCrossing(const RankStatistics& rank, const StoredState& state) {
  if (!state.moments) return static_cast<double>(rank.populationsIn + rank.populationsOut);
  return static_cast<double>(state.values) * static_cast<double>(rank.nodesIn + rank.nodesOut);
}

}  // namespace

double stepShare(bool moments, unsigned storageBytes) {
  if (moments) return storageBytes == 8 ? 0.776 : 0.679;
  return storageBytes == 8 ? 0.955 : storageBytes == 4 ? 0.943 : 0.908;
}

StepTime stepTime(const RankStatistics& rank, int ranks, const StoredState& state,
                  const Machine& machine) {
  const double speed = stepShare(state.moments, state.storageBytes) * machine.copyBandwidth;
  const double border = static_cast<double>(rank.borderCost) / speed;
  const double interior = static_cast<double>(rank.cost - rank.borderCost) / speed;
  const double packing =
      valuesCrossing(rank, state) * (sectorPart + state.storageBytes) / machine.copyBandwidth;
  const HaloBytes bytes = haloBytes(rank, state.moments, state.values, state.storageBytes);
  const double link =
      ranks <= machine.ranksPerNode ? machine.nodeBandwidth : machine.networkBandwidth;
  const double launches = (ranks > 1 ? 2.0 : 1.0) * machine.launchTime;
  StepTime time;
  if (rank.neighbours > 0)
    time.exchange = machine.latency + machine.messageTime * static_cast<double>(rank.neighbours) +
                    std::max(bytes.in, bytes.out) / link;
  time.compute = border + interior + packing + launches;
  time.step = border + packing + launches + std::max(interior, time.exchange);
  time.unhidden = time.compute + time.exchange;
  return time;
}

double timeAlone(double cost, const StoredState& state, const Machine& machine) {
  return cost / (stepShare(state.moments, state.storageBytes) * machine.copyBandwidth) +
         machine.launchTime;
}

Prediction predict(const std::vector<RankStatistics>& ranks, const StoredState& state,
                   const Machine& machine) {
  Prediction out;
  double cost = 0.0, most = 0.0;
  for (const RankStatistics& rank : ranks) {
    const StepTime time = stepTime(rank, static_cast<int>(ranks.size()), state, machine);
    out.slowest.compute = std::max(out.slowest.compute, time.compute);
    out.slowest.exchange = std::max(out.slowest.exchange, time.exchange);
    out.slowest.step = std::max(out.slowest.step, time.step);
    out.slowest.unhidden = std::max(out.slowest.unhidden, time.unhidden);
    cost += static_cast<double>(rank.cost);
    most = std::max(most, static_cast<double>(rank.cost));
  }
  const auto count = static_cast<double>(ranks.size());
  out.alone = timeAlone(cost, state, machine);
  out.efficiency = out.alone / (count * out.slowest.step);
  out.unhidden = out.alone / (count * out.slowest.unhidden);
  out.balance = most * count / cost;
  return out;
}

}  // namespace tessera::solver::bench
