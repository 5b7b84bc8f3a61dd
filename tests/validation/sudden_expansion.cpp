// SPDX-License-Identifier: GPL-3.0-or-later
// The channel of Rinaldi, Dari, Venere & Clausse 2011 (Asian J. Appl. Sci. 4, 762): 1/2 high, from
// x = 1 on 1 high, at a Reynolds number of 100, which they compare with finite elements on profiles
// at x = 1.1 and 1.5 (their Figure 6, of which no numbers are given). So the reference here is what
// theirs is, an independent solver: finite differences, extrapolated from two grids. The paper does
// not say whether the narrow channel lies in the middle, so both are run, and its outlet at x = 3,
// which the recirculation reaches, is moved to 5.
#include <algorithm>
#include <cmath>

#include "solver/backend/sample.hpp"
#include "tests/validation/expansion_channel.hpp"
#include "tests/validation/run.hpp"

namespace tessera::validation {

using namespace tessera::picture;
using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;

namespace {

const std::vector<double> stations{1.1, 1.5};

std::vector<StationProfile> latticeProfiles(const ExpansionChannel& channel, int n,
                                            const Options& options) {
  constexpr double fastest = 0.08;
  const double nu = fastest * channel.narrow() * n / channel.reynolds;
  SolverCase run = latticeCase({LatticeId::D2Q9}, 0.5 + 3.0 * nu);
  run.openings = {Velocity{Profile::Parabolic, 2.0 / 3.0 * fastest}, Pressure{0.0}};
  run.ramp = 8.0 * channel.length * n;
  Flow flow =
      startFlow(testing::imageGeometry(
                    {static_cast<int>(channel.length * n), n, 1},
                    [&](int x, int y, int) { return channel.fluid((x + 0.5) / n, (y + 0.5) / n); },
                    {false, false, true}, {{0, false, 1}, {0, true, 2}}, 1.0, {0, 0, 0}, 2),
                run, options);
  // Until nothing changes in a unit of time.
  const auto unit = static_cast<std::uint64_t>(n / fastest);
  flow.simulation->advance(20 * unit);
  runUntilSteady(flow, options.quick ? 1e-4 : 1e-5, unit, 300 * unit);
  const Moments moments = momentsOf(flow);
  std::vector<StationProfile> out;
  for (const double x : stations) {
    const double place = x * n - 0.5;
    const int i = static_cast<int>(place);
    StationProfile profile;
    for (int y = 0; y < n; ++y) {
      const double left = moments.velocity(i, y)[0], right = moments.velocity(i + 1, y)[0];
      profile.push_back((left + (place - i) * (right - left)) / fastest);
    }
    out.push_back(std::move(profile));
  }
  return out;
}

// From grids of n and n / 2 cells to the heights of n, extrapolated with second order. A coarse
// value is the mean of two fine ones up to the second order.
StationProfile extrapolated(const StationProfile& fine, const StationProfile& coarse) {
  StationProfile out = fine;
  for (std::size_t k = 0; k < coarse.size(); ++k) {
    const double mean = 0.5 * (fine[2 * k] + fine[2 * k + 1]);
    // Curvature correction of the mean of two neighbours.
    const auto at = [&](std::size_t j) { return fine[std::min(j, fine.size() - 1)]; };
    const double before = 2 * k == 0 ? -fine[0] : fine[2 * k - 1];
    const double after = 2 * k + 2 == fine.size() ? -fine.back() : at(2 * k + 2);
    const double between = mean - (before - fine[2 * k] - fine[2 * k + 1] + after) / 16.0;
    const double correction = (between - coarse[k]) / 3.0;
    out[2 * k] += correction;
    out[2 * k + 1] += correction;
  }
  return out;
}

std::vector<StationProfile> reference(const ExpansionChannel& channel, int n, bool quick) {
  std::vector<StationProfile> fine = differenceProfiles(channel, n, stations);
  if (quick) return fine;
  const std::vector<StationProfile> coarse = differenceProfiles(channel, n / 2, stations);
  for (std::size_t s = 0; s < fine.size(); ++s) fine[s] = extrapolated(fine[s], coarse[s]);
  return fine;
}

}  // namespace

Findings suddenExpansion(const Options& options) {
  Findings out;
  const int n = options.quick ? 16 : 48;
  out.setting = "D2Q9, TRT, " + std::to_string(n) +
                " nodes across the wide channel; largest difference of the velocity along the "
                "channel on a profile, over the inlet's largest velocity.";
  struct Form {
    const char* name;
    double low, high;
  };
  for (const Form& form :
       {Form{"step on one side", 0.5, 1.0}, Form{"narrow channel in the middle", 0.25, 0.75}}) {
    if (options.quick && form.low == 0.25) continue;
    ExpansionChannel channel;
    channel.low = form.low;
    channel.high = form.high;
    const auto ours = latticeProfiles(channel, n, options);
    const auto theirs = reference(channel, n, options.quick);
    Chart chart = chartOf(std::string("Sudden expansion, ") + form.name,
                          "velocity along the channel over the largest", "height");
    for (std::size_t s = 0; s < stations.size(); ++s) {
      double difference = 0.0;
      std::vector<double> height;
      for (std::size_t j = 0; j < ours[s].size(); ++j) {
        difference = largerOf(difference, std::abs(ours[s][j] - theirs[s][j]));
        height.push_back((static_cast<double>(j) + 0.5) / n);
      }
      const std::string place = "x = " + shortNumber(stations[s], 2);
      out.atMost(std::string("difference at ") + place + ", " + form.name, difference,
                 options.quick ? 0.05 : 0.01, "finite differences, extrapolated");
      chart.curves.push_back(curve("differences, " + place, theirs[s], height, 2 * int(s)));
      chart.curves.push_back(curve("ours", ours[s], height, 2 * int(s) + 1, true));
    }
    out.charts.push_back(chart);
  }
  return out;
}

}  // namespace tessera::validation
