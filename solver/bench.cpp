// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/bench.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>

#include "pipelines/stage/error.hpp"
#include "solver/simulation.hpp"

namespace tessera {

namespace {

constexpr int repeats = 5;

// A quiet liquid in the geometry with its openings closed by walls.
TilesFile withoutOpenings(const TilesFile& tiles) {
  TilesFile closed = tiles;
  closed.geometry.openings.clear();
  for (Patch& patch : closed.geometry.linkPatch)
    if (isOpening(patch)) patch = 0;
  for (std::uint8_t& flags : closed.geometry.tileFlags)
    flags = static_cast<std::uint8_t>(flags & ~tileHasOpening);
  return closed;
}

SolverCase benchCase(const VariantInfo& variant) {
  SolverCase run;
  run.density = 1000.0;
  run.kinematicViscosity = 1e-6;
  run.lattice = variant.lattice.name;
  run.collision = variant.collision;
  run.equilibrium = variant.equilibrium;
  run.precision = variant.precision;
  run.state = variant.state;
  run.tau = 0.8;
  if (variant.viscosity == std::string("local"))
    run.law = {.model = FluidModel::CarreauYasuda,
               .lowest = 1e-6,
               .highest = 16e-6,
               .timeConstant = 3.313,
               .n = 0.3568};
  return run;
}

// |f - w| < 5e-4, the same on every machine (the engine's sequence is fixed by the standard).
std::vector<double> noise(std::size_t size) {
  std::mt19937 engine(1);
  std::vector<double> values(size);
  for (double& value : values) value = (static_cast<double>(engine()) / 4294967296.0 - 0.5) * 1e-3;
  return values;
}

double timeSteps(Simulation& simulation, std::uint64_t steps) {
  simulation.finish();
  const auto start = std::chrono::steady_clock::now();
  simulation.advance(steps);
  simulation.finish();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// "global", or "rows-xyz": along x, across y, in layers on z.
std::string placementName(const TiledGeometry& geometry) {
  if (!geometry.inRows()) return "global";
  std::string name = "rows-";
  for (const int axis : geometry.rows.axes) name += static_cast<char>('x' + axis);
  return name;
}

bool fits(const VariantInfo& variant, const TiledGeometry& geometry,
          const std::optional<std::string>& precision) {
  return (!precision || *precision == variant.precision) &&
         variant.lattice.dimensions == geometry.dimensions &&
         (variant.placement == std::string("rows")) == geometry.inRows();
}

const VariantInfo& anyFitting(const TilesFile& tiles) {
  return *std::find_if(variants().begin(), variants().end(), [&](const VariantInfo& variant) {
    return fits(variant, tiles.geometry, std::nullopt);
  });
}

bool existsInRows(const VariantInfo& variant) {
  const auto& all = variants();
  return std::any_of(all.begin(), all.end(), [&](const VariantInfo& row) {
    return row.placement == std::string("rows") &&
           std::string(row.lattice.name) == variant.lattice.name &&
           std::string(row.collision) == variant.collision &&
           std::string(row.equilibrium) == variant.equilibrium &&
           std::string(row.viscosity) == variant.viscosity &&
           std::string(row.precision) == variant.precision;
  });
}

// Variants whose speed in one copy tells that of the others.
bool inOneCopyToo(const VariantInfo& variant) {
  return variant.storesMoments() ||
         (variant.collision == std::string("bgk") && variant.placement == std::string("global") &&
          variant.equilibrium == std::string("quasi-compressible"));
}

constexpr const char* stepHeader =
    "lattice,collision,equilibrium,viscosity,precision,placement,state,copies,backend,tiles,"
    "utilisation,mflups_median,mflups_min,mflups_max,bytes_per_node,copy_bandwidth[GB/s],"
    "bound_fraction,bound_fraction_min,bound_fraction_max\n";

std::string benchVariant(const TilesFile& tiles, const VariantInfo& variant,
                         const std::string& backend, const std::string& copies) {
  SolverCase run = benchCase(variant);
  run.copies = copies;
  Setup setup = prepare(tiles.geometry, std::move(run), backend);
  const int stateCopies = setup.copies;
  checkMemory(setup);
  const bool cuda = setup.backend == BackendKind::Cuda;
  Simulation simulation(tiles, std::move(setup));
  simulation.setPopulations(noise(tiles.geometry.tiles() * variant.lattice.velocities.size() * 64));
  timeSteps(simulation, 2);
  const double one = timeSteps(simulation, 4) / 4.0;
  const auto steps = static_cast<std::uint64_t>(std::clamp(0.3 / one, 3.0, 1000.0));
  // The bound is measured right before each repeat: others on the machine take from both.
  std::vector<double> mflups, bandwidth, fraction;
  for (int k = 0; k < repeats; ++k) {
    bandwidth.push_back(simulation.copyBandwidth());
    mflups.push_back(static_cast<double>(tiles.geometry.fluidNodes) * static_cast<double>(steps) /
                     (1e6 * timeSteps(simulation, steps)));
    fraction.push_back(1e6 * mflups.back() * variant.bytesPerNode() / bandwidth.back());
  }
  for (std::vector<double>* values : {&mflups, &bandwidth, &fraction})
    std::sort(values->begin(), values->end());
  const std::string placement = placementName(tiles.geometry);
  constexpr std::size_t middle = repeats / 2;
  char text[256];
  std::snprintf(text, sizeof(text),
                "%s,%s,%s,%s,%s,%s,%s,%d,%s,%zu,%.4f,%.1f,%.1f,%.1f,%.0f,%.1f,%.4f,%.4f,%.4f\n",
                variant.lattice.name, variant.collision, variant.equilibrium, variant.viscosity,
                variant.precision, placement.c_str(), variant.state, stateCopies,
                cuda ? "cuda" : "cpu", tiles.geometry.tiles(), tiles.geometry.utilisation(),
                mflups[middle], mflups.front(), mflups.back(), variant.bytesPerNode(),
                bandwidth[middle] / 1e9, fraction[middle], fraction.front(), fraction.back());
  return text;
}

}  // namespace

std::string runBench(const std::string& operation, const TilesFile& tiles,
                     const std::string& backend, const std::optional<std::string>& precision) {
  const TilesFile closed = withoutOpenings(tiles);
  if (operation == "copy") {
    Simulation simulation(closed, prepare(closed.geometry, benchCase(anyFitting(closed)), backend));
    char text[64];
    std::snprintf(text, sizeof(text), "copy_bandwidth[GB/s]\n%.1f\n",
                  simulation.copyBandwidth() / 1e9);
    return text;
  }
  std::string text = stepHeader;
  bool any = false;
  for (const VariantInfo& variant : variants()) {
    if (!fits(variant, closed.geometry, precision)) continue;
    text += benchVariant(closed, variant, backend, "2");
    if (inOneCopyToo(variant) && chooseBackend(backend, variant) == BackendKind::Cuda)
      text += benchVariant(closed, variant, backend, "1");
    any = true;
  }
  if (!any) fail(ExitCode::Usage, "--bench step found no variant for this geometry and precision");
  return text;
}

std::string benchPlacements(std::span<const TilesFile> tilings, const std::string& backend,
                            const std::optional<std::string>& precision) {
  std::string text = stepHeader;
  for (const TilesFile& tiles : tilings) {
    const TilesFile closed = withoutOpenings(tiles);
    for (const VariantInfo& variant : variants())
      if (fits(variant, closed.geometry, precision) && existsInRows(variant))
        text += benchVariant(closed, variant, backend, "2");
  }
  return text;
}

}  // namespace tessera
