// SPDX-License-Identifier: GPL-3.0-or-later
// Channels with openings at their ends and series in time, for the tests of openings.
#pragma once

#include <cmath>
#include <functional>
#include <string>

#include "solver/run/simulation.hpp"
#include "tests/solver/geometries.hpp"

namespace tessera::testing {

using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::tiler::file;

// In 2D, openings 1 (low x) and 2 (high x); spacing 0.1 mm.
inline TilesFile planeChannel(int length, int height, double spacing = 1e-4) {
  return imageGeometry(
      {length, height, 1}, [](int, int, int) { return true; }, {false, false, true},
      {{0, false, 1}, {0, true, 2}}, spacing, {0, 0, 0}, 2);
}

// Water in 2D, TRT in double precision, no ramp, two openings; tau = 0.8 makes the time step of
// planeChannel 1 ms and a lattice velocity of 0.05 5 mm/s.
inline SolverCase planeCase(EquilibriumId equilibrium = EquilibriumId::Incompressible) {
  SolverCase run;
  run.density = 1000.0;
  run.kinematicViscosity = 1e-6;
  run.lattice = LatticeId::D2Q9;
  run.equilibrium = equilibrium;
  run.precision = PrecisionId::F64;
  run.tau = 0.8;
  run.ramp = 0.0;
  run.openings.assign(2, Pressure{});
  return run;
}

// One period of a function of the phase in [0, 1), as a periodic cubic series.
inline std::shared_ptr<const Waveform> periodicSeries(double period,
                                                      const std::function<double(double)>& value,
                                                      int rows = 64) {
  std::string text = "time[s],value[]\n";
  for (int k = 0; k <= rows; ++k) {
    char line[80];
    std::snprintf(line, sizeof(line), "%.17g,%.17g\n", period * k / rows,
                  value(k % rows / double(rows)));
    text += line;
  }
  WaveformOptions options;
  options.column = "value";
  options.periodic = true;
  options.interpolation = Interpolation::Cubic;
  return std::make_shared<const Waveform>(parseWaveform(text, "made by a test", options));
}

// A prescribed mean velocity in time, m/s.
inline Velocity pulsating(std::shared_ptr<const Waveform> series, Profile profile) {
  const double largest = series->largest();
  return {profile, largest, std::move(series)};
}

}  // namespace tessera::testing
