// SPDX-License-Identifier: GPL-3.0-or-later
// Results overlay the scan: the same vessel in every format, through the program, is at the world
// coordinates of the header.
#include <catch2/catch.hpp>
#include <sstream>

#include "preprocess/file/lattice_file.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "tests/fixtures/chain.hpp"
#include "tests/fixtures/files/image_files.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::preprocess::geometry;
using namespace tessera::stage;
using namespace tessera::test;
using tessera::chain::WorkFolder;

namespace {

constexpr Int3 size{17, 13, 11};
constexpr double voxel = 0.4;                    // mm
constexpr Double3 quaternion{0.1, -0.2, 0.3};    // b, c, d of an oblique rotation
constexpr Double3 origin{-31.5, 12.25, 140.75};  // mm, RAS, of voxel (0, 0, 0)
constexpr char label = 3;

// A blob without mirror symmetry.
bool inBlob(int i, int j, int k) {
  const int x = i - 6, y = j - 5, z = k - 4;
  return x * x + 2 * y * y + 3 * z * z < 24 || (i == 12 && j == 10 && k == 8);
}

// Columns of the rotation in RAS (nifti1.h, METHOD 2).
std::array<Double3, 3> axesRas() {
  const auto [b, c, d] = quaternion;
  const double a = std::sqrt(1.0 - b * b - c * c - d * d);
  return {{{a * a + b * b - c * c - d * d, 2 * (b * c + a * d), 2 * (b * d - a * c)},
           {2 * (b * c - a * d), a * a + c * c - b * b - d * d, 2 * (c * d + a * b)},
           {2 * (b * d + a * c), 2 * (c * d - a * b), a * a + d * d - b * b - c * c}}};
}
Double3 toLps(const Double3& v) {
  return {-v[0], -v[1], v[2]};
}

// reversed: the voxels of each row in the opposite order.
std::string voxels(bool reversed = false) {
  std::string bytes;
  for (int k = 0; k < size[2]; ++k)
    for (int j = 0; j < size[1]; ++j)
      for (int i = 0; i < size[0]; ++i)
        bytes += inBlob(reversed ? size[0] - 1 - i : i, j, k) ? label : '\1';
  return bytes;
}

NiftiText nifti() {
  NiftiText text;
  text.dim = {3, size[0], size[1], size[2], 1, 1, 1, 1};
  text.pixdim = {1, voxel, voxel, voxel, 0, 0, 0, 0};
  text.sform = 2;
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t a = 0; a < 3; ++a) text.srow[c][a] = voxel * axesRas()[a][c];
  for (std::size_t c = 0; c < 3; ++c) text.srow[c][3] = origin[c];
  return text;
}

// The same position with the first axis reversed, which is left-handed.
std::string leftHanded() {
  NiftiText text = nifti();
  for (auto& row : text.srow) {
    row[3] += (size[0] - 1) * row[0];
    row[0] = -row[0];
  }
  return niftiHeader(text) + voxels(true);
}

std::string byQform() {
  NiftiText text = nifti();
  text.sform = 0;
  text.qform = 1;
  text.quaternion = quaternion;
  text.qoffset = origin;
  return niftiHeader(text) + voxels();
}

std::string vectorText(const Double3& v, const char* separator) {
  std::ostringstream text;
  text.precision(17);
  text << v[0] << separator << v[1] << separator << v[2];
  return text.str();
}

std::string nrrd(bool ras) {
  std::string text = "NRRD0005\ntype: uint8\ndimension: 3\nencoding: raw\nsizes: 17 13 11\nspace: ";
  text += ras ? "right-anterior-superior\nspace directions:" : "LPS\nspace directions:";
  for (const Double3& axis : axesRas())
    text += " (" + vectorText(voxel * (ras ? axis : toLps(axis)), ",") + ")";
  return text + "\nspace origin: (" + vectorText(ras ? origin : toLps(origin), ",") + ")\n\n" +
         voxels();
}

std::string metaImage() {
  std::string text = "ObjectType = Image\nNDims = 3\nBinaryData = True\nTransformMatrix =";
  for (const Double3& axis : axesRas()) text += " " + vectorText(toLps(axis), " ");
  return text + "\nOffset = " + vectorText(toLps(origin), " ") +
         "\nElementSpacing = 0.4 0.4 0.4\nDimSize = 17 13 11\nElementType = MET_UCHAR\n"
         "ElementDataFile = LOCAL\n" +
         voxels();
}

