// SPDX-License-Identifier: GPL-3.0-or-later
// The papers' layouts of populations against XYZ, and XYZ against the shipped step.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "solver/backend/gpu/device.hpp"
#include "solver/backend/registry.hpp"
#include "solver/bench/layout_trial.hpp"
#include "solver/bench/paper_layouts.hpp"
#include "solver/bench/trial.hpp"
#include "solver/bench/trial_types.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/geometries.hpp"
#include "tests/fixtures/relative_difference.hpp"
#include "tiler/analysis/layouts.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::solver::backend;
using namespace tessera::solver::bench;
using namespace tessera::solver::boundary;
using namespace tessera::solver::domain;
using namespace tessera::solver::model;
using namespace tessera::solver::tiles;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::tiler::analysis;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

std::vector<double> noise(std::size_t size) {
  std::mt19937 engine(7);
  std::vector<double> values(size);
  for (double& value : values) value = (static_cast<double>(engine()) / 4294967296.0 - 0.5) * 1e-2;
  return values;
}

struct Runs {
  TileOrder order;
  std::vector<double> start;
  explicit Runs(const TilesFile& tiles)
      : order(orderForTrials(tiles.geometry)),
        start(noise(std::size_t{order.tiles} * D3Q19::q * tileNodes)) {}
  [[nodiscard]] LayoutRequest request() const { return {0.7, 25, 1, start}; }
  // Populations of fluid nodes after the steps.
  [[nodiscard]] std::vector<double> fluidOf(decltype(LayoutTrial::onCpu) run) const {
    return ofFluid(order, run(order, request()).populations);
  }
};

}  // namespace

TEST_CASE("Layouts: those of the papers are those that the tiler records and counts", "[unit]") {
  const LayoutAssignment& assignment = layoutAssignments()[3];
  for (int i = 0; i < D3Q19::q; ++i) {
    const auto& c = D3Q19::c[static_cast<std::size_t>(i)];
    const auto direction = static_cast<std::size_t>(directionOf(c[0], c[1], c[2]));
    const TileLayout& layout = tileLayouts()[assignment.layoutOf[direction]];
    for (int l = 0; l < 64; ++l) {
      INFO("direction " << i << ", node " << l);
      CHECK(paperIndex(i, l) == layout.place(l % 4, l / 4 % 4, l / 16));
      CHECK(populationIndex<D3Q19PaperLayouts>(5, i, l) ==
            std::uint64_t((5 * 19 + i) * 64 + paperIndex(i, l)));
    }
  }
}

TEST_CASE("Layouts: only XYZ is recognised as XYZ, which vectorised kernels require", "[unit]") {
  STATIC_REQUIRE(xyzLayout<D3Q19>);
  STATIC_REQUIRE(xyzLayout<D3Q27>);
  STATIC_REQUIRE(xyzLayout<D3Q19InPlace>);
  STATIC_REQUIRE_FALSE(xyzLayout<D3Q19PaperLayouts>);
  STATIC_REQUIRE_FALSE(xyzLayout<D3Q19YxzLayout>);
  STATIC_REQUIRE_FALSE(xyzLayout<D3Q19ZigzagLayout>);
}

TEST_CASE("Layouts: they do not change a bit of the flow", "[unit]") {
  const Runs runs(strewnObstacles());
  std::vector<double> expected;
  for (const LayoutTrial& trial : layoutTrials()) {
    INFO(trial.layouts << " " << nameOf(trial.precision));
    const LayoutResult result = trial.onCpu(runs.order, runs.request());
    if (trial.layouts == std::string("XYZ")) expected = result.populations;
    CHECK(result.populations == expected);
    CHECK(result.populations != runs.start);
  }
}

TEST_CASE("Layouts: one node at a time equals the shipped step", "[unit]") {
  const Runs runs(strewnObstacles());
  for (const LayoutTrial& trial : layoutTrials()) {
    INFO(trial.layouts << " " << nameOf(trial.precision));
    const VariantInfo& variant =
        findVariant({.collision = CollisionId::Bgk, .precision = trial.precision});
    Domain domain;
    domain.tiles = domain.slots = runs.order.tiles;
    domain.neighbourTable = runs.order.neighbourTable;
    domain.masks = runs.order.masks;
    const auto backend =
        variant.makeCpu(std::move(domain), {runs.request().tau, 3.0 / 16.0, {}, {}});
    backend->setState(runs.start);
    backend->advance(runs.request().steps, {});
    const std::vector<double> found = runs.fluidOf(trial.onCpu);
    const std::vector<double> expected = ofFluid(runs.order, backend->state());
    CHECK(relativeDifference(expected, found) <
          (trial.precision == PrecisionId::F64 ? 1e-12 : 1e-5));
  }
}

TEST_CASE("Layouts: they do not change a bit of the flow on a device", "[gpu]") {
  const auto device = findDevice();
  if (!device || layoutTrials()[0].onCuda == nullptr) return;
  const Runs runs(strewnObstacles());
  std::vector<double> expected;
  for (const LayoutTrial& trial : layoutTrials()) {
    INFO(trial.layouts << " " << nameOf(trial.precision));
    const std::vector<double> found = runs.fluidOf(trial.onCuda);
    if (trial.layouts == std::string("XYZ")) expected = found;
    CHECK(found == expected);
    CHECK(found != ofFluid(runs.order, runs.start));
    CHECK(relativeDifference(runs.fluidOf(trial.onCpu), found) <
          (trial.precision == PrecisionId::F64 ? 1e-12 : 1e-5));
  }
}

TEST_CASE("Layouts: the comparison is a table, and refuses geometries with openings", "[unit]") {
  const std::string table = benchLayouts(strewnObstacles(), "cpu", std::string("f32"));
  CHECK(std::count(table.begin(), table.end(), '\n') == 3);
  CHECK_THAT(table, Catch::Contains("\nXYZ,f32,cpu,") &&
                        Catch::Contains("\nXYZ + YXZ + zigzagNE,f32,cpu,"));
  const TilesFile open =
      imageGeometry({8, 8, 8}, strewn(1.0), {}, {{0, true, 1}, {0, false, 2}}, 1e-4, {0, 0, 0});
  checkError(ExitCode::Usage, [&] { benchLayouts(open, "cpu", std::nullopt); }, {"openings"});
}
