// SPDX-License-Identifier: GPL-3.0-or-later
// Loops over the wall links of a domain on the CPU; see solver/boundary/wall_links.hpp.
// Halfway bounce-back at resting walls is not here but in the gather.
#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "solver/backend/cpu/parallel.hpp"
#include "solver/boundary/wall_links.hpp"

namespace tessera::solver::backend {

template <class Variant>
class CpuWalls {
  using Storage = typename Variant::Storage;
  using Real = typename Variant::Real;

 public:
  explicit CpuWalls(boundary::Walls walls)
      : walls_(std::move(walls)),
        values_(walls_.links.size()),
        shares_(2 * walls_.mass.nodes.size()),
        rest_(walls_.mass.own()) {
    if (walls_.remembers) memory_.resize(walls_.links.size());
    memoryNext_ = memory_;
  }

  // After the ghosts (boundary populations), before the tiles: reflected populations of this step.
  void apply(Storage* state, Real ramp) {
    show(state, ramp);
    memory_.swap(memoryNext_);
    fresh_ = false;
  }
  // The same without a step, for sampling; undone by exchange().
  void show(Storage* state, Real ramp) {
    if (walls_.mass.nodes.empty()) {
      reflect(state, ramp);
      exchangeLinks(state);
    } else {
      replaceAtNodes(state, ramp);
    }
    exchangeMirrored(state);
  }
  // Computes the reflected populations (WallView::values) and leaves the state as it is.
  void reflect(const Storage* state, Real ramp) {
    const boundary::WallView<Variant> walls = view();
    forAll(walls_.links.size(),
           [&](std::size_t k) { boundary::bounceWall<Variant>(walls, k, state, ramp); });
  }
  // Puts the reflected populations in place; called again, takes them back.
  void exchange(Storage* state) {
    exchangeLinks(state);
    const boundary::WallMassView<Variant> mass = massView();
    forAll(rest_.size(), [&](std::size_t n) { boundary::exchangeRest<Variant>(mass, n, state); });
    exchangeMirrored(state);
  }

  boundary::WallView<Variant> view() {
    const bool remembered = !memory_.empty() && !fresh_;
    return {walls_.links.data(),
            walls_.push.empty() ? nullptr : walls_.push.data(),
            walls_.depths.empty() ? nullptr : walls_.depths.data(),
            remembered ? memory_.data() : nullptr,
            memory_.empty() ? nullptr : memoryNext_.data(),
            values_.data()};
  }
  // No memory before the first step.
  [[nodiscard]] bool fresh() const { return fresh_; }
  // Empty before the first step.
  [[nodiscard]] std::vector<double> memory() const {
    if (fresh_) return {};
    return {memory_.begin(), memory_.end()};
  }
  // memory: empty, or as memory() returned it.
  void setMemory(std::span<const double> memory) {
    fresh_ = memory.empty();
    std::transform(memory.begin(), memory.end(), memory_.begin(),
                   [](double value) { return Real(value); });
  }

 private:
  template <class Body>
  static void forAll(std::size_t count, const Body& body) {
    parallelIndices(count, 4096, body);
  }

  // Puts reflected populations and the rest populations that make up for their excess of mass in
  // place. A node's links are done together, for what they replace no other node reads, so that its
  // populations pass through the cache once.
  void replaceAtNodes(Storage* state, Real ramp) {
    const boundary::WallView<Variant> walls = view();
    const boundary::WallMassView<Variant> mass = massView();
    parallelIndices(walls_.mass.nodes.size(), 512, [&](std::size_t n) {
      const boundary::WallNode& node = walls_.mass.nodes[n];
      const std::uint32_t end = node.firstLink + node.links;
      for (std::uint32_t k = node.firstLink; k < end; ++k)
        boundary::bounceWall<Variant>(walls, k, state, ramp);
      boundary::findExcess<Variant>(mass, n, ramp, [&](std::uint32_t k) {
        return boundary::excessOfLink<Variant>(walls_.links[k], values_[k], state);
      });
      if (n < rest_.size())
        for (std::uint32_t k = node.firstLink; k < end; ++k)
          boundary::exchangeWall<Variant>(walls, k, state);
    });
    boundary::forTimesBeforeLast(walls_.mass.within, [&](int times, std::uint32_t nodes) {
      forAll(nodes, [&](std::size_t n) { boundary::shareExcess<Variant>(mass, times, n); });
    });
    const int last = boundary::timesBeforeLast(walls_.mass.within);
    forAll(rest_.size(), [&](std::size_t n) {
      rest_[n] = boundary::correctedRest<Variant>(mass, last, n, state);
      boundary::exchangeRest<Variant>(mass, n, state);
    });
  }
  void exchangeLinks(Storage* state) {
    const boundary::WallView<Variant> walls = view();
    forAll(ownLinks(walls_),
           [&](std::size_t k) { boundary::exchangeWall<Variant>(walls, k, state); });
  }
  void exchangeMirrored(Storage* state) {
    forAll(walls_.mirrored.size(),
           [&](std::size_t k) { boundary::mirror(walls_.mirrored[k], state); });
  }

  boundary::WallMassView<Variant> massView() {
    const boundary::WallMass& mass = walls_.mass;
    return {mass.nodes.data(),
            mass.near.data(),
            mass.expected.empty() ? nullptr : mass.expected.data(),
            {shares_.data(), shares_.data() + mass.nodes.size()},
            rest_.data()};
  }

  boundary::Walls walls_;
  std::vector<Storage> values_;
  std::vector<Real> shares_;
  std::vector<Storage> rest_;
  std::vector<Real> memory_;
  std::vector<Real> memoryNext_;
  bool fresh_ = true;
};

}  // namespace tessera::solver::backend
