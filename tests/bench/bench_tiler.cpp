// SPDX-License-Identifier: GPL-3.0-or-later
// Times of the tiler and of what the solver does with its file before the first step.
//   bench_tiler offsets    all 64 offsets in one pass beside 64 passes over the nodes, for boxes of
//                          about 80 and 640 million nodes: a vessel, and spheres that fill the box
//   bench_tiler rows       the search for tiles in rows: the seed paper's vessel, a tube in 4000^3
//   bench_tiler chain      lattice to .tiles to what a device is given, for the size of the seed
//                          paper's case (a vessel 730 nodes long), stage by stage
// Without a word all three. Medians of the wall clock and of the processor time of all threads; no
// test, only figures. chain runs the tessera-preprocess that lies beside it.
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/error.hpp"
#include "preprocess/file/lattice_file.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "preprocess/read/surface/surface_readers.hpp"
#include "preprocess/sample/write_stl.hpp"
#include "preprocess/surface/repair/repair.hpp"
#include "solver/domain/build.hpp"
#include "solver/run/simulation.hpp"
#include "tests/bench/medians.hpp"
#include "tests/bench/wide_vessel.hpp"
#include "tests/fixtures/case/water_cases.hpp"
#include "tiler/file/tiles_file.hpp"
#include "tiler/search_rows.hpp"
#include "tiler/tile.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::preprocess::read;
using namespace tessera::preprocess::sample;
using namespace tessera::preprocess::surface;
using namespace tessera::solver::cases;
using namespace tessera::solver::domain;
using namespace tessera::solver::run;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
namespace fs = std::filesystem;

