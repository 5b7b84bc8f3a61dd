// SPDX-License-Identifier: GPL-3.0-or-later
// Times of preprocess and tiler, stage by stage, for the size of the seed paper's case: a vessel of
// a million triangles with 730 nodes on its longest side. Medians of five runs; no test, only
// figures: bench_preprocess [TRIANGLES [NODES]].
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "preprocess/file/fluid_grid.hpp"
#include "preprocess/file/lattice_file.hpp"
#include "preprocess/lattice/connectivity/components.hpp"
#include "preprocess/lattice/links/links.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "preprocess/read/surface/surface_readers.hpp"
#include "preprocess/sample/vessels.hpp"
#include "preprocess/sample/write_stl.hpp"
#include "preprocess/surface/repair/repair.hpp"
#include "tests/bench/medians.hpp"
#include "tests/bench/wide_vessel.hpp"
#include "tiler/file/tiles_file.hpp"
#include "tiler/tile.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::preprocess::read;
using namespace tessera::preprocess::sample;
using namespace tessera::preprocess::surface;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
namespace fs = std::filesystem;

namespace {

void runChain(const fs::path& folder, int longest, bool tell, Medians& medians) {
  auto soup = medians.timed("read STL", [&] { return readStl(folder / "vessel.stl"); });
  RepairedMesh repaired =
      medians.timed("weld, orient, close", [&] { return repair(std::move(soup), 1e-3, "vessel"); });
  TriangleMesh& mesh = repaired.mesh;
  LatticeGeometry geometry;
  const Int3 nodes = fitLattice(mesh, longest, geometry.frame);
  geometry.fluid =
      medians.timed("voxelise", [&] { return voxelise(mesh, nodes, geometry.periodic); });
  medians.timed("components", [&] { return keepConnected(geometry.fluid, geometry.periodic, {}); });
  FoundLinks found =
      medians.timed("links", [&] { return findLinks(geometry.fluid, geometry.periodic, mesh); });
  geometry.boundary = std::move(found.boundary);
  for (const Double3& p : mesh.vertex)
    geometry.surface.vertex.push_back(
        {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
  geometry.surface.triangle = mesh.triangle;
  geometry.surface.label.assign(mesh.triangle.size(), 0);
  medians.timed("OpenVDB part (within write .vdb)",
                [&] { return fluidToVdb(geometry.fluid, geometry.frame, "bench"); });
  const auto file = folder / "geom.vdb";
  medians.timed("write .vdb", [&] { return writeLatticeFile(file, geometry, {}), true; });
  LatticeFile read = medians.timed("read .vdb", [&] { return readLatticeFile(file); });
  const OffsetCounts counts = medians.timed(
      "count 64 offsets", [&] { return countTilesAtAllOffsets(read.geometry.fluid, 3); });
  const TiledGeometry tiled = medians.timed(
      "cover", [&] { return coverWithTiles(std::move(read.geometry), counts.best()); });
  medians.timed("write .tiles",
                [&] { return writeTilesFile(folder / "geom.tiles", tiled, {}), true; });
  if (!tell) return;
  std::printf("%zu triangles, %d x %d x %d nodes, %llu fluid, %zu boundary nodes, %zu links\n",
              mesh.triangle.size(), nodes[0], nodes[1], nodes[2],
              static_cast<unsigned long long>(geometry.fluid.count()),
              geometry.boundary.node.size(), geometry.boundary.patch.size());
  std::printf("geom.vdb %.1f MB, geom.tiles %.1f MB\n",
              static_cast<double>(fs::file_size(file)) * 1e-6,
              static_cast<double>(fs::file_size(folder / "geom.tiles")) * 1e-6);
}

}  // namespace

int main(int argc, char** argv) {
  const long triangles = argc > 1 ? std::atol(argv[1]) : 1'000'000;
  const int longest = argc > 2 ? std::atoi(argv[2]) : 730;
  const fs::path folder =
      fs::temp_directory_path() / ("tessera-bench-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const AneurysmShape shape = wideVessel();
  writeStl(folder / "vessel.stl", sampleAneurysm(shape, aneurysmEdge(shape, triangles)), 1e-3,
           "bench");
  Medians medians;
  for (int run = 0; run < 5; ++run) runChain(folder, longest, run == 0, medians);
  fs::remove_all(folder);
  medians.print();
}
