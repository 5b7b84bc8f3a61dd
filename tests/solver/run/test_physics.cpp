// SPDX-License-Identifier: GPL-3.0-or-later
// The physics hash of checkpoints: of every member of the case that drives a flow (of conditions of
// openings: test_conditions.cpp), of no other, and with the values of earlier versions.
#include <catch2/catch.hpp>
#include <functional>

#include "solver/run/physics.hpp"
#include "tests/fixtures/case/opening_cases.hpp"

using namespace tessera;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

// A member left out, one listed twice, and a complete table.
struct LeftOut {
  double a = 0.0;
  std::vector<double> b;
};
struct Twice {
  double a = 0.0;
  double b = 0.0;
};
struct Complete {
  double a = 0.0;
  std::optional<double> b;
  std::string c;
};

}  // namespace

namespace tessera::solver::run {

template <>
inline constexpr auto memberTable<LeftOut> = std::tuple{hashed("a", &LeftOut::a)};
template <>
inline constexpr auto memberTable<Twice> =
    std::tuple{hashed("a", &Twice::a), hashed("b", &Twice::a)};
template <>
inline constexpr auto memberTable<Complete> = std::tuple{
    hashed("a", &Complete::a), freeToChange("b", &Complete::b), hashed("c", &Complete::c)};

}  // namespace tessera::solver::run

static_assert(!listsEveryMember<LeftOut>() && !listsEveryMember<Twice>() &&
              listsEveryMember<Complete>());
static_assert(memberCount<Complete>() == 3 && memberCount<SolverCase>() > 20);

namespace {

// A pulsatile case with everything that has a value: waveform, local viscosity, moving wall.
SolverCase fullCase() {
  SolverCase run = planeCase(EquilibriumId::QuasiCompressible);
  run.place = "case.toml:4";
  run.magic = 0.2;
  run.ramp = 0.003;
  run.bodyForce = {1.0, 2.0, 3.0};
  run.law = {FluidModel::CarreauYasuda, 1e-6, 2e-6, 0.5, 2.0, 0.6, 0.25, 0.125, 0.0};
  Waveform inlet;
  inlet.name = "inlet.csv";
  inlet.hash = "0123";
  inlet.time = {0.0, 0.05};
  inlet.value = {1e-3, 3e-3};
  inlet.period = 0.1;
  inlet.slope = {0.5, -0.5};
  run.openings[0] = pulsating(std::make_shared<const Waveform>(inlet), Profile::Womersley);
  run.openings[1] = Windkessel{2e2, 1e-6, 1e3, 5.0, 20.0};
  run.initialHash = "00ff";
  run.walls = WallScheme::Bouzidi;
  run.wallConditions = {{WallKind::Moving, {1e-3, 0.0, 0.0}, {0.0, 1e-3, 0.0}, {0.0, 0.0, 2.0}}};
  run.pulse = {0.1, 5, 1e-3, 4, 10};
  return run;
}

// Values that prepare() resolves of it, without a geometry.
Setup setupOf(SolverCase run) {
  Setup setup;
  setup.lattice.magic = 0.2;
  setup.rampSteps = 3;
  setup.cycles = {100, 5, 4, 10, 1e-3};
  setup.run = std::move(run);
  return setup;
}

void change(bool& value) {
  value = !value;
}
template <class Number>
requires std::is_arithmetic_v<Number>
void change(Number& value) {
  value += Number(1);
}
template <class Enum>
requires std::is_enum_v<Enum>
void change(Enum& value) {
  value = static_cast<Enum>(static_cast<int>(value) + 1);
}
void change(std::string& value) {
  value += "1";
}
template <class Value>
void change(std::optional<Value>& value) {
  Value other = value.value_or(Value{});
  change(other);
  value = other;
}
void change(Double3& value) {
  value[2] += 1.0;
}
void change(std::shared_ptr<const InitialField>& value) {
  value = std::make_shared<const InitialField>();
}
template <class Value>
void change(std::vector<Value>& values) {
  values.push_back(Value{});
}

// changed(name, setup with that one member changed, its role) for each member of a struct of the
// case; at: where the struct is.
using Changed = std::function<void(const std::string&, const Setup&, OnResume)>;
template <class Struct>
void changeEach(const std::string& path, const std::function<Struct&(SolverCase&)>& at,
                const Changed& changed);

template <class Struct, class Member>
void changeMember(const std::string& path, const std::function<Struct&(SolverCase&)>& at,
                  const Member& member, const Changed& changed) {
  using Value = typename Member::Type;
  const std::string name = path + "." + member.name;
  if constexpr (Tabulated<Value>) {
    changeEach<Value>(
        name, [&](SolverCase& run) -> Value& { return at(run).*member.pointer; }, changed);
  } else {
    SolverCase run = fullCase();
    if constexpr (std::is_same_v<Value, std::shared_ptr<const Waveform>>)
      at(run).*member.pointer = nullptr;
    else
      change(at(run).*member.pointer);
    changed(name, setupOf(std::move(run)), member.onResume);
  }
}

template <class Struct>
void changeEach(const std::string& path, const std::function<Struct&(SolverCase&)>& at,
                const Changed& changed) {
  forEachMember<Struct>([&](const auto& member) { changeMember(path, at, member, changed); });
}

void changeWaveform(const Changed& changed) {
  forEachMember<Waveform>([&](const auto& member) {
    SolverCase run = fullCase();
    auto& series = std::get<Velocity>(run.openings[0]).series;
    auto waveform = std::make_shared<Waveform>(*series);
    change(waveform.get()->*member.pointer);
    series = waveform;
    changed(std::string("waveform.") + member.name, setupOf(std::move(run)), member.onResume);
  });
}

void changeAll(const Changed& changed) {
  changeEach<SolverCase>(
      "case", [](SolverCase& run) -> SolverCase& { return run; }, changed);
  changeEach<WallCondition>(
      "wall", [](SolverCase& run) -> WallCondition& { return run.wallConditions[0]; }, changed);
  changeWaveform(changed);
}

}  // namespace

