// SPDX-License-Identifier: GPL-3.0-or-later
// Redraws Figures 8, 10 and 20 of Tomczak & Szafran 2017, with the paper's values beside ours:
//   figures_tiling FOLDER [TILER_REPORT.json ...]
// writes figure8.png, figure10.png and figure20.png and prints the values. A report that
// tessera-tiler wrote adds its geometry to Figure 20.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "pipelines/picture/colour.hpp"
#include "tests/bench/chart_picture.hpp"
#include "tests/fixtures/geometry/tiling_cases.hpp"

using namespace tessera;
using namespace tessera::picture;
using namespace tessera::tilings;
namespace fs = std::filesystem;

namespace {

constexpr int widest = 120;

// The paper's readings of its own figures.
struct PaperChannel {
  Section section;
  const char* name;
  const char* figure;
  int always80, mean80, mean90;
};
constexpr PaperChannel paperChannels[]{{Section::Square, "Square", "figure8.png", 40, 25, 55},
                                       {Section::Circular, "Circular", "figure10.png", 40, 30, 65}};

struct VesselPoint {
  std::string name;
  double porosity, utilisation;
};
constexpr PackTiling aneurysmPaper{0.175, 0.931};
constexpr PackTiling aortaPaper{0.094, 0.807};

void drawChannels(const PaperChannel& paper, const fs::path& folder) {
  Curve each{"one of 16 tilings", {}, {}, curveColour(0), true};
  Curve mean{"mean", {}, {}, curveColour(1)};
  std::vector<int> across;
  std::vector<double> lowest;
  for (int d = 4; d <= widest; ++d) {
    const std::vector<double> all = channelUtilisations(paper.section, d);
    for (const double u : all) {
      each.x.push_back(d);
      each.y.push_back(u);
    }
    mean.x.push_back(d);
    mean.y.push_back(meanOf(all));
    across.push_back(d);
    lowest.push_back(*std::min_element(all.begin(), all.end()));
  }
  std::printf(
      "%-8s  always above 0.8 from %3d nodes (paper: %d), mean above 0.8 from %d (%d), above "
      "0.9 from %d (%d)\n",
      paper.name, alwaysAboveFrom(across, lowest, 0.8), paper.always80,
      alwaysAboveFrom(across, mean.y, 0.8), paper.mean80, alwaysAboveFrom(across, mean.y, 0.9),
      paper.mean90);
  Chart chart;
  chart.title = std::string(paper.name) + " channels";
  chart.xCaption = paper.section == Section::Square ? "side, nodes" : "diameter, nodes";
  chart.yCaption = "tile utilisation";
  chart.curves = {each, mean};
  chart.levels = {{"0.8", 0.8}, {"0.9", 0.9}};
  writeChartPicture(chart, 760.0, 430.0, folder / paper.figure);
}

VesselPoint readReport(const fs::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path.string() + " cannot be read.");
  const nlohmann::json report = nlohmann::json::parse(file);
  const auto nodes = report.at("nodes").get<std::array<double, 3>>();
  return {path.stem().stem().string(),
          report.at("fluid_nodes").get<double>() / (nodes[0] * nodes[1] * nodes[2]),
          report.at("utilisation").get<double>()};
}

void drawGeometries(const std::vector<VesselPoint>& vessels, const fs::path& folder) {
  Curve ours{"spheres, mean of 5", {}, {}, curveColour(0)};
  Curve paper{"the paper's", {}, {}, curveColour(1), true};
  Curve vessel{"vessels", {}, {}, curveColour(2), true};
  std::printf("\nporosity  utilisation  paper\n");
  for (const TableSix& row : tableSix) {
    const PackTiling pack = meanPack(row.porosity);
    std::printf("%8.3f %12.3f %6.3f\n", pack.porosity, pack.utilisation, row.utilisation);
    ours.x.push_back(pack.porosity);
    ours.y.push_back(pack.utilisation);
    paper.x.push_back(row.porosity);
    paper.y.push_back(row.utilisation);
  }
  for (const PackTiling& point : {aneurysmPaper, aortaPaper}) {
    paper.x.push_back(point.porosity);
    paper.y.push_back(point.utilisation);
  }
  for (const VesselPoint& point : vessels) {
    std::printf("%8.3f %12.3f         %s\n", point.porosity, point.utilisation, point.name.c_str());
    vessel.x.push_back(point.porosity);
    vessel.y.push_back(point.utilisation);
  }
  std::printf("%8.3f %12s %6.3f  cerebral aneurysm of the paper\n", aneurysmPaper.porosity, "",
              aneurysmPaper.utilisation);
  std::printf("%8.3f %12s %6.3f  aorta with coarctation of the paper\n", aortaPaper.porosity, "",
              aortaPaper.utilisation);
  Chart chart;
  chart.title = "Sparse geometries";
  chart.xCaption = "porosity";
  chart.yCaption = "tile utilisation";
  chart.curves = {ours, paper};
  if (!vessels.empty()) chart.curves.push_back(vessel);
  writeChartPicture(chart, 760.0, 430.0, folder / "figure20.png");
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::fprintf(stderr, "usage: figures_tiling FOLDER [TILER_REPORT.json ...]\n");
    return 2;
  }
  const fs::path folder = argv[1];
  fs::create_directories(folder);
  std::vector<VesselPoint> vessels;
  for (int i = 2; i < argc; ++i) vessels.push_back(readReport(argv[i]));
  for (const PaperChannel& channel : paperChannels) drawChannels(channel, folder);
  drawGeometries(vessels, folder);
  std::printf("\nPictures: %s/figure8.png, figure10.png, figure20.png\n", folder.c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "figures_tiling: %s\n", error.what());
  return 1;
}
