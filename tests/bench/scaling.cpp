// SPDX-License-Identifier: GPL-3.0-or-later
// Weak and strong scaling to 1,024 GPUs, predicted from partition statistics of a vessel, a rock
// and a channel, compared with Suffa et al. 2024:
//   scaling -o FOLDER
// writes scaling.csv, published.csv, weak.png and strong.png; beds.csv has the division of sphere
// beds among 64. --only beds or --only curves does one of them. No GPU is required, nothing is
// measured: the figures of machines are in solver/bench/scaling.hpp. Shared switches and kernels
// too small for a GPU are not modelled. Curves of the A100 and dots are for the paper's cases:
// 320^3 nodes per GPU in a channel (weak), a bed of spheres on 64 and an artery on 60 GPUs, the
// whole run over the kernel alone (strong).
#include <array>
#include <cmath>
#include <cstdio>

#include "pipelines/picture/colour.hpp"
#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "tests/bench/chart_picture.hpp"
#include "tests/bench/scaling_beds.hpp"
#include "tests/bench/scaling_model.hpp"
#include "tests/bench/scaling_values.hpp"

using namespace tessera;
using namespace tessera::picture;
using namespace tessera::solver::bench;
using namespace tessera::solver::tiles;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::scaling;
namespace fs = std::filesystem;

namespace {

constexpr const char* program = "scaling";
constexpr double weakNodesH200 = 16'777'216.0;
const std::vector<double> strongNodes{6e7, 1e9};
const std::vector<int> powers{1, 2, 4, 8, 16, 64, 256, 1024};

struct Precision {
  const char* name;
  StoredState state;
};
constexpr std::size_t f64 = 0;
const std::array<Precision, 3> precisions{
    {{"f64", {false, 19, 8}}, {"f32", {false, 19, 4}}, {"moments f32", {true, 10, 4}}}};

// By number of ranks, for each of the precisions, whose costs divide the tiles.
struct Counted {
  std::string name;
  std::string builtIn;
  std::array<ByRanks, 3> parts;
};

// --- tables --------------------------------------------------------------------------------------

template <class... Values>
std::string line(const char* format, Values... values) {
  char text[512];
  std::snprintf(text, sizeof(text), format, values...);
  return std::string(text) + "\n";
}

std::string csvLine(const Row& row, const std::string& state) {
  return line("%s,%s,%s,%s,%d,%.0f,%.0f,%.4g,%.4f,%.4f,%.4g,%.0f,%.2f,%.2f,%.1f,%.4f,%.4f",
              row.part.c_str(), row.geometry.c_str(), row.machine.c_str(), state.c_str(), row.ranks,
              row.nodes, row.countedTiles, row.factor, row.time.balance, row.borderPart,
              row.haloBytes, row.neighbours, 1e6 * row.time.slowest.step,
              1e6 * row.time.slowest.exchange, row.mflupsPerRank, row.time.efficiency,
              row.time.unhidden);
}

constexpr const char* header =
    "part,geometry,machine,state,gpus,fluid_nodes,counted_tiles_a_gpu,grown_by,balance,"
    "border_part,halo_bytes_a_gpu,neighbours,step_us,exchange_us,mflups_a_gpu,efficiency,"
    "efficiency_not_hidden\n";

// Weak: as many nodes a GPU; strong: as many in all.
std::vector<Row> sweep(const Counted& counted, const std::string& part, double nodes,
                       std::size_t precision, const Machine& machine, const char* machineName) {
  std::vector<Row> rows;
  for (const int ranks : powers) {
    Row row = predict(counted.name, counted.parts[precision].at(ranks),
                      part == "weak" ? nodes * ranks : nodes, precisions[precision].state, machine);
    row.part = part;
    row.machine = machineName;
    rows.push_back(row);
  }
  return rows;
}

// --- charts --------------------------------------------------------------------------------------

// Without a title: there are many curves to name.
Chart newChart(const std::string& y) {
  Chart chart;
  chart.xCaption = "log2 of the number of GPUs";
  chart.yCaption = y;
  return chart;
}

void addRows(Chart& chart, const std::string& name, const std::vector<Row>& rows, bool hidden) {
  Curve curve{name, {}, {}, curveColour(chart.curves.size()), false};
  for (const Row& row : rows) {
    curve.x.push_back(std::log2(row.ranks));
    curve.y.push_back(hidden ? row.time.efficiency : row.time.unhidden);
  }
  chart.curves.push_back(curve);
}

void addDot(Chart& chart, const std::string& name, double x, double y) {
  chart.curves.push_back({name, {x}, {y}, curveColour(chart.curves.size()), true});
}

// --- parts ---------------------------------------------------------------------------------------

// How far the growing is from counting, on geometries of an eighth of the nodes.
void checkGrowing(const std::vector<Counted>& all) {
  const std::vector<std::string> eighths{"vessel:365", "spheres:176", "channel:512x64x64"};
  std::printf(
      "\nwhat crosses of the slowest rank, counted over grown from an eighth of the nodes\n");
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Geometry small = geometryOf(all[k].name, eighths[k]);
    const ByRanks parts = countParts(small, {4, 64}, tileCosts(19, 8, false));
    std::printf("  %-8s %-18s 4 ranks %.3f, 64 ranks %.3f\n", small.name.c_str(),
                small.builtIn.c_str(), grownError(parts, all[k].parts[f64], 4),
                grownError(parts, all[k].parts[f64], 64));
  }
}

