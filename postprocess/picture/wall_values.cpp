// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/wall_values.hpp"

#include <algorithm>
#include <cmath>

#include "postprocess/wall_shear.hpp"

namespace tessera {
namespace {

// From the 1st to the 99th percentile. A spread below `even` of the largest value is shown from
// zero, so that what is even looks even.
void scaleByPercentiles(WallValues& values, ColourMap map, double even) {
  const ShearStatistics& s = values.statistics;
  const bool flat = s.p99 - s.p01 <= even * std::max(std::abs(s.p01), std::abs(s.p99));
  values.scale = {map, flat ? std::min(0.0, s.p01) : s.p01, flat ? std::max(0.0, s.p99) : s.p99};
  const auto [low, high] = std::minmax_element(values.vertex.begin(), values.vertex.end());
  values.openBelow = *low < values.scale.lowest;
  values.openAbove = *high > values.scale.highest;
}

WallValues pascals(const Results& results, std::string key, std::string title, std::string caption,
                   const std::vector<double>& triangle, ColourMap map, double even) {
  WallValues values{std::move(key), std::move(title), std::move(caption), {}, {}, {}, {}, {}, {}};
  values.statistics = areaStatistics(triangle, results.wall.triangleArea);
  values.unit =
      displayUnit("Pa", std::max(std::abs(values.statistics.p01), std::abs(values.statistics.p99)));
  values.vertex = vertexMeans(results.wall, triangle, values.statistics.p50);
  scaleByPercentiles(values, map, even);
  return values;
}

WallValues oscillation(const Results& results) {
  WallValues values{"osi",
                    "Oscillatory shear index",
                    "oscillatory shear index",
                    "0: direction kept, 0.5: none in the mean",
                    {1.0, ""},
                    {},
                    {},
                    {},
                    {}};
  values.statistics = areaStatistics(results.cycle->osi, results.wall.triangleArea);
  values.vertex = vertexMeans(results.wall, results.cycle->osi, 0.0);
  values.scale = {ColourMap::Cividis, 0.0, 0.5};
  return values;
}

// Where the net shear is nearly none it has no bound, so the scale ends at the 99th percentile.
WallValues residence(const Results& results) {
  WallValues values{"rrt",
                    "Relative residence time",
                    "relative residence time",
                    "long where fluid stays near the wall",
                    {1.0, "1/Pa"},
                    {},
                    {},
                    {},
                    {}};
  values.statistics = areaStatistics(results.cycle->residence, results.wall.triangleArea);
  values.vertex = vertexMeans(results.wall, results.cycle->residence, values.statistics.p50);
  scaleByPercentiles(values, ColourMap::Viridis, 0.05);
  return values;
}

}  // namespace

std::vector<WallValues> wallValues(const Results& results) {
  if (results.wall.triangle.empty()) return {};
  std::vector<WallValues> all;
  all.push_back(pascals(results, "wss", "Wall shear stress", "wall shear stress",
                        results.wall.triangleShear, ColourMap::Viridis, 0.05));
  all[0].away = results.shearAway;
  all.push_back(pascals(results, "pressure", "Pressure on the wall", "pressure, gauge",
                        results.wall.trianglePressure, ColourMap::Cividis, 1e-6));
  if (!results.cycle) return all;
  all[0].remark = "at the end of the run";
  all[1].remark = "at the end of the run";
  all.push_back(pascals(results, "tawss", "Wall shear stress, mean over the cycle",
                        "time-averaged wall shear stress", results.cycle->tawss, ColourMap::Viridis,
                        0.05));
  all.back().away = results.tawssAway;
  all.push_back(oscillation(results));
  all.push_back(residence(results));
  // What is over the cycle says more than its last moment.
  std::rotate(all.begin(), all.begin() + 2, all.end());
  return all;
}

}  // namespace tessera
