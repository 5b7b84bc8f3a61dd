// SPDX-License-Identifier: GPL-3.0-or-later
// A Backend made of a target, a storage scheme on it, the scheme's halo and the target's sampling:
// the only implementation of the interface, for CPU and GPU, populations and moments.
#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "solver/backend/backend.hpp"
#include "solver/backend/driver.hpp"

namespace tessera::solver::backend {

template <class Target, class Scheme>
class SchemeBackend final : public Backend {
 public:
  SchemeBackend(domain::Domain domain, const model::Relaxation& relaxation)
      : target_(domain),
        plans_{std::move(domain.halo), std::move(domain.haloOfTwo)},
        scheme_(target_, std::move(domain), relaxation),
        halo_(std::move(plans_.at(scheme_.stepsPerPass() - 1)), target_.exchange()),
        sampling_(target_, scheme_.tiles(), scheme_.openings().sampledLinks(), scheme_.forces()),
        driver_(target_, scheme_, halo_) {}

  void advance(std::uint64_t steps, std::span<const double> coefficients) override {
    driver_.advance(steps, coefficients);
  }
  void finish() override { target_.finish(); }
  [[nodiscard]] std::string form() const override {
    if constexpr (requires { scheme_.form(); })
      return scheme_.form();
    else
      return {};
  }
  [[nodiscard]] int stepsInPass() const override {
    return static_cast<int>(scheme_.stepsPerPass());
  }
  void exchangeHalo() override { halo_.exchange(scheme_.state().now()); }

  void beginSample(std::span<const double> coefficients) override {
    sampling_.begin(scheme_, coefficients);
  }
  StateSample endSample() override { return sampling_.end(); }
  void keepForces(std::span<const double> coefficients) override {
    sampling_.keepForces(scheme_, coefficients);
  }
  void sampleTiles(std::span<const double> coefficients, std::uint32_t first, std::uint32_t count,
                   std::vector<float>& values) override {
    sampling_.tiles(scheme_, coefficients, first, count, values);
  }
  const float* sampleAllTiles(std::span<const double> coefficients) override {
    return sampling_.allTiles(scheme_, coefficients);
  }

  std::vector<double> state(std::uint32_t first, std::uint32_t count) override {
    return scheme_.state().values(first, count);
  }
  void setState(std::span<const double> values, std::uint32_t first) override {
    scheme_.state().set(values, first);
    forget();
  }
  void setRandomState() override {
    scheme_.state().setRandom();
    forget();
  }
  std::span<const std::byte> savedState() override { return scheme_.state().save(); }
  void restoreState(std::span<const std::byte> saved) override {
    scheme_.state().restore(saved);
    forget();
  }
  std::vector<double> wallMemory() override { return scheme_.walls().memory(); }
  void setWallMemory(std::span<const double> memory) override { scheme_.walls().setMemory(memory); }
  OutletReport outlets() override { return scheme_.openings().report(); }
  void setOutlets(const std::vector<boundary::OutletState>& states) override {
    scheme_.openings().setStates(states);
  }
  double copyBandwidth() override { return scheme_.state().copyBandwidth(); }

 private:
  void forget() {
    scheme_.walls().setMemory({});
    scheme_.forces().forget();
  }

  Target target_;
  std::array<domain::HaloPlan, 2> plans_;  // of passes of one step and of two
  Scheme scheme_;
  typename Scheme::Halo halo_;
  typename Target::Sampling sampling_;
  Driver<Target, Scheme, typename Scheme::Halo> driver_;
  typename Target::Guard guard_{target_};  // last, so destroyed first
};

}  // namespace tessera::solver::backend
