// SPDX-License-Identifier: GPL-3.0-or-later
// Section 4.1, 4.3 and 4.5 of the paper: boxes.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "pipelines/stage/cli/progress.hpp"
#include "solver/bench/bench_geometry.hpp"
#include "solver/bench/layout_trial.hpp"
#include "solver/model/stored_values.hpp"
#include "tests/bench/paper_charts.hpp"
#include "tests/bench/paper_geometry.hpp"
#include "tests/bench/paper_parts.hpp"

namespace tessera::paper {

using namespace tessera::picture;
using namespace tessera::solver::backend;
using namespace tessera::solver::bench;
using namespace tessera::solver::boundary;
using namespace tessera::solver::model;
using namespace tessera::solver::tiles;
using namespace tessera::stage;
using namespace tessera::tiler::file;

namespace {

constexpr const char* ofCopy = "part of the copy bandwidth's bound";

TilesFile cavity(int edge) {
  return builtInTiles({"dense", {edge, edge, edge}});
}

// Edges at the paper's peaks, around them, and at multiples of 4 and beside them.
constexpr std::array<int, 17> edges{20,  28,  36,  48,  64,  80,  100, 101, 102,
                                    103, 104, 112, 128, 152, 200, 220, 252};

void drawSweep(const std::vector<Measured>& rows, const std::string& precision,
               const std::string& title, const Folder& path) {
  Chart chart = newChart(title, "edge of the cavity, nodes", ofCopy);
  for (const Measured& row : rows) {
    if (row.precision != precision) continue;
    Curve& curve = curveOf(chart, row.kernel, kernels[row.kernel].shortName, false);
    curve.x.push_back(row.nodes[0]);
    curve.y.push_back(row.fraction);
  }
  // The fastest and the largest case of Table 3, the only one of Table 4.
  for (std::size_t k = 0; k < kernelCount; ++k) {
    Curve& curve = curveOf(chart, k, "", true);
    if (precision == "f64") {
      curve.x = {double(densePeakEdge[k]), 252.0};
      curve.y = {fractionOf(densePeak[k], 8), fractionOf(denseLargest[k], 8)};
    } else {
      curve.x = {100.0};
      curve.y = {fractionOf(singleXyz[k], 4)};
    }
  }
  writeChart(chart, path);
}

// Counts of values in classes of equal width.
void addHistogram(const std::vector<double>& values, Curve& curve) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  constexpr int classes = 20;
  const double width = std::max((*high - *low) / classes, 1e-9);
  std::array<double, classes> counts{};
  for (const double value : values)
    ++counts[static_cast<std::size_t>(
        std::min(classes - 1, static_cast<int>((value - *low) / width)))];
  for (std::size_t c = 0; c < classes; ++c)
    for (const double side : {0.0, 1.0}) {
      curve.x.push_back(*low + width * (static_cast<double>(c) + side));
      curve.y.push_back(counts[c]);
    }
}

}  // namespace

std::string tableThree(const std::vector<Measured>& rows) {
  std::string text =
      "kernel,mflups_max,edge,fraction,mflups_largest,edge_largest,paper_mflups_max,paper_edge,"
      "paper_fraction,paper_mflups_252\n";
  for (std::size_t k = 0; k < kernelCount; ++k) {
    const Measured* best = nullptr;
    const Measured* last = nullptr;
    for (const Measured& row : rows) {
      if (row.kernel != k || row.precision != "f64") continue;
      if (best == nullptr || row.mflups.median > best->mflups.median) best = &row;
      last = &row;
    }
    if (best == nullptr) continue;
    char line[256];
    std::snprintf(line, sizeof(line), "%s,%.1f,%d,%.4f,%.1f,%d,%.0f,%d,%.4f,%.0f\n",
                  kernels[k].name, best->mflups.median, best->nodes[0], best->fraction,
                  last->mflups.median, last->nodes[0], densePeak[k], densePeakEdge[k],
                  fractionOf(densePeak[k], 8), denseLargest[k]);
    text += line;
  }
  return text;
}

std::vector<Measured> denseCases(int edge, const Effort& effort) {
  std::vector<Measured> rows;
  const TilesFile tiles = cavity(edge);
  for (const char* precision : {"f64", "f32"})
    for (std::size_t k = 0; k < kernelCount; ++k) {
      std::optional<Measured> row = measureKernel(k, precision, tiles, effort);
      if (!row) continue;
      row->table = row->precision == "f64" ? "figure14" : "figure15";
      row->name = "cavity " + std::to_string(edge);
      rows.push_back(*row);
    }
  return rows;
}

