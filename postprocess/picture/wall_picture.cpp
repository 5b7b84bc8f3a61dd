// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/wall_picture.hpp"

#include <algorithm>

#include "pipelines/picture/canvas.hpp"
#include "pipelines/picture/smooth_normals.hpp"
#include "postprocess/fields/last_period.hpp"
#include "postprocess/picture/opening_marks.hpp"

namespace tessera::postprocess::picture {

using tessera::picture::Camera;
using tessera::picture::Image;
using tessera::picture::pageScale;
using tessera::picture::RenderMesh;

namespace {

constexpr double rimWidth = 1.1, flatWidth = 2.4;  // drawing units, half of it

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

WallModel wallModel(const results::Results& results, const WallValues& shear) {
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
          : tessera::picture::bestView(wall.vertex, wall.triangle, model.mesh.shade,
                                       tessera::picture::geometryFrame);
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
  tessera::picture::drawAxesTriad(model.camera, drawing);
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
    tessera::picture::drawAxesTriad(cameras[v], drawing, {frame.left + 12.0, below - 2.0}, 18.0);
  }
  tessera::picture::drawScaleBar(cameras[0], drawing);
  drawBar(values, drawing);
  tessera::picture::paint(drawing, pageScale, image);
  return image;
}

}  // namespace tessera::postprocess::picture
