// SPDX-License-Identifier: GPL-3.0-or-later
// Results overlay the scan or mesh they were computed from as it stands, by independent readers
// (overlay.py).
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tests/fixtures/chain.hpp"

using namespace tessera::chain;
namespace fs = std::filesystem;

namespace {

const std::string overlay = "/usr/bin/python3 " TESSERA_SOURCE "/tests/chain/overlay.py ";

bool haveReaders() {
  const bool have =
      std::system("/usr/bin/python3 -c 'import nibabel, vtkmodules.vtkIOHDF' 2>/dev/null") == 0;
  if (!have)
    WARN("skipped: the readers nibabel and VTK (python3-nibabel, python3-vtk9) are not installed");
  return have;
}

bool haveData(const fs::path& file) {
  if (fs::exists(file)) return true;
  WARN("skipped: " << file << " is not beside this checkout");
  return false;
}

// A few steps: where the fields are counts, not what they are.
std::string fewSteps(int openings) {
  std::string text =
      "[fluid]\ndensity = \"1000 kg/m3\"\nviscosity = \"1e-3 m2/s\"\n[solver]\ntau = 0.8\n"
      "body_force = [1e-3, 0, 0]\n[stop]\nsteps = 4\n";
  for (int id = 1; id <= openings; ++id)
    text += "[[opening]]\nid = " + std::to_string(id) + "\nkind = \"pressure\"\nvalue = \"0 Pa\"\n";
  return text;
}

// Least share of the cells of the exported grids inside.
double leastShare(const WorkFolder& work, const std::string& scan, const std::string& preprocess,
                  int openings) {
  work.write("case.toml", fewSteps(openings));
  work.mustRun("tessera-preprocess --quiet " + preprocess + " -o geom.vdb");
  work.mustRun("tessera-tiler --quiet geom.vdb -o geom.tiles");
  work.mustRun("tessera-solver --quiet --case case.toml geom.tiles -o run.fields");
  work.mustRun("tessera-postprocess --quiet --no-pictures --export vtu,vtkhdf run.fields -o out");
  const Outcome found =
      work.mustRun(overlay + "inside " + scan + " out/fields.vtu out/fields.vtkhdf");
  std::istringstream lines(found.output);
  double first = 0.0, second = 0.0;
  lines >> first >> second;
  return std::min(first, second);
}

}  // namespace

TEST_CASE(
    "Overlay: results of a NIfTI and of a MetaImage lie in the label, in the file's own space",
    "[pipeline]") {
  const fs::path scan = TESSERA_SHARED_DATA "/images/anatomical.nii";
  if (!haveReaders() || !haveData(scan)) return;
  const WorkFolder work;
  work.mustRun(overlay + "label " + scan.string() + " 10500 11500 label.nii");
  work.mustRun(overlay + "mha label.nii label.mha");
  CHECK(leastShare(work, "label.nii", "label.nii --pore 1", 0) >= 0.99);
  // The label in LPS is another place.
  const Outcome turned = work.mustRun(overlay + "inside label.mha out/fields.vtu");
  CHECK(std::stod(turned.output) < 0.9);
  CHECK(leastShare(work, "label.mha", "label.mha --pore 1", 0) >= 0.99);
}

TEST_CASE("Overlay: results of a scan with oblique axes lie in its label", "[pipeline]") {
  if (!haveReaders()) return;
  const WorkFolder work;
  work.mustRun(overlay + "oblique label.nii");
  work.mustRun(overlay + "mha label.nii label.mha");
  CHECK(leastShare(work, "label.nii", "label.nii --pore 1", 0) >= 0.99);
  // Positions of the other space are elsewhere.
  CHECK(std::stod(work.mustRun(overlay + "inside label.mha out/fields.vtu").output) < 0.1);
  CHECK(leastShare(work, "label.mha", "label.mha --pore 1", 0) >= 0.99);
}

TEST_CASE("Overlay: results of a surface in millimetres lie in its STL", "[pipeline]") {
  const fs::path mesh = TESSERA_SHARED_DATA "/vessels/aorta3d.stl";
  if (!haveReaders() || !haveData(mesh)) return;
  const WorkFolder work;
  CHECK(leastShare(work, mesh.string(), mesh.string() + " --unit mm --longest 60", 3) >= 0.99);
}
