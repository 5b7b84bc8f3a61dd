// SPDX-License-Identifier: GPL-3.0-or-later
// geom.vdb seen by a program that knows OpenVDB only.
#include <openvdb/io/File.h>
#include <openvdb/openvdb.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "preprocess/file/lattice_file.hpp"
#include "preprocess/lattice/links/links.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::stage;

TEST_CASE("OpenVDB: opens geom.vdb: name, active nodes, transform, metadata", "[unit]") {
  LatticeGeometry geometry;
  geometry.frame.spacing = 2.5e-4;
  geometry.frame.origin = {0.01, -0.02, 0.03};
  geometry.frame.axis = {{{0.0, 1.0, 0.0}, {-1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}};
  const TriangleMesh mesh = test::tubeMesh({5.0, 20.0, 20.0}, {60.0, 21.0, 22.0}, 16.2, 64, true);
  geometry.fluid = voxelise(mesh, {66, 42, 43}, geometry.periodic);
  const FoundLinks found = findLinks(geometry.fluid, geometry.periodic, mesh);
  geometry.boundary = found.boundary;
  geometry.openings.resize(2);
  geometry.openings[0].id = 1;
  geometry.openings[1].id = 2;
  const auto path = std::filesystem::temp_directory_path() /
                    ("tessera-openvdb-" + std::to_string(::getpid()) + ".vdb");
  Provenance provenance;
  provenance.program = "tessera-preprocess";
  writeLatticeFile(path, geometry, provenance);

  openvdb::initialize();
  openvdb::io::File file(path.string());
  file.open(false);
  const auto metadataOnly = file.readGridMetadata("fluid");
  CHECK(metadataOnly->getMetadata<openvdb::StringMetadata>("units")->value() == "metres");
  const auto grid = openvdb::gridPtrCast<openvdb::BoolGrid>(file.readGrid("fluid"));
  file.close();
  std::filesystem::remove(path);
  REQUIRE(grid);
  CHECK(!grid->background());
  CHECK(grid->activeVoxelCount() == geometry.fluid.count());
  auto access = grid->getConstAccessor();
  for (int z = 0; z < 43; ++z)
    for (int y = 0; y < 42; ++y)
      for (int x = 0; x < 66; ++x) {
        const openvdb::Coord at(x, y, z);
        REQUIRE(access.isValueOn(at) == geometry.fluid.at(x, y, z));
        REQUIRE(access.getValue(at) == geometry.fluid.at(x, y, z));
      }
  const openvdb::Vec3d world = grid->transform().indexToWorld(openvdb::Vec3d(3.0, 5.0, 7.0));
  const Double3 expected = geometry.frame.toWorld({3.0, 5.0, 7.0});
  for (int a = 0; a < 3; ++a) CHECK(world[a] == Approx(expected[static_cast<std::size_t>(a)]));
  // Wholly fluid leaves are stored as tiles.
  CHECK(grid->tree().activeTileCount() > 0);
}
