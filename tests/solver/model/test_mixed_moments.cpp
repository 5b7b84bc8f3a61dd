// SPDX-License-Identifier: GPL-3.0-or-later
// Moments in 28 bytes a node (model::MixedMoments): what they keep, the same words from every path,
// and flows compared with those in single precision.
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "solver/backend/cpu/mixed_moments.hpp"
#include "solver/backend/registry.hpp"
#include "solver/model/moment_step.hpp"
#include "solver/model/stored_values.hpp"
#include "solver/run/simulation.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/oracle/reference.hpp"
#include "tests/solver/model/moment_cases.hpp"

using namespace tessera;
using namespace tessera::solver::backend;
using namespace tessera::solver::run;
using namespace tessera::testing;

TEST_CASE("Moments: a precision of theirs alone chooses them, and their collision", "[unit]") {
  const TilesFile tiles = openGeometry();
  SolverCase run = regularisedCase(StateId::Populations, PrecisionId::M32F16);
  checkError(ExitCode::Usage, [&] { prepare(tiles.geometry, run, "cpu"); },
             {"m32/16", "--scheme tile-moments"});
  setState("auto", run);
  run.automaticCollision = true;
  run.collision = CollisionId::Trt;
  const Setup setup = prepare(tiles.geometry, run, "cpu");
  CHECK(setup.variant->name() == "D3Q19 regularised quasi-compressible m32/16 moments");
  CHECK(setup.stateReason == StateReason::Precision);
  CHECK(setup.variant->bytesPerNode() == 56.0);
  run.wallConditions.resize(tiles.geometry.wallNames.size());
  run.wallConditions[0].kind = WallKind::Symmetry;
  checkError(ExitCode::Usage, [&] { prepare(tiles.geometry, run, "cpu"); },
             {"symmetry plane", "another precision"});
}

TEST_CASE("Moments: mixed ones keep density and momentum to single precision", "[unit]") {
  std::mt19937 engine(5);
  const auto value = [&](double most) {
    return most * (static_cast<double>(engine()) / 2147483648.0 - 1.0);
  };
  std::vector<double> moments(3 * 64 * moment::count);
  std::vector<std::array<double, 4>> kept;
  for (std::uint32_t slot = 0; slot < 3; ++slot)
    for (int l = 0; l < 64; ++l) {
      const double r = value(1e-2);
      const double j[3] = {value(0.1), value(0.1), value(0.1)};
      const double a[6] = {value(1e-2), value(1e-2), value(1e-2),
                           value(1e-3), value(1e-3), value(1e-3)};
      double stored[moment::count];
      storedMoments<double>(r, j, a, stored);
      for (int m = 0; m < moment::count; ++m) moments[momentIndex(slot, m, l)] = stored[m];
      kept.push_back({r, j[0], j[1], j[2]});
    }
  std::vector<MixedWord> words(3 * 64 * MixedMoments::words);
  storeValues(moments, words.data());
  std::vector<double> found(moments.size());
  widenValues(words.data(), found);
  for (std::uint32_t slot = 0; slot < 3; ++slot)
    for (int l = 0; l < 64; ++l) {
      const auto m = [&](int n) { return found[momentIndex(slot, n, l)]; };
      const auto& node = kept[64 * slot + static_cast<unsigned>(l)];
      const double e = 0.5 * (m(moment::p) + m(moment::p + 1));
      const double r = e - 3.0 * m(moment::xx) + 1.5 * (m(moment::yy) + m(moment::zz));
      CHECK(std::abs(r - node[0]) < 2e-8);
      CHECK(std::abs((m(moment::p) - m(moment::p + 1)) / 6.0 - node[1]) < 1e-8);
      CHECK(std::abs((m(moment::y) + m(moment::y + 1)) / 2.0 - node[2]) < 1e-8);
      CHECK(std::abs((m(moment::z) + m(moment::z + 1)) / 2.0 - node[3]) < 1e-8);
      for (const int n : {moment::xx, moment::yy, moment::zz, moment::yz})
        CHECK(std::abs(m(n) - moments[momentIndex(slot, n, l)]) < 1e-2 / 2048.0);
    }
  // Values of a state are stored again to the bit.
  std::vector<MixedWord> again(words.size());
  storeValues(found, again.data());
  CHECK(std::memcmp(again.data(), words.data(), 4 * words.size()) == 0);
}

TEST_CASE("Moments: mixed ones have the same words from a number and from a vector", "[unit]") {
  std::mt19937 engine(9);
  using Value = MixedPacker::Value;
  constexpr int width = Vector<float>::width;
  using Tile = MixedWord[MixedMoments::words][64];
  Tile packed, single;
  MixedPacker packer;
  for (int l = 0; l < 64; l += width) {
    RelaxedMoments<Value> nodes;
    for (int k = 0; k < width; ++k) {
      RelaxedMoments<float> node;
      // Also halves without all of their digits, and beyond their range.
      const float size = std::ldexp(1.0F, static_cast<int>(engine() % 60) - 40);
      const auto next = [&] {
        return size * (static_cast<float>(engine()) / 2147483648.0F - 1.0F);
      };
      nodes.r[k] = node.r = next();
      for (int d = 0; d < 3; ++d) nodes.j[d][k] = node.j[d] = next();
      for (int e = 0; e < 6; ++e) nodes.a[e][k] = node.a[e] = next();
      MixedWord words[MixedMoments::words];
      MixedMoments::pack(node, words);
      for (int w = 0; w < MixedMoments::words; ++w) single[w][l + k] = words[w];
    }
    packer.put(nodes, l, packed);
  }
  packer.finish(packed);
  CHECK(std::memcmp(packed, single, sizeof(Tile)) == 0);
  // Rows unpacked together are nodes unpacked alone.
  UnpackedTile rows;
  for (int r = 0; r < 16; ++r) unpackRow(single[0], r, rows);
  bool same = true;
  for (int l = 0; l < 64; ++l)
    for (int n = 0; n < moment::count; ++n)
      same = same && rows[static_cast<std::size_t>(64 * n + l)] ==
                         MomentsByValue<MixedMoments>::value(single[0], n, l);
  CHECK(same);
}

TEST_CASE("Moments: mixed ones flow as those of single precision, to half the digits of stress",
          "[unit]") {
  const auto [tiles, scheme] =
      GENERATE(std::pair(openGeometry(), WallScheme::Halfway),
               std::pair(cutBoxOfThreeOpenings({34, 16, 20}), WallScheme::Multireflection));
  const auto with = [&](PrecisionId precision) {
    SolverCase run = regularisedCase(StateId::Moments, precision);
    run.walls = scheme;
    return prepare(tiles.geometry, run, "cpu");
  };
  Simulation one(tiles, with(PrecisionId::F32));
  Simulation two(tiles, with(PrecisionId::M32F16));
  one.advance(400);
  two.advance(400);
  const MonitorSample a = one.sample();
  const MonitorSample b = two.sample();
  CHECK(one.populations() != two.populations());
  CHECK(largestDifference(tiles, one.populations(), two.populations()) < 1e-4);
  for (std::size_t o = 0; o < 3; ++o)
    CHECK(relative(a.flowRate[o], b.flowRate[o], std::abs(a.flowRate[0])) < 2e-5);
}
