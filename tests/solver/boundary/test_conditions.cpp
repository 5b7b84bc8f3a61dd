// SPDX-License-Identifier: GPL-3.0-or-later
// Conditions of openings as modules: the questions each kind answers, a kind that only this test
// knows on the path of the others, and the values of links in time.
#include <catch2/catch.hpp>

#include "solver/boundary/plan_openings.hpp"
#include "solver/boundary/time_series.hpp"
#include "solver/case/solver_case.hpp"
#include "tests/fixtures/case/opening_cases.hpp"
#include "tests/fixtures/expect_error.hpp"

using namespace tessera;
using namespace tessera::solver::boundary;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

// 1 above the middle of the opening, -1 below, 0 for links that end on its middle line.
double sideOf(const PlannedOpening& opening, std::size_t n) {
  const double above = opening.link(n).position[1] - opening.shape.centre[1];
  if (std::abs(above) < 1e-9) return 0.0;
  return above > 0.0 ? 1.0 : -1.0;
}

// A plug flow that swings between the two halves of the opening, by two modes.
struct Swinging {
  static constexpr const char* name = "swinging";
  double mean = 0.0;    // m/s
  double period = 1.0;  // s

  static Swinging fromCase(OpeningTable& from) {
    return {
        from.required("mean", Dimension::Velocity, "a swinging opening needs mean", -10.0, 10.0),
        from.required("swing", Dimension::Time, "a swinging opening needs swing", 1e-6, 1e6)};
  }
  [[nodiscard]] Prescription prescription() const { return {Prescribed::Velocity, {}, mean}; }
  [[nodiscard]] std::optional<Outlet> outlet(const Scales&) const { return std::nullopt; }
  [[nodiscard]] OpeningLinks links(const PlannedOpening& opening) const {
    OpeningLinks out;
    out.condition = LinkCondition::Velocity;
    const double speed = -mean / opening.lattice.scales.velocity();
    for (std::size_t n = 0; n < opening.links.size(); ++n) {
      out.parts.push_back({opening.area(n) * speed, speed * speed});
      out.basis.insert(out.basis.end(), {1.0, sideOf(opening, n)});
    }
    return out;
  }
  [[nodiscard]] Amplitudes amplitudes() const {
    return {2, [all = period](const OpeningMoment& now, std::span<double> out) {
              out[0] = now.ramp;
              out[1] = now.ramp * std::sin(6.283185307179586 * now.time / all);
            }};
  }
  [[nodiscard]] OpeningPhysics physics() const { return {.mean = mean, .others = {period}}; }
};

struct WithoutLinks : Swinging {
  OpeningLinks links(const PlannedOpening& opening) const = delete;
};
struct OfAnotherKind : Swinging {};  // fromCase returns a Swinging
struct Unnamed {
  [[nodiscard]] Prescription prescription() const { return {}; }
};

template <class... Kinds>
constexpr bool allAnswer(const std::variant<Kinds...>*) {
  return (OpeningCondition<Kinds> && ...);
}
static_assert(allAnswer(static_cast<const Condition*>(nullptr)));
static_assert(OpeningCondition<Swinging>);
static_assert(!OpeningCondition<WithoutLinks>);
static_assert(!OpeningCondition<OfAnotherKind>);
static_assert(!OpeningCondition<Unnamed>);

using WithSwinging = std::variant<Velocity, Pressure, Swinging>;

// A channel and its lattice, as planners read them.
struct Planned {
  TilesFile tiles = planeChannel(12, 8);
  Setup setup = prepare(tiles.geometry, planeCase(), "cpu");
  PlanInput input{setup.order, tiles.geometry, setup.variant->lattice, setup.lattice.scales,
                  (setup.lattice.tau - 0.5) / 3.0};

  [[nodiscard]] PlannedOpening opening(PressureCourse course = PressureCourse::Constant,
                                       double reference = 0.0) const {
    return plannedOpening(input, 0, course, reference);
  }
  // m3/s of a mean velocity in lattice units, out of the fluid.
  [[nodiscard]] double flow(double mean) const {
    return -mean * tiles.geometry.openings[0].area / setup.lattice.scales.flowRate();
  }
};

// Values of all links of opening 0 at one moment, evaluated as kernels do.
template <class Anything>
std::vector<LinkValue<double>> valuesAt(const Anything& condition, const PlannedOpening& opening,
                                        const OpeningMoment& now) {
  const OpeningLinks links = linksOf(condition, opening);
  const Amplitudes series = amplitudesOf(condition);
  std::vector<double> amplitudes(series.modes);
  series.write(now, amplitudes);
  const DrivenOpening modes{0, series.modes};
  const OpeningValues values{&modes, links.basis.data(), amplitudes.data(), nullptr};
  std::vector<LinkValue<double>> out;
  for (std::size_t n = 0; n < links.parts.size(); ++n) {
    IncomingLink link{};
    link.value = links.parts[n].value;
    link.speedSquared = links.parts[n].speedSquared;
    link.basis = static_cast<std::uint32_t>(n * series.modes);
    out.push_back(linkValue(link, values.modalSum<double>(link)));
  }
  return out;
}

