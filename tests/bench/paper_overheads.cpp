// SPDX-License-Identifier: GPL-3.0-or-later
// Overheads of memory and traffic over porosity, as the comparators count them for packs of spheres
// and vessels, next to the models of Tomczak & Szafran 2016 (tiler/analysis/overhead.hpp), f64:
//   paper_overheads [NODES] > overheads.csv      NODES on a side of a pack, 96 by default
// An overhead is what a structure stores or moves beyond the populations of the fluid nodes, once.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "solver/bench/bench_geometry.hpp"
#include "solver/comparators/comparator.hpp"
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

const comparators::ComparatorInfo& infoNamed(const std::string& name) {
  for (const comparators::ComparatorInfo& info : comparators::comparators())
    if (info.name == name) return info;  // the first is LBGK in f64
  throw std::logic_error("no comparator " + name);
}

void printOverheads(const std::string& word) {
  const tiler::file::TilesFile tiles = bench::builtInTiles(*bench::builtInNamed(word));
  const tiler::TiledGeometry& geometry = tiles.geometry;
  const GhostShares ghosts =
      ghostShares(tiler::neighboursOfTiles(geometry), populationDirections(model::D3Q19::q));
  const double box = static_cast<double>(geometry.nodes[0]) * geometry.nodes[1] * geometry.nodes[2];
  const GeometryShares shares{static_cast<double>(geometry.fluidNodes) / box,
                              geometry.utilisation(), ghosts.alpha, ghosts.beta, 0.0};
  const comparators::FluidNodes nodes(geometry, comparators::NodeOrder::Rows);
  constexpr StorageSizes sizes;
  for (const Modelled& structure : structures) {
    const comparators::StructureBytes bytes = infoNamed(structure.name).count(nodes, {});
    const Overhead model = structure.model(sizes, shares);
    std::printf("%s,%.4f,%.4f,%s,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f\n", word.c_str(),
                shares.porosity, shares.utilisation, structure.name,
                bytes.held / nodes.count() / leastNodeBytes(sizes) - 1.0, model.memory,
                model.memoryIdeal, bytes.moved / nodes.count() / leastNodeTraffic(sizes) - 1.0,
                model.bandwidth, model.bandwidthIdeal, model.bandwidthBursts);
  }
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
      printOverheads("pack:" + std::to_string(side) + "x" + std::to_string(percent));
    for (const int scale : {1, 2, 4}) printOverheads("vessel:" + std::to_string(scale * side));
  } catch (const stage::StageError& error) {
    std::fprintf(stderr, "paper_overheads: %s\n", error.what());
    return 1;
  }
}
