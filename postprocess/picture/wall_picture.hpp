// SPDX-License-Identifier: GPL-3.0-or-later
// The wall coloured by a quantity: values and scale, picture from one side and from six.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipelines/picture/annotate.hpp"
#include "pipelines/picture/colour.hpp"
#include "pipelines/picture/image.hpp"
#include "pipelines/picture/ticks.hpp"
#include "pipelines/picture/tube.hpp"
#include "postprocess/results/results.hpp"

namespace tessera::postprocess::picture {

// One colour map for a quantity, in every picture and the view of the report.
constexpr tessera::picture::ColourMap speedColours = tessera::picture::ColourMap::Viridis;
constexpr tessera::picture::ColourMap shearColours = tessera::picture::ColourMap::Viridis;
constexpr tessera::picture::ColourMap pressureColours = tessera::picture::ColourMap::Cividis;
constexpr tessera::picture::ColourMap indexColours = tessera::picture::ColourMap::Cividis;

// Openings of a run in a picture: name (otherwise id) and an arrow along the mean flow.
void drawOpenings(const std::vector<results::OpeningSummary>& openings,
                  const tessera::picture::Camera& camera, tessera::picture::Drawing& drawing);

// A quantity of wallQuantities() that the run has, as colours of the wall.
struct WallValues {
  std::string key;                               // "wss": part of file names
  std::string title;                             // "Wall shear stress"
  std::string caption;                           // "wall shear stress"
  std::string remark;                            // reading aid; may be empty
  std::string moment;                            // "at the end of the run"; empty: obvious
  tessera::picture::DisplayUnit unit;            // without name: a plain number
  std::vector<double> vertex;                    // SI, per vertex of WallShear
  results::ShearStatistics statistics;           // SI, by area
  std::optional<results::ShearStatistics> away;  // farther than its radius from every opening
  tessera::picture::ColourScale scale;           // SI
  bool openBelow = false, openAbove = false;     // values beyond the scale exist
  bool startsAtZero = false;                     // the scale, not at the 1st percentile

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

// Quantities over the cycle of a pulsatile run first; empty without a wall.
std::vector<WallValues> wallValues(const results::Results& results);

// Model shared by all pictures of one wall.
struct WallModel {
  bool flat = false;                             // 2D
  tessera::picture::RenderMesh mesh;             // without shades
  tessera::picture::Camera camera;               // of the pictures from one side
  std::vector<tessera::picture::Edge> rimEdges;  // rims of the openings
  tessera::picture::RenderMesh rims;             // wires along them, sized for that camera
};

// Requires a wall. side: viewingSide(); in 2D the view is from +z.
WallModel wallModel(const results::Results& results, const WallValues& shear,
                    const tessera::picture::Side& side);

// With rims of the openings, caps open; in 2D, where only rims of the wall are visible, these are
// coloured. Changes only the model's shades.
tessera::picture::Image drawWall(const results::Results& results, const WallValues& values,
                                 WallModel& model);

// The same along +x, -x, +y, -y, +z and -z, at one scale.
tessera::picture::Image drawWallViews(const results::Results& results, const WallValues& values,
                                      WallModel& model);

}  // namespace tessera::postprocess::picture