template <class Anything>
double sumAt(const Anything& condition, const PlannedOpening& opening, const OpeningMoment& now) {
  double sum = 0.0;
  for (const LinkValue<double>& link : valuesAt(condition, opening, now)) sum += link.value;
  return sum;
}

}  // namespace

TEST_CASE("Conditions: a kind outside the list takes the path of the others", "[unit]") {
  using Reader = ConditionReader<WithSwinging>;
  CHECK(Reader::names() == std::vector<std::string>{"velocity", "pressure", "swinging"});
  const Planned planned;
  const auto read = [&](const std::string& text) {
    const CaseFile file = CaseFile::parse("[[opening]]\n" + text, "case.toml");
    OpeningTable from{file.tables("opening").front(), planned.tiles.geometry.openings[0],
                      planned.tiles.geometry};
    const WithSwinging condition = Reader::read("swinging", from);
    file.mistakes()->reject();
    return condition;
  };
  const WithSwinging condition = read("mean = \"5 mm/s\"\nswing = \"2 s\"\n");
  CHECK(std::string(nameOf(condition)) == "swinging");
  CHECK(prescriptionOf(condition).mean == Approx(5e-3));
  checkError(ExitCode::Usage, [&] { read("mean = \"5 mm/s\"\n"); }, {"case.toml:1", "swing"});
  // The flow rate is constant; half of it oscillates on either side.
  const PlannedOpening opening = planned.opening();
  for (const double time : {0.0, 0.3, 0.5, 1.7}) {
    OpeningMoment now;
    now.time = time;
    CHECK(sumAt(condition, opening, now) == Approx(planned.flow(5e-3)).epsilon(1e-9));
  }
  OpeningMoment quarter;
  quarter.time = 0.5;
  const std::vector<LinkValue<double>> values = valuesAt(condition, opening, quarter);
  for (std::size_t n = 0; n < values.size(); ++n) {
    const double part = linksOf(condition, opening).parts[n].value;
    CHECK(values[n].value == Approx((1.0 + sideOf(opening, n)) * part).margin(1e-15));
  }
}

TEST_CASE("Conditions: the kinds of the case file, in its order", "[unit]") {
  CHECK(ConditionReader<Condition>::names() ==
        std::vector<std::string>{"velocity", "flow-rate", "pressure", "resistance", "windkessel",
                                 "outflow-split", "wall"});
}

TEST_CASE("Conditions: prescribed flow crosses the links at any time, whatever the profile",
          "[unit]") {
  const Planned planned;
  const PlannedOpening opening = planned.opening();
  const auto wave = periodicSeries(
      0.5, [](double s) { return 0.003 * (1.0 + 0.8 * std::sin(6.283185307179586 * s)); });
  std::vector<std::pair<std::string, Condition>> conditions;
  for (const Profile profile :
       {Profile::Plug, Profile::Parabolic, Profile::Developed, Profile::Womersley})
    conditions.emplace_back("velocity " + std::to_string(int(profile)),
                            Velocity{profile, wave->largest(), wave});
  conditions.emplace_back("flow rate", FlowRate{{Profile::Parabolic, wave->largest(), wave}});
  OutflowSplit split{Profile::Developed, 1.0, wave->largest()};
  split.inflow = {{0.25, wave}, {0.75, wave}};
  conditions.emplace_back("split", split);
  for (const auto& [name, condition] : conditions)
    for (const double time : {0.0, 0.11, 0.34, 5.2}) {
      INFO(name << " at " << time << " s");
      OpeningMoment now;
      now.time = time;
      now.ramp = 0.75;
      const double sum = sumAt(condition, opening, now);
      CHECK(sum == Approx(0.75 * planned.flow(wave->at(time))).epsilon(1e-9));
    }
}

TEST_CASE("Conditions: prescribed pressures are relative to the reference", "[unit]") {
  const Planned planned;
  const double scale = planned.setup.lattice.scales.pressure();
  const auto wave = periodicSeries(0.5, [](double s) { return 0.2 * s * (1.0 - s); });
  const auto valueOf = [&](const Condition& condition, PressureCourse course, double reference) {
    OpeningMoment now;
    now.time = 0.2;
    now.ramp = 0.5;
    now.course = course;
    now.reference = course == PressureCourse::Varying ? reference : 0.0;
    now.pressureScale = scale;
    return valuesAt(condition, planned.opening(course, reference), now).front().value;
  };
  CHECK(valueOf(Pressure{0.3}, PressureCourse::Constant, 0.1) == Approx(0.5 * 0.6 / scale));
  CHECK(valueOf(Pressure{0.3}, PressureCourse::Varying, 0.1) == Approx(0.5 * 0.6 / scale));
  CHECK(valueOf(Pressure{0.05, wave}, PressureCourse::Varying, 0.1) ==
        Approx(0.5 * 3.0 * (wave->at(0.2) - 0.1) / scale));
  // Absolute and without the ramp: both follow when the outlets have been solved for.
  CHECK(valueOf(Pressure{0.3}, PressureCourse::Coupled, 0.1) == Approx(0.9 / scale));
  OutflowSplit rest;
  rest.takesRest = true;
  CHECK(valueOf(rest, PressureCourse::Constant, 0.1) == Approx(-0.5 * 0.3 / scale));
}

