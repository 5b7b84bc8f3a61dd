// SPDX-License-Identifier: GPL-3.0-or-later
// Common part of the storage schemes made of a structure: the phases of a pass that a closed
// geometry on one rank does not have, phases of an in-place structure, and a state in the order of
// the geometry.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "solver/backend/driver.hpp"
#include "solver/comparators/comparator.hpp"
#include "solver/comparators/structure.hpp"

namespace tessera::solver::comparators {

// Calls visit(index in the order of the geometry, address) for the populations of all nodes, as a
// step of this phase writes them.
template <int phase, class Lattice, Structure Plan, class Visit>
void forTargets(const Plan& plan, const FluidNodes& nodes, const Visit& visit) {
  const typename Plan::View view = hostView(plan);
  forNodes(nodes, [&](std::uint32_t k) {
    const std::uint64_t place = nodes.place(k);
    withNode<phase>(view, plan.unitOf(k), [&](const auto& node) {
      model::forEach<Lattice::q>([&](auto i) {
        visit((place / 64 * Lattice::q + i) * 64 + place % 64,
              std::uint64_t{node.template target<i>()});
      });
    });
  });
}

template <model::VariantModel Variant, Structure Plan, class Queue>
class StructureScheme {
 protected:
  using Lattice = typename Variant::Lattice;
  using Storage = typename Variant::Storage;
  using Real = typename Variant::Real;
  using View = typename Plan::View;

 public:
  static constexpr bool inPlace = View::inPlace;
  // Both phases, so that a pass ends as it began.
  [[nodiscard]] static std::uint64_t stepsPerPass() { return inPlace ? 2 : 1; }

  [[nodiscard]] std::uint32_t tiles() const { return plan_.units() / unitsOfBlock<View>; }
  [[nodiscard]] bool hasBoundaries() const { return false; }
  [[nodiscard]] bool isDriven() const { return false; }
  [[nodiscard]] bool firstPassDiffers() const { return false; }
  void loadValues(std::span<const double>, Queue) {}
  void selectValues(std::uint64_t, std::uint64_t, Queue) {}
  void applyBoundaries(const backend::Pass&, Queue) {}
  void completeTiles(const backend::Pass&, backend::TileRange, Queue) {}

  // Whether the next step is of phase 1.
  [[nodiscard]] bool isOdd() const { return phase_ != 0; }
  [[nodiscard]] std::uint32_t nodes() const { return nodes_.count(); }
  [[nodiscard]] StructureBytes bytes() const { return bytesOf(plan_, sizeof(Storage)); }

 protected:
  StructureScheme(const FluidNodes& nodes, const model::Relaxation& relaxation)
      : nodes_(nodes),
        plan_(nodes),
        forced_(relaxation.force != std::array<double, 3>{}),
        parameters_(model::stepParameters<Variant>(relaxation)) {}

  // Stores populations, q x 64 a tile of the geometry, as a state of phase 0.
  void store(std::span<const double> populations, Storage* state) {
    phase_ = 0;
    forTargets<inPlace ? 1 : 0, Lattice>(plan_, nodes_, [&](std::uint64_t k, std::uint64_t at) {
      state[at] = static_cast<Storage>(populations[k]);
    });
  }
  [[nodiscard]] std::vector<double> populations(const Storage* state) const {
    std::vector<double> out(nodes_.geometry().tiles() * Lattice::q * 64);
    const auto read = [&](std::uint64_t k, std::uint64_t at) {
      out[k] = static_cast<double>(state[at]);
    };
    if (inPlace && phase_ == 0)
      forTargets<inPlace ? 1 : 0, Lattice>(plan_, nodes_, read);
    else
      forTargets<0, Lattice>(plan_, nodes_, read);
    return out;
  }
  // Calls step(phase, forced), both constants, for each step of a pass.
  template <class Step>
  void forSteps(const backend::Pass& pass, const Step& step) const {
    for (std::uint64_t k = 0; k < pass.steps; ++k) {
      const auto ofPhase = [&](auto phase) {
        if (forced_)
          step(phase, std::true_type{});
        else
          step(phase, std::false_type{});
      };
      if (inPlace && (phase_ + k) % 2 == 1)
        ofPhase(std::integral_constant < int, inPlace ? 1 : 0 > {});
      else
        ofPhase(std::integral_constant<int, 0>{});
    }
  }

  const FluidNodes& nodes_;
  Plan plan_;
  bool forced_;
  model::StepParameters<Real> parameters_;
  std::uint64_t phase_ = 0;
};

// Halo of a single rank.
struct NoHalo {
  void begin(const void*) const {}
  void finish(const void*) const {}
};

// A comparator made of a target, a scheme on it, and the driver of every backend.
template <class Target, class Scheme>
class DrivenComparator final : public Comparator {
 public:
  DrivenComparator(const FluidNodes& nodes, const model::Relaxation& relaxation)
      : target_(domain::Domain{}),
        scheme_(target_, nodes, relaxation),
        driver_(target_, scheme_, halo_) {}

  // Passes of two steps begin with phase 0, which graphs are recorded for.
  void advance(std::uint64_t steps) override {
    const std::uint64_t first = scheme_.isOdd() && steps != 0 ? 1 : 0;
    if (first != 0) driver_.advance(first, {});
    driver_.advance(steps - first, {});
  }
  void finish() override { target_.finish(); }
  void set(std::span<const double> populations) override { scheme_.set(populations); }
  std::vector<double> get() override {
    finish();
    return scheme_.get();
  }
  void setNoise() override { scheme_.setNoise(); }
  double copyBandwidth() override { return scheme_.copyBandwidth(); }
  [[nodiscard]] double bytesPerNode() const override {
    return scheme_.bytes().moved / scheme_.nodes();
  }
  [[nodiscard]] double memoryPerNode() const override {
    return scheme_.bytes().held / scheme_.nodes();
  }

 private:
  Target target_;
  Scheme scheme_;
  NoHalo halo_;
  backend::Driver<Target, Scheme, NoHalo> driver_;
};

}  // namespace tessera::solver::comparators
