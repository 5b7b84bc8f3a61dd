// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/wall_values.hpp"

#include <algorithm>
#include <cmath>

#include "postprocess/quantity/wall_shear.hpp"
#include "postprocess/results/area_statistics.hpp"
#include "postprocess/results/descriptors.hpp"

namespace tessera::postprocess::picture {

using results::WallQuantity;
using tessera::picture::ColourMap;

namespace {

// From the 1st to the 99th percentile. A spread below `even` of the largest value is shown from
// zero, so that what is even looks even.
void scaleByPercentiles(WallValues& values, ColourMap map, double even) {
  const results::ShearStatistics& s = values.statistics;
  const bool flat = s.p99 - s.p01 <= even * std::max(std::abs(s.p01), std::abs(s.p99));
  values.scale = {map, flat ? std::min(0.0, s.p01) : s.p01, flat ? std::max(0.0, s.p99) : s.p99};
  const auto [low, high] = std::minmax_element(values.vertex.begin(), values.vertex.end());
  values.openBelow = *low < values.scale.lowest;
  values.openAbove = *high > values.scale.highest;
}

// Residence time has no bound where the net shear vanishes, so a scale ends at the 99th percentile.
WallValues valuesOf(const WallQuantity& quantity, const std::vector<double>& triangle,
                    const results::Results& results) {
  WallValues values;
  values.key = quantity.file;
  values.title = quantity.title;
  values.caption = quantity.caption;
  values.remark = quantity.remark;
  if (results.cycle && quantity.moment == results::Moment::AtEnd)
    values.moment = "at the end of the run";
  values.statistics = results::areaStatistics(triangle, results.wall.triangleArea);
  const results::ShearStatistics& s = values.statistics;
  values.unit =
      tessera::picture::displayUnit(quantity.unit, std::max(std::abs(s.p01), std::abs(s.p99)));
  if (const auto* away = quantity.away(results)) values.away = *away;
  if (quantity.look == results::WallLook::Half) {
    values.vertex = quantity::vertexMeans(results.wall, triangle, 0.0);
    values.scale = {ColourMap::Cividis, 0.0, 0.5};
    return values;
  }
  const bool narrow = quantity.look == results::WallLook::PercentilesNarrow;
  values.vertex = quantity::vertexMeans(results.wall, triangle, s.p50);
  scaleByPercentiles(values, narrow ? ColourMap::Cividis : ColourMap::Viridis,
                     narrow ? 1e-6 : 0.05);
  return values;
}

}  // namespace

std::vector<WallValues> wallValues(const results::Results& results) {
  if (results.wall.triangle.empty()) return {};
  std::vector<const WallQuantity*> quantities;
  for (const WallQuantity& quantity : results::wallQuantities()) quantities.push_back(&quantity);
  // The cycle as a whole says more than its last moment.
  std::stable_partition(quantities.begin(), quantities.end(),
                        [](auto* quantity) { return quantity->moment == results::Moment::Period; });
  std::vector<WallValues> all;
  for (const WallQuantity* quantity : quantities)
    if (const auto* triangle = quantity->values(results.wall, results.cycle))
      all.push_back(valuesOf(*quantity, *triangle, results));
  return all;
}

}  // namespace tessera::postprocess::picture
