// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/preview/preview_picture.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

#include "pipelines/picture/annotate.hpp"
#include "pipelines/picture/camera.hpp"
#include "pipelines/picture/rasterise.hpp"
#include "pipelines/picture/surface.hpp"
#include "pipelines/picture/ticks.hpp"
#include "pipelines/picture/tube.hpp"
#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/preview/preview_text.hpp"

namespace tessera::preprocess::preview {

using picture::Anchor;
using picture::Camera;
using picture::Drawing;
using picture::Image;
using picture::Label;
using picture::MarkKind;
using picture::Point;
using picture::RenderMesh;
using picture::ViewMark;

namespace {

constexpr double width = 1280.0, height = 800.0, scale = 2.0;  // units, pixels per unit
constexpr picture::Rectangle frame{86.0, 132.0, 690.0, 540.0};
constexpr double listLeft = 880.0, listTop = 118.0, listWidth = width - listLeft - 30.0;

bool facesViewer(const Preview& preview, std::size_t t, const Camera& camera) {
  const stage::Triangle& corner = preview.triangle[t];
  const Double3& a = preview.vertex[corner[0]];
  return dot(cross(preview.vertex[corner[1]] - a, preview.vertex[corner[2]] - a), camera.toward) >
         0.0;
}

// Labels of one look are one mesh.
struct Look {
  picture::Colour colour;
  bool glass = false;
  bool isInside = false;  // a sheet, which has triangles on both sides: those that face the viewer
  friend bool operator==(const Look&, const Look&) = default;
};

Look lookOf(const Preview& preview, std::size_t label) {
  const picture::ViewLabel& of = preview.parts.labels[label];
  const bool glass = preview.sheetTriangles > 0 && label < preview.wallNames.size();
  return {glass ? picture::colourOf(0x5f7f99) : of.colour, glass, of.isInside};
}

// Triangles of a surface with their vertices alone.
RenderMesh meshOf(const Preview& preview, const std::vector<std::size_t>& triangles,
                  const Look& look) {
  RenderMesh mesh;
  mesh.plain = look.colour;
  mesh.glass = look.glass;
  std::unordered_map<std::uint32_t, std::uint32_t> known;
  for (const std::size_t t : triangles) {
    stage::Triangle corner = preview.triangle[t];
    for (std::uint32_t& v : corner) {
      const auto [at, isNew] = known.emplace(v, static_cast<std::uint32_t>(mesh.vertex.size()));
      if (isNew) mesh.vertex.push_back(preview.vertex[v]);
      v = at->second;
    }
    mesh.triangle.push_back(corner);
  }
  mesh.normal =
      picture::smoothNormals(mesh.vertex, mesh.triangle, preview.fromVoxels ? 10.0 : 50.0);
  return mesh;
}

std::vector<RenderMesh> meshesOf(const Preview& preview, const Camera& camera) {
  std::vector<Look> looks;
  std::vector<std::size_t> lookOfLabel;
  for (std::size_t label = 0; label < preview.parts.labels.size(); ++label) {
    const auto known = std::find(looks.begin(), looks.end(), lookOf(preview, label));
    lookOfLabel.push_back(static_cast<std::size_t>(known - looks.begin()));
    if (known == looks.end()) looks.push_back(lookOf(preview, label));
  }
  std::vector<std::vector<std::size_t>> triangles(looks.size());
  for (std::size_t t = 0; t < preview.triangle.size(); ++t) {
    const std::size_t look = lookOfLabel[preview.label[t]];
    if (!looks[look].isInside || facesViewer(preview, t, camera)) triangles[look].push_back(t);
  }
  std::vector<RenderMesh> meshes;
  for (std::size_t k = 0; k < looks.size(); ++k)
    meshes.push_back(meshOf(preview, triangles[k], looks[k]));
  return meshes;
}

// Rings around openings, candidates and throats. outside: a throat's ring lies outside the wall
// around a section that is not round.
RenderMesh ringOf(const ViewMark& mark, double thickness, bool outside) {
  const Double3 other = std::abs(mark.normal[2]) < 0.9 ? Double3{0, 0, 1} : Double3{1, 0, 0};
  const Double3 u = unit(cross(mark.normal, other)), v = cross(mark.normal, u);
  std::vector<Double3> points;
  const double radius = (mark.kind == MarkKind::Throat && outside ? 1.18 : 1.0) * mark.radius;
  for (int i = 0; i <= 48; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / 48.0;
    points.push_back(mark.centre + radius * (std::cos(angle) * u + std::sin(angle) * v));
  }
  RenderMesh ring;
  ring.plain = picture::markColour(mark.kind);
  picture::appendTube(points, {}, thickness, ring);
  ring.normal = picture::smoothNormals(ring.vertex, ring.triangle);
  return ring;
}

void drawSurface(const Preview& preview, const Camera& camera, Image& image) {
  std::vector<RenderMesh> meshes = meshesOf(preview, camera);
  const bool glass = preview.sheetTriangles > 0;
  for (const ViewMark& mark : preview.parts.marks)
    if (mark.radius > 0.0) meshes.push_back(ringOf(mark, 1.6 / camera.scale, !glass));
  std::vector<const RenderMesh*> all;
  for (const RenderMesh& mesh : meshes)
    if (!mesh.triangle.empty()) all.push_back(&mesh);
  picture::rasterise(all, camera.magnified(scale), image);
}

// Cells of the layer of a lattice in 2D.
void drawCells(const Preview& preview, const Camera& camera, Image& image) {
  const picture::ViewLattice& lattice = preview.parts.lattice;
  const Camera pixels = camera.magnified(scale);
  constexpr int edge = picture::ViewSlice::edge;
  const picture::ViewSlice& slice = lattice.slice.front();
  const auto at = [&](double u, double v) {
    const Double3 node{u * lattice.cell - 0.5, v * lattice.cell - 0.5, 0.0};
    Double3 world = lattice.origin;
    for (std::size_t a = 0; a < 3; ++a) world = world + lattice.spacing * node[a] * lattice.axis[a];
    return pixels.project(world);
  };
  for (std::size_t b = 0; 2 * b < slice.block.size(); ++b)
    for (int k = 0; k < edge * edge; ++k) {
      const std::uint8_t entry = slice.value[b * edge * edge + static_cast<std::size_t>(k)];
      if (entry == 0) continue;
      const int u = edge * slice.block[2 * b] + k % edge,
                v = edge * slice.block[2 * b + 1] + k / edge;
      const picture::Projected p = at(u, v), q = at(u + 1, v + 1);
      const auto [x0, x1] = std::minmax({std::lround(p.x), std::lround(q.x)});
      const auto [y0, y1] = std::minmax({std::lround(p.y), std::lround(q.y)});
      for (long y = std::max(0L, y0); y < std::min<long>(image.height, std::max(y1, y0 + 1)); ++y)
        for (long x = std::max(0L, x0); x < std::min<long>(image.width, std::max(x1, x0 + 1)); ++x)
          image.at(static_cast<int>(x), static_cast<int>(y)) = lattice.entry[entry - 1U].colour;
    }
}

// A disc with a number.
void drawBadge(const Point& at, const std::string& number, const picture::Colour& colour,
               double radius, Drawing& drawing) {
  const double half = std::max(radius, 3.0 + 3.6 * static_cast<double>(number.size()));
  for (const double rim : {1.6, 0.0}) {
    std::vector<Point> outline;
    for (int i = 0; i < 40; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / 40.0;
      const double aside = half - radius;
      outline.push_back(
          {at.x + std::cos(angle) * (radius + rim) + (std::cos(angle) > 0 ? aside : -aside),
           at.y + std::sin(angle) * (radius + rim)});
    }
    drawing.add(picture::Area{outline, rim > 0.0 ? picture::white : colour});
  }
  drawing.add(Label{{at.x, at.y + 0.36 * 1.15 * radius},
                    number,
                    1.15 * radius,
                    picture::white,
                    Anchor::Middle,
                    true});
}

struct Badge {
  const ViewMark* mark;
  Point from, tip, at;
};

void spread(std::vector<Badge>& badges) {
  constexpr double least = 27.0;
  for (int round = 0; round < 40; ++round)
    for (std::size_t i = 0; i < badges.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        Point &p = badges[i].at, &q = badges[j].at;
        double dx = p.x - q.x, dy = p.y - q.y;
        const double far = std::hypot(dx, dy);
        if (far >= least) continue;
        if (far < 1e-6) {
          dx = 0.0;
          dy = 1.0;
        } else {
          dx /= far;
          dy /= far;
        }
        const double push = 0.5 * (least - far);
        p = {p.x + push * dx, p.y + push * dy};
        q = {q.x - push * dx, q.y - push * dy};
      }
}

Badge badgeOf(const ViewMark& mark, const Camera& camera) {
  const picture::Projected centre = camera.project(mark.centre);
  double nx = dot(mark.normal, camera.right), ny = -dot(mark.normal, camera.up);
  const double seen = std::hypot(nx, ny);
  if (seen > 0.05) {
    nx /= seen;
    ny /= seen;
  } else {
    nx = 0.6;
    ny = -0.8;
  }
  // The rim's ellipse has the semi-axis radius * |normal . toward| along the arrow.
  const double rim = camera.scale * mark.radius * std::abs(dot(mark.normal, camera.toward));
  const double shaft = mark.kind == MarkKind::Throat ? 26.0 : 16.0 + 22.0 * seen;
  const Point from{centre.x + (rim + 5.0) * nx, centre.y + (rim + 5.0) * ny};
  const Point tip{from.x + shaft * nx, from.y + shaft * ny};
  return {&mark, from, tip, {tip.x + 16.0 * nx, tip.y + 16.0 * ny}};
}

void drawMarks(const Preview& preview, const Camera& camera, Drawing& drawing) {
  std::vector<Badge> badges;
  for (const ViewMark& mark : preview.parts.marks) badges.push_back(badgeOf(mark, camera));
  spread(badges);
  for (const Badge& badge : badges) {
    const picture::Colour colour = picture::markColour(badge.mark->kind);
    if (badge.mark->kind == MarkKind::Throat) {
      drawing.line(badge.from, badge.at, colour, 1.4);
      continue;
    }
    const double far = std::hypot(badge.at.x - badge.tip.x, badge.at.y - badge.tip.y);
    if (far > 20.0) drawing.line(badge.tip, badge.at, colour, 1.0);
    picture::drawArrow(badge.from, badge.tip, colour, 2.6, drawing);
  }
  for (const Badge& badge : badges)
    drawBadge(badge.at, badge.mark->number, picture::markColour(badge.mark->kind), 12.0, drawing);
}

// Right column: all marks with their measures, as far as they fit.
void drawList(const Preview& preview, Drawing& drawing) {
  constexpr double row = 40.0, bottom = height - 96.0;
  double y = listTop;
  std::size_t left = preview.parts.marks.size();
  for (const ViewMark& mark : preview.parts.marks) {
    if (y + row > bottom && left > 1) {
      drawing.add(
          Label{{listLeft, y + 14.0}, fmt::format("and {} more", left), 12.5, picture::softInk});
      break;
    }
    --left;
    drawBadge({listLeft + 12.0, y + 12.0}, mark.number, picture::markColour(mark.kind), 12.0,
              drawing);
    const std::string title = mark.name.empty() ? kindText(mark.kind) : mark.name;
    drawing.add(Label{
        {listLeft + 34.0, y + 10.0}, clipped(title, 34), 14.5, picture::ink, Anchor::Start, true});
    drawing.add(Label{{listLeft + 34.0, y + 27.0}, clipped(mark.note, 52), 12.0, picture::softInk});
    y += row;
  }
  if (preview.parts.marks.empty())
    drawing.add(
        Label{{listLeft, y + 14.0}, "no openings", 14.5, picture::ink, Anchor::Start, true});
}

// Colours of walls, openings and sheets, along the bottom.
void drawKeys(const Preview& preview, Drawing& drawing) {
  double x = listLeft, y = height - 72.0;
  for (const auto& [name, colour] : keysOf(preview)) {
    const std::string shown = clipped(name, 30);
    const double size = 24.0 + 6.6 * static_cast<double>(shown.size());
    if (x + size > listLeft + listWidth) {
      x = listLeft;
      y += 20.0;
      if (y > height - 16.0) break;
    }
    drawing.rectangle({x, y - 10.0}, 12.0, 12.0, colour);
    drawing.add(Label{{x + 18.0, y}, shown, 12.0, picture::ink});
    x += size;
  }
}

Camera cameraOf(const Preview& preview) {
  if (preview.parts.flat) {
    std::vector<Double3> corners;
    for (const double u : {-0.5, preview.nodes[0] - 0.5})
      for (const double v : {-0.5, preview.nodes[1] - 0.5})
        corners.push_back(preview.frame.toWorld({u, v, 0.0}));
    return picture::fixedView(2, true, corners, frame);
  }
  return picture::viewFrom(preview.parts.side, preview.vertex, frame);
}

}  // namespace

Image drawPreview(const Preview& preview) {
  Image image(static_cast<int>(width * scale), static_cast<int>(height * scale), picture::white);
  const Camera camera = cameraOf(preview);
  if (!preview.triangle.empty()) drawSurface(preview, camera, image);
  if (preview.parts.flat && !preview.parts.lattice.empty()) drawCells(preview, camera, image);
  Drawing drawing{width, height, {}};
  picture::drawTitle(clipped(preview.notes.title, 60), factsLine(preview), drawing);
  drawMarks(preview, camera, drawing);
  picture::drawAxesTriad(camera, drawing, {64.0, height - 64.0}, picture::triadArm,
                         preview.parts.space);
  picture::drawScaleBar(camera, drawing, {150.0, height - 40.0}, frame.width / 5.0);
  drawList(preview, drawing);
  drawKeys(preview, drawing);
  picture::paint(drawing, scale, image);
  return image;
}

}  // namespace tessera::preprocess::preview
