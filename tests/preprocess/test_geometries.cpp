// SPDX-License-Identifier: GPL-3.0-or-later
// Every geometry of geometries.txt through tessera-preprocess: prints a row with its verdict and
// outcome, and checks them against the table.
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/fixtures/chain.hpp"

using namespace tessera::chain;
namespace fs = std::filesystem;

namespace {

struct Row {
  std::string file, verdict, openings, nodes, options;
};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

std::vector<Row> readTable() {
  std::ifstream table(TESSERA_SOURCE "/tests/preprocess/geometries.txt");
  std::vector<Row> rows;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream cells(line);
    Row row;
    for (std::string* cell : {&row.file, &row.verdict, &row.openings, &row.nodes, &row.options}) {
      std::getline(cells, *cell, '|');
      *cell = trimmed(*cell);
    }
    rows.push_back(row);
  }
  return rows;
}

struct Found {
  std::string verdict, repairs;
  double volumeRatio = 0.0;  // voxels by mesh; 0: no mesh
  nlohmann::json report;
  double seconds = 0.0;
};

bool isZip(const Row& row) {
  return fs::path(row.file).extension() == ".zip";
}

// The one file of a .zip, unpacked here.
std::string inputOf(const Row& row, const WorkFolder& unpacked) {
  const std::string path = TESSERA_SHARED_DATA "/" + row.file;
  if (!isZip(row)) return path;
  unpacked.mustRun("unzip -q '" + path + "'");
  REQUIRE(unpacked.names().size() == 1);
  return unpacked.path(unpacked.names().front()).string();
}

Found preprocess(const Row& row) {
  const WorkFolder work;
  const WorkFolder unpacked;
  const std::string input = inputOf(row, unpacked);
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = work.run("tessera-preprocess --quiet " + row.options +
                                   " --report r.json " + input + " -o geom.vdb");
  Found found;
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (outcome.code != 0) {
    CHECK(outcome.code == 3);
    CHECK(work.names().empty());
    const auto colon = outcome.errors.find(row.file);
    found.verdict =
        "refused" + (colon == std::string::npos ? ": " + outcome.errors
                                                : outcome.errors.substr(colon + row.file.size()));
    return found;
  }
  found.report = work.json("r.json");
  const auto& health = found.report.at("health");
  found.verdict = health.is_null() ? "image" : health.at("verdict").get<std::string>();
  for (const auto& [name, count] : found.report.at("repairs").items())
    if (count > 0 && name != "openings_capped") found.repairs += " " + name + " " + count.dump();
  if (!found.report.at("volume_mesh_m3").is_null())
    found.volumeRatio = found.report.at("volume_voxels_m3").get<double>() /
                        found.report.at("volume_mesh_m3").get<double>();
  return found;
}

void print(const Row& row, const Found& found) {
  const bool refused = found.report.is_null();
  const std::string head = refused ? "refused" : found.verdict;
  std::printf("%-36s %-20s %3zu %10llu %8.4f %6.2f %s\n", row.file.c_str(), head.c_str(),
              refused ? 0 : found.report.at("openings").size(),
              refused ? 0ULL : found.report.at("fluid_nodes").get<unsigned long long>(),
              found.volumeRatio, found.seconds,
              refused ? trimmed(found.verdict.substr(head.size())).c_str() : found.repairs.c_str());
  std::fflush(stdout);
}

}  // namespace

TEST_CASE("Shared geometries: each gets its verdict", "[slow][geometries]") {
  if (!fs::exists(TESSERA_SHARED_DATA)) {
    WARN("skipped: the shared data is not beside this checkout");
    return;
  }
  std::printf("%-36s %-20s %3s %10s %8s %6s %s\n", "file", "verdict", "op", "nodes", "vox/mesh",
              "s", "repairs, or why not");
  for (const Row& row : readTable()) {
    INFO(row.file);
    if (!fs::exists(fs::path(TESSERA_SHARED_DATA) / row.file)) {
      WARN("skipped: " << row.file << " is not there");
      continue;
    }
    if (isZip(row) && WorkFolder().run("unzip -v").code != 0) {
      WARN("skipped: " << row.file << " needs unzip, which is not installed");
      continue;
    }
    const Found found = preprocess(row);
    print(row, found);
    if (row.verdict.rfind("refused: ", 0) == 0)
      CHECK_THAT(found.verdict,
                 Catch::StartsWith("refused") && Catch::Contains(row.verdict.substr(9)));
    else if (row.verdict != "-")
      CHECK(found.verdict == row.verdict);
    if (found.report.is_null()) continue;
    if (row.openings != "-")
      CHECK(std::to_string(found.report.at("openings").size()) == row.openings);
    if (row.nodes != "-") CHECK(found.report.at("fluid_nodes").dump() == row.nodes);
    if (found.volumeRatio > 0.0) CHECK(found.volumeRatio == Approx(1.0).margin(0.02));
  }
}
