// SPDX-License-Identifier: GPL-3.0-or-later
// Reflection at many wall links at a time has the bits of one link after the other.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <vector>

#include "solver/backend/cpu/link_group.hpp"
#include "solver/model/variant_types.hpp"

using namespace tessera::solver;
using namespace tessera::solver::boundary;

namespace {

// Links between slots of random populations. A third are deep, a fifth pairs.
template <class Variant>
struct RandomWalls {
  using Lattice = typename Variant::Lattice;
  static constexpr std::uint32_t slots = 12;
  std::mt19937 random{7};
  std::vector<typename Variant::Storage> state;
  std::vector<WallLink> links;
  std::vector<std::uint32_t> farSlots;
  std::vector<double> push;

  std::uint32_t below(std::uint32_t end) {
    return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random);
  }
  double noise() { return std::uniform_real_distribution<double>(-0.02, 0.02)(random); }

  explicit RandomWalls(std::size_t count) {
    for (std::size_t k = 0; k < slots * Lattice::q * 64; ++k)
      state.push_back(typename Variant::Storage(typename Variant::Real(noise())));
    while (links.size() < count) {
      WallLink link{};
      link.slot = below(slots);
      link.local = static_cast<std::uint8_t>(below(64));
      link.direction = static_cast<std::uint8_t>(1 + below(Lattice::q - 1));
      link.distance = static_cast<std::uint16_t>(below(65536));
      if (links.size() + 1 < count && below(5) == 0) {
        link.pair = 1;
        add(link, notDeep);
        link.direction = static_cast<std::uint8_t>(turned(link.direction));
        link.distance = static_cast<std::uint16_t>(below(65536));
        link.pair = 2;
        add(link, notDeep);
        continue;
      }
      link.fromSlot = below(slots);
      link.fromLocal = static_cast<std::uint8_t>(below(64));
      link.fromDirection = link.direction;
      const bool deep = below(3) == 0;
      if (deep) link.farLocal = static_cast<std::uint8_t>(below(64));
      add(link, deep ? below(slots) : notDeep);
    }
  }
  void add(const WallLink& link, std::uint32_t farSlot) {
    links.push_back(link);
    farSlots.push_back(farSlot);
    push.push_back(noise());
  }
};

template <class Lattice, class Precision>
void compare(std::size_t count, bool deep, bool moving) {
  using Variant = model::Variant<Lattice, model::Bgk, model::QuasiCompressible,
                                 model::ConstantViscosity, Precision, model::AlignedTiling>;
  using Group = backend::LinkGroup<Variant>;
  INFO(count << " links, deep: " << deep << ", moving: " << moving);
  RandomWalls<Variant> walls(count);
  std::vector<typename Variant::Storage> one(count), together(count);
  WallView<Variant> view{walls.links.data(),
                         moving ? walls.push.data() : nullptr,
                         deep ? walls.farSlots.data() : nullptr,
                         nullptr,
                         nullptr,
                         one.data()};
  const typename Variant::Real ramp(0.75);
  for (std::size_t k = 0; k < count; ++k) bounceWall<Variant>(view, k, walls.state.data(), ramp);
  view.values = together.data();
  const Group group(view, count, walls.state.data(), ramp);
  // Groups of all lengths, which divide pairs too.
  std::size_t first = 0;
  for (std::size_t length = 1; first < count; length = length % Group::most + 1) {
    const std::size_t end = std::min(first + length, count);
    group.reflect(first, end);
    first = end;
  }
  CHECK(std::memcmp(one.data(), together.data(), count * sizeof(one[0])) == 0);
}

template <class Lattice, class Precision>
void compareAll() {
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{2}, std::size_t{67}, std::size_t{5000}})
    for (const bool deep : {false, true})
      for (const bool moving : {false, true}) compare<Lattice, Precision>(count, deep, moving);
}

}  // namespace

TEST_CASE("Walls: links reflected together have the bits of links reflected alone", "[unit]") {
  compareAll<model::D3Q27, model::F64>();
  compareAll<model::D3Q27, model::F32>();
  compareAll<model::D3Q27, model::F16>();
  compareAll<model::D2Q9, model::F32F64>();
}
