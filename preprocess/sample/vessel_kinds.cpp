// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-sample aneurysm and aorta.
#include "pipelines/stage/error.hpp"
#include "preprocess/sample/deliver.hpp"
#include "preprocess/sample/kinds.hpp"
#include "preprocess/sample/options.hpp"
#include "preprocess/sample/vessels.hpp"

namespace tessera::preprocess::sample {

namespace {
// How fine a vessel is meshed, and for how many nodes.
struct MeshOptions {
  double edge = 0.0;
  std::int64_t triangles = 0;
  std::int64_t nodes = 0;

  void declare(KindLine& kind, const std::string& usualEdge) {
    kind.length("--edge", edge, "mean edge of the triangles (default " + usualEdge + ")");
    kind.count("--triangles", triangles, 1, 1'000'000'000,
               "about so many triangles, instead of --edge");
    kind.count("--nodes", nodes, 1, 1'000'000'000'000,
               "say the spacing that gives about so many fluid nodes");
  }
  [[nodiscard]] double edgeFor(const Vessel& vessel, double usual) const {
    if (triangles > 0 && edge > 0.0)
      stage::fail(stage::ExitCode::Usage, "--edge and --triangles exclude each other: give one.");
    if (triangles > 0) return vesselEdge(vessel, triangles);
    return edge > 0.0 ? edge : usual;
  }
};

int finish(KindLine& kind, const std::string& name, const stage::CommonOptions& common,
           const Vessel& vessel, const MeshOptions& mesh, double usualEdge) {
  kind.wantsSurface(common);
  return deliver(common, name, meshVessel(vessel, mesh.edgeFor(vessel, usualEdge)),
                 {.options = "--longest 200", .facts = {}, .nodes = mesh.nodes});
}
}  // namespace

int makeAneurysm(int argc, const char* const* argv) {
  AneurysmShape shape;
  MeshOptions mesh;
  KindLine kind("aneurysm", "A cerebral bifurcation with a saccular aneurysm, open at three ends.",
                ".stl", "");
  kind.length("--parent-diameter", shape.parentDiameter, "of the vessel that arrives");
  kind.length("--branch1-diameter", shape.branchDiameter[0], "of the first branch");
  kind.length("--branch2-diameter", shape.branchDiameter[1], "of the second branch");
  kind.length("--parent-length", shape.parentLength, "along the centreline");
  kind.length("--branch1-length", shape.branchLength[0], "along the centreline");
  kind.length("--branch2-length", shape.branchLength[1], "along the centreline");
  kind.degrees("--branch1-angle", shape.branchAngle[0], 20.0, 120.0,
               "from the parent's direction, degrees");
  kind.degrees("--branch2-angle", shape.branchAngle[1], 20.0, 120.0,
               "from the parent's direction, degrees");
  kind.length("--sac-diameter", shape.sacDiameter, "of the aneurysm");
  kind.length("--sac-height", shape.sacHeight, "from neck to dome");
  kind.length("--neck-diameter", shape.neckDiameter, "where sac and vessel meet");
  kind.lengthOrZero("--bleb-diameter", shape.blebDiameter, "of the daughter sac, 0 for none");
  mesh.declare(kind, "70 um");
  kind.example("tessera-sample aneurysm --nodes 400000 -o aneurysm.stl");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  return finish(kind, "aneurysm", *common, aneurysmVessel(shape), mesh, 70e-6);
}

int makeAorta(int argc, const char* const* argv) {
  AortaShape shape;
  MeshOptions mesh;
  double percent = 100.0 * shape.coarctation;
  KindLine kind("aorta",
                "A thoracic aorta with the three branches of its arch and a coarctation behind "
                "them, open at five ends.",
                ".stl", "");
  kind.number("--coarctation", percent, 0.0, 95.0, "closed part of the area, per cent; 0 for none");
  kind.length("--coarctation-length", shape.coarctationLength, "along the centreline");
  kind.length("--ascending-diameter", shape.ascendingDiameter, "at the heart");
  kind.length("--descending-diameter", shape.descendingDiameter, "behind the arch");
  kind.length("--ascending-length", shape.ascendingLength, "up to the arch");
  kind.length("--descending-length", shape.descendingLength, "from the end of the arch");
  kind.length("--arch-radius", shape.archRadius, "of the arch's centreline");
  kind.length("--brachiocephalic-diameter", shape.branchDiameter[0], "of the first branch");
  kind.length("--carotid-diameter", shape.branchDiameter[1], "of the left common carotid artery");
  kind.length("--subclavian-diameter", shape.branchDiameter[2], "of the left subclavian artery");
  kind.length("--branch-length", shape.branchLength, "of the three, beyond the wall of the arch");
  mesh.declare(kind, "0.9 mm");
  kind.example("tessera-sample aorta --coarctation 65 -o aorta.stl");
  kind.example("tessera-sample aorta --coarctation 0 --nodes 1000000 -o healthy.stl");
  const auto common = kind.parse(argc, argv);
  if (!common) return 0;
  shape.coarctation = percent / 100.0;
  return finish(kind, "aorta", *common, aortaVessel(shape), mesh, 0.9e-3);
}

}  // namespace tessera::preprocess::sample
