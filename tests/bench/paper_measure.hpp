// SPDX-License-Identifier: GPL-3.0-or-later
// A kernel of the paper measured on one geometry, and the table of such measurements with the
// paper's.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "solver/bench/bench.hpp"
#include "tests/bench/paper_values.hpp"

namespace tessera::paper {

using namespace tessera::solver::backend;
using namespace tessera::solver::bench;
using namespace tessera::tiler::file;

struct Effort {
  std::string backend = "auto";
  BenchEffort bench{3, 0.03};
  double scale = 1.0;            // of lengths
  std::uint64_t cacheBytes = 0;  // L2 cache of the device; 0 on the CPU
  solver::comm::Ranks* ranks = &solver::comm::noOthers();
  std::filesystem::path artery;  // .tiles; empty: a generated vessel

  // A length of the paper's, in nodes, scaled.
  [[nodiscard]] int scaled(int length, int atLeast = 8) const;
};

struct Measured {
  std::string table, name;  // such as "table6", "spheres 0.9"
  std::size_t kernel = 0;   // of paper::kernels
  std::string precision, layouts = "XYZ";
  Int3 nodes{};
  double porosity = 0.0, utilisation = 0.0;
  Spread mflups;
  double fraction = 0.0, bandwidth = 0.0;  // of the copy bandwidth; bytes per second
  // The paper's; 0 where it has none.
  double paperMflups = 0.0, paperUtilisation = 0.0;

  // Read and written in a step, which are the bytes of a node in both copies of the state.
  [[nodiscard]] double bytesPerNode() const { return precision == "f64" ? 304.0 : 152.0; }
  [[nodiscard]] double paperFraction() const {
    return fractionOf(paperMflups, precision == "f64" ? 8 : 4);
  }
};

// precision: "f64" or "f32". Empty where this build has no such variant.
std::optional<Measured> measureKernel(std::size_t kernel, const std::string& precision,
                                      const TilesFile& tiles, const Effort& effort);
// Name of a variant that is built.
const VariantInfo* variantOf(std::size_t kernel, const std::string& precision);

// Rows whose state is at least four times the cache, so that steps run from memory.
std::vector<Measured> beyondCache(const std::vector<Measured>& rows, std::uint64_t cacheBytes);

std::string tableOf(const std::vector<Measured>& rows);  // CSV
void writeText(const std::filesystem::path& path, const std::string& text);

}  // namespace tessera::paper
