// SPDX-License-Identifier: GPL-3.0-or-later
// Common part of the storage schemes on a GPU: neighbour table, masks, openings, walls, state and
// the parts of its passes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "solver/backend/gpu/halo.cuh"
#include "solver/backend/gpu/memory.hpp"
#include "solver/backend/gpu/openings.cuh"
#include "solver/backend/gpu/state.cuh"
#include "solver/backend/gpu/target.cuh"
#include "solver/backend/gpu/wall_forces.cuh"

namespace tessera::solver::backend {

// Stored: type of a stored value; values: number per node exchanged in a halo. Copy: across a
// periodic face. Order: of the stored values.
template <class Variant, class Stored, int values, class Walls, class Copy,
          class Order = OrderOfFiles>
class GpuScheme {
 public:
  using Halo = GpuHalo<Stored, values, Order>;

  [[nodiscard]] static std::uint64_t stepsPerPass() { return 1; }

  [[nodiscard]] std::uint32_t tiles() const { return tiles_; }
  [[nodiscard]] const std::vector<PassPart>& parts() const { return parts_; }
  GpuState<Stored, Order>& state() { return state_; }
  GpuOpenings& openings() { return openings_; }
  Walls& walls() { return walls_; }
  GpuWallForces& forces() { return forces_; }

  [[nodiscard]] bool isDriven() const { return openings_.any() || walls_.any(); }
  [[nodiscard]] bool hasBoundaries() const { return isDriven() || copies_.size() != 0; }
  [[nodiscard]] bool firstPassDiffers() const { return walls_.fresh(); }
  void loadValues(std::span<const double> coefficients, StreamHandle stream) {
    openings_.load(coefficients, stream);
  }
  void selectValues(std::uint64_t first, std::uint64_t steps, StreamHandle stream) {
    openings_.select(first, steps, stream);
  }
  void advanceState(const Pass&) { state_.advance(); }

 protected:
  using Real = typename Variant::Real;

  GpuScheme(Gpu& target, const domain::Domain& domain, const std::vector<Copy>& copies, Walls walls,
            const model::Relaxation& relaxation, std::uint64_t perSlot)
      : target_(target),
        tiles_(domain.tiles),
        forced_(relaxation.force != std::array<double, 3>{}),
        parameters_(model::stepParameters<Variant>(relaxation)),
        rows_(domain.neighbourTable),
        masks_(domain.masks),
        copies_(copies),
        openings_(domain, target.ranks()),
        walls_(std::move(walls)),
        forces_(domain.wallForces),
        state_(domain, perSlot) {}

  static unsigned blocks(std::uint32_t items, std::uint32_t perBlock) {
    return (items + perBlock - 1) / perBlock;
  }
  [[nodiscard]] std::uint32_t copyCount() const {
    return static_cast<std::uint32_t>(copies_.size());
  }

  Gpu& target_;
  std::uint32_t tiles_;
  bool forced_;
  model::StepParameters<Real> parameters_;
  DeviceArray<std::int32_t> rows_;
  DeviceArray<std::uint32_t> masks_;
  DeviceArray<Copy> copies_;
  GpuOpenings openings_;
  Walls walls_;
  GpuWallForces forces_;
  GpuState<Stored, Order> state_;
  std::vector<PassPart> parts_;
};

}  // namespace tessera::solver::backend
