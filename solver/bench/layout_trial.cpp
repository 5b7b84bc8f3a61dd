// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/bench/layout_trial.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "pipelines/stage/error.hpp"
#include "solver/bench/layout_cpu.hpp"
#include "solver/bench/layout_types.hpp"
#include "solver/bench/trial.hpp"
#include "solver/model/stored_values.hpp"

namespace tessera::solver::bench {

using model::PrecisionId;

namespace {

#ifdef TESSERA_HAS_GPU
constexpr auto xyzF64 = &runXyzF64OnCuda, xyzF32 = &runXyzF32OnCuda;
constexpr auto paperF64 = &runPaperF64OnCuda, paperF32 = &runPaperF32OnCuda;
#else
constexpr LayoutResult (*xyzF64)(const tiles::TileOrder&, const LayoutRequest&) = nullptr;
constexpr auto xyzF32 = xyzF64, paperF64 = xyzF64, paperF32 = xyzF64;
#endif

constexpr const char* paper = "XYZ + YXZ + zigzagNE";
constexpr std::array<LayoutTrial, 4> table{
    {{"XYZ", PrecisionId::F64, 8, &runOnCpu<LayoutVariant<model::D3Q19, model::F64>>, xyzF64},
     {paper, PrecisionId::F64, 8, &runOnCpu<LayoutVariant<D3Q19PaperLayouts, model::F64>>,
      paperF64},
     {"XYZ", PrecisionId::F32, 4, &runOnCpu<LayoutVariant<model::D3Q19, model::F32>>, xyzF32},
     {paper, PrecisionId::F32, 4, &runOnCpu<LayoutVariant<D3Q19PaperLayouts, model::F32>>,
      paperF32}}};

}  // namespace

std::span<const LayoutTrial> layoutTrials() {
  return table;
}

std::string benchLayouts(const tiler::file::TilesFile& tiles, const std::string& backend,
                         const std::optional<std::string>& precision) {
  const tiles::TileOrder order = orderForTrials(tiles.geometry);
  std::vector<double> start(std::size_t{order.tiles} * model::D3Q19::q * tiler::tileNodes);
  for (std::size_t k = 0; k < start.size(); ++k) start[k] = model::noiseAt(k);
  const bool cuda = trialOnCuda(backend);
  LayoutRequest request{0.8, cuda ? 200U : 3U, 6, start};
  std::string text = "layouts,precision,backend,tiles,utilisation,mflups_median,mflups_max\n";
  std::vector<double> expected;  // result of XYZ, the first of each precision
  for (const LayoutTrial& trial : table) {
    if (precision && *precision != model::nameOf(trial.precision)) continue;
    LayoutResult result = (cuda ? trial.onCuda : trial.onCpu)(order, request);
    if (trial.layouts == std::string("XYZ")) expected = result.populations;
    if (result.populations != expected)
      stage::fail(stage::ExitCode::RunFailed, std::string("the layouts ") + trial.layouts + " in " +
                                                  model::nameOf(trial.precision) +
                                                  " give other populations than XYZ.");
    std::vector<double>& seconds = result.seconds;
    seconds.erase(seconds.begin());  // warm-up
    std::sort(seconds.begin(), seconds.end());
    const double updates =
        1e-6 * static_cast<double>(tiles.geometry.fluidNodes) * static_cast<double>(request.steps);
    std::array<char, 160> line{};
    std::snprintf(line.data(), line.size(), "%s,%s,%s,%u,%.4f,%.1f,%.1f\n", trial.layouts,
                  model::nameOf(trial.precision), cuda ? "cuda" : "cpu", order.tiles,
                  tiles.geometry.utilisation(), updates / seconds[seconds.size() / 2],
                  updates / seconds.front());
    text += line.data();
  }
  return text;
}

}  // namespace tessera::solver::bench
