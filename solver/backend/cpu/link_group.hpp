// SPDX-License-Identifier: GPL-3.0-or-later
// Reflection at many wall links at a time. Their populations lie far apart, and a loop that
// reflects link by link waits for memory at each: the links that a processor can look ahead to are
// few. Here the populations of a group are gathered first, those of a later group are prefetched
// meanwhile, and the formulas are those of wall_links.hpp for vectors of links, with the same bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "solver/backend/cpu/source_lines.hpp"
#include "solver/backend/cpu/vectors.hpp"
#include "solver/boundary/wall_links.hpp"

namespace tessera::solver::backend {

template <class Variant>
class LinkGroup {
  using Lattice = typename Variant::Lattice;
  using Real = typename Variant::Real;
  using Storage = typename Variant::Storage;
  using Value = typename Vector<Real>::type;
  static constexpr std::uint32_t width = Vector<Real>::width;

 public:
  static constexpr std::uint32_t most = 64;  // links
  static_assert(most % width == 0);

  // count: links of walls.
  LinkGroup(const boundary::WallView<Variant>& walls, std::uint64_t count, const Storage* state,
            Real ramp)
      : walls_(walls), count_(count), state_(state), ramp_(ramp) {}

  // Finds the reflected populations (WallView::values) of links [first, end), at most `most`.
  void reflect(std::uint64_t first, std::uint64_t end) const {
    if (walls_.memoryNext != nullptr) {
      for (std::uint64_t k = first; k < end; ++k)
        boundary::bounceWall<Variant>(walls_, k, state_, ramp_);
    } else if (walls_.farSlots != nullptr) {
      reflectTogether<true>(first, static_cast<std::uint32_t>(end - first));
    } else {
      reflectTogether<false>(first, static_cast<std::uint32_t>(end - first));
    }
  }

 private:
  // Populations and numbers of the links, by number in the group; names as in LinkPopulations.
  struct Gathered {
    alignas(vectorBytes) Real along[most];
    alignas(vectorBytes) Real against[most];
    alignas(vectorBytes) Real arriving[most];
    alignas(vectorBytes) Real againstBehind[most];
    alignas(vectorBytes) Real alongFar[most];
    alignas(vectorBytes) Real q[most];
    alignas(vectorBytes) Real push[most];
    alignas(vectorBytes) Real deep[most];  // 1 where multireflection has its nodes, else 0
    alignas(vectorBytes) Real value[most];
  };
  static Value load(const Real* values) {
    Value loaded;
    std::memcpy(&loaded, values, sizeof(loaded));
    return loaded;
  }
  // Links k to k + width - 1.
  struct AtLinks {
    const Gathered& all;
    std::uint32_t k;
    [[nodiscard]] Value along() const { return load(all.along + k); }
    [[nodiscard]] Value against() const { return load(all.against + k); }
    [[nodiscard]] Value arriving() const { return load(all.arriving + k); }
    [[nodiscard]] Value againstBehind() const { return load(all.againstBehind + k); }
    [[nodiscard]] Value alongFar() const { return load(all.alongFar + k); }
  };

  // Where the populations of a link lie, none of which is replaced at another node: f_i behind
  // leads to fluid, that of a symmetry plane is mirrored later. Of pairs and links that are not
  // deep, its own stand in.
  template <bool deep>
  struct Places {
    std::uint64_t along, against, arriving, againstBehind = 0, alongFar = 0;

    Places(const boundary::WallView<Variant>& walls, std::uint64_t k) {
      const boundary::WallLink& link = walls.links[k];
      const int i = link.direction;
      const int back = boundary::turned(i);
      const auto placeOf = [](std::uint32_t slot, int direction, int local) {
        return model::populationIndex<Lattice>(slot, direction, local);
      };
      along = placeOf(link.slot, i, link.local);
      against = placeOf(link.slot, back, link.local);
      arriving =
          link.pair == 0 ? placeOf(link.fromSlot, link.fromDirection, link.fromLocal) : along;
      if constexpr (deep) {
        const bool isDeep = walls.isDeep(k);
        againstBehind = isDeep ? placeOf(link.fromSlot, back, link.fromLocal) : along;
        alongFar = isDeep ? placeOf(walls.farSlots[k], i, link.farLocal) : along;
      }
    }
  };

  template <bool deep>
  void gather(std::uint64_t first, std::uint32_t count, Gathered& all) const {
    for (std::uint32_t k = 0; k < count; ++k) {
      // Prefetched here: compilers drop calls of a function that only prefetches.
      const Places<deep> next(walls_, std::min(first + k + most, count_ - 1));
      __builtin_prefetch(state_ + next.along, 0, secondLevel);
      __builtin_prefetch(state_ + next.against, 0, secondLevel);
      __builtin_prefetch(state_ + next.arriving, 0, secondLevel);
      if constexpr (deep) {
        __builtin_prefetch(state_ + next.againstBehind, 0, secondLevel);
        __builtin_prefetch(state_ + next.alongFar, 0, secondLevel);
      }
      const Places<deep> at(walls_, first + k);
      all.along[k] = Real(state_[at.along]);
      all.against[k] = Real(state_[at.against]);
      all.arriving[k] = Real(state_[at.arriving]);
      if constexpr (deep) {
        all.againstBehind[k] = Real(state_[at.againstBehind]);
        all.alongFar[k] = Real(state_[at.alongFar]);
        all.deep[k] = walls_.isDeep(first + k) ? Real(1) : Real(0);
      }
      all.q[k] = boundary::fractionOf<Real>(walls_.links[first + k].distance);
      all.push[k] = walls_.push == nullptr
                        ? Real(0)
                        : model::multiplyRounded(Real(walls_.push[first + k]), ramp_);
    }
    // Up to a whole vector.
    for (std::uint32_t k = count; k % width != 0; ++k) {
      for (auto* values : {all.along, all.against, all.arriving, all.push}) values[k] = Real(0);
      if constexpr (deep)
        for (auto* values : {all.againstBehind, all.alongFar, all.deep}) values[k] = Real(0);
      all.q[k] = Real(1);
    }
  }

  template <bool deep>
  void reflectTogether(std::uint64_t first, std::uint32_t count) const {
    Gathered all;
    gather<deep>(first, count, all);
    for (std::uint32_t k = 0; k < count; k += width) {
      const AtLinks at{all, k};
      const Value q = load(all.q + k);
      const Value push = load(all.push + k);
      const auto one = boundary::returning<Real>(q, at, push);
      const Value arriving = one.share == Real(0) ? Value{} : at.arriving();
      Value value = model::multiplyAdd(one.share, arriving, one.own);
      if constexpr (deep)
        value = load(all.deep + k) == Real(0)
                    ? value
                    : boundary::mixedWithBouzidi<Real>(boundary::multireflected<Real>(q, at, push),
                                                       value);
      std::memcpy(all.value + k, &value, sizeof(value));
    }
    for (std::uint32_t k = 0; k < count; ++k) walls_.values[first + k] = Storage(all.value[k]);
    for (std::uint64_t k = first; k < first + count; ++k)
      if (walls_.links[k].pair != 0) boundary::bounceWall<Variant>(walls_, k, state_, ramp_);
  }

  boundary::WallView<Variant> walls_;
  std::uint64_t count_;
  const Storage* state_;
  Real ramp_;
};

}  // namespace tessera::solver::backend