std::string publishedTable(const std::vector<Counted>& all) {
  const StoredState& state = precisions[f64].state;
  const Machine machine = juwelsBooster();
  const Row weak =
      predict("channel", all[2].parts[f64].at(weakRanks), weakNodes * weakRanks, state, machine);
  const Row bed = predict("rock", all[1].parts[f64].at(bedRanks), bedNodes, state, machine);
  const Row artery =
      predict("vessel", all[0].parts[f64].at(arteryRanks), arteryNodes, state, machine);
  std::string text = "figure,what,gpus,published,ours_foretold\n";
  text +=
      line("10,weak efficiency hidden,%d,%.3f,%.3f", weakRanks, weakHidden, weak.time.efficiency);
  text += line("10,weak efficiency not hidden,%d,%.3f,%.3f", weakRanks, weakUnhidden,
               weak.time.unhidden);
  text += line("10,MFLUPS a GPU,%d,%.0f,%.0f", weakRanks, weakMflups, weak.mflupsPerRank);
  text += line("13,whole run over kernel alone,%d,%.3f,%.3f", bedRanks, bedFull / bedKernel,
               bed.time.efficiency);
  text += line("13,MFLUPS a GPU,%d,%.0f,%.0f", bedRanks, bedFull / bedRanks, bed.mflupsPerRank);
  text += line("17,whole run over kernel alone,%d,%.3f,%.3f", arteryRanks,
               arteryFull / arteryKernel, artery.time.efficiency);
  text += line("17,MFLUPS a GPU,%d,%.0f,%.0f", arteryRanks, arteryFull, artery.mflupsPerRank);
  return text;
}

void drawWeak(const std::vector<Counted>& all, const fs::path& folder) {
  Chart chart = newChart("efficiency, weak, f64");
  for (const Counted& counted : all)
    addRows(chart, counted.name + ", H200", sweep(counted, "weak", weakNodesH200, f64, {}, "H200"),
            true);
  const std::vector<Row> a100 = sweep(all[2], "weak", weakNodes, f64, juwelsBooster(), "A100");
  addRows(chart, "channel, A100", a100, true);
  addRows(chart, "A100, not hidden", a100, false);
  addDot(chart, "A100, published", 10.0, weakHidden);
  addDot(chart, "published, not hidden", 10.0, weakUnhidden);
  writeChartPicture(chart, 900.0, 500.0, folder / "weak.png");
}

