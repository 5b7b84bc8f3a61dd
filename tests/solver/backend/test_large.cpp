// SPDX-License-Identifier: GPL-3.0-or-later
// States of any size: offsets beyond 2^32 elements, initialised and read in pieces.
#include <atomic>
#include <catch2/catch.hpp>
#include <type_traits>

#include "solver/backend/gpu/device.hpp"
#include "solver/boundary/link.hpp"
#include "solver/model/moments.hpp"
#include "solver/model/populations.hpp"
#include "solver/model/precision/half.hpp"
#include "solver/model/stored_values.hpp"
#include "solver/model/variant_types.hpp"
#include "solver/run/simulation.hpp"
#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

using namespace tessera;
using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

SolverCase caseOf(CollisionId collision, PrecisionId precision, StateId state,
                  const std::string& copies) {
  SolverCase run = waterCase(0.7);
  run.collision = collision;
  run.precision = precision;
  run.state = state;
  run.copies = copies;
  return run;
}

// Values of a tile of the random state.
std::vector<double> noiseOf(const VariantInfo& variant, std::uint64_t slot) {
  std::vector<double> values(std::size_t{variant.stateValues} * tileNodes);
  const std::uint64_t first = slot * variant.storedWords * tileNodes;
  const auto store = [&](auto one) {
    using Stored = decltype(one);
    std::vector<Stored> stored(std::size_t{variant.storedWords} * tileNodes);
    for (std::size_t k = 0; k < stored.size(); ++k) stored[k] = noiseStored<Stored>(first + k);
    widenValues(stored.data(), values);
  };
  if (variant.axes.precision == PrecisionId::M32F16)
    store(MixedWord{});
  else if (variant.storageBytes == 8)
    store(double{});
  else if (variant.storageBytes == 4)
    store(float{});
  else
    store(ScaledHalf{});
  return values;
}

void checkNoise(const std::string& backend) {
  const TilesFile tiles = imageGeometry({24, 19, 16}, strewn(0.7), {}, {}, 1e-3, {0, 2, 0});
  for (const VariantInfo& variant : variants()) {
    if (variant.lattice.dimensions != 3 || variant.axes.tiling != TilingId::Aligned ||
        variant.axes.viscosity != ViscosityId::Constant)
      continue;
    INFO(backend << " " << variant.name());
    SolverCase run =
        caseOf(variant.axes.collision, variant.axes.precision, variant.axes.state, "2");
    run.lattice = variant.axes.lattice;
    run.equilibrium = variant.axes.equilibrium;
    Simulation simulation(tiles, prepare(tiles.geometry, run, backend));
    simulation.setNoise();
    std::atomic<int> wrong{0};
    simulation.visitState([&](std::size_t tile, std::span<const double> values) {
      const std::vector<double> noise = noiseOf(variant, simulation.setup().order.slotOfTile[tile]);
      for (std::size_t k = 0; k < values.size(); ++k) {
        const bool solid = tiles.geometry.nodeType[tile * tileNodes + k % tileNodes] == 0;
        if (values[k] != (solid ? 0.0 : noise[k])) ++wrong;
      }
    });
    CHECK(wrong == 0);
  }
}

// A ball in each cube of 64 nodes.
bool aroundBalls(int x, int y, int z) {
  const int dx = x - 20;
  const int dy = y - 33;
  const int dz = z % 64 - 41;
  return dx * dx + dy * dy + dz * dz > 50;
}

constexpr std::size_t cubeTiles = 16 * 16 * 16;

// Cubes upon each other, walls below and above.
TilesFile column(int cubes) {
  return imageGeometry({64, 64, 64 * cubes}, aroundBalls, {true, true, false}, {}, 1e-3, {0, 0, 0});
}

// Position of a tile in its cube.
std::size_t inCube(const TilesFile& tiles, std::size_t tile) {
  const auto& at = tiles.geometry.nonEmptyTiles[tile];
  return static_cast<std::size_t>(at[0] + 16 * (at[1] + 16 * (at[2] % 16)));
}

// The same in a column of three cubes, the second of which represents all but the first and last.
std::size_t inThree(const TilesFile& tiles, std::size_t tile) {
  const int cube = tiles.geometry.nonEmptyTiles[tile][2] / 16;
  const int last = tiles.geometry.grid[2] / 16 - 1;
  return inCube(tiles, tile) + cubeTiles * (cube == 0 ? 0U : cube == last ? 2U : 1U);
}