std::vector<Measured> cavitySweep(const Folder& folder, const Effort& effort) {
  std::vector<Measured> rows;
  int before = 0;
  for (const int edge : edges) {
    const int scaled = effort.scaled(edge);
    if (scaled == before) continue;
    before = scaled;
    const std::vector<Measured> cases = denseCases(scaled, effort);
    rows.insert(rows.end(), cases.begin(), cases.end());
  }
  writeText(folder / "figures14_15.csv", tableOf(rows));
  const std::vector<Measured> inMemory = beyondCache(rows, effort.cacheBytes);
  if (inMemory.empty())
    logInfo("Table 3 is empty: every cavity fits the device's cache; use a larger --scale");
  writeText(folder / "table3.csv", tableThree(inMemory));
  drawSweep(rows, "f64", "Figure 14, f64 (dots: paper)", folder / "figure14.svg");
  drawSweep(rows, "f32", "Figure 15, f32 (dots: paper)", folder / "figure15.svg");
  return rows;
}

void singleLaunches(const Folder& folder, const Effort& effort) {
  const std::size_t kernel = variantOf(2, "f64") != nullptr ? 2 : 3;
  const VariantInfo* variant = variantOf(kernel, "f64");
  if (variant == nullptr) return;
  const TilesFile tiles = cavity(effort.scaled(200));
  const std::vector<double> mflups = benchSingleSteps(tiles, *variant, effort.backend, 100);
  std::string text = "launch,mflups\n";
  Chart steps =
      newChart(std::string("Figure 13: each launch, ") + variant->name(), "launch", "MFLUPS");
  Chart histogram = newChart("Figure 13: how often", "MFLUPS", "launches");
  Curve& line = curveOf(steps, 0, "", false);
  for (std::size_t k = 0; k < mflups.size(); ++k) {
    text += std::to_string(k) + "," + std::to_string(mflups[k]) + "\n";
    line.x.push_back(static_cast<double>(k));
    line.y.push_back(mflups[k]);
  }
  addHistogram(mflups, curveOf(histogram, 0, "", false));
  writeText(folder / "figure13.csv", text);
  writeChart(steps, folder / "figure13_launches.svg");
  writeChart(histogram, folder / "figure13_histogram.svg");
}

namespace {

// LBGK with the paper's layouts, one launch after the other as all are.
std::optional<Measured> withLayouts(const std::string& precision, const TilesFile& tiles,
                                    const Effort& effort, double bandwidth) {
  const TileOrder order = orderForTrials(tiles.geometry);
  std::vector<double> start(std::size_t{order.tiles} * 19 * 64);
  for (std::size_t k = 0; k < start.size(); ++k) start[k] = noiseAt(k);
  const bool cuda = trialOnCuda(effort.backend);
  const std::uint64_t steps = cuda ? 100 : 2;
  for (const LayoutTrial& trial : layoutTrials()) {
    if (precision != nameOf(trial.precision) || trial.layouts == std::string(plainLayout)) continue;
    std::vector<double> seconds =
        (cuda ? trial.onCuda : trial.onCpu)(order, {0.8, steps, effort.bench.repeats + 1, start})
            .seconds;
    seconds.erase(seconds.begin());  // the first warms up
    for (double& value : seconds)
      value = 1e-6 * static_cast<double>(tiles.geometry.fluidNodes * steps) / value;
    Measured row;
    row.kernel = 3;
    row.precision = precision;
    row.layouts = trial.layouts;
    row.nodes = tiles.geometry.nodes;
    row.porosity = 1.0;
    row.utilisation = tiles.geometry.utilisation();
    row.mflups = spreadOf(std::move(seconds));
    row.bandwidth = bandwidth;
    row.fraction = 1e6 * row.mflups.median * row.bytesPerNode() / bandwidth;
    return row;
  }
  return std::nullopt;
}

Measured ofTrial(const Trial& trial, const TilesFile& tiles, const Effort& effort) {
  const BenchLine line = benchTrial(tiles, trial, effort.backend, effort.bench);
  Measured row;
  row.kernel = trial.operation == std::string("read-write") ? 0 : 1;
  row.precision = nameOf(trial.precision);
  row.layouts = trial.layouts;
  row.nodes = tiles.geometry.nodes;
  row.porosity = 1.0;
  row.utilisation = line.utilisation;
  row.mflups = line.mflups;
  row.fraction = line.fraction.median;
  row.bandwidth = line.bandwidth.median;
  return row;
}

bool runsHere(const Trial& trial, const Effort& effort) {
  return (trialOnCuda(effort.backend) ? trial.makeCuda : trial.makeCpu) != nullptr;
}

}  // namespace

