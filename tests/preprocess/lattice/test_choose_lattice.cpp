// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>

#include "pipelines/stage/case/quantity.hpp"
#include "preprocess/lattice/choose_lattice.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::stage;

namespace {

const Bounds someBox{{1.0, 2.0, 3.0}, {2.0, 2.55, 3.25}};

SpacingRequest bySpacing(double spacing) {
  return {spacing, std::nullopt, std::nullopt};
}
SpacingRequest byLongest(int nodes) {
  return {std::nullopt, nodes, std::nullopt};
}

}  // namespace

TEST_CASE("Lattice choice: cells cover the box, the remainder split evenly", "[unit]") {
  const LatticeChoice choice = chooseLattice(someBox, bySpacing(0.1), {}, notPeriodic);
  CHECK(choice.size() == Int3{10, 6, 3});
  const Double3 first = choice.frame.origin;
  const Double3 last = choice.frame.toWorld({9.0, 5.0, 2.0});
  for (std::size_t a = 0; a < 3; ++a) {
    CHECK(first[a] - 0.05 <= someBox.low[a] + 1e-12);
    CHECK(last[a] + 0.05 >= someBox.high[a] - 1e-12);
    CHECK(first[a] + last[a] == Approx(someBox.low[a] + someBox.high[a]));
  }
}

TEST_CASE(
    "Lattice choice: the spacing follows from the nodes on the longest side or across an opening",
    "[unit]") {
  CHECK(chooseLattice(someBox, byLongest(160), {}, notPeriodic).frame.spacing ==
        Approx(1.0 / 160.0));
  CHECK(chooseLattice(someBox, byLongest(160), {}, notPeriodic).size()[0] == 160);
  const SpacingRequest across{std::nullopt, std::nullopt, 20};
  CHECK(chooseLattice(someBox, across, 0.1, notPeriodic).frame.spacing == Approx(0.01));
  checkError(ExitCode::Usage, [&] { chooseLattice(someBox, across, {}, notPeriodic); },
             {"surface has none"});
}

TEST_CASE("Lattice choice: a spacing that is a voxel's side in single precision is that side",
          "[unit]") {
  const double single = 1e-3 * static_cast<double>(0.878906F);
  const Double3 voxel{single, single, 2.5e-3};
  CHECK(snappedTo(voxel, bySpacing(0.878906e-3)).spacing == single);
  CHECK(snappedTo(voxel, bySpacing(2.5e-3)).spacing == 2.5e-3);
  CHECK(snappedTo(voxel, bySpacing(0.878907e-3)).spacing == 0.878907e-3);
  CHECK_FALSE(snappedTo(voxel, byLongest(20)).spacing);
  CHECK(spacingOfVoxel(single) == "0.878906mm");
  CHECK(spacingOfVoxel(0.878906 * 1e-3) == "0.878906mm");
  CHECK(spacingOfVoxel(2.5e-3) == "2.5mm");
  CHECK(spacingOfVoxel(0.1234567 * 1e-3) == "0.1234567mm");
  CHECK(spacingOfVoxel(0.3999999952836968e-3) == "0.4mm");  // columns of an oblique frame
  const Double3 oblique{(1.0 - 1e-8) * single, (1.0 + 1e-8) * single, single};
  CHECK(snappedTo(oblique, bySpacing(0.878906e-3)).spacing == oblique[1]);
  // Without it the lattice of 512 voxels would have 513 nodes.
  const Bounds box{{}, 512.0 * Double3{single, single, single}};
  CHECK(chooseLattice(box, bySpacing(0.878906e-3), {}, notPeriodic).size()[0] == 513);
  CHECK(chooseLattice(box, snappedTo(voxel, bySpacing(0.878906e-3)), {}, notPeriodic).size()[0] ==
        512);
}

TEST_CASE("Lattice choice: spacings of advice have three digits and are on the asked side",
          "[unit]") {
  CHECK(roundedSpacing(31.21e-6, false) == parseQuantity("0.0312 mm", Dimension::Length));
  CHECK(roundedSpacing(31.21e-6, true) == parseQuantity("0.0313 mm", Dimension::Length));
  for (const bool up : {true, false})
    CHECK(roundedSpacing(0.25e-3, up) == parseQuantity("0.25 mm", Dimension::Length));
  CHECK(roundedSpacing(0.9999, true) == 1.0);
  CHECK(roundedSpacing(1e-3, false) == 1e-3);
  // With periodic axes a whole fraction of the present one.
  CHECK(finerSpacing(1e-3, 0.3456e-3, {}) == parseQuantity("0.345 mm", Dimension::Length));
  CHECK(finerSpacing(1e-3, 0.3456e-3, {false, true, false}) == 1e-3 / 3.0);
  CHECK(finerSpacing(1e-3, 0.25e-3, {true, true, true}) == 0.25e-3);
  // A plane lattice has one node on z whatever the spacing.
  using Axes = std::array<bool, 3>;
  CHECK(axesToDivide({true, false, true}, 2) == Axes{true, false, false});
  CHECK(axesToDivide({true, false, true}, 3) == Axes{true, false, true});
  CHECK(nodesText(8, {}) == "8");
  CHECK(nodesText(8, {false, false, true}) == "at least 8");
}

TEST_CASE("Lattice choice: a periodic extent is a whole number of spacings", "[unit]") {
  const std::array<bool, 3> alongY{false, true, false};
  const LatticeChoice fitted = chooseLattice(someBox, byLongest(30), {}, alongY);
  CHECK(fitted.nodes[1] * fitted.frame.spacing == Approx(0.55));
  CHECK(fitted.frame.spacing == Approx(1.0 / 30.0).epsilon(0.05));
  CHECK(fitted.frame.origin[1] == Approx(2.0 + 0.5 * fitted.frame.spacing));

  CHECK(chooseLattice(someBox, bySpacing(0.05), {}, alongY).nodes[1] == 11.0);
  checkError(ExitCode::Usage, [&] { chooseLattice(someBox, bySpacing(0.1), {}, alongY); }, {"5.5"});
  // 1.0 and 0.55 have no spacing near 1/30 in common.
  checkError(ExitCode::Usage,
             [&] {
               chooseLattice(someBox, byLongest(30), {}, {true, true, false});
             },
             {"on y"});
}
