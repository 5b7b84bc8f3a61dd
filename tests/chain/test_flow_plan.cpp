// SPDX-License-Identifier: GPL-3.0-or-later
// Flow rates between pressures that the plan of a run estimates, against the runs themselves, in
// the vessels of the shared data.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <regex>

#include "tests/fixtures/chain.hpp"

using namespace tessera::chain;
namespace fs = std::filesystem;

namespace {

// The case of a vessel with a pressure in place of the velocity at its inlet.
std::string betweenPressures(const std::string& name, double pressure) {
  const std::string text = readWhole(TESSERA_SOURCE "/tests/chain/vessels/" + name + ".toml");
  const std::regex inlet("kind = \"velocity\"\nprofile = \"parabolic\"\nmean = \"[^\"]*\"");
  // The time step is left to the program, which keeps the lattice's density nearly constant.
  return std::regex_replace(std::regex_replace(text, std::regex("lattice_velocity = [^\n]*\n"), ""),
                            inlet,
                            "kind = \"pressure\"\nvalue = \"" + std::to_string(pressure) + " Pa\"");
}

// The largest Reynolds number that the report expects at an opening.
double expectedReynolds(const nlohmann::json& report) {
  double largest = 0.0;
  for (const auto& opening : report.at("plan").at("openings"))
    largest = std::max(largest, opening.at("reynolds").get<double>());
  return largest;
}

// Estimated over computed flow rate, of the opening where they differ most; openings with less than
// a twentieth of the largest flow rate are left out.
double worstRatio(const nlohmann::json& report) {
  const auto& found = report.at("openings");
  const auto& planned = report.at("plan").at("openings");
  double largest = 0.0, worst = 1.0;
  for (const auto& opening : found)
    largest = std::max(largest, std::abs(opening.at("flow_rate_m3_s").get<double>()));
  for (std::size_t k = 0; k < found.size(); ++k) {
    const double flow = found[k].at("flow_rate_m3_s").get<double>();
    if (std::abs(flow) < 0.05 * largest) continue;
    const double ratio = planned[k].at("flow_rate_m3_s").get<double>() / flow;
    std::printf("  opening %zu: %.3g of %.3g ml/s\n", k + 1, 1e6 * ratio * flow, 1e6 * flow);
    if (std::abs(std::log(std::max(ratio, 1e-9))) > std::abs(std::log(worst))) worst = ratio;
  }
  return worst;
}

void checkVessel(const fs::path& surface) {
  const std::string name = surface.stem().string();
  const WorkFolder work;
  work.mustRun("tessera-preprocess --quiet --across 9 --case " TESSERA_SOURCE
               "/tests/chain/vessels/" +
               name + ".toml " + surface.string() + " -o geom.vdb");
  work.mustRun("tessera-tiler --quiet geom.vdb -o geom.tiles");
  const auto run = [&](double pressure, const std::string& options) {
    work.write("case.toml", betweenPressures(name, pressure));
    work.mustRun("tessera-solver --quiet geom.tiles --case case.toml " + options +
                 " --report run.json -o run.fields");
    return work.json("run.json");
  };
  constexpr double reynolds = 20.0;
  const double pressure = reynolds / expectedReynolds(run(1.0, "--steps 1"));
  const nlohmann::json report = run(pressure, "");
  const double ratio = worstRatio(report);
  std::printf("%-24s %8llu nodes, %6.3g Pa, estimated over computed flow %.2f\n", name.c_str(),
              report.at("fluid_nodes").get<unsigned long long>(), pressure, ratio);
  std::fflush(stdout);
  CHECK(ratio > 0.5);
  CHECK(ratio < 2.0);
}

}  // namespace

TEST_CASE("Plan: flow rates between pressures are estimated within a factor of 2", "[slow][plan]") {
  const fs::path folder = TESSERA_SHARED_DATA "/vessels";
  if (!fs::exists(folder)) {
    WARN("skipped: the shared vessels are not beside this checkout");
    return;
  }
  for (const char* name : {"SixBranch", "aneurysm-showcase", "aneurysm_vascular_model", "aorta3d",
                           "artery", "caput-AlsterAY", "caput-sidewall-4"}) {
    DYNAMIC_SECTION(name) {
      checkVessel(folder / (std::string(name) + ".stl"));
    }
  }
}
