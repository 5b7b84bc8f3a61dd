// SPDX-License-Identifier: GPL-3.0-or-later
// paper_gpu: the paper's values as typed, its geometries, and the tables at tiny sizes.
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/bench/paper_geometry.hpp"
#include "tests/bench/paper_parts.hpp"
#include "tests/bench/paper_values.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::preprocess::sample;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::paper;

namespace {

int runPaper(const std::string& arguments) {
  const int status =
      std::system((std::string(TESSERA_BIN) + "/paper_gpu " + arguments + " 2>/dev/null").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string textOf(const std::filesystem::path& path) {
  std::ifstream file(path);
  REQUIRE(file.good());
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

long linesOf(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

// The paper's bandwidth utilisation: of the peak, 19 values read and written.
double utilisation(double mflups, double bytes) {
  return 1e6 * mflups * 2.0 * 19.0 * bytes / peakBandwidth;
}

void compare(const OfKernels& mflups, double bytes, const OfKernels& printed) {
  for (std::size_t k = 0; k < kernelCount; ++k) {
    INFO(kernels[k].name);
    CHECK(utilisation(mflups[k], bytes) == Approx(printed[k]).margin(0.0011));
  }
}

}  // namespace

TEST_CASE("Speeds of the paper: speeds as typed equal the bandwidths as printed", "[unit]") {
  compare(aneurysm.f64, 8, {0.794, 0.689, 0.671, 0.583, 0.463, 0.445});  // Table 8
  compare(aneurysm.f32, 4, {0.780, 0.538, 0.512, 0.510, 0.416, 0.416});
  compare(aorta.f64, 8, {0.753, 0.682, 0.650, 0.581, 0.403, 0.388});  // Table 9
  compare(aorta.f32, 4, {0.734, 0.522, 0.455, 0.452, 0.361, 0.359});
  constexpr std::array<double, 3> doubled{0.684, 0.680, 0.673};  // Table 7
  constexpr std::array<double, 3> single{0.531, 0.518, 0.503};
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(utilisation(spheres[k].f64[2], 8) == Approx(doubled[k]).margin(0.0006));
    CHECK(utilisation(spheres[k].f32[2], 4) == Approx(single[k]).margin(0.0006));
  }
  constexpr std::array<double, 5> printed{0.618, 0.639, 0.702, 0.736, 0.810};  // Table 5
  for (std::size_t k = 0; k < layouts.size(); ++k)
    CHECK(utilisation(layouts[k].mflups, 8) == Approx(printed[k]).margin(0.0006));
  // Section 4.3: 81.3, 73.4, 71.7 and 47.9 % of the peak.
  CHECK(utilisation(densePeak[0], 8) == Approx(0.813).margin(0.0006));
  CHECK(utilisation(densePeak[1], 8) == Approx(0.734).margin(0.0006));
  CHECK(utilisation(densePeak[2], 8) == Approx(0.717).margin(0.0006));
  CHECK(utilisation(densePeak[5], 8) == Approx(0.479).margin(0.0006));
}

TEST_CASE("Speeds of the paper: Table 3 has no case whose state fits the cache", "[unit]") {
  std::vector<Measured> rows;
  for (const auto& [edge, mflups] : {std::pair{48, 15125.0}, {100, 12500.0}, {252, 13100.0}}) {
    Measured row;
    row.precision = "f64";
    row.nodes = {edge, edge, edge};
    row.mflups.median = mflups;
    rows.push_back(row);
  }
  const auto fastest = [&](std::uint64_t cacheBytes) {
    const std::string text = tableThree(beyondCache(rows, cacheBytes));
    return text.substr(text.find('\n') + 1);
  };
  CHECK_THAT(fastest(0), Catch::StartsWith("read/write only,15125.0,48,"));
  CHECK_THAT(fastest(60'000'000), Catch::StartsWith("read/write only,13100.0,252,"));
  CHECK(beyondCache(rows, 60'000'000).size() == 2);
  rows[2].mflups.median = 12000.0;
  CHECK_THAT(fastest(60'000'000), Catch::StartsWith("read/write only,12500.0,100,"));
  CHECK_THAT(fastest(60'000'000), Catch::Contains(",12000.0,252,"));
  // Half the bytes per node in single precision.
  rows[1].precision = "f32";
  CHECK(beyondCache(rows, 60'000'000).size() == 1);
  CHECK(fastest(2'000'000'000).empty());
}

TEST_CASE("Speeds of the paper: common faces and edges per tile equal the paper's", "[unit]") {
  const Neighbourhood four = neighbourhoodOf({2, 2, 1});
  CHECK(four.faces == 1.0);
  CHECK(four.edges == 0.25);
  const Neighbourhood narrow = neighbourhoodOf({1, 2, 7812});  // 4 x 8 x 31248 nodes
  CHECK(narrow.faces == Approx(1.5).epsilon(1e-3));
  CHECK(narrow.edges == Approx(0.5).epsilon(1e-3));
  // Section 4.4: 73 % of the peak at 100^3 nodes.
  const Neighbourhood cube = neighbourhoodOf({25, 25, 25});
  CHECK(propagationInChannel(cube.faces, cube.edges) == Approx(0.73).margin(0.03));
}

TEST_CASE(
    "Speeds of the paper: nodes of a vessel are where its field is negative, between its ends",
    "[unit]") {
  for (const Vessel& vessel : {aneurysmVessel({}), aortaVessel({})}) {
    const VesselLattice lattice = voxelised(vessel, 70);
    const Int3& size = lattice.fluid.size;
    CHECK(*std::max_element(size.begin(), size.end()) == 70);
    std::uint64_t wrong = 0;
    std::uint64_t fluid = 0;
    for (int z = 0; z < size[2]; ++z)
      for (int y = 0; y < size[1]; ++y)
        for (int x = 0; x < size[0]; ++x) {
          const Double3 place =
              lattice.low + lattice.spacing * Double3{double(x), double(y), double(z)};
          const bool inside = vessel.field(place).value < 0.0 && !beyondAnEnd(vessel, place);
          wrong += inside != lattice.fluid.at(x, y, z) ? 1U : 0U;
          fluid += inside ? 1U : 0U;
        }
    CHECK(wrong == 0);
    CHECK(fluid > 5000);
  }
}

TEST_CASE("Speeds of the paper: vessels at the paper's sizes are about as sparse as the paper's",
          "[slow]") {
  const TilesFile first = aneurysmTiles(730);
  CHECK(first.geometry.fluidNodes == Approx(14.8e6).epsilon(0.05));
  CHECK(first.geometry.utilisation() == Approx(aneurysm.utilisation).margin(0.02));
  const TilesFile second = aortaTiles(442);
  CHECK(second.geometry.utilisation() > aorta.utilisation);
}

TEST_CASE("Speeds of the paper: every table and figure is written, with the paper's values",
          "[unit]") {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "all").string();
  REQUIRE(runPaper("--backend cpu --scale 0.05 --seconds 0.0001 --repeats 1 -o " + out + " >" +
                   out + ".log") == 0);
  const std::filesystem::path path = out;
  for (const char* name :
       {"figure13.csv", "figures14_15.csv", "figure16.csv", "figure19.csv", "table3.csv",
        "table4.csv", "table5.csv", "tables6_7.csv", "tables8_9.csv"})
    CHECK(linesOf(textOf(path / name)) > 2);
  for (const char* name :
       {"figure13_launches.svg", "figure13_histogram.svg", "figure14.svg", "figure15.svg",
        "figure16.svg", "figure19_double.svg", "figure19_single.svg"})
    CHECK_THAT(textOf(path / name), Catch::Contains("<svg") && Catch::Contains("Figure 1"));
  CHECK(linesOf(textOf(path / "figure13.csv")) == 101);
  CHECK_THAT(textOf(path / "table3.csv"),
             Catch::Contains("read/write only") && Catch::Contains(",771,220,1.0258,771\n"));
  CHECK_THAT(textOf(path / "table5.csv"), Catch::Contains(",586,0.7796,8188609,7298421,"));
  CHECK_THAT(textOf(path / "tables6_7.csv"), Catch::Contains("spheres 0.1,propagation only,f64,"));
  CHECK_THAT(textOf(path / "tables8_9.csv"),
             Catch::Contains("aorta,read/write only,f32,") && Catch::Contains(",1393,"));
}

TEST_CASE("Speeds of the paper: single parts can be chosen, and unknown ones are refused",
          "[unit]") {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "some").string();
  CHECK(runPaper("--only channels,layouts --backend cpu --scale 0.05 --seconds 0.0001 --repeats 1 "
                 "-o " +
                 out + " >" + out + ".log") == 0);
  CHECK(std::filesystem::exists(out + "/figure16.csv"));
  CHECK_FALSE(std::filesystem::exists(out + "/table3.csv"));
  CHECK(runPaper("--only cavities -o " + out) == 2);
  CHECK(runPaper("--scale 3 -o " + out) == 2);
  CHECK(runPaper("--repeats 0 -o " + out) == 2);
  CHECK(runPaper("--only cavity") == 2);
  CHECK(runPaper("--profile --backend cpu --scale 0.05 >" + out + ".log") == 0);
  CHECK_THAT(textOf(out + ".log"), Catch::Contains("propagation,XYZ"));
}
