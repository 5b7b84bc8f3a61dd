// SPDX-License-Identifier: GPL-3.0-or-later
// What the wall is coloured by: shear stress and pressure, of pulsatile runs also what the shear is
// over a cycle.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipelines/picture/colour_map.hpp"
#include "pipelines/picture/ticks.hpp"
#include "postprocess/results.hpp"

namespace tessera {

struct WallValues {
  std::string key;                            // "wss": in file names
  std::string title;                          // "Wall shear stress"
  std::string caption;                        // "wall shear stress"
  std::string remark;                         // what a reader should know of it; may be empty
  DisplayUnit unit;                           // no name: a plain number
  std::vector<double> vertex;                 // SI, one a vertex of WallShear
  ShearStatistics statistics;                 // SI, by area
  std::optional<ShearStatistics> away;        // farther than its radius from every opening
  ColourScale scale;                          // SI
  bool openBelow = false, openAbove = false;  // values beyond the scale exist

  // "wall shear stress [Pa]"
  [[nodiscard]] std::string captionWithUnit() const {
    return unit.name.empty() ? caption : caption + " [" + unit.name + ']';
  }
  [[nodiscard]] std::string shown(double si) const {
    return formatNumber(si * unit.factor, 3) + (unit.name.empty() ? "" : ' ' + unit.name);
  }
  // The title, and of which moment it is where that is to be told.
  [[nodiscard]] std::string titleAndMoment() const {
    return key == "osi" || key == "rrt" || remark.empty() ? title : title + ", " + remark;
  }
  // The scale in display units, for a colour bar.
  [[nodiscard]] ColourScale shownScale() const {
    return {scale.map, scale.lowest * unit.factor, scale.highest * unit.factor};
  }
};

// All that the results have, wall shear stress first, of pulsatile runs that over the cycle; none
// without a wall.
std::vector<WallValues> wallValues(const Results& results);

}  // namespace tessera