// State of a column of cubes that all start alike after some steps, tile by tile: visit(position in
// three cubes, its values), from many threads.
template <class Visit>
void stepAlike(const TilesFile& tiles, const SolverCase& run, const Visit& visit) {
  Setup setup = prepare(tiles.geometry, run, "cuda");
  CHECK(setup.copies == 1);
  Simulation simulation(tiles, std::move(setup));
  simulation.setState([&](std::size_t tile, std::span<double> values) {
    const std::size_t first = inCube(tiles, tile) * values.size();
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = noiseAt(first + k);
  });
  simulation.advance(5);
  simulation.visitState([&](std::size_t tile, std::span<const double> values) {
    visit(inThree(tiles, tile), values);
  });
}

}  // namespace

TEST_CASE("Large states: offsets are right beyond 2^32 elements", "[unit]") {
  constexpr std::uint32_t slot = 2147483646;
  static_assert(populationIndex<D3Q19>(slot, 18, 63) == 2611340114751);
  static_assert(populationIndex<D3Q27>(slot, 26, 63) == 3710851742015);
  static_assert(populationIndex<D2Q9>(slot, 8, 63) == 1236950580671);
  static_assert(momentIndex(slot, 9, 63) == 1374389534079);
  // Stored offsets keep all of their digits.
  static_assert(std::is_same_v<decltype(IncomingLink::node), std::uint64_t> &&
                std::is_same_v<decltype(IncomingLink::target), std::uint64_t> &&
                std::is_same_v<decltype(PopulationCopy::from), std::uint64_t> &&
                std::is_same_v<decltype(PopulationCopy::to), std::uint64_t> &&
                std::is_same_v<decltype(PopulationPair::a), std::uint64_t> &&
                std::is_same_v<decltype(PopulationPair::b), std::uint64_t> &&
                std::is_same_v<decltype(ownIndex<Variant<D3Q19, Bgk, QuasiCompressible,
                                                         ConstantViscosity, F32, AlignedTiling>>(
                                   std::declval<const WallLink&>())),
                               std::uint64_t>);
  SUCCEED();
}

TEST_CASE("Large states: noise is set in place, value by value", "[unit]") {
  checkNoise("cpu");
}

TEST_CASE("Large states: noise is set in place on a device", "[gpu]") {
  if (findDevice()) checkNoise("cuda");
}

// 9 GB of populations, 18 GB of moments in f32 and 17 GB in m32/16 on the device, two minutes: not
// among [gpu].
TEST_CASE("Large states: tiles beyond 2^32 elements are updated like the first ones", "[.large]") {
  if (!findDevice()) {
    WARN("no CUDA device: nothing is that large here");
    return;
  }
  const TilesFile three = column(3);
  const std::array<std::pair<SolverCase, int>, 3> runs{
      {{caseOf(CollisionId::Bgk, PrecisionId::F16, StateId::Populations, "1"), 900},
       {caseOf(CollisionId::Regularised, PrecisionId::F32, StateId::Moments, "1"), 1700},
       {caseOf(CollisionId::Regularised, PrecisionId::M32F16, StateId::Moments, "1"), 2400}}};
  for (const auto& [run, cubes] : runs) {
    const VariantInfo& variant = *prepare(three.geometry, run, "cuda").variant;
    const std::size_t values = std::size_t{variant.stateValues} * tileNodes;
    const TilesFile tall = column(cubes);
    REQUIRE(tall.geometry.tiles() * variant.storedWords * tileNodes > std::uint64_t{1} << 32U);
    INFO(variant.name());
    std::vector<double> expected(3 * cubeTiles * values);
    stepAlike(three, run, [&](std::size_t place, std::span<const double> of) {
      std::copy(of.begin(), of.end(), &expected[place * values]);
    });
    std::atomic<std::uint64_t> wrong{0};
    stepAlike(tall, run, [&](std::size_t place, std::span<const double> of) {
      if (!std::equal(of.begin(), of.end(), &expected[place * values])) ++wrong;
    });
    CHECK(wrong == 0);
  }
}
