// SPDX-License-Identifier: GPL-3.0-or-later
// Section 4.6 of the paper: packs of spheres and vessels.
#include <algorithm>

#include "tests/bench/paper_charts.hpp"
#include "tests/bench/paper_geometry.hpp"
#include "tests/bench/paper_parts.hpp"

namespace tessera::paper {

using namespace tessera::picture;
using namespace tessera::tiler::file;

namespace {

void measureCase(const Case& of, const TilesFile& tiles, const Effort& effort,
                 std::vector<Measured>& rows) {
  for (const char* precision : {"f64", "f32"})
    for (std::size_t k = 0; k < kernelCount; ++k) {
      std::optional<Measured> row = measureKernel(k, precision, tiles, effort);
      if (!row) continue;
      row->table = of.table;
      row->name = of.name;
      row->paperMflups = (row->precision == "f64" ? of.f64 : of.f32)[k];
      row->paperUtilisation = of.utilisation;
      rows.push_back(*row);
    }
}

// The paper's of the case that a row is of.
double fastestDense(const std::vector<Measured>& dense, const Measured& like) {
  double most = 0.0;
  for (const Measured& row : dense)
    if (row.kernel == like.kernel && row.precision == like.precision)
      most = std::max(most, row.mflups.median);
  return most;
}

// Sorted by utilisation, so that the line is monotone.
void drawUtilisation(std::vector<Measured> sparse, const std::vector<Measured>& dense,
                     const std::string& precision, const std::string& title, const Folder& path) {
  Chart chart = newChart(title, "average tile utilisation", "part of the fastest dense case");
  std::sort(sparse.begin(), sparse.end(),
            [](const Measured& a, const Measured& b) { return a.utilisation < b.utilisation; });
  for (const Measured& row : sparse) {
    if (row.precision != precision) continue;
    Curve& ours = curveOf(chart, row.kernel, kernels[row.kernel].shortName, false);
    ours.x.push_back(row.utilisation);
    ours.y.push_back(row.mflups.median / fastestDense(dense, row));
    Curve& paper = curveOf(chart, row.kernel, "", true);
    paper.x.push_back(row.paperUtilisation);
    paper.y.push_back(row.paperMflups / (precision == "f64" ? densePeak : singleXyz)[row.kernel]);
  }
  writeChart(chart, path);
}

}  // namespace

std::vector<Measured> spherePacks(const Folder& folder, const Effort& effort) {
  std::vector<Measured> rows;
  const int side = effort.scaled(192, 16);
  const double diameter = std::max(4.0, 40.0 * effort.scale);
  for (const Case& of : spheres)
    measureCase(of, spherePack(side, diameter, of.porosity), effort, rows);
  writeText(folder / "tables6_7.csv", tableOf(rows));
  return rows;
}

std::vector<Measured> vessels(const Folder& folder, const Effort& effort) {
  std::vector<Measured> rows;
  measureCase(aneurysm, aneurysmTiles(effort.scaled(730, 32)), effort, rows);
  measureCase(aorta, aortaTiles(effort.scaled(442, 32)), effort, rows);
  writeText(folder / "tables8_9.csv", tableOf(rows));
  return rows;
}

void againstUtilisation(const std::vector<Measured>& sparse, const std::vector<Measured>& dense,
                        const Folder& folder) {
  drawUtilisation(sparse, dense, "f32", "Figure 19, f32 (dots: paper)",
                  folder / "figure19_single.svg");
  drawUtilisation(sparse, dense, "f64", "Figure 19, f64 (dots: paper)",
                  folder / "figure19_double.svg");
  std::string text =
      "case,kernel,precision,utilisation,normalised,paper_utilisation,"
      "paper_normalised\n";
  for (const Measured& row : sparse) {
    const OfKernels& peak = row.precision == "f64" ? densePeak : singleXyz;
    text += row.name + "," + kernels[row.kernel].name + "," + row.precision + "," +
            std::to_string(row.utilisation) + "," +
            std::to_string(row.mflups.median / fastestDense(dense, row)) + "," +
            std::to_string(row.paperUtilisation) + "," +
            std::to_string(row.paperMflups / peak[row.kernel]) + "\n";
  }
  writeText(folder / "figure19.csv", text);
}

}  // namespace tessera::paper
