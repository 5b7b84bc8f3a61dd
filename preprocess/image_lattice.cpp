// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/image_lattice.hpp"

#include <algorithm>
#include <cstdio>
#include <numbers>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/memory.hpp"
#include "pipelines/stage/progress.hpp"
#include "pipelines/stage/quantity.hpp"
#include "preprocess/image/threshold.hpp"
#include "preprocess/lattice/components.hpp"
#include "preprocess/lattice/links.hpp"
#include "preprocess/read/formats.hpp"
#include "preprocess/read/image_world.hpp"
#include "preprocess/read/read_raw.hpp"

namespace tessera {
namespace {

VoxelType voxelTypeOf(const std::string& type) {
  if (type == "u16") return VoxelType::U16;
  if (type == "i16") return VoxelType::I16;
  return type == "f32" ? VoxelType::F32 : VoxelType::U8;
}

double voxelsIn(const Int3& size) {
  return static_cast<double>(size[0]) * size[1] * size[2];
}

std::vector<BoxFace> boxFaces(const std::vector<Side>& sides) {
  std::vector<BoxFace> faces;
  for (const Side& side : sides)
    faces.push_back({side.axis, side.high, static_cast<int>(faces.size()) + 1});
  return faces;
}

// The fluid nodes on a side of the box, seen from outside.
Opening measureSide(const LatticeGeometry& geometry, const Side& side) {
  const BitLattice& fluid = geometry.fluid;
  const BoxFace face{side.axis, side.high, 1};
  const std::vector<std::uint64_t> nodes = nodesAtFaces(fluid, {&face, 1});
  if (nodes.empty())
    fail(ExitCode::Usage, "--faces " + side.name() +
                              ": no fluid node lies on that side of the image; leave it out.");
  Double3 sum{};
  for (const std::uint64_t node : nodes) {
    const auto nx = static_cast<std::uint64_t>(fluid.size[0]);
    const auto ny = static_cast<std::uint64_t>(fluid.size[1]);
    sum = sum + Double3{static_cast<double>(node % nx), static_cast<double>(node / nx % ny),
                        static_cast<double>(node / (nx * ny))};
  }
  const auto axis = static_cast<std::size_t>(side.axis);
  Double3 centre = (1.0 / static_cast<double>(nodes.size())) * sum;
  centre[axis] = side.high ? fluid.size[axis] - 0.5 : -0.5;
  Opening opening;
  opening.name = side.name();
  opening.centre = geometry.frame.toWorld(centre);
  opening.normal = (side.high ? 1.0 : -1.0) * geometry.frame.axis[axis];
  opening.area =
      static_cast<double>(nodes.size()) * geometry.frame.spacing * geometry.frame.spacing;
  opening.radius = std::sqrt(opening.area / std::numbers::pi);
  return opening;
}

// Openings in their documented order, and the faces that carry their ids.
std::vector<BoxFace> openFaces(LatticeGeometry& geometry, const std::vector<Side>& sides) {
  for (const Side& side : sides) geometry.openings.push_back(measureSide(geometry, side));
  const std::vector<std::size_t> before = orderOpenings(geometry.openings);
  std::vector<BoxFace> faces = boxFaces(sides);
  for (std::size_t k = 0; k < before.size(); ++k)
    faces[before[k]].openingId = static_cast<int>(k) + 1;
  return faces;
}

void keepReachable(LatticeGeometry& geometry, const std::vector<Side>& sides,
                   std::vector<std::string>& warnings) {
  const std::vector<std::uint64_t> seeds = nodesAtFaces(geometry.fluid, boxFaces(sides));
  const ComponentCount count = keepConnected(geometry.fluid, geometry.periodic, seeds);
  if (count.largestKept)
    warnings.push_back("no opening reaches the fluid, so the largest connected part is kept.");
  if (count.droppedNodes > 0)
    warnings.push_back(std::to_string(count.droppedNodes) + " nodes in " +
                       std::to_string(count.components - count.kept) +
                       " unconnected part(s) were made solid; --keep all keeps them.");
}

// --voxel goes before what the file says.
void setVoxelSize(Image& image, const std::optional<double>& voxel) {
  if (!voxel && !image.hasVoxelSize())
    fail(ExitCode::Usage,
         "no --voxel was given and the image does not say how large a voxel is; add e.g. --voxel "
         "\"3 um\".");
  if (!voxel) return;
  const Double3 cube{*voxel, *voxel, *voxel};
  const bool changes = image.hasVoxelSize() && length(image.voxel - cube) > 1e-3 * *voxel;
  if (changes)
    image.warnings.push_back("--voxel \"" + formatQuantity(*voxel, Dimension::Length) +
                             "\" replaces the voxels of " + voxelText(image) +
                             " that the image says it has; results will not overlay it.");
  image.voxel = cube;
}

void requireCubes(const Image& image, const PreprocessOptions& options) {
  if (options.spacing.any() || hasCubicVoxels(image)) return;
  const double finest =
      *std::min_element(image.voxel.begin(), image.voxel.begin() + image.dimensions);
  char example[40];
  std::snprintf(example, sizeof example, "%.4gmm", 1e3 * finest);
  fail(ExitCode::Usage, "voxels are " + voxelText(image) +
                            ", and nodes are cubes: give --spacing, e.g. --spacing " + example +
                            ", and --smooth for walls without steps.");
}

}  // namespace

ImagePlan planImage(const PreprocessOptions& options) {
  ImagePlan plan;
  const std::filesystem::path& input = options.inputs.front();
  plan.image =
      options.dims ? readRaw(input, *options.dims, voxelTypeOf(options.type)) : readImage(input);
  setVoxelSize(plan.image, options.voxel);
  requireCubes(plan.image, options);
  for (const Side& side : options.faces)
    if (plan.image.dimensions == 2 && side.axis == 2)
      fail(ExitCode::Usage, "--faces " + side.name() +
                                ": a 2D geometry is periodic on z and has no such side; leave it "
                                "out.");
  const double voxels = voxelsIn(plan.image.size);
  // Fitted to 256^3 of overlapping spheres, where a sixth of the voxels lies at a wall: 13 bytes.
  plan.memory = 20.0 * voxels;
  plan.seconds = 4e-8 * voxels;
  return plan;
}

LatticeGeometry latticeFromImage(ImagePlan&& plan, const PreprocessOptions& options,
                                 PreprocessReport& report) {
  requireMemory(plan.memory, "the image", "cut out a part of it");
  report.warnings = plan.image.warnings;
  report.parts = plan.image.parts;
  if (plan.image.planesReversed)
    logInfo("the image's axes are left-handed: its planes are taken in reverse order along z");
  LatticeGeometry geometry;
  geometry.dimensions = plan.image.dimensions;
  geometry.periodic = options.periodic;
  if (geometry.dimensions == 2) geometry.periodic[2] = true;
  geometry.frame = frameOfVoxels(plan.image);
  geometry.fluid = fluidOf(plan.image, options.lowestValue, options.highestValue);
  plan.image.file = {};
  if (geometry.fluid.count() == 0)
    fail(ExitCode::Usage, options.inputs.front().string() + " has no voxel with a value from " +
                              std::to_string(options.lowestValue) + " to " +
                              std::to_string(options.highestValue) +
                              "; correct --pore or --threshold.");
  if (options.keepConnected) keepReachable(geometry, options.faces, report.warnings);
  const std::vector<BoxFace> faces = openFaces(geometry, options.faces);
  geometry.boundary = findImageLinks(geometry.fluid, geometry.periodic, faces).boundary;
  describeLattice(geometry, report);
  return geometry;
}

}  // namespace tessera
