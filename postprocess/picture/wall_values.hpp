// SPDX-License-Identifier: GPL-3.0-or-later
// Values that the wall is coloured by: those of wallQuantities() that the run has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipelines/picture/colour_map.hpp"
#include "pipelines/picture/ticks.hpp"
#include "postprocess/results/results.hpp"

namespace tessera::postprocess::picture {

struct WallValues {
  std::string key;                               // "wss": in file names
  std::string title;                             // "Wall shear stress"
  std::string caption;                           // "wall shear stress"
  std::string remark;                            // how to read it; may be empty
  std::string moment;                            // "at the end of the run"; empty: no need to say
  tessera::picture::DisplayUnit unit;            // no name: a plain number
  std::vector<double> vertex;                    // SI, one a vertex of WallShear
  results::ShearStatistics statistics;           // SI, by area
  std::optional<results::ShearStatistics> away;  // farther than its radius from every opening
  tessera::picture::ColourScale scale;           // SI
  bool openBelow = false, openAbove = false;     // values beyond the scale exist

  // "wall shear stress [Pa]"
  [[nodiscard]] std::string captionWithUnit() const {
    return unit.name.empty() ? caption : caption + " [" + unit.name + ']';
  }
  [[nodiscard]] std::string shown(double si) const {
    return tessera::picture::formatNumber(si * unit.factor, 3) +
           (unit.name.empty() ? "" : ' ' + unit.name);
  }
  [[nodiscard]] std::string titleAndMoment() const {
    return moment.empty() ? title : title + ", " + moment;
  }
  // The scale in display units, for a colour bar.
  [[nodiscard]] tessera::picture::ColourScale shownScale() const {
    return {scale.map, scale.lowest * unit.factor, scale.highest * unit.factor};
  }
};

// Those over the cycle of a pulsatile run first; none without a wall.
std::vector<WallValues> wallValues(const results::Results& results);

}  // namespace tessera::postprocess::picture
