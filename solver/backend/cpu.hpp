// SPDX-License-Identifier: GPL-3.0-or-later
// The CPU loop: TBB over tiles, vectors over the 64 nodes of a tile. A tile's populations are first
// pulled into a small array in cache, whole rows of a tile at a time; wall links are mended there;
// then the step of solver/step.hpp runs on vectors of nodes.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstring>

#include "solver/backend/aligned.hpp"
#include "solver/backend/backend.hpp"
#include "solver/backend/cpu_outlets.hpp"
#include "solver/backend/pull_rows.hpp"
#include "solver/backend/sample.hpp"
#include "solver/state/populations.hpp"
#include "solver/step.hpp"

namespace tessera {

template <class Real>
struct Vector {
  typedef Real type __attribute__((vector_size(32)));
  static constexpr int width = 32 / sizeof(Real);
};

// q x 64 populations of one tile, as they arrive.
template <class Variant>
struct Arrivals {
  alignas(64) typename Variant::Storage f[Variant::q][64];
};

// The vector of nodes l .. l + width - 1 of a tile.
template <class Variant>
struct ArrivedNodes {
  using Storage = typename Variant::Storage;
  using Real = typename Variant::Real;
  using Value = typename Vector<Real>::type;
  const Arrivals<Variant>& arrivals;
  Storage* own;
  int l;

  template <int i>
  TESSERA_ANY Value gather() const {
    static_assert(sizeof(Storage) == sizeof(Real), "mixed precision needs its own conversion");
    Value value;
    std::memcpy(&value, &arrivals.f[i][l], sizeof(value));
    return value;
  }
  template <int i>
  TESSERA_ANY void scatter(const Value& value) const {
    std::memcpy(own + 64 * i + l, &value, sizeof(value));
  }
};

// Where the populations of the 27 tiles around a tile begin.
template <class Variant>
using Neighbours = std::array<const typename Variant::Storage*, 27>;

template <class Variant>
TESSERA_ANY Neighbours<Variant> neighboursOf(const typename Variant::Storage* state,
                                             const std::int32_t* row) {
  Neighbours<Variant> neighbours;
  for (std::size_t n = 0; n < 27; ++n)
    neighbours[n] = state + populationIndex<typename Variant::Lattice>(
                                static_cast<std::uint32_t>(row[n]), 0, 0);
  return neighbours;
}

// Pulls row r = y + height * z of direction i from the row of the tile it comes from, shifted on x;
// all places are known at compile time.
template <class Variant, int i, int r>
TESSERA_ANY void pullRow(const Neighbours<Variant>& neighbours, Arrivals<Variant>& arrivals) {
  using Lattice = typename Variant::Lattice;
  using Shape = TileShape<Lattice>;
  using Storage = typename Variant::Storage;
  constexpr auto c = Lattice::c[i];
  constexpr int sy = r % Shape::y - c[1];
  constexpr int sz = r / Shape::y - c[2];
  constexpr int n = 13 + 3 * (sy >> Shape::log2Y) + 9 * (sz >> Shape::log2Z);
  constexpr int start =
      64 * i + Shape::x * ((sy & (Shape::y - 1)) + Shape::y * (sz & (Shape::z - 1)));
  Storage* target = &arrivals.f[i][Shape::x * r];
  const Storage* middle = neighbours[n] + start;
  if constexpr (c[0] == 0) {
    std::memcpy(target, middle, Shape::x * sizeof(Storage));
  } else if constexpr (c[0] == 1) {
    target[0] = neighbours[n - 1][start + Shape::x - 1];
    std::memcpy(target + 1, middle, (Shape::x - 1) * sizeof(Storage));
  } else {
    std::memcpy(target, middle + 1, (Shape::x - 1) * sizeof(Storage));
    target[Shape::x - 1] = neighbours[n + 1][start];
  }
}

// Bit of a link mask to the lattice direction that leaves through it; 0 for none.
template <class Lattice>
constexpr std::array<std::uint8_t, 27> directionsOfBits() {
  std::array<std::uint8_t, 27> directions{};
  for (int i = 1; i < Lattice::q; ++i)
    directions[static_cast<std::size_t>(linkBit<Lattice>(i))] = static_cast<std::uint8_t>(i);
  return directions;
}

// Halfway bounce-back where a link ends on a wall; solid nodes rest.
template <class Variant>
void mendWalls(const typename Variant::Storage* own, const std::uint32_t* masks,
               Arrivals<Variant>& arrivals) {
  using Lattice = typename Variant::Lattice;
  static constexpr auto directions = directionsOfBits<Lattice>();
  for (int l = 0; l < 64; ++l) {
    if ((masks[l] >> solidBit & 1U) != 0) {
      for (auto& population : arrivals.f) population[l] = 0;
      continue;
    }
    for (std::uint32_t rest = masks[l]; rest != 0; rest &= rest - 1) {
      const int out = directions[static_cast<std::size_t>(std::countr_zero(rest))];
      arrivals.f[opposite(out)][l] = own[64 * out + l];
    }
  }
}

template <class Variant>
class CpuBackend final : public Backend {
  using Lattice = typename Variant::Lattice;
  using Storage = typename Variant::Storage;
  using Real = typename Variant::Real;

