// SPDX-License-Identifier: GPL-3.0-or-later
// paper_structures: the papers' values against each other, crossings by hand, and the tables at
// tiny sizes.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/bench/structures_parts.hpp"
#include "tests/bench/structures_values.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::paper;

namespace {

int runStructures(const std::string& arguments) {
  const int status = std::system(
      (std::string(TESSERA_BIN) + "/paper_structures " + arguments + " >/dev/null 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::vector<std::string> linesOf(const std::filesystem::path& path) {
  std::ifstream file(path);
  REQUIRE(file.good());
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

double cell(const std::string& line, int column) {
  std::istringstream stream(line);
  std::string word;
  for (int k = 0; k <= column; ++k) std::getline(stream, word, ',');
  return std::stod(word);
}

}  // namespace

TEST_CASE("Structures of the papers: values as printed agree with each other", "[unit]") {
  // Suffa et al. 2024, Table 2: 9.7 % less; Figure 4: the theory crosses at 0.81.
  CHECK(1.0 - suffa::inPlaceBytes / suffa::pullBytes == Approx(0.097).margin(0.002));
  CHECK(suffa::speedOfDense(0.81) > suffa::speedOfLists());
  CHECK(suffa::speedOfDense(0.80) < suffa::speedOfLists());
  CHECK(suffa::speedOfHybrid(0.3) == suffa::speedOfLists());
  CHECK(suffa::speedOfHybrid(1.0) == suffa::speedOfDense(1.0));
  CHECK(suffa::heldByLists(suffa::spheresPorosity) ==
        Approx((1.0 - suffa::savedInSpheres) * suffa::heldByDense).epsilon(0.15));
  // Habich et al. 2013, Table 4: Table 3 over three times 19 values on the CPU; twice on a GPU.
  const habich::Machine& cpu = habich::machines.front();
  CHECK(cpu.copy / (1e6 * 3 * 19 * 4) == Approx(cpu.single).epsilon(0.01));
  CHECK(cpu.copy / (1e6 * 3 * 19 * 8) == Approx(cpu.twice).epsilon(0.01));
  for (const habich::Machine& of : habich::machines)
    if (of.twice > 0.0) CHECK(of.single == Approx(2.0 * of.twice));
  // Rinaldi et al. 2011: 65.9 GB/s at 891 MLUPS.
  CHECK(1e6 * rinaldi::peakGt200 * rinaldi::bytesPerNode == Approx(65.934e9).epsilon(1e-4));
}

TEST_CASE("Structures of the papers: crossings of two curves", "[unit]") {
  CHECK(crossingOf({0.0, 1.0}, {1.0, 1.0}, {0.0, 2.0}) == Approx(0.5));
  CHECK(crossingOf({0.0, 1.0, 3.0}, {5.0, 4.0, 0.0}, {1.0, 1.0, 1.0}) == Approx(2.5));
  CHECK(crossingOf({0.2, 1.0}, {1.0, 3.0}, {1.0, 2.0}) == 0.2);
  CHECK(crossingOf({0.0, 1.0}, {1.0, 1.0}, {2.0, 3.0}) == 0.0);
  CHECK(crossingOf({}, {}, {}) == 0.0);
}

TEST_CASE("Structures of the papers: every table and figure is written, with the papers' values",
          "[unit]") {
  const TemporaryFolder folder;
  const std::filesystem::path out = folder / "all";
  REQUIRE(runStructures("--backend cpu --scale 0.125 --seconds 0.0001 --repeats 1 -o " +
                        out.string()) == 0);
  const std::vector<std::string> speed = linesOf(out / "suffa_figure4.csv");
  const std::vector<std::string> memory = linesOf(out / "suffa_figure5.csv");
  CHECK(speed.size() == 1 + 13 * 2 * 5);
  CHECK(memory.size() == speed.size());
  for (const char* name : {"suffa_figure4.svg", "suffa_figure5.svg"})
    CHECK_THAT(linesOf(out / name).front(), Catch::Contains("<svg"));
  // Memory of lists and dense storage by Equation 9.
  int compared = 0;
  for (const std::string& line : memory)
    if (line.find(",lists,f64,") != std::string::npos && cell(line, 0) > 0.3) {
      CHECK(cell(line, 4) == Approx(cell(line, 5)).epsilon(0.1));
      ++compared;
    }
  CHECK(compared > 5);
  const std::vector<std::string> table = linesOf(out / "suffa_table2.csv");
  REQUIRE(table.size() == 4);
  // Dense storage: 4 bytes of mask in runs at periodic faces, too.
  CHECK(cell(table[1], 1) == Approx(cell(table[1], 2) + 4.0 + 4.0 / 32).epsilon(1e-4));
  for (const std::size_t k : {2U, 3U})
    CHECK(cell(table[k], 1) == Approx(cell(table[k], 2)).epsilon(1e-3));
  const std::vector<std::string> crossings = linesOf(out / "suffa_crossings.csv");
  REQUIRE(crossings.size() == 3);
  CHECK(cell(crossings[2], 1) == Approx(0.8).margin(0.05));
  // Two beds and an artery on one device; memory that lists save of dense storage.
  const std::vector<std::string> beds = linesOf(out / "suffa_beds.csv");
  REQUIRE(beds.size() == 1 + 3 * 6);
  CHECK_THAT(beds[2],
             Catch::StartsWith("sphere bed,") && Catch::Contains(",1,whole,kernel,lists,"));
  CHECK(cell(beds[2], 13) > 0.3);
  CHECK(cell(beds[2], 14) == suffa::savedInSpheres);
  CHECK_THAT(beds[14], Catch::StartsWith("artery,") && Catch::Contains(",lists,"));
  CHECK(cell(beds[14], 18) == 1374);
  CHECK(linesOf(out / "habich_tables3_4.csv").size() == 1 + 2 + habich::machines.size());
  CHECK(linesOf(out / "habich_figures2_3.csv").size() == 1 + 2 * 2 * 2);
  const std::vector<std::string> channel = linesOf(out / "rinaldi_table3.csv");
  CHECK(channel.size() > 3 * 6);
  CHECK((channel.size() - 1) % 6 == 0);
  CHECK_THAT(channel[1], Catch::Contains("96,32,2560,dense-shared-memory,") &&
                             Catch::EndsWith(",158,891,0.60"));
}

#ifdef TESSERA_MPIRUN
TEST_CASE("Structures of the papers: beds on two ranks, divided by layers and by work", "[unit]") {
  const TemporaryFolder folder;
  const std::filesystem::path out = folder / "two";
  const auto onRanks = [&](const std::string& arguments) {
    const int status =
        std::system((std::string(TESSERA_MPIRUN) +
                     " --allow-run-as-root --oversubscribe --bind-to none --mca "
                     "mpi_yield_when_idle 1 -np 2 " TESSERA_BIN "/paper_structures --threads 1 "
                     "--backend cpu --scale 0.125 --seconds 0.0001 --repeats 1 " +
                     arguments + " -o " + out.string() + " >/dev/null 2>&1")
                        .c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  REQUIRE(onRanks("--only beds") == 0);
  const std::vector<std::string> beds = linesOf(out / "suffa_beds.csv");
  REQUIRE(beds.size() == 1 + 3 * (6 + 6 * 2));
  // Half of the river bed is free: by layers one rank has more work, by work both are alike.
  std::vector<double> balance;
  for (const std::string& line : beds)
    if (line.starts_with("river bed,") && line.find(",2,") != std::string::npos &&
        line.find(",kernel,lists,") != std::string::npos) {
      balance.push_back(cell(line, 15));
      CHECK(cell(line, 19) > 0.0);
    }
  REQUIRE(balance.size() == 2);
  CHECK(balance[0] > 1.3);
  CHECK(balance[1] < 1.15);
  CHECK(onRanks("--only porosity") == 2);
}
#endif

TEST_CASE("Structures of the papers: parts can be chosen, and wrong options are refused",
          "[unit]") {
  const TemporaryFolder folder;
  const std::string out = (folder / "some").string();
  CHECK(runStructures("--only expansion --backend cpu --scale 0.02 --seconds 0.0001 --repeats 1 "
                      "-o " +
                      out) == 0);
  CHECK(std::filesystem::exists(out + "/rinaldi_table3.csv"));
  CHECK_FALSE(std::filesystem::exists(out + "/suffa_beds.csv"));
  CHECK(runStructures("--only lists -o " + out) == 2);
  CHECK(runStructures("--scale 3 -o " + out) == 2);
  CHECK(runStructures("--repeats 0 -o " + out) == 2);
  CHECK(runStructures("--only beds") == 2);
}
