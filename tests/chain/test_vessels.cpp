// SPDX-License-Identifier: GPL-3.0-or-later
// Every vessel of the shared data through the chain, without manual repair, each with its case of
// tests/chain/vessels; prints the table that the README speaks of.
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>

#include "tests/fixtures/chain.hpp"

using namespace tessera::chain;
namespace fs = std::filesystem;

namespace {

// How many openings each vessel has, by eye and by the sources' own case files.
const std::map<std::string, std::size_t> openingsOf{
    {"SixBranch", 6}, {"aneurysm-showcase", 3}, {"aneurysm_vascular_model", 3}, {"aorta3d", 3},
    {"artery", 3},    {"caput-AlsterAY", 2},    {"caput-sidewall-4", 2}};

void printRow(const std::string& name, const nlohmann::json& lattice, const nlohmann::json& solver,
              const nlohmann::json& summary, double seconds) {
  static bool headed = false;
  if (!headed)
    std::printf("%-24s %8s %3s %7s %10s %10s %8s %8s %6s\n", "vessel", "nodes", "op", "steps",
                "residual", "drop[Pa]", "wss50", "wss99", "s");
  headed = true;
  std::printf(
      "%-24s %8llu %3zu %7llu %10.2e %10.3f %8.3f %8.3f %6.1f\n", name.c_str(),
      lattice.at("fluid_nodes").get<unsigned long long>(), summary.at("openings").size(),
      solver.at("steps").get<unsigned long long>(), summary.at("mass_residual").get<double>(),
      summary.at("pressure_drop_pa").get<double>(), summary.at("wss_pa").at("p50").get<double>(),
      summary.at("wss_pa").at("p99").get<double>(), seconds);
  std::fflush(stdout);
}

void checkVessel(const fs::path& surface, std::size_t openings) {
  const std::string name = surface.stem().string();
  const std::string caseFile = TESSERA_SOURCE "/tests/chain/vessels/" + name + ".toml";
  const WorkFolder work;
  const auto start = std::chrono::steady_clock::now();
  work.mustRun("tessera-preprocess --quiet --case " + caseFile + " " + surface.string() +
               " --report lattice.json -o geom.vdb");
  work.mustRun("tessera-tiler --quiet geom.vdb -o geom.tiles");
  work.mustRun("tessera-solver --quiet --case " + caseFile +
               " geom.tiles --report solver.json -o run.fields");
  work.mustRun("tessera-postprocess --quiet run.fields -o out");
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

  const auto lattice = work.json("lattice.json");
  const auto solver = work.json("solver.json");
  const auto summary = work.json("out/summary.json");
  printRow(name, lattice, solver, summary, seconds.count());
  CHECK(lattice.at("openings").size() == openings);
  CHECK(summary.at("openings").size() == openings);
  CHECK(solver.at("converged").get<bool>());
  CHECK(summary.at("mass_residual").get<double>() < 1e-3);
  CHECK(summary.at("pressure_drop_pa").get<double>() > 0.0);
  CHECK(summary.at("wss_pa").at("p50").get<double>() > 0.0);
}

}  // namespace

TEST_CASE("Vessels: every shared vessel passes through the chain", "[slow][vessels]") {
  const fs::path folder = TESSERA_SHARED_DATA "/vessels";
  if (!fs::exists(folder)) {
    WARN("skipped: the shared vessels are not beside this checkout");
    return;
  }
  for (const auto& [name, openings] : openingsOf) {
    DYNAMIC_SECTION(name) {
      checkVessel(folder / (name + ".stl"), openings);
    }
  }
}