namespace {

constexpr int runs = 9;

double millions(double count) {
  return count * 1e-6;
}

double millions(std::uint64_t count) {
  return millions(static_cast<double>(count));
}

class BenchFolder {
 public:
  BenchFolder()
      : path_(fs::temp_directory_path() / ("tessera-bench-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  BenchFolder(const BenchFolder&) = delete;
  BenchFolder& operator=(const BenchFolder&) = delete;
  ~BenchFolder() { fs::remove_all(path_); }
  [[nodiscard]] fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

fs::path writeVessel(const BenchFolder& folder, long triangles) {
  const AneurysmShape shape = wideVessel();
  const fs::path stl = folder / "vessel.stl";
  writeStl(stl, sampleAneurysm(shape, aneurysmEdge(shape, triangles)), 1e-3, "bench");
  return stl;
}

// The vessel with its ends closed.
TriangleMesh closedVessel() {
  const BenchFolder folder;
  return repair(readStl(writeVessel(folder, 200'000)), 1e-3, "vessel").mesh;
}

BitLattice nodesInside(TriangleMesh mesh, int longest) {
  Frame frame;
  const Int3 nodes = fitLattice(mesh, longest, frame);
  return voxelise(mesh, nodes, {});
}

// Solid spheres on a grid, 48 nodes from each other, so that every block of the box has nodes.
BitLattice aroundSpheres(int n) {
  BitLattice fluid({n, n, n});
  tbb::parallel_for(0, fluid.blocks()[2], [&](int k) {
    const int end = std::min(n, (k + 1) * BitLattice::blockPlanes);
    for (int z = k * BitLattice::blockPlanes; z < end; ++z)
      for (int y = 0; y < n; ++y)
        for (int w = 0; w < fluid.rowWords(); ++w) {
          std::uint64_t bits = 0;
          for (int x = 64 * w; x < std::min(n, 64 * w + 64); ++x) {
            const auto square = [](int at) { return (at % 48 - 24) * (at % 48 - 24); };
            if (square(x) + square(y) + square(z) > 21 * 21) bits |= std::uint64_t{1} << (x % 64);
          }
          fluid.setWord(w, y, z, bits);
        }
  });
  return fluid;
}

// Algorithm 1 of the paper at one offset: each node looks its tile up and marks it.
std::uint64_t tilesNodeByNode(const BitLattice& fluid, const Int3& offset) {
  const TileMesh mesh = tileMesh(fluid.size, {4, 4, 4}, offset);
  std::vector<std::uint8_t> isTile(mesh.positions());
  for (int z = 0; z < fluid.size[2]; ++z)
    for (int y = 0; y < fluid.size[1]; ++y) {
      std::uint8_t* const row =
          isTile.data() + mesh.position(0, (y + offset[1]) / 4, (z + offset[2]) / 4);
      for (int x = 0; x < fluid.size[0]; ++x)
        if (fluid.at(x, y, z)) row[(x + offset[0]) / 4] = 1;
    }
  std::uint64_t tiles = 0;
  for (const std::uint8_t mark : isTile) tiles += mark;
  return tiles;
}

std::vector<std::uint64_t> tilesIn64Passes(const BitLattice& fluid) {
  std::vector<std::uint64_t> tiles(64);
  tbb::parallel_for(0, 64, [&](int i) {
    tiles[static_cast<std::size_t>(i)] = tilesNodeByNode(fluid, {i % 4, i / 4 % 4, i / 16});
  });
  return tiles;
}

void compareOffsets(const std::string& name, const BitLattice& fluid) {
  std::printf("%s, %d x %d x %d: %.1f million nodes, %.1f million fluid\n", name.c_str(),
              fluid.size[0], fluid.size[1], fluid.size[2],
              millions(fluid.nodeIndex(0, 0, fluid.size[2])), millions(fluid.count()));
  Medians medians;
  OffsetCounts counts;
  for (int run = 0; run < runs; ++run)
    counts =
        medians.timed("  64 offsets in one pass", [&] { return countTilesAtAllOffsets(fluid, 3); });
  const auto naive =
      medians.timed("  64 passes over the nodes (once)", [&] { return tilesIn64Passes(fluid); });
  medians.print();
  if (naive != counts.tiles) fail(ExitCode::RunFailed, "the two count different tiles");
}

void benchOffsets() {
  const TriangleMesh vessel = closedVessel();
  compareOffsets("vessel", nodesInside(vessel, 693));
  compareOffsets("spheres", aroundSpheres(431));
  compareOffsets("vessel", nodesInside(vessel, 1387));
  compareOffsets("spheres", aroundSpheres(862));
}

// Winds along z through a cube.
BitLattice windingTube(int n, double radius) {
  BitLattice fluid({n, n, n});
  for (int z = 0; z < n; ++z) {
    const double s = static_cast<double>(z) / n;
    const double cx = n * (0.5 + 0.4 * std::sin(6.0 * s));
    const double cy = n * (0.5 + 0.4 * std::cos(4.0 * s));
    for (int y = static_cast<int>(cy - radius); y < cy + radius; ++y)
      for (int x = static_cast<int>(cx - radius); x < cx + radius; ++x)
        if ((x - cx) * (x - cx) + (y - cy) * (y - cy) < radius * radius) fluid.set(x, y, z);
  }
  return fluid;
}

void searchRowsOf(const std::string& name, const BitLattice& fluid) {
  Medians medians;
  RowSearch search;
  for (int run = 0; run < runs; ++run)
    search = medians.timed("  search for rows, six orders", [&] { return searchRows(fluid); });
  std::printf("%s, %d x %d x %d, %.1f million fluid: %llu tiles in rows\n", name.c_str(),
              fluid.size[0], fluid.size[1], fluid.size[2], millions(fluid.count()),
              static_cast<unsigned long long>(search.tiles));
  medians.print();
}

void benchRows() {
  const TriangleMesh vessel = closedVessel();
  searchRowsOf("vessel", nodesInside(vessel, 730));
  searchRowsOf("tube", windingTube(4000, 40.0));
}

// A case without conditions: openings at rest.
SolverCase quietCase(const TiledGeometry& geometry) {
  SolverCase run = tessera::testing::waterCase(0.8);
  run.openings.resize(geometry.openings.size());
  return run;
}

// Tiles of the domain, which goes with its setup.
std::uint32_t tilesOfDomain(const TilesFile& file, Medians& medians) {
  const Setup setup = medians.timed(
      "  order the tiles", [&] { return prepare(file.geometry, quietCase(file.geometry), "cpu"); });
  return medians.timed("  build the domain", [&] {
    return buildDomain(setup.order, file.geometry, setup.run, setup.lattice, setup.variant->lattice)
        .tiles;
  });
}

void runChain(const BenchFolder& folder, bool tell, Medians& medians) {
  const fs::path vdb = folder / "geom.vdb";
  const fs::path tiles = folder / "geom.tiles";
  LatticeFile read = medians.timed("  read .vdb", [&] { return readLatticeFile(vdb); });
  const auto written = medians.timed("lattice in memory to .tiles", [&] {
    const OffsetCounts counts = medians.timed(
        "  count 64 offsets", [&] { return countTilesAtAllOffsets(read.geometry.fluid, 3); });
    const TiledGeometry tiled = medians.timed(
        "  cover", [&] { return coverWithTiles(std::move(read.geometry), counts.best()); });
    medians.timed("  write .tiles", [&] { return writeTilesFile(tiles, tiled, {}), true; });
    return tiled.fluidNodes;
  });
  const std::uint32_t solved = medians.timed(".tiles to what a device is given", [&] {
    const TilesFile file = medians.timed("  read .tiles", [&] { return readTilesFile(tiles); });
    return tilesOfDomain(file, medians);
  });
  if (tell)
    std::printf("vessel, %.2f million fluid in %u tiles; geom.vdb %.1f MB, geom.tiles %.1f MB\n",
                millions(written), solved, millions(fs::file_size(vdb)),
                millions(fs::file_size(tiles)));
}

void benchChain() {
  const BenchFolder folder;
  const fs::path stl = writeVessel(folder, 1'000'000);
  const fs::path preprocess =
      fs::read_symlink("/proc/self/exe").parent_path() / "tessera-preprocess";
  const std::string command = "'" + preprocess.string() + "' --quiet --unit mm --longest 730 '" +
                              stl.string() + "' -o '" + (folder / "geom.vdb").string() +
                              "' > /dev/null";
  if (std::system(command.c_str()) != 0)
    fail(ExitCode::RunFailed, "tessera-preprocess failed; build it beside this program.");
  Medians medians;
  for (int run = 0; run < runs; ++run) runChain(folder, run == 0, medians);
  medians.print();
}

int run(const std::string& word) {
  if (word.empty() || word == "offsets") benchOffsets();
  if (word.empty() || word == "rows") benchRows();
  if (word.empty() || word == "chain") benchChain();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return runStage("bench_tiler", [&] { return run(argc > 1 ? argv[1] : ""); });
}
