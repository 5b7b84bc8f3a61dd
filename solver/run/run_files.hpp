// SPDX-License-Identifier: GPL-3.0-or-later
// Names of the files that a run writes, all made from that of its output: for run.fields
// run.monitor.csv, run.solver.json, run.ckpt, run.ckpt.prev and, as intermediate output,
// run.0001.fields and so on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "solver/run/monitor.hpp"

namespace tessera::solver::run {

struct RunFiles {
  std::filesystem::path monitor;
  std::filesystem::path checkpoint;
  std::filesystem::path stem{};  // of files of fields: without .fields or .NNNN.fields
  // For files of fields: base name of the geometry, text of the case.
  std::string tilesName{};
  std::string caseText{};
  std::filesystem::path fields{};  // of the end; empty: none
  // On rank 0, open to keep other runs off until the results are written; null: open while the run
  // steps.
  std::shared_ptr<const OpenMonitor> openMonitor{};
  std::filesystem::path report{};  // unless --report names another

  [[nodiscard]] std::filesystem::path intermediate(std::uint64_t number) const;
  // A run to this stem may write intermediate output of that name, at whatever number.
  [[nodiscard]] bool isIntermediate(const std::filesystem::path& file) const;
  // Intermediate output of earlier runs to this stem.
  [[nodiscard]] std::vector<std::filesystem::path> earlierIntermediates() const;
  // Files that the run replaces or removes besides the fields.
  [[nodiscard]] std::vector<std::filesystem::path> sideFiles() const;
};

// tilesName and caseText are left empty.
RunFiles runFilesOf(const std::filesystem::path& output);

}  // namespace tessera::solver::run
