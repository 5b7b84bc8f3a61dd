// SPDX-License-Identifier: GPL-3.0-or-later
// Rule by which another structure than whole tiles becomes a scheme for runs: it gains more than
// 10 % in speed or 20 % in memory on at least five real rocks or vessels with default walls.
// Compared are populations of the same collision, LBGK or TRT, so that results agree to round-off;
// whole tiles in the form, two copies or the in-place update, that is faster or holds less.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "solver/bench/compare_structures.hpp"
#include "tiler/file/tiles_file.hpp"

namespace tessera::paper {

// Structures that may become schemes.
constexpr std::array<const char*, 5> candidates{"lists", "lists-in-place", "hybrid", "hybrid-tiles",
                                                "tiles-compact"};
constexpr double speedAsked = 0.10, memoryAsked = 0.20;
constexpr int geometriesAsked = 5;

struct RuleChoice {
  std::string backend = "auto";
  std::string collision = "trt";
  std::vector<std::string> precisions{"f64", "f32"};
  std::vector<std::string> structures{};  // measured besides whole tiles; empty: all
  solver::bench::BenchEffort effort{3, 0.05};
  bool countOnly = false;  // bytes alone, no state is allocated
};

// A structure on a geometry.
struct RuleRow {
  std::string geometry;
  bool real = false;  // of a file; false: generated
  std::uint64_t nodes = 0;
  double porosity = 0.0, utilisation = 0.0;
  std::string precision, structure, order;
  std::string collision, backend;  // of measured rows
  double parts = 0.0;              // of a pass on a GPU (partsOfPass())
  double bytesPerNode = 0.0, memoryPerNode = 0.0;
  // Bytes of a run besides, on the device: links of the default walls and of forces on walls.
  double otherMemoryPerNode = 0.0;
  std::optional<double> predictedMflups;
  std::optional<solver::bench::Spread> mflups;
  std::optional<double> boundFraction;  // of the copy bandwidth over the bytes moved
};

// name: of the geometry in the rows. closed: without openings. Counted rows have the speeds that a
// GPU's measured shares and a copy of 4.25 TB/s predict, and tiles in place as on CUDA.
std::vector<RuleRow> ruleRows(const std::string& name, bool real,
                              const tiler::file::TilesFile& closed, const RuleChoice& choice);

// A candidate against whole tiles.
struct RuleGain {
  std::string geometry, precision, structure;
  bool real = false;
  double memory = 0.0;             // 1 - held / least held by whole tiles, all memory of a run
  double memoryOfTwoCopies = 0.0;  // against whole tiles in two copies
  std::optional<double> speed;     // of that of the faster whole tiles, - 1; measured
  std::optional<double> predictedSpeed;
  [[nodiscard]] bool passes() const {
    return memory > memoryAsked || speed.value_or(0.0) > speedAsked;
  }
};
// In the faster order of nodes. Geometries without whole tiles are passed over.
std::vector<RuleGain> gainsOf(const std::vector<RuleRow>& rows);

std::string rowTable(const std::vector<RuleRow>& rows);     // CSV
std::string gainTable(const std::vector<RuleGain>& gains);  // CSV
// A line for each precision and candidate: on how many real geometries it passes, and whether it
// qualifies.
std::string verdict(const std::vector<RuleGain>& gains);

}  // namespace tessera::paper
