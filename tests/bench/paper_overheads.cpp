// SPDX-License-Identifier: GPL-3.0-or-later
// Overheads of memory and traffic over porosity, as the comparators count them for packs of spheres
// and vessels in D3Q19 and for discs in D2Q9, next to the models of Tomczak & Szafran 2016
// (tiler/analysis/overhead.hpp), f64:
//   paper_overheads [NODES] > overheads.csv      NODES on a side of a pack, 96 by default; of discs
//                                                eight times as many
// Tiles have 4^3 and, in D2Q9, 8^2 nodes (the paper's: 16^2), counted and modelled alike.
// An overhead is what a structure stores or moves beyond the populations of the fluid nodes, once.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "solver/bench/bench_geometry.hpp"
#include "solver/comparators/comparator.hpp"
#include "tests/fixtures/geometry/geometries.hpp"
#include "tiler/analysis/layouts.hpp"
#include "tiler/analysis/overhead.hpp"

using namespace tessera;
using namespace tessera::solver;
using namespace tessera::tiler::analysis;

namespace {

struct Modelled {
  const char* name;  // of the comparator
  Overhead (*model)(const StorageSizes&, const GeometryShares&);
};
constexpr Modelled structures[] = {{"tiles-ghost-buffers", &tilesWithGhostBuffers},
                                   {"connectivity-matrix", &connectivityMatrix},
                                   {"fluid-index-array", &fluidIndexArray},
                                   {"dense", &denseStorage}};

const comparators::ComparatorInfo& infoNamed(const std::string& name, model::LatticeId lattice) {
  for (const comparators::ComparatorInfo& info : comparators::comparators())
    if (info.name == name && info.lattice == lattice) return info;  // the first is LBGK in f64
  throw std::logic_error("no comparator " + name);
}

// A square array of 8 x 8 discs in a plane; below a porosity of 0.21 they overlap.
tiler::file::TilesFile discs(int side, int percent) {
  const double cell = side / 8.0;
  const double radius = cell * std::sqrt((100.0 - percent) / 100.0 / 3.14159265);
  return testing::imageGeometry(
      {side, side, 1},
      [=](int x, int y, int) {
        const double dx = std::fmod(x + 0.5, cell) - cell / 2;
        const double dy = std::fmod(y + 0.5, cell) - cell / 2;
        return dx * dx + dy * dy > radius * radius;
      },
      {false, false, true}, {}, 1e-4, {0, 0, 0}, 2);
}

void printOverheads(const std::string& word, const tiler::file::TilesFile& tiles) {
  const tiler::TiledGeometry& geometry = tiles.geometry;
  const bool flat = geometry.dimensions == 2;
  const int velocities = flat ? model::D2Q9::q : model::D3Q19::q;
  const GhostShares ghosts =
      ghostShares(tiler::neighboursOfTiles(geometry), populationDirections(velocities));
  const double box = static_cast<double>(geometry.nodes[0]) * geometry.nodes[1] * geometry.nodes[2];
  const GeometryShares shares{static_cast<double>(geometry.fluidNodes) / box,
                              geometry.utilisation(), ghosts.alpha, ghosts.beta, 0.0};
  const comparators::FluidNodes nodes(geometry, comparators::NodeOrder::Rows);
  StorageSizes sizes;
  if (flat) sizes = {.dimensions = 2, .populations = 9, .tileEdge = 8};
  for (const Modelled& structure : structures) {
    const comparators::StructureBytes bytes =
        infoNamed(structure.name, comparators::latticeOf(geometry)).count(nodes, {});
    const Overhead model = structure.model(sizes, shares);
    std::printf("%s,%.4f,%.4f,%s,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f\n", word.c_str(),
                shares.porosity, shares.utilisation, structure.name,
                bytes.held / nodes.count() / leastNodeBytes(sizes) - 1.0, model.memory,
                model.memoryIdeal, bytes.moved / nodes.count() / leastNodeTraffic(sizes) - 1.0,
                model.bandwidth, model.bandwidthIdeal, model.bandwidthBursts);
  }
}

void printBuiltIn(const std::string& word) {
  printOverheads(word, bench::builtInTiles(*bench::builtInNamed(word)));
}

}  // namespace

int main(int argc, char** argv) {
  const int side = argc > 1 ? std::atoi(argv[1]) : 96;
  if (side < 8 || side > 1000 || argc > 2) {
    std::fprintf(stderr, "Usage: paper_overheads [NODES], 8 to 1000\n");
    return 2;
  }
  std::printf(
      "geometry,porosity,utilisation,structure,memory_counted,memory_model,"
      "memory_model_ideal,traffic_counted,traffic_model,traffic_model_ideal,"
      "traffic_model_bursts\n");
  try {
    for (int percent = 10; percent <= 100; percent += 10)
      printBuiltIn("pack:" + std::to_string(side) + "x" + std::to_string(percent));
    for (const int scale : {1, 2, 4}) printBuiltIn("vessel:" + std::to_string(scale * side));
    for (int percent = 10; percent <= 100; percent += 10)
      printOverheads("discs:" + std::to_string(8 * side) + "x" + std::to_string(percent),
                     discs(8 * side, percent));
  } catch (const stage::StageError& error) {
    std::fprintf(stderr, "paper_overheads: %s\n", error.what());
    return 1;
  }
}