TEST_CASE("Physics hash: it covers every member that drives the flow, and no other", "[unit]") {
  const std::string before = physicsHash(setupOf(fullCase()));
  int members = 0;
  changeAll([&](const std::string& name, const Setup& setup, OnResume role) {
    INFO(name);
    ++members;
    CHECK((physicsHash(setup) != before) == (role == OnResume::Hashed));
  });
  CHECK(members > 45);
}

TEST_CASE("Physics hash: it covers values that set-up resolves from the case", "[unit]") {
  const std::string before = physicsHash(setupOf(fullCase()));
  const auto hashAfter = [](const std::function<void(Setup&)>& changeIt) {
    Setup setup = setupOf(fullCase());
    changeIt(setup);
    return physicsHash(setup);
  };
  CHECK(hashAfter([](Setup& s) { s.lattice.magic += 0.1; }) != before);
  CHECK(hashAfter([](Setup& s) { ++s.rampSteps; }) != before);
  CHECK(hashAfter([](Setup& s) { ++s.cycles.steps; }) != before);
  CHECK(hashAfter([](Setup& s) { ++s.cycles.phases; }) != before);
  CHECK(hashAfter([](Setup& s) { ++s.cycles.samples; }) != before);
  CHECK(hashAfter([](Setup& s) { ++s.cycles.cycles; }) == before);
  // Through prepare(): magic, ramp and period of the case.
  const TilesFile tiles = planeChannel(12, 8);
  SolverCase run = planeCase();
  run.openings[0] = Velocity{Profile::Plug, 1e-3};
  run.pulse.period = 0.5;
  const auto hashOf = [&] { return physicsHash(prepare(tiles.geometry, run, "cpu")); };
  const std::string of = hashOf();
  run.magic = 0.3;
  const std::string magic = hashOf();
  run.ramp = 0.1;
  const std::string ramp = hashOf();
  run.pulse.period = 0.6;
  CHECK(of != magic);
  CHECK(magic != ramp);
  CHECK(ramp != hashOf());
}

// The last value is that of version 0.1, whose checkpoints without openings, interpolated and
// moving walls are resumed.
TEST_CASE("Physics hash: that of a fixed case keeps its value", "[unit]") {
  CHECK(physicsHash(setupOf(fullCase())) == "fb5c4ef351220070547a6cf9ba25e8ff");
  SolverCase plain = fullCase();
  plain.law = {};
  plain.openings = {};
  plain.initialHash.clear();
  CHECK(physicsHash(setupOf(plain)) == "0450a2f19136eabafe7e72ec82920e5f");
  plain.walls = WallScheme::Halfway;
  CHECK(physicsHash(setupOf(plain)) == "223c14eb5ae0cbb237ae606de818e66f");
  plain.wallConditions = {};
  CHECK(physicsHash(setupOf(plain)) == "7ccc331a126d5be91129431302f53220");
}