// Every fluid node is at the centre of a voxel of the blob, and every such voxel has one. ras: the
// world is RAS.
void checkOverlay(const LatticeGeometry& geometry, bool ras) {
  std::uint64_t expected = 0;
  for (int k = 0; k < size[2]; ++k)
    for (int j = 0; j < size[1]; ++j)
      for (int i = 0; i < size[0]; ++i) expected += inBlob(i, j, k);
  CHECK(geometry.fluid.count() == expected);
  double farthest = 0.0;  // voxels
  const Int3& n = geometry.fluid.size;
  for (int z = 0; z < n[2]; ++z)
    for (int y = 0; y < n[1]; ++y)
      for (int x = 0; x < n[0]; ++x) {
        if (!geometry.fluid.at(x, y, z)) continue;
        const Double3 world = geometry.frame.toWorld({1.0 * x, 1.0 * y, 1.0 * z});
        const Double3 offset = (ras ? 1e3 * world : toLps(1e3 * world)) - origin;
        std::array<int, 3> voxelAt{};
        for (std::size_t a = 0; a < 3; ++a) {
          const double at = dot(offset, axesRas()[a]) / voxel;
          voxelAt[a] = static_cast<int>(std::lround(at));
          farthest = std::max(farthest, std::abs(at - voxelAt[a]));
        }
        REQUIRE(inBlob(voxelAt[0], voxelAt[1], voxelAt[2]));
      }
  CHECK(farthest < 1e-3);
}

}  // namespace

TEST_CASE("Image overlay: a vessel overlays its scan, whatever the format and the frame",
          "[pipeline]") {
  const WorkFolder work;
  work.write("sform.nii", niftiHeader(nifti()) + voxels());
  work.write("sform.nii.gz", gzipOf(niftiHeader(nifti()) + voxels()));
  work.write("left.nii", leftHanded());
  work.write("qform.nii", byQform());
  work.write("lps.nrrd", nrrd(false));
  work.write("ras.nrrd", nrrd(true));
  work.write("meta.mha", metaImage());
  for (const char* name :
       {"sform.nii", "sform.nii.gz", "left.nii", "qform.nii", "lps.nrrd", "ras.nrrd", "meta.mha"}) {
    INFO(name);
    work.mustRun("tessera-preprocess --quiet --pore 3 -o geom.vdb --report r.json " +
                 std::string(name));
    const LatticeGeometry geometry = readLatticeFile(work.path("geom.vdb")).geometry;
    const std::string file = name;
    const bool ras = file.find(".nii") != file.npos || file == "ras.nrrd";
    CHECK(geometry.frame.space == (ras ? "RAS" : "LPS"));
    CHECK(work.json("r.json").at("space") == geometry.frame.space);
    CHECK(work.json("r.json").at("length_unit") == "mm");
    CHECK(geometry.frame.spacing == Approx(4e-4).epsilon(1e-6));
    checkOverlay(geometry, ras);
  }
}

TEST_CASE("Image overlay: anisotropic voxels require a spacing, and the message suggests one",
          "[pipeline]") {
  const WorkFolder work;
  NiftiText text = nifti();
  for (auto& row : text.srow) row[2] *= 4.0;
  work.write("flat.nii", niftiHeader(text) + voxels());
  const auto refused = work.run("tessera-preprocess --quiet --pore 3 -o geom.vdb flat.nii");
  CHECK(refused.code == 2);
  CHECK_THAT(refused.errors, Catch::Contains("0.4 x 0.4 x 1.6 mm") &&
                                 Catch::Contains("--spacing 0.4mm") && Catch::Contains("--smooth"));
}

TEST_CASE(
    "Image overlay: --voxel replaces the header's size with a warning, and is required without one",
    "[pipeline]") {
  const WorkFolder work;
  work.write("a.nii", niftiHeader(nifti()) + voxels());
  const auto outcome = work.mustRun(
      "tessera-preprocess --voxel \"1 mm\" --pore 3 -o geom.vdb a.nii --report r.json");
  CHECK_THAT(outcome.errors, Catch::Contains("overlay"));
  CHECK(work.json("r.json").at("spacing_m") == 1e-3);
  CHECK(work.json("r.json").at("warnings").size() == 1);
  work.write(
      "a.nhdr",
      "NRRD0004\ntype: uint8\ndimension: 3\nencoding: raw\nsizes: 17 13 11\ndata file: a.raw\n");
  work.write("a.raw", voxels());
  const auto unknown = work.run("tessera-preprocess --quiet --pore 3 -o geom.vdb a.nhdr");
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.errors, Catch::Contains("--voxel"));
  work.mustRun("tessera-preprocess --quiet --voxel \"1 mm\" --pore 3 -o geom.vdb a.nhdr");
  const Provenance provenance = readLatticeFile(work.path("geom.vdb")).provenance;
  REQUIRE(provenance.inputs.size() == 2);
  CHECK(provenance.inputs[1].name == "a.raw");
  CHECK(provenance.inputs[1].hash == hashFile(work.path("a.raw")));
}
