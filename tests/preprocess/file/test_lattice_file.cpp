// SPDX-License-Identifier: GPL-3.0-or-later
// geom.vdb: round trip, reproducible bytes, and detection of all damage.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/container.hpp"
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
  geometry.frame.lengthUnit = lengthUnitOf(1e-3);
  geometry.fluid = voxelise(mesh, {38, 31, 32}, geometry.periodic);
  geometry.boundary = findLinks(geometry.fluid, geometry.periodic, mesh).boundary;
  for (const Double3& p : mesh.vertex)
    geometry.surface.vertex.push_back(
        {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
  geometry.surface.triangle = mesh.triangle;
  geometry.surface.label = mesh.label;
  geometry.openings = {{1, "inlet", {0.1, 0.2, 0.3}, {-1.0, 0.0, 0.0}, 3e-5, 3.1e-3},
                       {2, "opening2", {0.4, 0.5, 0.6}, {1.0, 0.0, 0.0}, 3e-5, 3.1e-3}};
  geometry.throatsNotSearched = "some reason";
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
  CHECK(back.frame.lengthUnit.name == std::string("mm"));
  CHECK(back.periodic == geometry.periodic);
  CHECK(back.wallNames == geometry.wallNames);
  REQUIRE(back.openings.size() == 2);
  CHECK(back.openings[0].name == "inlet");
  CHECK(back.openings[1].centre == geometry.openings[1].centre);
  CHECK(back.throatsNotSearched == "some reason");
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

TEST_CASE("Lattice file: a node has the type that its links give it", "[unit]") {
  const LatticeGeometry geometry = sampleGeometry();
  const NodeTypes types = nodeTypesOf(geometry);
  CHECK(nonSolidNodes(types, geometry.fluid.size) == geometry.fluid);
  std::array<std::uint64_t, 4> nodes{};
  const Int3& blocks = geometry.fluid.blocks();
  const std::size_t words = NodeTypes::wordsPerBlock(geometry.fluid.size);
  REQUIRE(types.bits.size() == 2 * words * types.block.size());
  for (std::size_t b = 0; b < types.block.size(); ++b)
    for (std::size_t w = 0; w < words; ++w) {
      const std::uint64_t low = types.bits[2 * words * b + w];
      const std::uint64_t high = types.bits[2 * words * b + words + w];
      nodes[1] += static_cast<std::uint64_t>(std::popcount(low & ~high));
      nodes[2] += static_cast<std::uint64_t>(std::popcount(high & ~low));
      nodes[3] += static_cast<std::uint64_t>(std::popcount(low & high));
    }
  std::array<std::uint64_t, 4> expected{};
  std::size_t link = 0;
  for (const std::uint32_t mask : geometry.boundary.mask) {
    bool atOpening = false;
    for (int n = std::popcount(mask); n > 0; --n)
      atOpening |= isOpening(geometry.boundary.patch[link++]);
    ++expected[atOpening ? 3 : 2];
  }
  expected[1] = geometry.fluid.count() - geometry.boundary.node.size();
  CHECK(nodes == expected);
  CHECK(expected[3] > 50);
  CHECK(types.block.back() < static_cast<std::uint64_t>(blocks[0] * blocks[1] * blocks[2]));
}

TEST_CASE("Lattice file: node types that are no lattice are refused", "[unit]") {
  const LatticeGeometry geometry = sampleGeometry();
  const NodeTypes types = nodeTypesOf(geometry);
  REQUIRE(types.block.size() > 2);
  const auto isRefused = [&](const NodeTypes& wrong, const Int3& nodes) {
    try {
      nonSolidNodes(wrong, nodes);
    } catch (const std::runtime_error&) {
      return true;
    }
    return false;
  };
  const Int3 size = geometry.fluid.size;
  CHECK_FALSE(isRefused(types, size));
  NodeTypes wrong = types;
  std::swap(wrong.block[0], wrong.block[1]);
  CHECK(isRefused(wrong, size));
  wrong = types;
  wrong.block.back() = 1U << 20U;
  CHECK(isRefused(wrong, size));
  wrong = types;
  std::fill_n(wrong.bits.begin() + 512, 512, 0);
  CHECK(isRefused(wrong, size));
  wrong = types;
  wrong.bits.pop_back();
  CHECK(isRefused(wrong, size));
  wrong = types;
  wrong.bits[0] |= std::uint64_t{1} << 63U;  // node 63 of 38
  CHECK(isRefused(wrong, size));
  CHECK(isRefused(types, {size[0], size[1] - 3, size[2]}));
}

TEST_CASE("Lattice file: version 1 is refused with the command that makes it anew", "[unit]") {
  const Folder folder;
  const fs::path path = folder.path / "old vessel.vdb";
  writeLatticeFile(path, sampleGeometry(), sampleProvenance());
  const std::string vdb = contentOf(path).substr(0, readVdbTrailer(path).vdbBytes);
  const auto write = [&](const Provenance& provenance) {
    AtomicFile file(path);
    file.write(vdb);
    ContainerWriter writer("lattice", 1, 0);
    writer.addText("meta", "{}");
    writer.addText("provenance", provenance.toJson());
    writer.write(file);
    writeVdbTrailer(file, vdb.size());
    file.commit();
  };
  Provenance provenance = sampleProvenance();
  provenance.options = {{"across", "20"},
                        {"unit", "mm"},
                        {"cut", "1, 2,3;0,0,1 4,5,6;0,1,0"},
                        {"name", "1=left artery 2=x"},
                        {"keep", "connected"},
                        {"periodic", ""},
                        {"faces", ""}};
  provenance.inputs = {{"it's $(a) tube.stl", std::string(32, 'a')}};
  write(provenance);
  CHECK_THAT(refusal(path),
             Catch::Contains("tessera-preprocess --across 20 --unit mm --cut '1,2,3;0,0,1' --cut "
                             "'4,5,6;0,1,0' --name '1=left artery' --name 2=x --keep connected "
                             "'it'\\''s $(a) tube.stl' -o 'old vessel.vdb'`"));
  provenance.options = {{"voxel", "3e-06"}, {"values", "1,1 3,3 5,8"}, {"smooth", "true"}};
  provenance.inputs = {{"-rock.raw", std::string(32, 'a')}};
  write(provenance);
  CHECK_THAT(refusal(path), Catch::Contains("--voxel 3e-06m --pore 1,3,5-8 --smooth ./-rock.raw"));
  provenance.options = {{"values", "-5,100"}};
  provenance.inputs = {{"a.hdr", std::string(32, 'a')}, {"a.img", std::string(32, 'b')}};
  write(provenance);
  CHECK_THAT(refusal(path), Catch::Contains(" a.hdr -o") && !Catch::Contains("a.img"));
  CHECK_THAT(refusal(path), Catch::Contains("--threshold -5,100 "));
  provenance.inputs = {{"a\x1b[2Jb.stl", std::string(32, 'a')}};
  write(provenance);
  CHECK_THAT(refusal(path), Catch::Contains("make it anew with tessera-preprocess"));
}