TEST_CASE("Conditions: outlets are planned in the order of the openings, in chunks", "[unit]") {
  const Planned planned;
  const std::vector<Condition> conditions{Pressure{0.5}, Windkessel{2e5, 2.5e-6, 8e5, 0.0, 0.1},
                                          Resistance{1e6, 0.2, 0.3}};
  std::vector<IncomingLink> links(700);
  for (std::size_t k = 0; k < links.size(); ++k)
    links[k].opening = static_cast<std::uint16_t>(k < 100 ? 0 : k % 2 + 1);
  const std::vector<DrivenOpening> modes = modeLayout(conditions);
  const Scales scales{1e-3, 1e-3, 1000.0};
  const OutletPlan plan = planOutlets(conditions, links, modes, scales, 10);
  CHECK(plan.prescribedPressures == std::vector<std::uint32_t>{0});
  REQUIRE(plan.outlets.size() == 2);
  CHECK(plan.outlets[0].coefficient == 1);
  CHECK(plan.outlets[1].opening == 2);
  CHECK(plan.outlets[0].gain > 0.0);
  CHECK(plan.outlets[1].gain == 0.0);
  CHECK(plan.states[1].pressure == Approx(3.0 * 0.3 / scales.pressure()));
  REQUIRE(plan.chunks.size() == 2 * ((300 + outletChunk - 1) / outletChunk));
  std::size_t counted = 0;
  for (const FlowChunk& chunk : plan.chunks) {
    CHECK(chunk.count <= outletChunk);
    for (std::uint32_t k = chunk.first; k < chunk.first + chunk.count; ++k, ++counted)
      CHECK(links[plan.links[k]].opening == plan.outlets[chunk.outlet].opening);
  }
  CHECK(counted == 600);
}

TEST_CASE("Conditions: every value that drives the flow changes the physics hash", "[unit]") {
  OutflowSplit whole{Profile::Developed, 1.0};
  const std::vector<Condition> conditions{
      Velocity{},
      FlowRate{},
      Velocity{Profile::Parabolic},
      Velocity{Profile::Plug, 1.0},
      Velocity{Profile::Plug, 0.0, nullptr, true},
      Pressure{},
      Pressure{1.0},
      Pressure{0.0, nullptr, true},
      Resistance{},
      Resistance{1.0},
      Resistance{0.0, 1.0},
      Resistance{0.0, 0.0, 1.0},
      Windkessel{},
      Windkessel{1.0},
      Windkessel{0.0, 1.0},
      Windkessel{0.0, 0.0, 1.0},
      Windkessel{0.0, 0.0, 0.0, 1.0},
      Windkessel{0.0, 0.0, 0.0, 0.0, 1.0},
      OutflowSplit{},
      whole,
      OutflowSplit{Profile::Plug, 1.0},
      WallOpening{},
  };
  std::vector<std::vector<double>> all;
  for (const Condition& condition : conditions) all.push_back(physicsOf(condition));
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      INFO(a << " and " << b);
      CHECK(all[a] != all[b]);
    }
  // In the order of version 0.1: kind, profile, mean, pressure, resistance, proximal, compliance,
  // distal, fraction, scheme.
  CHECK(physicsOf(Condition{Velocity{Profile::Parabolic, 7.0, nullptr, true}}) ==
        std::vector<double>{0, 1, 7, 0, 0, 0, 0, 0, 0, 1});
  CHECK(physicsOf(Condition{Pressure{7.0, nullptr, true}}) ==
        std::vector<double>{2, 0, 0, 7, 0, 0, 0, 0, 0, 1});
  CHECK(physicsOf(Condition{Resistance{1.0, 2.0, 3.0}}) ==
        std::vector<double>{3, 0, 0, 3, 1, 0, 0, 2, 0, 0});
  CHECK(physicsOf(Condition{Windkessel{1.0, 2.0, 3.0, 4.0, 5.0}}) ==
        std::vector<double>{4, 0, 0, 5, 3, 1, 2, 4, 0, 0});
  CHECK(physicsOf(Condition{OutflowSplit{Profile::Developed, 0.5, 7.0}}) ==
        std::vector<double>{5, 2, 7, 0, 0, 0, 0, 0, 0.5, 0});
}
