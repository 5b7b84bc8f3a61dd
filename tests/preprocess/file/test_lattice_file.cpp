// SPDX-License-Identifier: GPL-3.0-or-later
// geom.vdb: round trip, reproducible bytes, and detection of all damage.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "pipelines/stage/error.hpp"
#include "preprocess/file/lattice_file.hpp"
#include "preprocess/file/vdb_trailer.hpp"
#include "preprocess/lattice/links/links.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::stage;
using namespace tessera::test;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / ("tessera-lattice-" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

LatticeGeometry sampleGeometry() {
  const TriangleMesh mesh = tubeMesh({4.3, 15.0, 15.0}, {33.7, 16.0, 17.0}, 12.4, 48, true);
  LatticeGeometry geometry;
  geometry.frame.spacing = 2.5e-4;
  geometry.frame.origin = {0.01, -0.02, 0.03};
  geometry.frame.axis = {{{0.0, 1.0, 0.0}, {-1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}};
  geometry.frame.space = "LPS";
  geometry.fluid = voxelise(mesh, {38, 31, 32}, geometry.periodic);
  geometry.boundary = findLinks(geometry.fluid, geometry.periodic, mesh).boundary;
  for (const Double3& p : mesh.vertex)
    geometry.surface.vertex.push_back(
        {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
  geometry.surface.triangle = mesh.triangle;
  geometry.surface.label = mesh.label;
  geometry.openings = {{1, "inlet", {0.1, 0.2, 0.3}, {-1.0, 0.0, 0.0}, 3e-5, 3.1e-3},
                       {2, "opening2", {0.4, 0.5, 0.6}, {1.0, 0.0, 0.0}, 3e-5, 3.1e-3}};
  return geometry;
}

Provenance sampleProvenance() {
  Provenance provenance;
  provenance.program = "tessera-preprocess";
  provenance.version = "0.1.0";
  provenance.options = {{"unit", "mm"}};
  provenance.inputs = {{"tube.stl", std::string(32, 'a')}};
  return provenance;
}

std::string contentOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void writeContent(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

// The sentence that refuses a file, or empty.
std::string refusal(const fs::path& path) {
  try {
    readLatticeFile(path);
  } catch (const StageError& error) {
    CHECK(error.code() == ExitCode::BadInput);
    return error.what();
  }
  return "";
}
}  // namespace

TEST_CASE("Lattice file: a geometry comes back from its file", "[unit]") {
  const Folder folder;
  const fs::path path = folder.path / "geom.vdb";
  const LatticeGeometry geometry = sampleGeometry();
  writeLatticeFile(path, geometry, sampleProvenance());
  const LatticeFile file = readLatticeFile(path);
  const LatticeGeometry& back = file.geometry;
  CHECK(back.fluid.size == geometry.fluid.size);
  CHECK(back.fluid == geometry.fluid);
  CHECK(back.boundary.node == geometry.boundary.node);
  CHECK(back.boundary.mask == geometry.boundary.mask);
  CHECK(back.boundary.normal == geometry.boundary.normal);
  CHECK(back.boundary.distance == geometry.boundary.distance);
  CHECK(back.boundary.patch == geometry.boundary.patch);
  CHECK(back.surface.vertex == geometry.surface.vertex);
  CHECK(back.surface.triangle == geometry.surface.triangle);
  CHECK(back.surface.label == geometry.surface.label);
  CHECK(back.frame.spacing == geometry.frame.spacing);
  CHECK(back.frame.origin == geometry.frame.origin);
  CHECK(back.frame.axis == geometry.frame.axis);
  CHECK(back.frame.space == "LPS");
  CHECK(back.periodic == geometry.periodic);
  CHECK(back.wallNames == geometry.wallNames);
  REQUIRE(back.openings.size() == 2);
  CHECK(back.openings[0].name == "inlet");
  CHECK(back.openings[1].centre == geometry.openings[1].centre);
  CHECK(file.provenance.toJson() == sampleProvenance().toJson());
  CHECK(file.contentHash.size() == 32);
}

TEST_CASE("Lattice file: an image without surface or openings comes back from its file", "[unit]") {
  const Folder folder;
  const fs::path path = folder.path / "image.vdb";
  LatticeGeometry geometry;
  geometry.dimensions = 2;
  geometry.periodic = {true, false, true};
  geometry.fluid = BitLattice({70, 20, 1});
  for (int y = 3; y < 17; ++y)
    for (int x = 0; x < 70; ++x) geometry.fluid.set(x, y, 0);
  geometry.boundary = findImageLinks(geometry.fluid, geometry.periodic, {}).boundary;
  writeLatticeFile(path, geometry, sampleProvenance());
  const LatticeGeometry back = readLatticeFile(path).geometry;
  CHECK(back.dimensions == 2);
  CHECK(back.fluid == geometry.fluid);
  CHECK(back.boundary.patch == geometry.boundary.patch);
}

TEST_CASE("Lattice file: the same geometry gives the same bytes, another one another UUID",
          "[unit]") {
  const Folder folder;
  LatticeGeometry geometry = sampleGeometry();
  writeLatticeFile(folder.path / "a.vdb", geometry, sampleProvenance());
  writeLatticeFile(folder.path / "b.vdb", geometry, sampleProvenance());
  const std::string a = contentOf(folder.path / "a.vdb");
  CHECK(a == contentOf(folder.path / "b.vdb"));
  geometry.frame.spacing *= 2.0;
  writeLatticeFile(folder.path / "c.vdb", geometry, sampleProvenance());
  CHECK(a.substr(21, 36) != contentOf(folder.path / "c.vdb").substr(21, 36));
}

TEST_CASE("Lattice file: every flipped bit is found", "[unit]") {
  const Folder folder;
  const fs::path path = folder.path / "geom.vdb";
  writeLatticeFile(path, sampleGeometry(), sampleProvenance());
  const std::string whole = contentOf(path);
  const fs::path damaged = folder.path / "damaged.vdb";
  for (std::size_t at = 0; at < whole.size(); at += at < 100 || at + 100 > whole.size() ? 1 : 997) {
    std::string content = whole;
    content[at] = static_cast<char>(content[at] ^ (1 << (at % 8)));
    writeContent(damaged, content);
    INFO("byte " << at);
    CHECK(refusal(damaged).find("tessera-preprocess") != std::string::npos);
  }
}

TEST_CASE("Lattice file: every truncation is found", "[unit]") {
  const Folder folder;
  const fs::path path = folder.path / "geom.vdb";
  writeLatticeFile(path, sampleGeometry(), sampleProvenance());
  const std::uint64_t size = fs::file_size(path);
  const fs::path damaged = folder.path / "damaged.vdb";
  fs::copy_file(path, damaged);
  for (std::uint64_t length = (size - 1) / 512 * 512; length > 0; length -= 512) {
    fs::resize_file(damaged, length);
    INFO("length " << length);
    CHECK(refusal(damaged).find("tessera-preprocess") != std::string::npos);
  }
  fs::resize_file(damaged, 0);
  CHECK(refusal(damaged).find("OpenVDB") != std::string::npos);
}

TEST_CASE("Lattice file: every single bit and every length of a small file is checked", "[slow]") {
  const Folder folder;
  const fs::path path = folder.path / "geom.vdb";
  LatticeGeometry geometry;
  geometry.frame.spacing = 1e-4;
  geometry.fluid = BitLattice({3, 3, 3});
  geometry.fluid.set(1, 1, 1);
  geometry.fluid.set(2, 1, 1);
  geometry.boundary = findImageLinks(geometry.fluid, geometry.periodic, {}).boundary;
  writeLatticeFile(path, geometry, sampleProvenance());
  const std::string whole = contentOf(path);
  const fs::path damaged = folder.path / "damaged.vdb";
  std::size_t missed = 0;
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string content = whole;
    content[bit / 8] = static_cast<char>(content[bit / 8] ^ (1 << (bit % 8)));
    writeContent(damaged, content);
    missed += refusal(damaged).empty();
  }
  CHECK(missed == 0);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    writeContent(damaged, whole.substr(0, length));
    missed += refusal(damaged).empty();
  }
  CHECK(missed == 0);
}

TEST_CASE("Lattice file: foreign files are refused", "[unit]") {
  const Folder folder;
  const fs::path path = folder.path / "geom.vdb";
  CHECK(refusal(path).find("geom.vdb") != std::string::npos);
  CHECK(refusal(folder.path).find(folder.path.string()) != std::string::npos);
  writeLatticeFile(path, sampleGeometry(), sampleProvenance());
  const std::string whole = contentOf(path);
  VdbTrailer trailer = readVdbTrailer(path);
  writeContent(path, whole.substr(0, trailer.vdbBytes));  // as another program's
  CHECK(refusal(path).find("geom.vdb") != std::string::npos);
  writeContent(path, whole + "x");
  CHECK(refusal(path).find("trailer") != std::string::npos);
}

TEST_CASE("Lattice file: a failed write leaves no file", "[unit]") {
  const Folder folder;
  const fs::path path = folder.path / "missing" / "geom.vdb";
  try {
    writeLatticeFile(path, sampleGeometry(), sampleProvenance());
    FAIL("a folder that is not there was written to");
  } catch (const StageError& error) {
    CHECK(error.code() == ExitCode::OutputFailed);
  }
  CHECK(fs::is_empty(folder.path));
}
