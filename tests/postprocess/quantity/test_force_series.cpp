// SPDX-License-Identifier: GPL-3.0-or-later
// Drag and lift in time: means over whole periods, extremes between rows, Strouhal number.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <numbers>

#include "postprocess/quantity/force_series.hpp"

using namespace tessera;
using namespace tessera::postprocess::quantity;
using namespace tessera::postprocess::results;

namespace {

using std::numbers::pi;

// Force of 2 N along x is a drag of 1, of 2 N along y a lift of 1, on the second of two walls.
const ForceReference reference{{"cylinder"}, 2.0, 1.0, {1, 0, 0}, Double3{0, 1, 0}, 0.5};

std::vector<WallForce> walls() {
  std::vector<WallForce> forces(2);
  forces[0].name = "channel";
  forces[1].name = "cylinder";
  return forces;
}

Monitor monitorOf(int rows, double interval, const std::function<double(double)>& drag,
                  const std::function<double(double)>& lift) {
  Monitor monitor{{"step", "time[s]", "force_0_x[N]", "force_0_y[N]", "force_0_z[N]",
                   "force_1_x[N]", "force_1_y[N]", "force_1_z[N]"},
                  {}};
  for (int k = 1; k <= rows; ++k) {
    const double time = interval * k;
    monitor.rows.push_back(
        {double(k), time, 7.0, 8.0, 9.0, 2.0 * drag(time), 2.0 * lift(time), 0.1});
  }
  return monitor;
}

}  // namespace

TEST_CASE("Force series: mean, amplitude and Strouhal number of vortices that begin to be shed",
          "[unit]") {
  const double period = 0.331;
  const auto growth = [](double t) { return 1.0 / (1.0 + std::exp(-3.0 * (t - 4.0))); };
  const Monitor monitor = monitorOf(
      600, 0.0171,
      [&](double t) { return 3.2 + 0.05 * growth(t) * std::sin(4.0 * pi * t / period); },
      [&](double t) { return 0.02 + growth(t) * std::sin(2.0 * pi * t / period + 0.3); });
  const auto series = coefficientSeries(monitor, walls(), 1.0, reference);
  REQUIRE(series.size() == 600);
  const auto course = coefficientCourse(series, reference);
  REQUIRE(course);
  CHECK(course->periods >= 10);
  CHECK(course->from > 4.0);
  CHECK(*course->period == Approx(period).epsilon(1e-3));
  CHECK(*course->strouhal == Approx(0.5 / (2.0 * period)).epsilon(1e-3));
  CHECK(course->drag.mean == Approx(3.2).epsilon(1e-4));
  CHECK(course->drag.amplitude == Approx(0.05).epsilon(0.05));
  CHECK(course->lift->mean == Approx(0.02).margin(2e-3));
  CHECK(course->lift->amplitude == Approx(1.0).epsilon(5e-3));
  CHECK(course->lift->largest == Approx(1.02).epsilon(5e-3));
}

TEST_CASE("Force series: a flow that settles has no Strouhal number, and its last value as mean",
          "[unit]") {
  const Monitor monitor = monitorOf(
      400, 0.01, [](double t) { return 5.0 + std::exp(-8.0 * t) * std::cos(40.0 * t); },
      [](double t) { return 0.3 * std::exp(-8.0 * t) * std::sin(20.0 * t); });
  const auto course =
      coefficientCourse(coefficientSeries(monitor, walls(), 1.0, reference), reference);
  REQUIRE(course);
  CHECK(course->periods == 0);
  CHECK_FALSE(course->strouhal);
  CHECK(course->drag.mean == Approx(5.0).epsilon(1e-6));
  CHECK(course->drag.amplitude < 1e-6);
  CHECK(course->to == Approx(4.0));
}

TEST_CASE("Force series: without lift the drag's periods count, without columns there is none",
          "[unit]") {
  const Monitor monitor = monitorOf(
      300, 0.01, [](double t) { return 2.0 + std::sin(2.0 * pi * t / 0.5); },
      [](double) { return 0.0; });
  ForceReference alongFlow = reference;
  alongFlow.across.reset();
  alongFlow.length = 0.0;
  const auto course =
      coefficientCourse(coefficientSeries(monitor, walls(), 1.0, alongFlow), alongFlow);
  REQUIRE(course);
  CHECK(*course->period == Approx(0.5).epsilon(1e-3));
  CHECK_FALSE(course->strouhal);
  CHECK_FALSE(course->lift);
  CHECK(course->drag.mean == Approx(2.0).epsilon(1e-3));
  ForceReference all = reference;
  all.bodies.clear();
  CHECK(coefficientSeries(monitor, walls(), 1.0, all).front().drag ==
        Approx(3.5 + coefficientSeries(monitor, walls(), 1.0, reference).front().drag));
  Monitor older = monitor;
  older.columns[5] = "something";
  CHECK(coefficientSeries(older, walls(), 1.0, reference).empty());
  CHECK_FALSE(coefficientCourse({}, reference));
}
