// SPDX-License-Identifier: GPL-3.0-or-later
// Speed of the step on built-in geometries, for machines where nothing can be installed and files
// do not travel: the same measurement as tessera-solver --bench step.
//   bench_step dense 256
//   bench_step spheres 352
//   bench_step vessel 730
// and the other kinds of solver/bench/bench_geometry.hpp. Options after the size: cpu | cuda
// (auto), f32 | f64 (both), rows (one mesh of tiles against tiles in rows along each axis and
// across each other, a line each: tiles and speed), layouts (LBGK with populations laid out as in
// Tomczak & Szafran 2017 against XYZ alone).
#include <iostream>

#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/error.hpp"
#include "preprocess/lattice/count_offsets.hpp"
#include "solver/bench/bench.hpp"
#include "solver/bench/bench_geometry.hpp"
#include "solver/bench/layout_trial.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::solver::bench;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

std::string compareRows(const LatticeGeometry& lattice, const std::string& backend,
                        const std::optional<std::string>& precision) {
  const Int3 best = countTilesAtAllOffsets(lattice.fluid, lattice.dimensions).best();
  std::vector<TilesFile> tilings{inTiles(lattice, best)};
  for (const auto& axes : rowOrders) tilings.push_back(shiftedTiles(lattice, axes));
  return benchPlacements(tilings, backend, precision);
}

int run(int argc, char** argv) {
  if (argc < 3) fail(ExitCode::Usage, "expected a geometry and a size, such as dense 256");
  std::string backend = "auto";
  std::optional<std::string> precision;
  bool rows = false;
  bool layouts = false;
  for (int k = 3; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "cpu" || word == "cuda")
      backend = word;
    else if (word == "rows")
      rows = true;
    else if (word == "layouts")
      layouts = true;
    else
      precision = word;
  }
  const auto builtIn = builtInNamed(std::string(argv[1]) + ":" + argv[2]);
  if (!builtIn) fail(ExitCode::Usage, std::string("\"") + argv[1] + "\" is no geometry");
  LatticeGeometry lattice = builtInLattice(*builtIn);
  if (layouts) {
    std::cout << benchLayouts(alignedTiles(std::move(lattice)), backend, precision);
    return 0;
  }
  std::cout << (rows ? compareRows(lattice, backend, precision)
                     : runBench("step", alignedTiles(std::move(lattice)), backend, precision));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return runStage("bench_step", [&] { return run(argc, argv); });
}