 public:
  CpuBackend(Domain domain, const Relaxation& relaxation)
      : domain_(std::move(domain)),
        forced_(relaxation.force != std::array<double, 3>{}),
        parameters_(stepParameters<Variant>(relaxation)),
        outlets_(domain_),
        now_(stateSize()),
        next_(stateSize()) {}

  void advance(std::uint64_t steps, std::span<const double> coefficients) override {
    for (std::uint64_t k = 0; k < steps; ++k) {
      fillGhosts(coefficients.subspan(k * domain_.coefficients, domain_.coefficients), true);
      forced_ ? stepTiles<true>() : stepTiles<false>();
      now_.swap(next_);
    }
  }
  void finish() override {}

  void sampleLinks(std::span<const double> coefficients,
                   std::vector<LinkSample>& samples) override {
    samples.resize(domain_.links.size());
    const OpeningValues values =
        outlets_.template solve<Variant>(coefficients, now_.data(), parameters_, false);
    tbb::parallel_for(std::size_t{0}, samples.size(), [&](std::size_t k) {
      incomingPopulation<Variant>(domain_.links.data(), k, now_.data(), parameters_, values,
                                  &samples[k]);
    });
  }

  OutletReport outlets() override { return outlets_.report(); }
  void setOutlets(const std::vector<OutletState>& states) override { outlets_.set(states); }

  GlobalSample sampleNodes() override;
  void observeTiles(std::span<const double> coefficients, std::uint32_t first, std::uint32_t count,
                    std::vector<float>& values) override;

  const float* observeAll(std::span<const double> coefficients) override {
    observeTiles(coefficients, 0, domain_.tiles, observed_);
    return observed_.data();
  }

  std::vector<double> populations() override { return {now_.begin(), now_.end()}; }
  void setPopulations(std::span<const double> populations) override {
    std::transform(populations.begin(), populations.end(), now_.begin(),
                   [](double f) { return Storage(f); });
  }

  double copyBandwidth() override {
    constexpr std::uint64_t piece = 1U << 20U;
    constexpr std::uint64_t pieces = 256;
    AlignedArray<char> from(pieces * piece);
    AlignedArray<char> to(pieces * piece);
    std::vector<double> seconds;
    for (int repeat = 0; repeat < 5; ++repeat) {
      const auto start = std::chrono::steady_clock::now();
      tbb::parallel_for(std::uint64_t{0}, pieces, [&](std::uint64_t k) {
        std::memcpy(to.data() + k * piece, from.data() + k * piece, piece);
      });
      seconds.push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(seconds.begin(), seconds.end());
    return 2.0 * static_cast<double>(pieces * piece) / seconds[2];
  }

 private:
  [[nodiscard]] std::uint64_t stateSize() const {
    return populationIndex<Lattice>(domain_.slots, 0, 0);
  }

  // commit: a step follows.
  void fillGhosts(std::span<const double> coefficients, bool commit) {
    Storage* state = now_.data();
    const OpeningValues values =
        outlets_.template solve<Variant>(coefficients, state, parameters_, commit);
    for (const PopulationCopy& copy : domain_.copies) state[copy.to] = state[copy.from];
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, domain_.links.size(), 512),
                      [&](const tbb::blocked_range<std::size_t>& range) {
                        for (std::size_t k = range.begin(); k < range.end(); ++k) {
                          const IncomingLink& link = domain_.links[k];
                          state[link.target] = Storage(incomingPopulation<Variant>(
                              domain_.links.data(), k, state, parameters_, values, nullptr));
                        }
                      });
  }

