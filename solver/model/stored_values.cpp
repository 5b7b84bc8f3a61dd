// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/model/stored_values.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "solver/model/moment_step.hpp"
#include "solver/model/populations.hpp"
#include "solver/model/precision/half.hpp"

namespace tessera::solver::model {

namespace {

// body(k) for k of [0, count), none of which throws.
template <class Body>
void forAll(std::uint64_t count, const Body& body) {
  constexpr std::uint64_t grain = 1U << 15U;
  tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, count, grain),
                    [&](const tbb::blocked_range<std::uint64_t>& range) {
                      for (std::uint64_t k = range.begin(); k < range.end(); ++k) body(k);
                    });
}

}  // namespace

template <class T>
void storeValues(std::span<const double> values, T* stored) {
  forAll(values.size(), [&](std::uint64_t k) { stored[k] = T(values[k]); });
}

template <class T>
void widenValues(const T* stored, std::span<double> values) {
  forAll(values.size(), [&](std::uint64_t k) { values[k] = static_cast<double>(stored[k]); });
}

template <class T>
void storeNoise(std::uint64_t count, T* stored) {
  forAll(count, [&](std::uint64_t k) { stored[k] = noiseStored<T>(k); });
}

// Nodes are words of the tiles of one format and values of those of another.
template <>
void storeValues(std::span<const double> values, MixedWord* stored) {
  using Order = MomentsByValue<MixedMoments>;
  forAll(values.size() / moment::count, [&](std::uint64_t node) {
    const auto slot = static_cast<std::uint32_t>(node / 64);
    const auto l = static_cast<int>(node % 64);
    const auto m = [&](int n) { return values[momentIndex(slot, n, l)]; };
    using Mixed = MixedMoments;
    MixedWord words[Mixed::words];
    const auto halves = [](double one, double two) {
      return Mixed::halves(static_cast<float>(Mixed::scale * one),
                           static_cast<float>(Mixed::scale * two));
    };
    words[Mixed::xyYy] = halves((m(moment::y) - m(moment::y + 1)) / 6.0, m(moment::yy));
    words[Mixed::xzZz] = halves((m(moment::z) - m(moment::z + 1)) / 6.0, m(moment::zz));
    words[Mixed::xxYz] = halves(m(moment::xx), m(moment::yz));
    // P+ and P- follow what rounding has changed.
    const auto changed = [&](float half, int n) { return double{half} / Mixed::scale - m(n); };
    const double change = 3.0 * changed(Mixed::first(words[Mixed::xxYz]), moment::xx) -
                          1.5 * changed(Mixed::second(words[Mixed::xyYy]), moment::yy) -
                          1.5 * changed(Mixed::second(words[Mixed::xzZz]), moment::zz);
    const auto number = [](double value) { return bitsOfFloat(static_cast<float>(value)); };
    words[Mixed::p].bits = number(m(moment::p) + change);
    words[Mixed::p + 1].bits = number(m(moment::p + 1) + change);
    words[Mixed::jy].bits = number(0.5 * (m(moment::y) + m(moment::y + 1)));
    words[Mixed::jz].bits = number(0.5 * (m(moment::z) + m(moment::z + 1)));
    Order::store(words, stored + momentTile<Order>(slot), l);
  });
}

template <>
void widenValues(const MixedWord* stored, std::span<double> values) {
  using Order = MomentsByValue<MixedMoments>;
  forAll(values.size() / moment::count, [&](std::uint64_t node) {
    const auto slot = static_cast<std::uint32_t>(node / 64);
    const auto l = static_cast<int>(node % 64);
    const MixedWord* tile = stored + momentTile<Order>(slot);
    const auto word = [&](int k) { return tile[Order::at(k, l)]; };
    const auto put = [&](int n, double value) { values[momentIndex(slot, n, l)] = value; };
    for (const int n : {moment::p, moment::p + 1, moment::xx, moment::yy, moment::zz, moment::yz})
      put(n, Order::value(tile, n, l));
    // To 1e-18, and exact where a momentum is at least 1e-9 of its shear: then storing them again
    // gives the same words.
    const auto pair = [&](int n, MixedWord momentum, MixedWord shear) {
      const double j = MixedMoments::number(momentum);
      const double a = double{MixedMoments::first(shear)} / MixedMoments::scale;
      put(n, j + 3.0 * a);
      put(n + 1, j - 3.0 * a);
    };
    pair(moment::y, word(MixedMoments::jy), word(MixedMoments::xyYy));
    pair(moment::z, word(MixedMoments::jz), word(MixedMoments::xzZz));
  });
}

#define TESSERA_STORED(T)                                 \
  template void storeValues(std::span<const double>, T*); \
  template void widenValues(const T*, std::span<double>); \
  template void storeNoise(std::uint64_t, T*);
TESSERA_STORED(double)
TESSERA_STORED(float)
TESSERA_STORED(ScaledHalf)
#undef TESSERA_STORED
template void storeNoise(std::uint64_t, MixedWord*);

std::vector<double> momentsFromPopulations(std::span<const double> populations) {
  using L = D3Q19;
  const std::size_t tiles = populations.size() / (64 * L::q);
  std::vector<double> moments(tiles * 64 * moment::count);
  tbb::parallel_for(std::size_t{0}, tiles, [&](std::size_t t) {
    const auto slot = static_cast<std::uint32_t>(t);
    for (int l = 0; l < 64; ++l) {
      const auto f = [&](int i) { return populations[populationIndex<L>(slot, i, l)]; };
      const MomentSums<double> sums =
          sumUp<L, double>(f(0) / weight<L>(0), [&](auto i) { return f(i) / weight<L>(i); });
      double a[6];
      forEach<6>(
          [&](auto e) { a[e] = unitOfSums<L, double> * sums.a[e] - (e < 3 ? sums.r / 3.0 : 0.0); });
      double stored[moment::count];
      storedMoments<double>(sums.r, sums.j, a, stored);
      for (int m = 0; m < moment::count; ++m) moments[momentIndex(slot, m, l)] = stored[m];
    }
  });
  return moments;
}

std::vector<double> populationsFromMoments(std::span<const double> moments) {
  using L = D3Q19;
  const std::size_t tiles = moments.size() / (64 * moment::count);
  std::vector<double> populations(tiles * 64 * L::q);
  tbb::parallel_for(std::size_t{0}, tiles, [&](std::size_t t) {
    const auto slot = static_cast<std::uint32_t>(t);
    for (int l = 0; l < 64; ++l) {
      const auto get = [&](int m) { return moments[momentIndex(slot, m, l)]; };
      forEach<L::q>([&](auto i) {
        populations[populationIndex<L>(slot, i, l)] =
            weight<L>(i) * populationByWeight<L, i, double>(get);
      });
    }
  });
  return populations;
}

}  // namespace tessera::solver::model
