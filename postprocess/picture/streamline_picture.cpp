// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/streamline_picture.hpp"

#include <algorithm>

#include "pipelines/picture/canvas.hpp"
#include "pipelines/picture/ticks.hpp"
#include "pipelines/picture/tube.hpp"
#include "postprocess/fields/last_period.hpp"
#include "postprocess/picture/opening_marks.hpp"
#include "postprocess/picture/streamlines.hpp"

namespace tessera::postprocess::picture {

using tessera::picture::RenderMesh;

namespace {

constexpr std::size_t wantedLines = 140;
constexpr double lineWidth = 1.25;  // drawing units, half of it
constexpr tessera::picture::Colour glassColour{0x4c, 0x5c, 0x6e};

RenderMesh tubes(const std::vector<Streamline>& lines, float fastest, double radius) {
  RenderMesh mesh;
  mesh.map = tessera::picture::ColourMap::Viridis;
  for (const Streamline& line : lines) {
    std::vector<float> shade;
    shade.reserve(line.speed.size());
    for (float speed : line.speed) shade.push_back(speed / fastest);
    tessera::picture::appendTube(line.point, shade, radius, mesh);
  }
  return mesh;
}

RenderMesh boxEdges(const tiler::TiledGeometry& geometry, double radius) {
  RenderMesh wires;
  wires.plain = tessera::picture::softInk;
  const auto corner = [&](int c) {
    Double3 lattice{};
    for (std::size_t a = 0; a < 3; ++a)
      lattice[a] = (c >> a & 1) != 0 ? geometry.nodes[a] - 0.5 : -0.5;
    return geometry.frame.toWorld(lattice);
  };
  for (int c = 0; c < 8; ++c)
    for (int a = 0; a < 3; ++a)
      if ((c >> a & 1) == 0)
        tessera::picture::appendTube(std::array{corner(c), corner(c | 1 << a)}, {}, radius, wires);
  return wires;
}

float fastestOf(const std::vector<Streamline>& lines) {
  float fastest = 0.0F;
  for (const Streamline& line : lines)
    for (float speed : line.speed) fastest = std::max(fastest, speed);
  return fastest;
}

std::string subtitleOf(const solver::file::Fields& fields, bool fromInlets, std::size_t lines) {
  return tessera::picture::formatCount(lines) +
         (fromInlets ? " lines from where fluid comes in"
                     : " lines through points all over the fluid") +
         (fields.means ? ", along the mean velocity over the cycle" : "") + ", coloured by speed";
}

}  // namespace

std::optional<tessera::picture::Image> drawStreamlines(const results::Results& results,
                                                       const solver::file::Fields& fields,
                                                       const fields::NodeLookup& lookup,
                                                       WallModel& model) {
  const VelocityField field{lookup, fields.means ? fields.means->velocity : fields.velocity,
                            fields.velocityFactor};
  const Seeds seeds = seedStreamlines(field, wantedLines);
  const auto lines = traceStreamlines(field, seeds);
  const float fastest = fastestOf(lines);
  if (!(fastest > 0.0F)) return std::nullopt;

  const double unitLength = 1.0 / model.camera.scale;
  const RenderMesh flow = tubes(lines, fastest, lineWidth * unitLength);
  tessera::picture::Image image = tessera::picture::emptyPage();
  const tessera::picture::Camera pixels = model.camera.magnified(tessera::picture::pageScale);
  if (results.wall.fromVoxels) {
    const RenderMesh box = boxEdges(lookup.geometry, 0.6 * unitLength);
    tessera::picture::rasterise(std::array{&flow, &box}, pixels, image);
  } else {
    model.mesh.glass = true;
    model.mesh.plain = glassColour;
    model.mesh.shade.clear();
    const std::array<const RenderMesh*, 3> meshes{&flow, &model.rims, &model.mesh};
    tessera::picture::rasterise(meshes, pixels, image);
    model.mesh.glass = false;
  }

  const tessera::picture::DisplayUnit unit =
      tessera::picture::displayUnit("m/s", static_cast<double>(fastest));
  tessera::picture::Drawing drawing{tessera::picture::pageWidth, tessera::picture::pageHeight, {}};
  tessera::picture::drawTitle("Streamlines \u00b7 " + results.title,
                              subtitleOf(fields, !seeds.bothWays, lines.size()), drawing);
  drawOpenings(fields::openingsOverPeriod(results), model.camera, drawing);
  tessera::picture::drawAxesTriad(model.camera, drawing);
  tessera::picture::drawScaleBar(model.camera, drawing);
  tessera::picture::drawPageColourBar(
      {tessera::picture::ColourMap::Viridis, 0.0, static_cast<double>(fastest) * unit.factor},
      "speed [" + unit.name + ']', false, false, drawing);
  tessera::picture::paint(drawing, tessera::picture::pageScale, image);
  return image;
}

}  // namespace tessera::postprocess::picture