  // Pulls the populations of the tile in a slot, walls mended; returns its masks or null. Compiled
  // once: it is long.
  __attribute__((noinline)) const std::uint32_t* arrive(std::uint32_t slot,
                                                        Arrivals<Variant>& arrivals) const {
    const std::int32_t* row = &domain_.rows[static_cast<std::size_t>(slot) * rowLength];
    if constexpr (Variant::Placement::inRows) {
      Surroundings<Variant> around;
      withRowAxes(domain_.rowAxes, [&](auto axes) {
        findSurroundings<Variant, decltype(axes)>(now_.data(), row, around);
      });
      forEach<Lattice::q>([&](auto i) { pullShifted<Variant, i>(around, arrivals.f[i]); });
    } else {
      const Neighbours<Variant> neighbours = neighboursOf<Variant>(now_.data(), row);
      using Shape = TileShape<Lattice>;
      forEach<Lattice::q>([&](auto i) {
        forEach<Shape::y * Shape::z>([&](auto r) { pullRow<Variant, i, r>(neighbours, arrivals); });
      });
    }
    if (row[maskColumn] < 0) return nullptr;
    const std::uint32_t* masks = &domain_.masks[static_cast<std::size_t>(row[maskColumn]) * 64];
    mendWalls<Variant>(now_.data() + populationIndex<Lattice>(slot, 0, 0), masks, arrivals);
    return masks;
  }

  template <bool forced>
  void stepTiles() {
    tbb::parallel_for(
        tbb::blocked_range<std::uint32_t>(0, domain_.tiles, 32),
        [&](const tbb::blocked_range<std::uint32_t>& range) {
          Arrivals<Variant> arrivals;
          for (std::uint32_t slot = range.begin(); slot < range.end(); ++slot) {
            arrive(slot, arrivals);
            Storage* own = next_.data() + populationIndex<Lattice>(slot, 0, 0);
            for (int l = 0; l < 64; l += Vector<Real>::width)
              step<Variant, forced>(ArrivedNodes<Variant>{arrivals, own, l}, parameters_);
          }
        });
  }

  Domain domain_;
  bool forced_;
  StepParameters<Real> parameters_;
  CpuOutlets outlets_;
  AlignedArray<Storage> now_;
  AlignedArray<Storage> next_;
  std::vector<float> observed_;  // by observeAll
};

template <class Variant>
GlobalSample CpuBackend<Variant>::sampleNodes() {
  std::vector<GlobalSample> perTile(domain_.tiles);
  tbb::parallel_for(std::uint32_t{0}, domain_.tiles, [&](std::uint32_t slot) {
    const std::int32_t maskIndex =
        domain_.rows[static_cast<std::size_t>(slot) * rowLength + maskColumn];
    const Real half[3] = {-parameters_.halfForce[0], -parameters_.halfForce[1],
                          -parameters_.halfForce[2]};
    GlobalSample sample;
    const Storage* own = now_.data() + populationIndex<Lattice>(slot, 0, 0);
    for (int l = 0; l < 64; l += Vector<Real>::width) {
      using Value = typename Vector<Real>::type;
      Value f[Lattice::q];
      forEach<Lattice::q>([&](auto i) {
        for (int lane = 0; lane < Vector<Real>::width; ++lane)
          f[i][lane] = Real(own[64 * i + l + lane]);
      });
      const auto n = macroscopic<Lattice, typename Variant::Equilibrium, true>(f, half);
      for (int lane = 0; lane < Vector<Real>::width; ++lane) {
        const auto node = static_cast<std::size_t>(l + lane);
        if (maskIndex >= 0 &&
            (domain_.masks[static_cast<std::size_t>(maskIndex) * 64 + node] >> solidBit & 1U) != 0)
          continue;
        addNode(Macroscopic<Real>{n.r[lane],
                                  {n.m[0][lane], n.m[1][lane], n.m[2][lane]},
                                  {n.u[0][lane], n.u[1][lane], n.u[2][lane]}},
                sample);
      }
    }
    perTile[slot] = sample;
  });
  GlobalSample total;
  for (const GlobalSample& sample : perTile) addSample(sample, total);
  total.speedMax = std::sqrt(total.speedMax);
  return total;
}

template <class Variant>
void CpuBackend<Variant>::observeTiles(std::span<const double> coefficients, std::uint32_t first,
                                       std::uint32_t count, std::vector<float>& values) {
  fillGhosts(coefficients, false);
  values.resize(static_cast<std::size_t>(count) * observedValues * 64);
  tbb::parallel_for(std::uint32_t{0}, count, [&](std::uint32_t k) {
    Arrivals<Variant> arrivals;
    arrive(first + k, arrivals);
    float* target = values.data() + static_cast<std::size_t>(k) * observedValues * 64;
    for (int l = 0; l < 64; l += Vector<Real>::width) {
      const ArrivedNodes<Variant> nodes{arrivals, nullptr, l};
      observe<Variant, true>(nodes, parameters_, [&](auto e, const auto& value) {
        for (int lane = 0; lane < Vector<Real>::width; ++lane)
          target[64 * e + l + lane] = static_cast<float>(value[lane]);
      });
    }
  });
}

}  // namespace tessera
