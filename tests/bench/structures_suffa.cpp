// SPDX-License-Identifier: GPL-3.0-or-later
// Suffa et al. 2024: dense storage, lists and hybrids over porosity.
#include <algorithm>
#include <cmath>
#include <map>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/bench/bench_geometry.hpp"
#include "solver/bench/compare_structures.hpp"
#include "tests/bench/paper_charts.hpp"
#include "tests/bench/structures_parts.hpp"
#include "tests/bench/structures_values.hpp"

namespace tessera::paper {

using namespace tessera::picture;
using namespace tessera::solver::bench;
using namespace tessera::solver::comparators;
using namespace tessera::solver::model;
using namespace tessera::stage;
using namespace tessera::tiler::file;

namespace {

// LBGK; lists and hybrids row by row, as theirs.
struct Drawn {
  const char* structure;
  NodeOrder order;
};
constexpr std::array<Drawn, 5> drawn{{{"dense", NodeOrder::Rows},
                                      {"lists", NodeOrder::Rows},
                                      {"lists-in-place", NodeOrder::Rows},
                                      {"hybrid", NodeOrder::Rows},
                                      {"tiles", NodeOrder::Curve}}};

// Measures those of `drawn`, one after the other; those that do not fit in memory are left out with
// a warning.
std::vector<StructureSpeed> measureDrawn(const TilesFile& tiles, PrecisionId precision,
                                         const Effort& effort) {
  const FluidNodes rows(tiles.geometry, NodeOrder::Rows);
  const FluidNodes curve(tiles.geometry, NodeOrder::Curve);
  const bool cuda = trialOnCuda(effort.backend);
  std::vector<StructureSpeed> speeds;
  const auto add = [&](const char* name, const auto& measured) {
    try {
      speeds.push_back(measured());
    } catch (const StageError& error) {
      if (error.code() != ExitCode::NoResource) throw;
      logWarning(fmt::format("{} is left out: {}", name, error.what()));
    }
  };
  for (const Drawn& of : drawn) {
    if (of.structure == std::string("tiles"))
      add(of.structure, [&] {
        return measureTiles(tiles, curve, TileForm::TwoCopies, CollisionId::Bgk, precision,
                            effort.backend, effort.bench);
      });
    for (const ComparatorInfo& info : solver::comparators::comparators())
      if (info.name == of.structure && info.order == of.order && info.lattice == LatticeId::D3Q19 &&
          info.collision == CollisionId::Bgk && info.precision == precision)
        add(of.structure, [&] { return measureStructure(rows, info, cuda, effort.bench); });
  }
  return speeds;
}

// MFLUPS of their A100 in theory, f64; 0: no curve.
double theirSpeed(const std::string& structure, double porosity) {
  if (structure == "dense") return suffa::speedOfDense(porosity);
  if (structure == "lists") return suffa::speedOfLists();
  if (structure == "hybrid") return suffa::speedOfHybrid(porosity);
  return 0.0;
}

// Bytes a node of the box.
double theirMemory(const std::string& structure, double porosity) {
  const double lists = suffa::heldByLists(porosity);
  if (structure == "dense") return suffa::heldByDense;
  if (structure == "lists") return lists;
  if (structure == "hybrid") return porosity >= suffa::threshold ? suffa::heldByDense : lists;
  return 0.0;
}

// Speeds relative to the bound of a box without walls, so that devices can be compared.
double ofBoxBound(double mflups, double bandwidth, double bytes) {
  return 1e6 * mflups * bytes / bandwidth;
}

struct Sweep {
  std::vector<double> porosity;
  std::map<std::string, std::vector<double>> speed;   // of the copy's bound in a box
  std::map<std::string, std::vector<double>> memory;  // bytes a node of the box
};

// Lines of Figures 4 and 5, and the values of a curve.
struct Lines {
  std::string speed, memory;
};
void addPorosity(const std::vector<StructureSpeed>& speeds, double porosity, Lines& lines,
                 Sweep& sweep) {
  if (speeds.size() == drawn.size()) sweep.porosity.push_back(porosity);
  for (const StructureSpeed& of : speeds) {
    const bool theirs = of.precision == PrecisionId::F64;
    const double box = theirs ? 304.0 : 152.0;
    const double part = ofBoxBound(of.measured.mflups.median, of.measured.bandwidth.median, box);
    const double paperSpeed = theirs ? theirSpeed(of.structure, porosity) : 0.0;
    const double paperMemory = theirs ? theirMemory(of.structure, porosity) : 0.0;
    const double held = of.memoryPerNode * porosity;
    const std::string front =
        fmt::format("{:.4f},{},{}", porosity, of.structure, nameOf(of.precision));
    lines.speed +=
        fmt::format("{},{:.1f},{:.1f},{:.1f},{:.1f},{:.1f},{:.1f},{:.4f},{:.4f},{},{}\n", front,
                    of.measured.mflups.median, of.measured.mflups.least, of.measured.mflups.most,
                    of.bytesPerNode, of.measured.bandwidth.median / 1e9,
                    of.measured.bandwidth.median / (1e6 * of.bytesPerNode),
                    of.measured.fraction.median, part, numberOrNothing(paperSpeed, 1),
                    numberOrNothing(ofBoxBound(paperSpeed, suffa::bandwidth, 304.0), 4));
    lines.memory += fmt::format("{},{:.1f},{:.1f},{}\n", front, of.memoryPerNode, held,
                                numberOrNothing(paperMemory, 1));
    if (speeds.size() == drawn.size()) {
      sweep.speed[of.structure].push_back(part);
      sweep.memory[of.structure].push_back(held);
    }
  }
}

void drawFigures(const Sweep& sweep, const Folder& folder) {
  Chart speed = newChart("Suffa et al. 2024, Figure 4, f64 (dots: their theory)", "porosity",
                         "part of a box's bound by the copy bandwidth");
  Chart memory = newChart("Suffa et al. 2024, Figure 5, f64 (dots: their theory)", "porosity",
                          "bytes held per node of the box");
  for (std::size_t k = 0; k < drawn.size(); ++k) {
    const std::string name = drawn[k].structure;
    if (sweep.porosity.empty()) continue;
    Curve& ours = curveOf(speed, k, name, false);
    ours.x = sweep.porosity;
    ours.y = sweep.speed.at(name);
    Curve& held = curveOf(memory, k, name, false);
    held.x = sweep.porosity;
    held.y = sweep.memory.at(name);
    if (theirMemory(name, 1.0) == 0.0) continue;
    for (const double porosity : sweep.porosity) {
      Curve& theirs = curveOf(speed, k, "", true);
      theirs.x.push_back(porosity);
      theirs.y.push_back(ofBoxBound(theirSpeed(name, porosity), suffa::bandwidth, 304.0));
      Curve& heldByThem = curveOf(memory, k, "", true);
      heldByThem.x.push_back(porosity);
      heldByThem.y.push_back(theirMemory(name, porosity));
    }
  }
  writeChart(speed, folder / "suffa_figure4.svg");
  writeChart(memory, folder / "suffa_figure5.svg");
}

void writeCrossings(const Sweep& sweep, const Folder& folder) {
  std::string text = "quantity,porosity,paper_porosity,paper_theory\n";
  const double theory = suffa::denseBytes / suffa::pullBytes;
  const auto add = [&](const char* quantity, const auto& values, double theirs) {
    const double ours = sweep.porosity.empty()
                            ? 0.0
                            : crossingOf(sweep.porosity, values.at("lists"), values.at("dense"));
    text +=
        fmt::format("{},{},{:.2f},{:.4f}\n", quantity, numberOrNothing(ours, 3), theirs, theory);
  };
  add("speed of lists and dense", sweep.speed, suffa::speedCrossing);
  add("memory of lists and dense", sweep.memory, suffa::memoryCrossing);
  writeText(folder / "suffa_crossings.csv", text);
}

// Counted in a box of whole rows without walls: the paper's terms, and masks of dense storage at
// periodic faces.
void writeTableTwo(const Folder& folder) {
  preprocess::geometry::LatticeGeometry lattice = builtInLattice({"dense", {64, 64, 64}});
  lattice.periodic = {true, true, true};
  lattice.boundary = {};
  const TilesFile tiles = alignedTiles(std::move(lattice));
  const FluidNodes nodes(tiles.geometry, NodeOrder::Rows);
  std::string text = "structure,bytes_per_node,paper_bytes_per_node\n";
  const auto add = [&](const char* name, double theirs) {
    for (const ComparatorInfo& info : solver::comparators::comparators())
      if (info.name == name && info.order == NodeOrder::Rows && info.lattice == LatticeId::D3Q19 &&
          info.collision == CollisionId::Bgk && info.precision == PrecisionId::F64)
        text += fmt::format("{},{:.2f},{:.0f}\n", name, info.count(nodes, {}).moved / nodes.count(),
                            theirs);
  };
  add("dense", suffa::denseBytes);
  add("lists", suffa::pullBytes);
  add("lists-in-place", suffa::inPlaceBytes);
  writeText(folder / "suffa_table2.csv", text);
}

}  // namespace

std::string numberOrNothing(double value, int digits) {
  return value > 0.0 ? fmt::format("{:.{}f}", value, digits) : "";
}

double crossingOf(const std::vector<double>& x, const std::vector<double>& a,
                  const std::vector<double>& b) {
  for (std::size_t k = 1; k < x.size(); ++k) {
    const double before = a[k - 1] - b[k - 1], after = a[k] - b[k];
    if (before == 0.0) return x[k - 1];
    if (before * after <= 0.0) return x[k - 1] + (x[k] - x[k - 1]) * before / (before - after);
  }
  return 0.0;
}

void suffaPorosity(const Folder& folder, const Effort& effort) {
  const int side = effort.scaled(256, 16);
  Lines lines{
      "porosity,structure,precision,mflups_median,mflups_min,mflups_max,bytes_per_node,"
      "copy_bandwidth[GB/s],bound_mflups,bound_fraction,box_bound_fraction,paper_mflups,"
      "paper_box_bound_fraction\n",
      "porosity,structure,precision,bytes_per_fluid_node,bytes_per_box_node,"
      "paper_bytes_per_box_node\n"};
  Sweep doubles, singles;
  for (const int percent : {10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 95, 100}) {
    const TilesFile tiles = builtInTiles({"pack", {side, percent, 0}});
    const double porosity = porosityOf(tiles.geometry);
    addPorosity(measureDrawn(tiles, PrecisionId::F64, effort), porosity, lines, doubles);
    addPorosity(measureDrawn(tiles, PrecisionId::F32, effort), porosity, lines, singles);
  }
  writeText(folder / "suffa_figure4.csv", lines.speed);
  writeText(folder / "suffa_figure5.csv", lines.memory);
  drawFigures(doubles, folder);
  writeCrossings(doubles, folder);
  writeTableTwo(folder);
}

}  // namespace tessera::paper
