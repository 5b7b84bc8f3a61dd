// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/image_lattice.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/image/crop.hpp"
#include "preprocess/image/fluid_voxels.hpp"
#include "preprocess/image_openings.hpp"
#include "preprocess/lattice/connectivity/components.hpp"
#include "preprocess/lattice/links/links.hpp"
#include "preprocess/name_openings.hpp"
#include "preprocess/node_limit.hpp"
#include "preprocess/opening_paths.hpp"
#include "preprocess/plan/count_lattice.hpp"
#include "preprocess/preprocess_report.hpp"
#include "preprocess/read/image/dicom_files.hpp"
#include "preprocess/read/image/image.hpp"
#include "preprocess/read/image/image_readers.hpp"
#include "preprocess/read/image/slices.hpp"
#include "preprocess/read/readers.hpp"
#include "preprocess/smooth_plan.hpp"

namespace tessera::preprocess {

using geometry::LatticeGeometry;
using lattice::LatticeChoice;
using read::Image;
using read::VoxelType;
using stage::ExitCode;
using stage::fail;
using surface::Side;

namespace {

VoxelType voxelTypeOf(const std::string& type) {
  if (type == "u16") return VoxelType::U16;
  if (type == "i16") return VoxelType::I16;
  return type == "f32" ? VoxelType::F32 : VoxelType::U8;
}

Image readInput(const PreprocessOptions& options) {
  const std::filesystem::path& input = options.inputs.front();
  if (options.dims) return read::readRaw(input, *options.dims, voxelTypeOf(options.type));
  if (read::isDicom(input)) return read::readDicomSeries(options.inputs, options.series);
  return options.inputs.size() > 1 ? read::readStack(options.inputs) : read::readImage(input);
}

// The image in messages: its file, or the first and last slice.
std::string imageText(const PreprocessOptions& options) {
  const std::string first = options.inputs.front().string();
  return options.inputs.size() == 1 ? first
                                    : first + " to " + options.inputs.back().filename().string();
}

// Sets the voxel size; --voxel overrides the file, and its unit is that of the coordinates.
void setVoxelSize(Image& image, const std::optional<double>& voxel, const std::string& unit) {
  if (!voxel && !image.hasVoxelSize())
    fail(ExitCode::Usage,
         "--voxel is missing and the image does not define its voxel size; add e.g. --voxel \"3 "
         "um\".");
  if (!voxel) return;
  const Double3 cube{*voxel, *voxel, *voxel};
  const bool changes = image.hasVoxelSize() && length(image.voxel - cube) > 1e-3 * *voxel;
  if (changes)
    image.warnings.push_back(fmt::format(
        "--voxel \"{}\" replaces the image's own voxel size, {}; results will not overlay the "
        "image.",
        stage::formatQuantity(*voxel, stage::Dimension::Length), read::voxelText(image)));
  image.voxel = cube;
  if (const auto* named = stage::findLengthUnit(unit); named != nullptr) image.lengthUnit = *named;
}

void cropInput(Image& image, const PreprocessOptions& options) {
  if (!options.crop) return;
  if (!image::fits(*options.crop, image)) {
    const Int3 &low = options.crop->low, &high = options.crop->high, &n = image.size;
    fail(ExitCode::Usage,
         fmt::format("--crop {},{},{},{},{},{} is not within {}, which has {} x {} x {} voxels; "
                     "the whole image is 0,0,0,{},{},{}.",
                     low[0], low[1], low[2], high[0], high[1], high[2], imageText(options), n[0],
                     n[1], n[2], n[0], n[1], n[2]));
  }
  image::crop(image, *options.crop);
}

void requireCubes(const Image& image, const PreprocessOptions& options) {
  if (options.spacing.any() || read::hasCubicVoxels(image)) return;
  const double finest =
      *std::min_element(image.voxel.begin(), image.voxel.begin() + image.dimensions);
  fail(ExitCode::Usage,
       fmt::format("voxels are {}, but nodes are cubes: give --spacing, e.g. --spacing {}; with "
                   "--smooth the wall is a smooth surface.",
                   read::voxelText(image), lattice::spacingOfVoxel(finest)));
}

// Refuses options that a 2D geometry, one node thick and periodic on z, does not support.
void rejectFor2D(const PreprocessOptions& options) {
  for (const Side& side : options.faces)
    if (side.axis == 2)
      fail(ExitCode::Usage,
           fmt::format("--faces {}: a 2D geometry is periodic on z and has no such side; omit it.",
                       side.name()));
  for (const SideWall& wall : options.walls)
    if (wall.side.axis == 2)
      fail(
          ExitCode::Usage,
          fmt::format("--wall {}={}: a 2D geometry is periodic on z and has no such side; omit it.",
                      wall.side.name(), wall.name));
  if (options.mirror[2])
    fail(ExitCode::Usage, "--mirror z: a 2D geometry is one node thick on z; omit z.");
}

std::array<bool, 3> periodicAxes(const PreprocessOptions& options, int dimensions) {
  std::array<bool, 3> periodic = options.periodic;
  if (dimensions == 2) periodic[2] = true;
  return periodic;
}

// One node per voxel: cubes of the mean voxel size about the image's centre.
LatticeChoice nodesOfVoxels(const image::FluidVoxels& voxels, double spacing) {
  LatticeChoice choice;
  choice.frame.spacing = choice.requested = spacing;
  for (std::size_t a = 0; a < 3; ++a) {
    choice.nodes[a] = voxels.fluid.size[a];
    choice.frame.origin[a] = 0.5 * (choice.nodes[a] - 1.0) * (voxels.voxel[a] - spacing);
  }
  return choice;
}

LatticeChoice chooseNodes(const image::FluidVoxels& voxels, const PreprocessOptions& options) {
  if (options.spacing.across)
    fail(ExitCode::Usage,
         "--across requires the openings of a surface; for an image use --spacing or --longest.");
  std::array<bool, 3> periodic = options.periodic;
  if (voxels.dimensions == 2) periodic[2] = false;  // one node, whatever the spacing
  return lattice::chooseLattice(voxels.box(), lattice::snappedTo(voxels.voxel, options.spacing),
                                std::nullopt, periodic);
}

void requireFewerNodesOf(const ImagePlan& plan, const PreprocessOptions& options) {
  const image::FluidVoxels& voxels = plan.voxels;
  const Double3& side = voxels.voxel;
  const bool flat = voxels.dimensions == 2;
  std::array<bool, 3> periodic = options.periodic;
  if (flat) periodic[2] = false;
  const double size =
      static_cast<double>(voxels.fluid.count()) * side[0] * side[1] * (flat ? 1.0 : side[2]);
  requireFewerNodes(options, plan.lattice, {size, voxels.dimensions, voxels.box(), periodic, {}});
}

std::vector<lattice::BoxFace> facesOf(const std::vector<Side>& sides) {
  std::vector<lattice::BoxFace> faces;
  for (const Side& side : sides) faces.push_back({side.axis, side.high, 1});
  return faces;
}

void keepReachable(geometry::BitLattice& fluid, const std::array<bool, 3>& periodic,
                   const std::vector<Side>& sides, std::optional<DeadVolume>& dead,
                   std::vector<std::string>& warnings) {
  const std::vector<std::uint64_t> seeds = lattice::nodesAtFaces(fluid, facesOf(sides));
  const lattice::ComponentCount count = lattice::keepConnected(fluid, periodic, seeds);
  if (count.largestKept)
    warnings.push_back("no opening reaches the fluid, so the largest connected part is kept.");
  dead = {count.droppedNodes, count.components - count.kept, true};
  if (count.droppedNodes > 0)
    warnings.push_back(
        fmt::format("{} nodes in {} unconnected part(s) were made solid; --keep all keeps them.",
                    count.droppedNodes, count.components - count.kept));
}

void requireFluid(const geometry::BitLattice& fluid, const Image& image,
                  const PreprocessOptions& options) {
  if (fluid.count() > 0) return;
  fail(ExitCode::Usage,
       fmt::format("{} has no voxel with the value {}; its values are {}; correct --pore or "
                   "--threshold.",
                   imageText(options), image::labelsText(options.fluidLabels),
                   image::valuesIn(image)));
}

// The bits of a box with far more nodes than voxels may exceed the memory.
void requireRoomForNodes(const ImagePlan& plan) {
  const Int3& size = plan.voxels.fluid.size;
  const double share = static_cast<double>(plan.voxels.fluid.count()) /
                       (static_cast<double>(size[0]) * size[1] * size[2]);
  stage::requireMemory(plan.lattice.count() * share / 8.0, describeBox(plan.lattice),
                       "choose a larger node spacing");
}

void warnAboutCoarseNodes(const ImagePlan& plan, double voxelsOfFluid,
                          std::vector<std::string>& warnings) {
  const Double3& voxel = plan.voxels.voxel;
  const double ofVoxels = voxelsOfFluid * voxel[0] * voxel[1] * voxel[2];
  const double spacing = plan.lattice.frame.spacing;
  const double thickness = plan.voxels.dimensions == 2 ? voxel[2] : spacing;
  const double error =
      static_cast<double>(plan.fluid.count()) * spacing * spacing * thickness / ofVoxels - 1.0;
  if (std::abs(error) <= volumeTolerance) return;
  warnings.push_back(
      fmt::format("the volume of the fluid nodes is {:.1f} % {} than that of the fluid voxels, "
                  "expected at most 2 %; choose a smaller node spacing.",
                  100.0 * std::abs(error), error > 0.0 ? "more" : "less"));
}

// Final fluid nodes and their counts.
void makeNodes(ImagePlan& plan, const PreprocessOptions& options) {
  LatticeChoice inWorld = plan.lattice;
  inWorld.frame = image::inWorld(plan.lattice.frame, plan.voxels);
  requirePossible(inWorld);
  const Int3& size = plan.voxels.fluid.size;
  const double voxels = static_cast<double>(size[0]) * size[1] * size[2];
  const int dimensions = plan.voxels.dimensions;
  const std::array<bool, 3> periodic = periodicAxes(options, dimensions);
  if (options.spacing.any()) {
    requireRoomForNodes(plan);
    plan.fluid = image::resampled(plan.voxels, plan.lattice.frame, plan.lattice.size());
    if (plan.names)
      plan.names->voxelOf =
          image::voxelsOfNodes(plan.voxels, plan.lattice.frame, plan.lattice.size());
    warnAboutCoarseNodes(plan, static_cast<double>(plan.voxels.fluid.count()), plan.warnings);
  } else
    plan.fluid = std::move(plan.voxels.fluid);
  if (plan.fluid.count() == 0)
    fail(ExitCode::Usage, "no node lies in a fluid voxel; choose a smaller node spacing.");
  if (options.keepConnected)
    keepReachable(plan.fluid, periodic, options.faces, plan.dead, plan.warnings);
  plan.counts =
      plan::countLattice(plan.fluid, dimensions, periodic, {facesOf(options.faces), nullptr});
  plan.cost = {plan::imageMemory(plan.counts, voxels), plan::imageSeconds(plan.counts, voxels)};
  if (plan.names) plan.cost.memory += static_cast<double>(plan.names->voxels.bytes());
}

// Smoothed surface; with one node per voxel its inner nodes are the fluid voxels.
void smooth(ImagePlan& plan, const PreprocessOptions& options) {
  const std::optional<LatticeChoice> fixed =
      options.spacing.any() ? std::nullopt : std::optional(plan.lattice);
  SurfacePlan surface = planSmooth(plan.voxels, fixed, options, plan.names, plan.warnings);
  plan.names.reset();
  if (fixed && options.cuts.empty() && options.extensions.empty()) {
    surface.fluid = std::move(plan.voxels.fluid);
  }
  countPlan(surface, options);
  plan.lattice = surface.lattice;
  requirePossible(plan.lattice);
  plan.counts = surface.counts;
  constexpr double secondsOfTriangle = 1.4e-6;  // for the net and its smoothing
  plan.cost = surface.cost;
  plan.cost.seconds += secondsOfTriangle * plan.counts.triangles;
  plan.warnings = surface.report.warnings;
  plan.surface = std::move(surface);
}

geometry::BoundaryNodes linksOf(LatticeGeometry& geometry, std::span<const lattice::BoxFace> faces,
                                std::span<const lattice::WallFace> walls,
                                const std::optional<LabelNames>& names) {
  if (!names || names->walls.empty())
    return lattice::findImageLinks(geometry.fluid, geometry.periodic, faces, walls).boundary;
  const std::size_t first = geometry.wallNames.size();
  geometry::BoundaryNodes boundary =
      lattice::findImageLinks(geometry.fluid, geometry.periodic, faces, walls,
                              [&](const Int3& node) { return wallAt(*names, node, first); })
          .boundary;
  keepUsedWalls(*names, boundary.patch, geometry.wallNames);
  return boundary;
}

LatticeGeometry latticeOfSmoothed(ImagePlan&& plan, const PreprocessOptions& options,
                                  PreprocessReport& report) {
  LatticeGeometry geometry = latticeFromSurface(std::move(*plan.surface), options, report);
  report.parts = std::move(plan.parts);
  report.slices = std::move(plan.slices);
  reportPercolation(geometry, options.faces, lattice::nodesByLink(geometry), imageText(options),
                    report);
  numberParts(geometry, report);
  return geometry;
}

}  // namespace

ImagePlan planImage(const PreprocessOptions& options) {
  PhaseLog phases;
  ImagePlan plan;
  Image image = readInput(options);
  phases.done("read");
  setVoxelSize(image, options.voxel, options.voxelUnit);
  cropInput(image, options);
  requireCubes(image, options);
  if (image.dimensions == 2) rejectFor2D(options);
  if (image.planesReversed)
    stage::logInfo("the image's axes are left-handed: its planes are reversed along z");
  const std::vector<image::ValueRange> fluid =
      image::rangesOf(options.fluidLabels, image,
                      "--pore " + image::labelsText(options.fluidLabels), imageText(options));
  plan.voxels = image::fluidVoxels(image, fluid);
  plan.warnings = std::move(image.warnings);
  plan.parts = std::move(image.parts);
  plan.slices = std::move(image.slices);
  requireFluid(plan.voxels.fluid, image, options);
  warnAboutAbsentLabels(image, fluid, options, plan.warnings);
  const double spacing = read::frameOfVoxels(image).spacing;
  plan.names = labelNamesOf(image, fluid, options);
  image.file = {};
  const std::array<bool, 3>& mirror = options.mirror;
  if (mirror[0] || mirror[1] || mirror[2])
    plan.voxels.fluid = image::mirrored(plan.voxels.fluid, mirror);
  phases.done("label");
  if (!options.spacing.any()) plan.lattice = nodesOfVoxels(plan.voxels, spacing);
  if (options.smooth)
    smooth(plan, options);
  else {
    if (options.spacing.any()) plan.lattice = chooseNodes(plan.voxels, options);
    requireFewerNodesOf(plan, options);
    makeNodes(plan, options);
    phases.done("nodes");
  }
  return plan;
}

LatticeGeometry latticeFromImage(ImagePlan&& plan, const PreprocessOptions& options,
                                 PreprocessReport& report) {
  if (plan.surface) return latticeOfSmoothed(std::move(plan), options, report);
  const std::size_t held = plan.names ? plan.names->voxels.bytes() : 0;
  stage::requireMemory(plan.cost.memory - static_cast<double>(held), "the image",
                       "cut out a part of it, or choose a larger node spacing");
  PhaseLog phases;
  LatticeGeometry geometry;
  report.warnings = std::move(plan.warnings);
  report.parts = std::move(plan.parts);
  report.slices = std::move(plan.slices);
  report.dead = plan.dead;
  geometry.dimensions = plan.voxels.dimensions;
  geometry.periodic = periodicAxes(options, geometry.dimensions);
  geometry.frame = image::inWorld(plan.lattice.frame, plan.voxels);
  geometry.fluid = std::move(plan.fluid);
  const std::vector<lattice::BoxFace> faces = openSides(geometry, options.faces);
  if (plan.names)
    nameBranches(*plan.names, geometry.fluid, nodesByFace(geometry.fluid, faces),
                 geometry.openings);
  nameOpenings(options.names, geometry.openings);
  reportPercolation(geometry, options.faces, nodesByFace(geometry.fluid, faces), imageText(options),
                    report);
  phases.done("connect");
  const std::vector<lattice::WallFace> walls = nameSides(geometry, options.walls);
  geometry.boundary = linksOf(geometry, faces, walls, plan.names);
  phases.done("links");
  describeLattice(geometry, report);
  numberParts(geometry, report);
  describeThroats(geometry, {}, report);
  phases.done("throats");
  return geometry;
}

}  // namespace tessera::preprocess
