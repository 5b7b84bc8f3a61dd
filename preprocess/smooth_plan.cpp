// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/smooth_plan.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/mesher/label_net.hpp"
#include "preprocess/mesher/relax_net.hpp"
#include "preprocess/name_openings.hpp"
#include "preprocess/node_limit.hpp"
#include "preprocess/overrule_openings.hpp"
#include "preprocess/preprocess_report.hpp"
#include "preprocess/surface/edit/cut_surface.hpp"
#include "preprocess/surface/openings/caps.hpp"
#include "preprocess/surface/openings/grown_caps.hpp"
#include "preprocess/surface/openings/opening_candidates.hpp"
#include "preprocess/unresolved_openings.hpp"

namespace tessera::preprocess {

using geometry::Bounds;
using geometry::Frame;
using image::FluidVoxels;
using lattice::LatticeChoice;
using mesher::LabelNet;
using mesher::NetMesh;
using stage::ExitCode;
using stage::fail;
using surface::Cap;

namespace {

constexpr double millimetre = 1e-3;  // the unit of options that place something in an image

void requireSmoothable(const FluidVoxels& voxels, const PreprocessOptions& options) {
  const std::array<bool, 3>& periodic = options.periodic;
  if (options.spacing.any() && periodic[0] && periodic[1] && periodic[2])
    fail(ExitCode::Usage,
         "--smooth on an image that is periodic on all three axes requires one node per voxel, "
         "since its surface has no outside; omit the node spacing, or --smooth.");
  if (voxels.dimensions == 2) fail(ExitCode::Usage, "--smooth requires a 3D image; omit it.");
  for (std::size_t a = 0; a < 3; ++a)
    if (periodic[a] && voxels.fluid.size[a] < 3)
      fail(ExitCode::Usage,
           fmt::format(
               "--smooth: the periodic axis {} has {} voxels, expected at least 3; omit --smooth.",
               "xyz"[a], voxels.fluid.size[a]));
}

// Cap of all triangles on a side of the image.
Cap capOfSide(const NetMesh& net, const surface::Side& side) {
  Cap cap;
  cap.name = side.name();
  cap.origin = surface::CapOrigin::Side;
  for (std::uint32_t t = 0; t < net.side.size(); ++t)
    if (net.side[t] == 2 * side.axis + (side.high ? 1 : 0)) cap.triangle.push_back(t);
  if (cap.triangle.empty())
    fail(ExitCode::Usage,
         fmt::format("--faces {}: no fluid voxel lies on that side of the image; omit it.",
                     side.name()));
  return cap;
}

// Ends of vessels on the image's sides; candidates for a porous image, whose pores end there in any
// shape.
std::vector<Cap> flatEnds(const NetMesh& net, double tolerance,
                          std::vector<surface::OpeningCandidate>& candidates,
                          std::vector<std::string>& warnings) {
  std::vector<Cap> caps = surface::findFlatCaps(net.mesh, tolerance, {}).caps;
  std::erase_if(caps,
                [&](const Cap& cap) { return net.side[cap.triangle.front()] == LabelNet::wall; });
  std::size_t inCaps = 0;
  for (const Cap& cap : caps) inCaps += cap.triangle.size();
  const auto inWall =
      static_cast<std::size_t>(std::count(net.side.begin(), net.side.end(), LabelNet::wall));
  if (inCaps == net.side.size() - inWall) return caps;
  warnings.emplace_back(
      "not all regions where the image's sides cut the fluid are ends of vessels, so they are "
      "walls; declare open sides with --faces, or open single ends with --open, by a point "
      "\"X,Y,Z\" or by their numbers among the candidates of --report.");
  for (const Cap& cap : caps)
    candidates.push_back(surface::candidateOf(
        net.mesh, cap.triangle, "other regions on the image's sides are no ends of vessels"));
  return {};
}

// Ends of vessels within the image, where the segmentation may have ended before the vessel does.
// known: at its sides, and cuts. voxel: m, longest edge; facets of single voxels are smaller.
void addEndsWithin(const NetMesh& net, const std::vector<Cap>& known, double voxel,
                   std::vector<surface::OpeningCandidate>& candidates) {
  std::vector<char> isTaken(net.side.size());
  std::transform(net.side.begin(), net.side.end(), isTaken.begin(),
                 [](std::uint8_t side) { return side == LabelNet::wall ? 0 : 1; });
  for (const Cap& cap : known)
    for (const std::uint32_t t : cap.triangle) isTaken[t] = 1;
  const auto twin = surface::twinsOf(net.mesh, surface::edgesOf(net.mesh));
  for (const surface::GrownCap& end : surface::growCaps(net.mesh, twin, isTaken))
    if (end.radius > voxel)
      candidates.push_back(surface::candidateOf(
          net.mesh, end.triangle,
          end.reason.empty() ? "it lies within the image" : "within the image, " + end.reason));
}

std::vector<Cap> capsOf(const NetMesh& net, double tolerance, const PreprocessOptions& options,
                        std::vector<surface::OpeningCandidate>& candidates,
                        std::vector<std::string>& warnings) {
  std::vector<Cap> caps;
  for (const surface::Side& side : options.faces) caps.push_back(capOfSide(net, side));
  const std::array<bool, 3>& periodic = options.periodic;
  if (caps.empty() && !periodic[0] && !periodic[1] && !periodic[2])
    return flatEnds(net, tolerance, candidates, warnings);
  return caps;
}

Frame imageFrame(const FluidVoxels& voxels) {
  Frame image;
  image.origin = voxels.origin;
  image.axis = voxels.axis;
  return image;
}

// Cuts vessels at planes, mesh and planes in world coordinates; side numbers stay with their
// triangles. Returns the caps.
std::vector<Cap> cutNet(NetMesh& net, const std::vector<surface::CutPlane>& planes,
                        std::vector<std::string>& warnings) {
  if (planes.empty()) return {};
  net.mesh.label.assign(net.side.begin(), net.side.end());
  const surface::CutEnds ends =
      surface::cutAway(net.mesh, planes, std::ldexp(geometry::boundsOf(net.mesh).longest(), -20));
  warnings.insert(warnings.end(), ends.warnings.begin(), ends.warnings.end());
  std::vector<surface::BoundaryLoop> loops =
      surface::boundaryLoops(net.mesh, surface::edgesOf(net.mesh));
  surface::markCuts(ends, planes, loops);
  const std::vector<Cap> caps = surface::coverCuts(net.mesh, loops);
  for (const Cap& cap : caps)
    for (const std::uint32_t t : cap.triangle) net.mesh.label[t] = LabelNet::wall;
  net.side.clear();
  for (const geometry::Patch side : net.mesh.label)
    net.side.push_back(static_cast<std::uint8_t>(side));
  net.mesh.label.clear();
  return caps;
}

// Adds the tubes of --extend, in world coordinates.
void extend(const PreprocessOptions& options, SurfacePlan& plan) {
  plan.report.extensions = extendOpenings(options.extensions, plan.mesh, plan.openings);
  for (std::size_t k = 0; k < plan.report.extensions.size(); ++k)
    *plan.report.volumeMesh += plan.openings[k].area * plan.report.extensions[k];
}

// Bounding box of image and surface, in image coordinates.
Bounds boxWith(const geometry::TriangleMesh& world, const FluidVoxels& voxels) {
  const Frame image = imageFrame(voxels);
  Bounds box = voxels.box();
  for (const stage::Triangle& t : world.triangle)
    for (const std::uint32_t v : t) {
      const Double3 p = image.toLattice(world.vertex[v]);
      for (std::size_t a = 0; a < 3; ++a) {
        box.low[a] = std::min(box.low[a], p[a]);
        box.high[a] = std::max(box.high[a], p[a]);
      }
    }
  return box;
}

// Lattice enlarged by whole nodes to enclose the box.
LatticeChoice grown(LatticeChoice lattice, const Bounds& box) {
  const double spacing = lattice.frame.spacing;
  for (std::size_t a = 0; a < 3; ++a) {
    const double low = lattice.frame.origin[a] - 0.5 * spacing;
    const double high = low + spacing * lattice.nodes[a];
    const double before = std::max(0.0, std::ceil((low - box.low[a]) / spacing - 1e-3));
    const double after = std::max(0.0, std::ceil((box.high[a] - high) / spacing - 1e-3));
    lattice.frame.origin[a] -= spacing * before;
    lattice.nodes[a] += before + after;
  }
  return lattice;
}

LatticeChoice latticeFor(const SurfacePlan& plan, const std::optional<LatticeChoice>& lattice,
                         const FluidVoxels& voxels, const PreprocessOptions& options) {
  const Bounds box = options.extensions.empty() ? voxels.box() : boxWith(plan.mesh, voxels);
  const lattice::SpacingRequest request = lattice::snappedTo(voxels.voxel, options.spacing);
  LatticeChoice choice;
  if (lattice)
    choice = options.extensions.empty() ? *lattice : grown(*lattice, box);
  else
    choice = lattice::chooseLattice(box, request, decidingRadius(request, plan.openings),
                                    options.periodic);
  logDecidingOpening(request, plan.openings);
  requireFewerNodes(options, choice,
                    {*plan.report.volumeMesh, 3, box, options.periodic, plan.openings});
  return choice;
}

// Relaxed net, and the excess of its volume over that of the voxels (m3).
NetMesh relaxedMesh(const FluidVoxels& voxels, const std::array<bool, 3>& periodic,
                    double& gained) {
  PhaseLog phases;
  LabelNet net = mesher::labelNet(voxels.fluid, periodic);
  phases.done("net");
  stage::requireMemory(300.0 * static_cast<double>(net.quad.size()),
                       fmt::format("smoothing a surface of {} voxel faces", net.quad.size()),
                       "cut out a part of the image, or omit --smooth");
  gained = mesher::relaxNet(net, voxels.voxel);
  phases.done("smooth");
  return mesher::meshOfNet(net, voxels.voxel);
}

void warnAboutVolume(double gained, double volume, std::vector<std::string>& warnings) {
  if (std::abs(gained) <= 0.01 * volume) return;
  warnings.push_back(
      fmt::format("the smoothed surface encloses {:.1f} % {} than the voxels, whose channels are "
                  "about one voxel wide; use a finer image.",
                  100.0 * std::abs(gained) / volume, gained > 0.0 ? "more" : "less"));
}

}  // namespace

SurfacePlan planSmooth(const FluidVoxels& voxels, const std::optional<LatticeChoice>& lattice,
                       const PreprocessOptions& options, const std::optional<LabelNames>& names,
                       std::vector<std::string> warnings) {
  requireSmoothable(voxels, options);
  SurfacePlan plan;
  plan.report.warnings = std::move(warnings);
  double gained = 0.0;
  NetMesh net = relaxedMesh(voxels, options.periodic, gained);
  const Frame image = imageFrame(voxels);
  for (Double3& vertex : net.mesh.vertex) vertex = image.toWorld(vertex);
  const Double3& v = voxels.voxel;
  const double volume = static_cast<double>(voxels.fluid.count()) * v[0] * v[1] * v[2];
  warnAboutVolume(gained, volume, plan.report.warnings);
  const double uncut = options.cuts.empty() ? 0.0 : geometry::enclosedVolume(net.mesh);
  std::vector<Cap> caps = cutNet(net, options.cuts, plan.report.warnings);
  const double cutOff = options.cuts.empty() ? 0.0 : uncut - geometry::enclosedVolume(net.mesh);
  plan.report.volumeMesh = volume + gained - cutOff;
  const double tolerance = 1e-3 * std::min({v[0], v[1], v[2]});
  const std::vector<std::string> noNames;
  OpeningSearch search{std::move(caps), {}, noNames, {}};
  const std::vector<Cap> atSides =
      capsOf(net, tolerance, options, search.candidates, plan.report.warnings);
  search.caps.insert(search.caps.end(), atSides.begin(), atSides.end());
  const std::array<bool, 3>& periodic = options.periodic;
  const bool endsAtSides = !search.candidates.empty() || !options.faces.empty();
  if (!endsAtSides && !periodic[0] && !periodic[1] && !periodic[2])
    addEndsWithin(net, search.caps, std::max({v[0], v[1], v[2]}), search.candidates);
  plan.mesh = std::move(net.mesh);
  findOpenings(options, search, plan);
  if (plan.report.candidates.empty()) suggestOpenings(options, millimetre, plan);
  if (!endsAtSides && plan.openings.size() < 2)
    warnAboutCandidates(plan.report.candidates, plan.report.warnings);
  plan.wallNames = surface::labelWalls(plan.mesh, {});
  if (names)
    nameSurface(*names, voxels, options.periodic, plan.mesh, plan.openings, plan.wallNames);
  nameOpenings(options.names, plan.openings);
  extend(options, plan);
  plan.report.areaMesh = geometry::surfaceArea(plan.mesh);
  plan.lattice = latticeFor(plan, lattice, voxels, options);
  plan.lattice.frame = image::inWorld(plan.lattice.frame, voxels);
  closeUnresolvedBranches(options, plan);
  return plan;
}

}  // namespace tessera::preprocess