void singlePrecision(const Folder& folder, const Effort& effort) {
  const TilesFile tiles = cavity(effort.scaled(100));
  std::vector<Measured> rows;
  const auto add = [&](Measured row, double paperMflups) {
    row.table = "table4";
    row.name = "cavity " + std::to_string(tiles.geometry.nodes[0]);
    row.paperMflups = paperMflups;
    rows.push_back(std::move(row));
  };
  for (std::size_t k = 0; k < kernelCount; ++k)
    if (const auto row = measureKernel(k, "f32", tiles, effort)) add(*row, singleXyz[k]);
  for (const Trial& trial : trials())
    if (trial.precision == PrecisionId::F32 && trial.layouts != std::string(plainLayout) &&
        runsHere(trial, effort))
      add(ofTrial(trial, tiles, effort), singleLayouts[1]);
  if (const auto row = withLayouts("f32", tiles, effort, rows.back().bandwidth))
    add(*row, singleLayouts[3]);
  writeText(folder / "table4.csv", tableOf(rows));
}

void dataLayouts(const Folder& folder, const Effort& effort) {
  const TilesFile tiles = cavity(effort.scaled(100));
  std::string text =
      "layouts,mflups_median,mflups_min,mflups_max,fraction,paper_mflups,paper_fraction,"
      "paper_l2_reads,paper_memory_reads,paper_hit_rate,paper_instructions\n";
  for (const Trial& trial : trials()) {
    if (trial.precision != PrecisionId::F64 || !runsHere(trial, effort)) continue;
    const Measured row = ofTrial(trial, tiles, effort);
    const std::string name = row.kernel == 0 ? kernels[0].name : trial.layouts;
    for (const Layouts& of : layouts) {
      if (name != of.name) continue;
      char line[256];
      std::snprintf(line, sizeof(line), "%s,%.1f,%.1f,%.1f,%.4f,%.0f,%.4f,%.0f,%.0f,%.3f,%d\n",
                    of.name, row.mflups.median, row.mflups.least, row.mflups.most, row.fraction,
                    of.mflups, fractionOf(of.mflups, 8), of.l2Reads, of.memoryReads, of.hitRate,
                    of.instructions);
      text += line;
    }
  }
  writeText(folder / "table5.csv", text);
}

void stepLayouts(const Effort& effort) {
  const TilesFile tiles = cavity(effort.scaled(100));
  const TileOrder order = orderForTrials(tiles.geometry);
  for (const Trial& trial : trials()) {
    if (trial.precision != PrecisionId::F64 || !runsHere(trial, effort)) continue;
    const auto state = (trialOnCuda(effort.backend) ? trial.makeCuda : trial.makeCpu)(order);
    state->setNoise();
    state->advance(3);
    state->finish();
    std::printf("%s,%s\n", trial.operation, trial.layouts);
  }
}

void channels(const Folder& folder, const Effort& effort) {
  const double nodes = 1e6 * std::pow(effort.scale, 3);
  std::string text =
      "nodes_x,nodes_y,nodes_z,faces_per_tile,edges_per_tile,mflups_median,mflups_min,mflups_max,"
      "fraction,paper_mflups,paper_fraction\n";
  Chart chart = newChart("Figure 16: propagation in channels; dots: the paper's equation (19)",
                         "common faces per tile", ofCopy);
  Curve ours{"propagation only", {}, {}, ink, true};
  Curve paper = curveOf(chart, 1, "equation (19)", true);
  chart.curves.clear();
  const auto add = [&](const Int3& size) {
    const TilesFile tiles = builtInTiles({"channel", size});
    const auto row = measureKernel(1, "f64", tiles, effort);
    if (!row) return;
    const Neighbourhood around = neighbourhoodOf(tiles.geometry.grid);
    const double said =
        propagationInChannel(around.faces, around.edges) * peakBandwidth;  // bytes per second
    char line[256];
    std::snprintf(line, sizeof(line), "%d,%d,%d,%.4f,%.4f,%.1f,%.1f,%.1f,%.4f,%.1f,%.4f\n", size[0],
                  size[1], size[2], around.faces, around.edges, row->mflups.median,
                  row->mflups.least, row->mflups.most, row->fraction, 1e-6 * said / 304.0,
                  said / copyBandwidth);
    text += line;
    ours.x.push_back(around.faces);
    ours.y.push_back(row->fraction);
    paper.x.push_back(around.faces);
    paper.y.push_back(said / copyBandwidth);
  };
  for (const int b : {4, 8, 16, 32, 64, 100})
    for (const int a : {4, 8, 16, 32, 64, 100}) {
      const int length = 4 * std::max(1, static_cast<int>(nodes / (4.0 * a * b)));
      if (a > b || length < b) continue;
      add({a, b, length});
      if (a == 4 && b == 4) {
        add({length, a, b});
        add({a, length, b});
      }
    }
  chart.curves = {ours, paper};
  writeText(folder / "figure16.csv", text);
  writeChart(chart, folder / "figure16.svg");
}

}  // namespace tessera::paper
