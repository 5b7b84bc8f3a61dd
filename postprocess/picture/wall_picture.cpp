// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/wall_picture.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/picture/image.hpp"
#include "pipelines/picture/surface.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/fields/last_period.hpp"
#include "postprocess/quantity/wall_shear.hpp"
#include "postprocess/results/descriptors.hpp"
#include "postprocess/results/statistics.hpp"

namespace tessera::postprocess::picture {

void drawOpenings(const std::vector<results::OpeningSummary>& openings,
                  const tessera::picture::Camera& camera, tessera::picture::Drawing& drawing) {
  std::vector<tessera::picture::OpeningMark> marks;
  for (const results::OpeningSummary& opening : openings)
    marks.push_back({opening.name.empty() ? fmt::format("{}", opening.id) : opening.name,
                     opening.centre, opening.normal, opening.radius, opening.flowRate < 0.0});
  tessera::picture::drawOpeningMarks(marks, camera, drawing);
}

using tessera::picture::Camera;
using tessera::picture::Image;
using tessera::picture::pageScale;
using tessera::picture::RenderMesh;

namespace {

constexpr double rimWidth = 1.1, flatWidth = 2.4;  // radii in drawing units

void colour(const WallValues& values, RenderMesh& mesh) {
  mesh.map = values.scale.map;
  mesh.shade.clear();
  mesh.shade.reserve(values.vertex.size());
  for (double value : values.vertex)
    mesh.shade.push_back(static_cast<float>(std::clamp(values.scale.positionOf(value), 0.0, 1.0)));
}

std::string subtitleOf(const WallValues& values) {
  const results::ShearStatistics& s = values.statistics;
  const std::string& remark = values.remark.empty() ? values.moment : values.remark;
  return "mean " + values.shown(s.mean) + ",  median " + values.shown(s.p50) +
         ",  99 % of the area below " + values.shown(s.p99) + ",  largest " + values.shown(s.max) +
         (remark.empty() ? "" : "  (" + remark + ')');
}

void drawBar(const WallValues& values, tessera::picture::Drawing& drawing) {
  tessera::picture::drawPageColourBar(values.shownScale(), values.captionWithUnit(),
                                      values.openBelow, values.openAbove, drawing);
}

struct SideView {
  const char* name;
  std::size_t axis;
  bool fromAbove;
};
constexpr std::array<SideView, 6> sideViews{{{"from +x", 0, true},
                                             {"from +y", 1, true},
                                             {"from +z", 2, true},
                                             {"from \u2212x", 0, false},
                                             {"from \u2212y", 1, false},
                                             {"from \u2212z", 2, false}}};

// Three columns of two, left of the colour bar.
tessera::picture::Rectangle frameOf(std::size_t view) {
  constexpr double width = 236.0, height = 222.0;
  return {40.0 + 258.0 * static_cast<double>(view % 3),
          104.0 + 286.0 * static_cast<double>(view / 3), width, height};
}

std::array<Camera, 6> sideCameras(const std::vector<Double3>& points) {
  std::array<Camera, 6> cameras;
  double scale = 1e300;
  for (std::size_t v = 0; v < cameras.size(); ++v) {
    cameras[v] =
        tessera::picture::fixedView(sideViews[v].axis, sideViews[v].fromAbove, points, frameOf(v));
    scale = std::min(scale, cameras[v].scale);
  }
  for (Camera& camera : cameras) camera.scale = scale;
  return cameras;
}

}  // namespace

WallModel wallModel(const results::Results& results, const WallValues& shear,
                    const tessera::picture::Side& side) {
  const results::WallShear& wall = results.wall;
  WallModel model;
  model.mesh.vertex = wall.vertex;
  model.mesh.triangle = wall.triangle;
  model.mesh.normal =
      tessera::picture::smoothNormals(wall.vertex, wall.triangle, wall.fromVoxels ? 100.0 : 50.0);
  colour(shear, model.mesh);
  model.flat = results.flat();
  model.camera =
      model.flat
          ? tessera::picture::fixedView(2, true, wall.vertex, tessera::picture::geometryFrame)
          : tessera::picture::viewFrom(side, wall.vertex, tessera::picture::geometryFrame);
  model.rimEdges = tessera::picture::rimEdges(wall.triangle);
  model.rims = tessera::picture::wires(wall.vertex, model.rimEdges, rimWidth / model.camera.scale);
  return model;
}

Image drawWall(const results::Results& results, const WallValues& values, WallModel& model) {
  colour(values, model.mesh);
  Image image = tessera::picture::emptyPage();
  const Camera pixels = model.camera.magnified(pageScale);
  if (model.flat) {
    RenderMesh line = tessera::picture::wires(model.mesh.vertex, model.rimEdges,
                                              flatWidth / model.camera.scale, model.mesh.shade);
    line.map = values.scale.map;
    tessera::picture::rasterise(line, pixels, image);
  } else {
    tessera::picture::rasterise(std::array<const RenderMesh*, 2>{&model.mesh, &model.rims}, pixels,
                                image);
  }
  tessera::picture::Drawing drawing{tessera::picture::pageWidth, tessera::picture::pageHeight, {}};
  tessera::picture::drawTitle(values.title + " \u00b7 " + results.title, subtitleOf(values),
                              drawing);
  drawOpenings(fields::openingsOverPeriod(results), model.camera, drawing);
  tessera::picture::drawAxesTriad(model.camera, drawing, tessera::picture::triadOrigin,
                                  tessera::picture::triadArm, results.space);
  tessera::picture::drawScaleBar(model.camera, drawing);
  drawBar(values, drawing);
  tessera::picture::paint(drawing, pageScale, image);
  return image;
}

Image drawWallViews(const results::Results& results, const WallValues& values, WallModel& model) {
  colour(values, model.mesh);
  Image image = tessera::picture::emptyPage();
  tessera::picture::Drawing drawing{tessera::picture::pageWidth, tessera::picture::pageHeight, {}};
  tessera::picture::drawTitle(values.title + " \u00b7 " + results.title,
                              "from six sides, along the world's axes", drawing);
  const auto cameras = sideCameras(model.mesh.vertex);
  const RenderMesh rims =
      tessera::picture::wires(model.mesh.vertex, model.rimEdges, 0.6 * rimWidth / cameras[0].scale);
  const std::array<const RenderMesh*, 2> meshes{&model.mesh, &rims};
  for (std::size_t v = 0; v < cameras.size(); ++v) {
    tessera::picture::rasterise(meshes, cameras[v].magnified(pageScale), image);
    const tessera::picture::Rectangle frame = frameOf(v);
    const double below = frame.top + frame.height + 34.0;
    drawing.add(tessera::picture::Label{{frame.left + 0.5 * frame.width, below},
                                        sideViews[v].name,
                                        13.0,
                                        tessera::picture::ink,
                                        tessera::picture::Anchor::Middle});
    tessera::picture::drawAxesTriad(cameras[v], drawing, {frame.left + 12.0, below - 2.0}, 18.0,
                                    results.space);
  }
  tessera::picture::drawScaleBar(cameras[0], drawing);
  drawBar(values, drawing);
  tessera::picture::paint(drawing, pageScale, image);
  return image;
}

using results::WallQuantity;
using tessera::picture::ColourMap;

namespace {

void markValuesBeyond(WallValues& values) {
  const auto [low, high] = std::minmax_element(values.vertex.begin(), values.vertex.end());
  values.openBelow = *low < values.scale.lowest;
  values.openAbove = *high > values.scale.highest;
}

// Scale from the 1st to the 99th percentile. A spread below `even` of the largest value is shown
// from zero, so that uniform values look uniform.
void scaleByPercentiles(WallValues& values, ColourMap map, double even) {
  const results::ShearStatistics& s = values.statistics;
  const bool flat = s.p99 - s.p01 <= even * std::max(std::abs(s.p01), std::abs(s.p99));
  values.scale = {map, flat ? std::min(0.0, s.p01) : s.p01, flat ? std::max(0.0, s.p99) : s.p99};
  values.startsAtZero = flat && s.p01 >= 0.0;
  markValuesBeyond(values);
}

// Scale from zero to the 99th percentile.
void scaleFromZero(WallValues& values) {
  values.scale = {indexColours, 0.0, values.statistics.p99};
  values.startsAtZero = true;
  markValuesBeyond(values);
}

// The scale ends at the 99th percentile, because residence time is unbounded where net shear
// vanishes.
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
  switch (quantity.look) {
    case results::WallLook::FromZero:
      values.vertex = quantity::vertexMeans(results.wall, triangle, 0.0);
      scaleFromZero(values);
      break;
    case results::WallLook::PercentilesNarrow:
      values.vertex = quantity::vertexMeans(results.wall, triangle, s.p50);
      scaleByPercentiles(values, pressureColours, 1e-6);
      break;
    case results::WallLook::Percentiles:
      values.vertex = quantity::vertexMeans(results.wall, triangle, s.p50);
      scaleByPercentiles(values, shearColours, 0.05);
  }
  return values;
}

}  // namespace

std::vector<WallValues> wallValues(const results::Results& results) {
  if (results.wall.triangle.empty()) return {};
  std::vector<const WallQuantity*> quantities;
  for (const WallQuantity& quantity : results::wallQuantities()) quantities.push_back(&quantity);
  // Quantities over the cycle first: they say more than the last moment.
  std::stable_partition(quantities.begin(), quantities.end(),
                        [](auto* quantity) { return quantity->moment == results::Moment::Period; });
  std::vector<WallValues> all;
  for (const WallQuantity* quantity : quantities)
    if (const auto* triangle = quantity->values(results.wall, results.cycle))
      all.push_back(valuesOf(*quantity, *triangle, results));
  return all;
}

}  // namespace tessera::postprocess::picture
