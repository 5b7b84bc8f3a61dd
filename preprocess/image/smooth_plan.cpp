// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/image/smooth_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/memory.hpp"
#include "preprocess/image/relax_net.hpp"
#include "preprocess/phase_log.hpp"
#include "preprocess/surface/flat_caps.hpp"

namespace tessera {
namespace {

void requireSmoothable(const FluidVoxels& voxels, const PreprocessOptions& options) {
  const std::array<bool, 3>& periodic = options.periodic;
  if (options.spacing.any() && periodic[0] && periodic[1] && periodic[2])
    fail(ExitCode::Usage,
         "--smooth on an image that is periodic on all three axes keeps one node a voxel, since "
         "its surface has no outside to count from; leave out the node spacing, or --smooth.");
  if (voxels.dimensions == 2)
    fail(ExitCode::Usage, "--smooth makes a surface, which a 2D image has not; leave it out.");
  for (std::size_t a = 0; a < 3; ++a)
    if (periodic[a] && voxels.fluid.size[a] < 3)
      fail(ExitCode::Usage, std::string("--smooth: the periodic axis ") + "xyz"[a] + " has " +
                                std::to_string(voxels.fluid.size[a]) +
                                " voxels, expected are 3 or more; leave --smooth out.");
}

// All that lies on a side of the image is one opening.
Cap capOfSide(const NetMesh& net, const Side& side) {
  Cap cap;
  cap.name = side.name();
  cap.origin = CapOrigin::Side;
  for (std::uint32_t t = 0; t < net.side.size(); ++t)
    if (net.side[t] == 2 * side.axis + (side.high ? 1 : 0)) cap.triangle.push_back(t);
  if (cap.triangle.empty())
    fail(ExitCode::Usage, "--faces " + side.name() +
                              ": no fluid voxel lies on that side of the image; leave it out.");
  return cap;
}

// The ends of vessels on the image's sides; of a porous image, whose pores end there in any shape,
// none.
std::vector<Cap> flatEnds(const NetMesh& net, double tolerance,
                          std::vector<std::string>& warnings) {
  std::vector<Cap> caps = findFlatCaps(net.mesh, tolerance, {}).caps;
  std::erase_if(caps,
                [&](const Cap& cap) { return net.side[cap.triangle.front()] == LabelNet::wall; });
  std::size_t inCaps = 0;
  for (const Cap& cap : caps) inCaps += cap.triangle.size();
  const auto inWall =
      static_cast<std::size_t>(std::count(net.side.begin(), net.side.end(), LabelNet::wall));
  if (inCaps == net.side.size() - inWall) return caps;
  warnings.emplace_back(
      "the image's sides cut the fluid in places that are not all ends of vessels, so they are "
      "walls; say with --faces which sides are open.");
  return {};
}

std::vector<Cap> capsOf(const NetMesh& net, double tolerance, const PreprocessOptions& options,
                        std::vector<std::string>& warnings) {
  std::vector<Cap> caps;
  for (const Side& side : options.faces) caps.push_back(capOfSide(net, side));
  const std::array<bool, 3>& periodic = options.periodic;
  if (caps.empty() && !periodic[0] && !periodic[1] && !periodic[2])
    return flatEnds(net, tolerance, warnings);
  return caps;
}

// As for read surfaces (surface_lattice.cpp); the net's own arrays are gone by then.
void estimateCost(SurfacePlan& plan) {
  const double spacing = plan.lattice.frame.spacing;
  const double wallNodes = *plan.report.areaMesh / (spacing * spacing);
  const auto triangles = static_cast<double>(plan.mesh.triangle.size());
  plan.memory = 130.0 * triangles + 0.25 * plan.lattice.count() + 100.0 * wallNodes;
  plan.seconds = 2e-6 * triangles + 1.5e-9 * plan.lattice.count() + 8e-7 * wallNodes;
}

// The relaxed net, and what its volume differs by from that of the voxels (m3).
NetMesh relaxedMesh(const FluidVoxels& voxels, const std::array<bool, 3>& periodic,
                    double& gained) {
  PhaseLog phases;
  LabelNet net = labelNet(voxels.fluid, periodic);
  phases.done("net");
  requireMemory(300.0 * static_cast<double>(net.quad.size()),
                "smoothing a surface of " + std::to_string(net.quad.size()) + " voxel faces",
                "cut out a part of the image, or leave --smooth out");
  gained = relaxNet(net, voxels.voxel).volumeGained;
  phases.done("smooth");
  return meshOfNet(net, voxels.voxel);
}

void warnAboutVolume(double gained, double volume, std::vector<std::string>& warnings) {
  if (std::abs(gained) <= 0.01 * volume) return;
  char text[160];
  std::snprintf(text, sizeof text,
                "the smoothed surface encloses %.1f %% %s than the voxels, whose channels are "
                "about one voxel wide; a finer image would hold its volume.",
                100.0 * std::abs(gained) / volume, gained > 0.0 ? "more" : "less");
  warnings.push_back(text);
}

}  // namespace

SurfacePlan planSmooth(const FluidVoxels& voxels, const std::optional<LatticeChoice>& lattice,
                       const PreprocessOptions& options, std::vector<std::string> warnings) {
  requireSmoothable(voxels, options);
  SurfacePlan plan;
  plan.report.warnings = std::move(warnings);
  double gained = 0.0;
  NetMesh net = relaxedMesh(voxels, options.periodic, gained);
  const Double3& v = voxels.voxel;
  const double volume = static_cast<double>(voxels.fluid.count()) * v[0] * v[1] * v[2];
  warnAboutVolume(gained, volume, plan.report.warnings);
  plan.report.volumeMesh = volume + gained;
  plan.report.areaMesh = surfaceArea(net.mesh);
  const double tolerance = 1e-3 * std::min({v[0], v[1], v[2]});
  const std::vector<Cap> caps = capsOf(net, tolerance, options, plan.report.warnings);
  plan.mesh = std::move(net.mesh);
  Frame image;
  image.origin = voxels.origin;
  image.axis = voxels.axis;
  for (Double3& vertex : plan.mesh.vertex) vertex = image.toWorld(vertex);
  LabelledOpenings labelled = labelOpenings(plan.mesh, caps);
  plan.openings = std::move(labelled.opening);
  plan.report.openingOrigins = std::move(labelled.origin);
  plan.wallNames = labelWalls(plan.mesh, {});
  plan.lattice = lattice ? *lattice
                         : chooseLattice(voxels.box(), options.spacing,
                                         smallestRadius(plan.openings), options.periodic);
  plan.lattice.frame = inWorld(plan.lattice.frame, voxels);
  plan.extent = voxels.box().extent();
  estimateCost(plan);
  return plan;
}

}  // namespace tessera
