// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/preview/preview.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/preview/case_geometry.hpp"
#include "preprocess/preview/lattice_layers.hpp"
#include "preprocess/preview/voxel_faces.hpp"
#include "preprocess/preview/wall_colours.hpp"

namespace tessera::preprocess::preview {

using geometry::LatticeGeometry;
using geometry::Opening;
using picture::MarkKind;
using picture::ViewLabel;
using picture::ViewMark;
using stage::Dimension;
using stage::formatQuantity;

namespace {

constexpr picture::Colour wallColour = picture::colourOf(0xc8d2da);
constexpr picture::Colour sheetColour = picture::colourOf(0x1f8a5b);
constexpr picture::Colour openingColour = picture::colourOf(0xf08c2e);
constexpr picture::Colour periodicColour = picture::colourOf(0x9cc7e6);

// Label of periodic sides, which voxels have, or of sheets, which surfaces have.
std::size_t lastLabel(const LatticeGeometry& geometry) {
  return geometry.wallNames.size() + geometry.openings.size();
}

// Labels of the surface: walls, openings, sheets or periodic sides.
std::vector<ViewLabel> labelsOf(const LatticeGeometry& geometry, bool fromVoxels) {
  std::vector<ViewLabel> labels;
  const std::size_t walls = geometry.wallNames.size();
  for (std::size_t k = 0; k < walls; ++k)
    labels.push_back({geometry.wallNames[k], k == 0 ? wallColour : namedWallColour(k)});
  for (std::size_t k = 0; k < geometry.openings.size(); ++k)
    labels.push_back(
        {fmt::format("opening {}, {}", geometry.openings[k].id, geometry.openings[k].name),
         openingColour, false, static_cast<int>(k)});
  if (geometry.surface.sheetTriangles > 0)
    labels.push_back({"sheet, fluid on both sides", sheetColour, true});
  const auto& periodic = geometry.periodic;
  if (fromVoxels && geometry.dimensions == 3 && (periodic[0] || periodic[1] || periodic[2]))
    labels.push_back({"periodic side, the fluid goes on at the opposite one", periodicColour});
  return labels;
}

std::uint16_t labelOf(geometry::Patch patch, std::size_t walls) {
  return geometry::isOpening(patch)
             ? static_cast<std::uint16_t>(walls +
                                          static_cast<std::size_t>(geometry::openingId(patch)) - 1)
             : patch;
}

void takeSurface(const LatticeGeometry& geometry, Preview& preview) {
  const geometry::Surface& surface = geometry.surface;
  preview.vertex.reserve(surface.vertex.size());
  for (const Float3& v : surface.vertex)
    preview.vertex.push_back(geometry.frame.toWorld({v[0], v[1], v[2]}));
  preview.triangle = surface.triangle;
  const std::size_t walls = geometry.wallNames.size();
  preview.label.reserve(surface.label.size());
  for (const geometry::Patch patch : surface.label) preview.label.push_back(labelOf(patch, walls));
  preview.sheetTriangles = surface.sheetTriangles;
  const std::size_t closed = preview.triangle.size() - surface.sheetTriangles;
  for (std::size_t t = closed; t < preview.triangle.size(); ++t)
    preview.label[t] = static_cast<std::uint16_t>(lastLabel(geometry));
  for (std::size_t t = 0; t < closed; ++t) {
    if (preview.label[t] >= walls) continue;
    const stage::Triangle& corner = preview.triangle[t];
    const Double3& a = preview.vertex[corner[0]];
    preview.wallArea +=
        0.5 * length(cross(preview.vertex[corner[1]] - a, preview.vertex[corner[2]] - a));
  }
}

void takeVoxels(const LatticeGeometry& geometry, Preview& preview) {
  constexpr std::size_t mostQuads = 400'000;
  preview.fromVoxels = true;
  preview.wallArea = wallFaces(geometry) * std::pow(geometry.frame.spacing, 2);
  if (geometry.dimensions == 2) return;  // seen as a layer of nodes
  VoxelFaces faces = voxelFaces(geometry, mostQuads);
  preview.vertex = std::move(faces.vertex);
  preview.triangle = std::move(faces.triangle);
  for (std::size_t t = 0; t < faces.patch.size(); ++t)
    preview.label.push_back(faces.isPeriodic[t]
                                ? static_cast<std::uint16_t>(lastLabel(geometry))
                                : labelOf(faces.patch[t], geometry.wallNames.size()));
  preview.isPeriodic = std::move(faces.isPeriodic);
  preview.parts.mostTriangles = 200'000;
}

// Throats narrower than the openings on either side of them: the others lie at an opening's end.
std::vector<geometry::Throat> narrowThroats(const LatticeGeometry& geometry) {
  constexpr double narrow = 0.9;
  std::vector<geometry::Throat> throats;
  for (const geometry::Throat& throat : geometry.throats) {
    double one = 0.0, all = 0.0;
    for (const Opening& opening : geometry.openings) {
      all += opening.area;
      if (std::find(throat.openings.begin(), throat.openings.end(), opening.id) !=
          throat.openings.end())
        one += opening.area;
    }
    if (throat.area < narrow * std::min(one, all - one)) throats.push_back(throat);
  }
  return throats;
}

std::string noteOf(const Preview& preview, const Opening& opening) {
  return fmt::format(
      "{} {}, {:.1f} nodes across", preview.dimensions == 2 ? "width" : "radius",
      formatQuantity(
          preview.dimensions == 2 ? diameterOf(opening, 2, preview.frame.spacing) : opening.radius,
          Dimension::Length),
      nodesAcross(opening, preview.dimensions, preview.frame.spacing));
}

// Sides of images have no rim: their pores end there in any shape.
double shownRadius(const Preview& preview, const Opening& opening) {
  return preview.fromVoxels ? 0.0 : opening.radius;
}

std::vector<ViewMark> marksOf(const Preview& preview) {
  std::vector<ViewMark> marks;
  for (const Opening& opening : preview.openings)
    marks.push_back({MarkKind::Opening, std::to_string(opening.id), opening.name,
                     noteOf(preview, opening), opening.centre, opening.normal,
                     shownRadius(preview, opening)});
  for (const OtherPlace& other : preview.notes.others)
    marks.push_back({other.kind, other.number, other.name,
                     fmt::format("radius {}, {:.1f} nodes across",
                                 formatQuantity(other.radius, Dimension::Length),
                                 2.0 * other.radius / preview.frame.spacing),
                     other.centre, other.normal, other.radius});
  for (std::size_t k = 0; k < preview.throats.size(); ++k) {
    const geometry::Throat& throat = preview.throats[k];
    const double radius = 0.5 * diameterOf(throat, preview.dimensions, preview.frame.spacing);
    marks.push_back(
        {MarkKind::Throat, fmt::format("T{}", k + 1), "throat",
         fmt::format(
             "{} {}, {:.1f} nodes across", preview.dimensions == 2 ? "width" : "radius",
             formatQuantity(preview.dimensions == 2 ? 2.0 * radius : radius, Dimension::Length),
             2.0 * radius / preview.frame.spacing),
         throat.centre, throat.normal, radius});
  }
  return marks;
}

// Periodic sides do not count: results have none.
picture::Side sideOf(const Preview& preview) {
  std::vector<stage::Triangle> triangle;
  std::vector<bool> isOpening;
  for (std::size_t t = 0; t < preview.triangle.size(); ++t) {
    if (!preview.isPeriodic.empty() && preview.isPeriodic[t]) continue;
    triangle.push_back(preview.triangle[t]);
    isOpening.push_back(preview.parts.labels[preview.label[t]].mark >= 0);
  }
  return picture::bestSide(preview.vertex, triangle, isOpening);
}

}  // namespace

double Preview::porosity() const {
  return static_cast<double>(fluidNodes) /
         (static_cast<double>(nodes[0]) * static_cast<double>(nodes[1]) * nodes[2]);
}

double Preview::fluidVolume() const {
  return static_cast<double>(fluidNodes) * std::pow(frame.spacing, 3);
}

Preview makePreview(const LatticeGeometry& geometry, PreviewNotes notes) {
  Preview preview;
  preview.notes = std::move(notes);
  preview.dimensions = geometry.dimensions;
  preview.frame = geometry.frame;
  preview.nodes = geometry.fluid.size;
  preview.periodic = geometry.periodic;
  preview.fluidNodes = geometry.fluid.count();
  preview.openings = geometry.openings;
  preview.throats = narrowThroats(geometry);
  preview.wallNames = geometry.wallNames;
  if (geometry.surface.triangle.empty())
    takeVoxels(geometry, preview);
  else
    takeSurface(geometry, preview);
  preview.parts.labels = labelsOf(geometry, preview.fromVoxels);
  preview.parts.marks = marksOf(preview);
  preview.parts.lattice = latticeLayers(geometry, preview.notes.tiles, preview.notes.tileEdge);
  preview.parts.space = geometry.frame.space;
  preview.parts.flat = geometry.dimensions == 2;
  preview.parts.side = sideOf(preview);
  preview.parts.lattice.shownFirst = geometry.dimensions == 2;
  return preview;
}

}  // namespace tessera::preprocess::preview
