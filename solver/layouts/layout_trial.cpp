// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/layouts/layout_trial.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>

#include "pipelines/stage/error.hpp"
#include "solver/device.hpp"
#include "solver/layouts/layout_cpu.hpp"
#include "solver/layouts/layout_cuda.hpp"

namespace tessera {

namespace {

#ifdef TESSERA_HAS_CUDA
constexpr auto xyzF64 = &runXyzF64OnCuda, xyzF32 = &runXyzF32OnCuda;
constexpr auto paperF64 = &runPaperF64OnCuda, paperF32 = &runPaperF32OnCuda;
#else
constexpr LayoutResult (*xyzF64)(const TileOrder&, const LayoutRequest&) = nullptr;
constexpr auto xyzF32 = xyzF64, paperF64 = xyzF64, paperF32 = xyzF64;
#endif

constexpr const char* paper = "XYZ + YXZ + zigzagNE";
constexpr std::array<LayoutTrial, 4> trials{
    {{"XYZ", "f64", 8, &runOnCpu<LayoutVariant<D3Q19, F64>>, xyzF64},
     {paper, "f64", 8, &runOnCpu<LayoutVariant<D3Q19PaperLayouts, F64>>, paperF64},
     {"XYZ", "f32", 4, &runOnCpu<LayoutVariant<D3Q19, F32>>, xyzF32},
     {paper, "f32", 4, &runOnCpu<LayoutVariant<D3Q19PaperLayouts, F32>>, paperF32}}};

// |f - w| < 5e-4, the same on every machine.
std::vector<double> noise(std::size_t size) {
  std::mt19937 engine(1);
  std::vector<double> values(size);
  for (double& value : values) value = (static_cast<double>(engine()) / 4294967296.0 - 0.5) * 1e-3;
  return values;
}

bool onCuda(const std::string& backend) {
  const bool there = trials[0].onCuda != nullptr && findDevice().has_value();
  if (backend == "cuda" && !there)
    fail(ExitCode::NoResource, "no CUDA device was found for the layouts; measure on cpu.");
  return there && backend != "cpu";
}

}  // namespace

std::span<const LayoutTrial> layoutTrials() {
  return trials;
}

TileOrder orderForLayouts(const TiledGeometry& geometry) {
  const TileOrder order = geometry.dimensions == 3 ? orderTiles(geometry, D3Q19::c) : TileOrder{};
  if (order.tiles == 0 || geometry.inRows() || order.ghosts != 0 || !order.copies.empty())
    fail(ExitCode::Usage,
         "layouts are compared in closed geometries of three dimensions with one mesh of tiles; "
         "take one without openings whose periodic axes are filled by whole tiles.");
  return order;
}

std::string benchLayouts(const TilesFile& tiles, const std::string& backend,
                         const std::optional<std::string>& precision) {
  const TileOrder order = orderForLayouts(tiles.geometry);
  const std::vector<double> start = noise(std::size_t{order.tiles} * D3Q19::q * tileNodes);
  const bool cuda = onCuda(backend);
  LayoutRequest request{0.8, cuda ? 200U : 3U, 6, start};
  std::string text = "layouts,precision,backend,tiles,utilisation,mflups_median,mflups_max\n";
  std::vector<double> expected;  // of XYZ, which comes first of each precision
  for (const LayoutTrial& trial : trials) {
    if (precision && *precision != trial.precision) continue;
    LayoutResult result = (cuda ? trial.onCuda : trial.onCpu)(order, request);
    if (trial.layouts == std::string("XYZ")) expected = result.populations;
    if (result.populations != expected)
      fail(ExitCode::RunFailed, std::string("the layouts ") + trial.layouts + " in " +
                                    trial.precision + " give other populations than XYZ.");
    std::vector<double>& seconds = result.seconds;
    seconds.erase(seconds.begin());  // the first warms up
    std::sort(seconds.begin(), seconds.end());
    const double updates =
        1e-6 * static_cast<double>(tiles.geometry.fluidNodes) * static_cast<double>(request.steps);
    std::array<char, 160> line{};
    std::snprintf(line.data(), line.size(), "%s,%s,%s,%u,%.4f,%.1f,%.1f\n", trial.layouts,
                  trial.precision, cuda ? "cuda" : "cpu", order.tiles, tiles.geometry.utilisation(),
                  updates / seconds[seconds.size() / 2], updates / seconds.front());
    text += line.data();
  }
  return text;
}

}  // namespace tessera
