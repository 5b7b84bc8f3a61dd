// SPDX-License-Identifier: GPL-3.0-or-later
// Loops over the wall links of a domain on the CPU; see solver/boundary/wall_links.hpp.
// Halfway bounce-back at resting walls is not here but in the gather.
#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "solver/backend/cpu/link_group.hpp"
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
    const LinkGroup<Variant> group(view(), walls_.links.size(), state, ramp);
    const auto range = [&](std::size_t begin, std::size_t end) {
      for (std::size_t next = 0; begin < end; begin = next) {
        next = std::min<std::size_t>(begin + group.most, end);
        group.reflect(begin, next);
      }
    };
    parallelRanges(walls_.links.size(), 4096, RangeBody(range));
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
            walls_.farSlots.empty() ? nullptr : walls_.farSlots.data(),
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
  // place. The links of a few nodes are done together, for what they replace no other node reads,
  // so that their populations pass through the cache once.
  void replaceAtNodes(Storage* state, Real ramp) {
    const boundary::WallView<Variant> walls = view();
    const boundary::WallMassView<Variant> mass = massView();
    const auto settle = [&](std::size_t n) {
      const boundary::WallNode& node = walls_.mass.nodes[n];
      boundary::findExcess<Variant>(mass, n, ramp, [&](std::uint32_t k) {
        return boundary::excessOfLink<Variant>(walls_.links[k], values_[k], state);
      });
      if (n < rest_.size())
        for (std::uint32_t k = node.firstLink; k < endOfLinks(n); ++k)
          boundary::exchangeWall<Variant>(walls, k, state);
    };
    const LinkGroup<Variant> group(walls, walls_.links.size(), state, ramp);
    forNodeGroups([&](std::size_t first, std::size_t end) {
      group.reflect(walls_.mass.nodes[first].firstLink, endOfLinks(end - 1));
      for (std::size_t n = first; n < end; ++n) settle(n);
    });
    boundary::forTimesBeforeLast(walls_.mass.within, [&](int times, std::uint32_t nodes) {
      forAll(nodes, [&](std::size_t n) { boundary::shareExcess<Variant>(mass, times, n); });
    });
    const int last = boundary::timesBeforeLast(walls_.mass.within);
    constexpr std::size_t ahead = 32;  // nodes
    forAll(rest_.size(), [&](std::size_t n) {
      const boundary::WallNode& later = mass.nodes[std::min(n + ahead, rest_.size() - 1)];
      __builtin_prefetch(state + boundary::restIndex<Variant>(later), 1);
      rest_[n] = boundary::correctedRest<Variant>(mass, last, n, state);
      boundary::exchangeRest<Variant>(mass, n, state);
    });
  }
  [[nodiscard]] std::uint32_t endOfLinks(std::size_t n) const {
    return walls_.mass.nodes[n].firstLink + walls_.mass.nodes[n].links;
  }
  // Calls body(first, end) in parallel for nodes whose links follow each other and are of one
  // group.
  template <class Body>
  void forNodeGroups(const Body& body) {
    const std::vector<boundary::WallNode>& nodes = walls_.mass.nodes;
    const auto range = [&](std::size_t begin, std::size_t end) {
      for (std::size_t next = 0; begin < end; begin = next) {
        const std::uint32_t most = nodes[begin].firstLink + LinkGroup<Variant>::most;
        for (next = begin + 1; next < end; ++next)
          if (nodes[next].firstLink != endOfLinks(next - 1) || endOfLinks(next) > most) break;
        body(begin, next);
      }
    };
    parallelRanges(nodes.size(), 512, RangeBody(range));
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
