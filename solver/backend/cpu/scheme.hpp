// SPDX-License-Identifier: GPL-3.0-or-later
// Common part of the storage schemes on the CPU: domain, openings, walls, and a state of two copies
// stepped in two parts.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "solver/backend/cpu/halo.hpp"
#include "solver/backend/cpu/memory.hpp"
#include "solver/backend/cpu/openings.hpp"
#include "solver/backend/cpu/target.hpp"
#include "solver/backend/cpu/wall_forces.hpp"
#include "solver/backend/driver.hpp"

namespace tessera::solver::backend {

// Stored: type of a stored value.
template <class Variant, class Stored, class Walls>
class CpuScheme {
 public:
  using Halo = CpuHalo<Stored>;
  [[nodiscard]] static std::uint64_t stepsPerPass() { return 1; }

  [[nodiscard]] std::uint32_t tiles() const { return domain_.tiles; }
  [[nodiscard]] const std::array<PassPart, 2>& parts() const { return tiles_.parts(); }
  CpuState<Stored>& state() { return state_; }
  CpuOpenings& openings() { return openings_; }
  Walls& walls() { return walls_; }
  CpuWallForces& forces() { return forces_; }

  [[nodiscard]] bool hasBoundaries() const { return true; }
  [[nodiscard]] bool isDriven() const { return true; }
  [[nodiscard]] bool firstPassDiffers() const { return walls_.fresh(); }
  void loadValues(std::span<const double> values, Cpu::Queue) { openings_.load(values); }
  void selectValues(std::uint64_t first, std::uint64_t, Cpu::Queue) { openings_.select(first); }
  void advanceState(const Pass&) { state_.advance(); }

 protected:
  using Real = typename Variant::Real;

  // border: the tiles after which the halo can begin.
  CpuScheme(domain::Domain&& domain, Walls walls, const model::Relaxation& relaxation,
            std::uint32_t border, std::uint64_t perSlot)
      : domain_(std::move(domain)),
        forced_(relaxation.force != std::array<double, 3>{}),
        parameters_(model::stepParameters<Variant>(relaxation)),
        openings_(domain_),
        walls_(std::move(walls)),
        forces_(domain_.wallForces),
        tiles_(border, domain_.tiles),
        state_(tiles_, domain_.slots, perSlot) {
    if constexpr (Variant::Viscosity::local) {
      excess_ = model::excessTable<Real>(relaxation.law);
      parameters_.law.table = excess_.get();
    }
  }

  [[nodiscard]] const std::int32_t* neighbours(std::uint32_t slot) const {
    return &domain_.neighbourTable[static_cast<std::size_t>(slot) * model::neighbourStride];
  }
  // The 64 wall masks of a tile; null where none of its nodes meets a wall.
  [[nodiscard]] const std::uint32_t* masks(std::uint32_t slot) const {
    const std::int32_t entry = neighbours(slot)[model::maskEntry];
    return entry < 0 ? nullptr : &domain_.masks[static_cast<std::size_t>(entry) * 64];
  }

  domain::Domain domain_;
  bool forced_;
  model::StepParameters<Real> parameters_;
  std::unique_ptr<const model::ExcessTable<Real>> excess_;  // of parameters_.law
  CpuOpenings openings_;
  Walls walls_;
  CpuWallForces forces_;
  CpuTiles tiles_;
  CpuState<Stored> state_;
};

}  // namespace tessera::solver::backend
