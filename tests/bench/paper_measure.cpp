// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/paper_measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "pipelines/stage/io/atomic_file.hpp"

namespace tessera::paper {

using namespace tessera::solver::backend;
using namespace tessera::solver::bench;
using namespace tessera::solver::boundary;
using namespace tessera::solver::model;
using namespace tessera::stage;
using namespace tessera::tiler::file;

int Effort::scaled(int length, int atLeast) const {
  return std::max(atLeast, static_cast<int>(std::lround(scale * length)));
}

const VariantInfo* variantOf(std::size_t kernel, const std::string& precision) {
  for (const VariantInfo& row : variants())
    if (row.axes.lattice == LatticeId::D3Q19 && row.axes.viscosity == ViscosityId::Constant &&
        row.axes.tiling == TilingId::Aligned && row.axes.state == StateId::Populations &&
        row.axes.collision == kernels[kernel].collision &&
        row.axes.equilibrium == kernels[kernel].equilibrium &&
        precision == nameOf(row.axes.precision))
      return &row;
  return nullptr;
}

std::optional<Measured> measureKernel(std::size_t kernel, const std::string& precision,
                                      const TilesFile& tiles, const Effort& effort) {
  std::optional<BenchLine> line;
  if (const VariantInfo* variant = variantOf(kernel, precision))
    line = benchVariant(tiles, *variant, effort.backend, "2", effort.bench);
  for (const Trial& trial : trials())
    if (!line && kernels[kernel].operation == std::string(trial.operation) &&
        precision == nameOf(trial.precision))
      line = benchTrial(tiles, trial, effort.backend, effort.bench);
  if (!line) return std::nullopt;
  const Int3& nodes = tiles.geometry.nodes;
  Measured row;
  row.kernel = kernel;
  row.precision = precision;
  row.nodes = nodes;
  row.porosity = static_cast<double>(tiles.geometry.fluidNodes) /
                 (double(nodes[0]) * double(nodes[1]) * double(nodes[2]));
  row.utilisation = line->utilisation;
  row.mflups = line->mflups;
  row.fraction = line->fraction.median;
  row.bandwidth = line->bandwidth.median;
  return row;
}

std::vector<Measured> beyondCache(const std::vector<Measured>& rows, std::uint64_t cacheBytes) {
  std::vector<Measured> beyond;
  for (const Measured& row : rows) {
    const double nodes = double(row.nodes[0]) * double(row.nodes[1]) * double(row.nodes[2]);
    if (nodes * row.bytesPerNode() >= 4.0 * double(cacheBytes)) beyond.push_back(row);
  }
  return beyond;
}

std::string tableOf(const std::vector<Measured>& rows) {
  std::string text =
      "table,case,kernel,precision,layouts,nodes_x,nodes_y,nodes_z,porosity,utilisation,"
      "mflups_median,mflups_min,mflups_max,copy_bandwidth[GB/s],fraction,paper_mflups,"
      "paper_fraction,paper_utilisation\n";
  for (const Measured& row : rows) {
    const std::string names = row.table + "," + row.name + "," + kernels[row.kernel].name + "," +
                              row.precision + "," + row.layouts;
    char line[320];
    std::snprintf(line, sizeof(line), "%s,%d,%d,%d,%.4f,%.4f,%.1f,%.1f,%.1f,%.1f,%.4f",
                  names.c_str(), row.nodes[0], row.nodes[1], row.nodes[2], row.porosity,
                  row.utilisation, row.mflups.median, row.mflups.least, row.mflups.most,
                  row.bandwidth / 1e9, row.fraction);
    text += line;
    std::snprintf(line, sizeof(line), ",%.0f,%.4f", row.paperMflups, row.paperFraction());
    text += row.paperMflups > 0.0 ? line : ",,";
    std::snprintf(line, sizeof(line), ",%.3f\n", row.paperUtilisation);
    text += row.paperUtilisation > 0.0 ? line : ",\n";
  }
  return text;
}

void writeText(const std::filesystem::path& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace tessera::paper
