// SPDX-License-Identifier: GPL-3.0-or-later
// One thread per value of a node or wall point; each adds to its own sum, so the bits repeat.
#include "solver/backend/cpu/accumulator.hpp"
#include "solver/backend/gpu/memory.hpp"

namespace tessera::solver::backend {

namespace {

constexpr unsigned threads = 256;

unsigned blocksFor(std::uint64_t items) {
  return static_cast<unsigned>((items + threads - 1) / threads);
}

__global__ void addNodesKernel(const float* observed, std::uint64_t count, float* sums) {
  const std::uint64_t k = blockIdx.x * std::uint64_t{threads} + threadIdx.x;
  constexpr std::uint64_t perSlot = model::meanValues * 64;
  if (k < count) sums[k] += observed[k / perSlot * observedPerSlot + k % perSlot];
}

__global__ void addWallKernel(const WallPoint* points, std::uint64_t count, const float* observed,
                              double* sums) {
  const std::uint64_t k = blockIdx.x * std::uint64_t{threads} + threadIdx.x;
  if (k >= count) return;
  double added[4] = {0.0, 0.0, 0.0, 0.0};
  addTraction(points[k], observed, added);
  for (int a = 0; a < 4; ++a) sums[4 * k + a] += added[a];
}

class CudaAccumulator final : public Accumulator {
 public:
  CudaAccumulator(std::uint32_t tiles, const std::vector<WallPoint>& points)
      : points_(points),
        nodes_(model::meanValues * 64 * std::uint64_t{tiles}),
        wall_(4 * points.size()) {}

  void add(const float* observed) override {
    if (nodes_.size() > 0)
      launchKernel(&addNodesKernel, {blocksFor(nodes_.size()), threads}, defaultStream, observed,
                   nodes_.size(), nodes_.data());
    if (points_.size() > 0)
      launchKernel(&addWallKernel, {blocksFor(points_.size()), threads}, defaultStream,
                   points_.data(), points_.size(), observed, wall_.data());
  }

  Sums sums() override {
    Sums out;
    nodes_.download(out.nodes, nodes_.size());
    std::vector<double> flat;
    wall_.download(flat, wall_.size());
    out.wall.resize(flat.size() / 4);
    for (std::size_t k = 0; k < flat.size(); ++k) out.wall[k / 4][k % 4] = flat[k];
    return out;
  }

  void setSums(const Sums& sums) override {
    nodes_.upload(sums.nodes);
    std::vector<double> flat;
    for (const auto& point : sums.wall) flat.insert(flat.end(), point.begin(), point.end());
    wall_.upload(flat);
  }

 private:
  DeviceArray<WallPoint> points_;
  DeviceArray<float> nodes_;
  DeviceArray<double> wall_;
};

}  // namespace

std::unique_ptr<Accumulator> makeCudaAccumulator(std::uint32_t tiles,
                                                 const std::vector<WallPoint>& points) {
  return std::make_unique<CudaAccumulator>(tiles, points);
}

}  // namespace tessera::solver::backend
