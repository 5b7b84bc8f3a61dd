// SPDX-License-Identifier: GPL-3.0-or-later
// Speed of the step on built-in geometries, for machines where nothing can be installed and files
// do not travel: the same measurement as tessera-solver --bench step.
//   bench_step dense 256           a closed box of 256^3 nodes
//   bench_step porous 352          overlapping spheres, porosity 0.64, in 352^3 nodes
//   bench_step vessel 730          a bent tube that fills a fifth of its box, 730 nodes long
// Options after the size: cpu | cuda (auto), f32 | f64 (both), rows (one mesh of tiles against
// tiles in rows along each axis and across each other, a line each: tiles and speed), layouts (LBGK
// with populations laid out as in Tomczak & Szafran 2017 against XYZ alone).
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>

#include "pipelines/stage/command_line.hpp"
#include "pipelines/stage/error.hpp"
#include "solver/bench.hpp"
#include "solver/layouts/layout_trial.hpp"
#include "tests/solver/geometries.hpp"
#include "tiler/tile.hpp"

using namespace tessera;
using namespace tessera::testing;

namespace {

std::function<bool(int, int, int)> spheres(int n) {
  // On a grid of cells, so that a node asks few of them; radii overlap into neighbouring cells.
  constexpr int cell = 32;
  const int cells = n / cell + 1;
  std::vector<Double3> centres;
  std::mt19937 engine(3);
  const auto random = [&engine] { return static_cast<double>(engine()) / 4294967296.0; };
  for (int k = 0; k < cells * cells * cells; ++k) {
    const double x = k % cells;
    const double y = k / cells % cells;
    const double z = k / (cells * cells);
    centres.push_back({(x + random()) * cell, (y + random()) * cell, (z + random()) * cell});
  }
  return [=](int x, int y, int z) {
    constexpr double radius = 15.0;
    for (int k = 0; k < 27; ++k) {
      const int cx = x / cell + k % 3 - 1;
      const int cy = y / cell + k / 3 % 3 - 1;
      const int cz = z / cell + k / 9 - 1;
      if (cx < 0 || cy < 0 || cz < 0 || cx >= cells || cy >= cells || cz >= cells) continue;
      const Double3& c = centres[static_cast<std::size_t>(cx + cells * (cy + cells * cz))];
      const double d[3] = {x - c[0], y - c[1], z - c[2]};
      if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < radius * radius) return false;
    }
    return true;
  };
}

LatticeGeometry geometry(const std::string& kind, int n) {
  const Int3 cube{n, n, n};
  if (kind == "dense")
    return imageLattice(
        cube, [](int, int, int) { return true; }, {}, {}, 1e-4);
  if (kind == "porous") return imageLattice(cube, spheres(n), {}, {}, 1e-4);
  if (kind != "vessel")
    fail(ExitCode::Usage, "\"" + kind + "\" is not known; there is dense, porous, vessel");
  const int width = n / 2;
  const auto tube = [=](int x, int y, int z) {
    const double s = 6.28318530717958647692 * x / n;
    const double dy = y - width / 2.0 - 0.25 * width * std::sin(s);
    const double dz = z - width / 2.0 - 0.25 * width * std::cos(0.7 * s);
    const double radius = width * (0.2 + 0.04 * std::sin(3.0 * s));
    return dy * dy + dz * dz < radius * radius;
  };
  return imageLattice({n, width, width}, tube, {}, {}, 1e-4);
}

TilesFile oneMesh(LatticeGeometry lattice, const Int3& offset) {
  TilesFile file;
  file.geometry = coverWithTiles(std::move(lattice), offset);
  return file;
}

std::string compareRows(const LatticeGeometry& lattice, const std::string& backend,
                        const std::optional<std::string>& precision) {
  const Int3 best = countTilesAtAllOffsets(lattice.fluid, lattice.dimensions).best();
  std::vector<TilesFile> tilings{oneMesh(lattice, best)};
  for (const auto& axes : rowOrders) tilings.push_back(inRows(lattice, axes));
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
  LatticeGeometry lattice = geometry(argv[1], std::atoi(argv[2]));
  if (layouts) {
    std::cout << benchLayouts(oneMesh(std::move(lattice), {0, 0, 0}), backend, precision);
    return 0;
  }
  std::cout << (rows
                    ? compareRows(lattice, backend, precision)
                    : runBench("step", oneMesh(std::move(lattice), {0, 0, 0}), backend, precision));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return runStage("bench_step", [&] { return run(argc, argv); });
}