void drawStrong(const std::vector<Counted>& all, const fs::path& folder) {
  Chart chart = newChart("efficiency, strong, f64, H200");
  for (const Counted& counted : all)
    for (const double nodes : strongNodes)
      addRows(chart, counted.name + (nodes < 1e8 ? ", 60 M" : ", 1000 M"),
              sweep(counted, "strong", nodes, f64, {}, "H200"), true);
  addDot(chart, "A100, bed, 3071 M", 6.0, bedFull / bedKernel);
  addDot(chart, "artery, 120 M", std::log2(arteryRanks), arteryFull / arteryKernel);
  writeChartPicture(chart, 900.0, 500.0, folder / "strong.png");
}

std::string scalingTable(const std::vector<Counted>& all) {
  std::string text = header;
  for (const Counted& counted : all)
    for (std::size_t p = 0; p < precisions.size(); ++p) {
      const auto add = [&](const std::vector<Row>& rows) {
        for (const Row& row : rows) text += csvLine(row, precisions[p].name);
      };
      add(sweep(counted, "weak", weakNodesH200, p, {}, "H200"));
      for (const double nodes : strongNodes) add(sweep(counted, "strong", nodes, p, {}, "H200"));
    }
  for (const Row& row : sweep(all[2], "weak", weakNodes, f64, juwelsBooster(), "A100"))
    text += csvLine(row, precisions[f64].name);
  return text;
}

Counted count(const std::string& name, const std::string& word) {
  const Geometry geometry = geometryOf(name, word);
  const TiledGeometry& g = geometry.tiles.geometry;
  std::printf("%-8s %-22s %zu tiles, utilisation %.3f, porosity of the box %.3f\n", name.c_str(),
              word.c_str(), g.tiles(), g.utilisation(),
              static_cast<double>(g.fluidNodes) / (double(g.nodes[0]) * g.nodes[1] * g.nodes[2]));
  std::fflush(stdout);
  std::vector<int> ranks = powers;
  ranks.push_back(arteryRanks);
  Counted counted{name, word, {}};
  for (std::size_t p = 0; p < precisions.size(); ++p) {
    const StoredState& state = precisions[p].state;
    counted.parts[p] =
        countParts(geometry, ranks, tileCosts(state.values, state.storageBytes, false));
  }
  return counted;
}

void drawCurves(const fs::path& folder) {
  const std::vector<Counted> all{count("vessel", "vessel:730"), count("rock", "spheres:352"),
                                 count("channel", "channel:1024x128x128")};
  checkGrowing(all);
  const std::string published = publishedTable(all);
  writeTextAtomically(folder / "scaling.csv", scalingTable(all));
  writeTextAtomically(folder / "published.csv", published);
  drawWeak(all, folder);
  drawStrong(all, folder);
  std::printf("\n%s", published.c_str());
}

void divideBeds(const fs::path& folder) {
  const std::string table = bedTable(beds(256, 0.041 * 256), 4);
  writeTextAtomically(folder / "beds.csv", table);
  std::printf("%s\n", table.c_str());
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  CommandLine commandLine(
      program,
      "Predicts weak and strong scaling to 1,024 GPUs from partition statistics "
      "of a vessel, a rock and a channel. -o is a folder for tables (CSV) and "
      "figures (PNG).",
      0, 0, false);
  commandLine.without({"--case", "--report", "--plan"});
  std::string only;
  commandLine.choice("--only", only, {"beds", "curves"}, "one part (both)");
  commandLine.example("scaling -o out/scaling");
  const auto common = commandLine.parse(argc, argv);
  if (!common) return 0;
  applyCommonOptions(*common);
  const fs::path folder = common->output;
  if (folder.empty()) fail(ExitCode::Usage, "no folder was given, add -o FOLDER");
  fs::create_directories(folder);
  if (only != "curves") divideBeds(folder);
  if (only != "beds") drawCurves(folder);
  std::printf("\nTables and figures: %s\n", folder.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return runStage(program, [&] { return run(argc, argv); });
}
