// SPDX-License-Identifier: GPL-3.0-or-later
// Speeds of this machine, measured by --bench and kept for the plans of later runs in the user's
// cache, $XDG_CACHE_HOME/tessera/speeds.txt (~/.cache without it): a line each, of words between
// tabs. Anything may stand in that file: what is not such a line is passed over.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "solver/backend/registry.hpp"

namespace tessera::solver::bench {

struct StoredSpeed {
  std::string device;        // name, for a CPU with the number of threads
  std::string variant;       // VariantInfo::name()
  int copies = 2;            // of the state
  double mflups = 0.0;       // per fluid node
  double utilisation = 1.0;  // of the tiles
  double bandwidth = 0.0;    // of a copy, bytes per second
  int stepsInPass = 1;       // over the state
};

// Empty where neither variable has an absolute path.
std::filesystem::path speedsFile();

// At most 1000 lines of the first 256 KiB; none if there is no such file.
std::vector<StoredSpeed> readSpeeds(const std::filesystem::path& file);

// Replaces those of the same device, variant and copies; the newest come first and 500 are kept.
// Throws StageError(OutputFailed).
void storeSpeeds(const std::filesystem::path& file, const std::vector<StoredSpeed>& measured);

// Name of the device of a run with these threads.
std::string deviceOf(bool cuda);

struct PredictedSpeed {
  double mflups = 0.0;
  std::string source;  // "measured by --bench", ...
};

// Speed of a variant at a utilisation of the tiles: of its own line, else of one with the same
// state and precision, else of another of the device by the bytes of a node; of lines with at most
// that many steps in a pass, those with the most first. nullopt: none fits.
std::optional<PredictedSpeed> speedFrom(const std::vector<StoredSpeed>& stored,
                                        const std::string& device,
                                        const backend::VariantInfo& variant, int copies,
                                        int stepsInPass, double utilisation);

// The same from a copy bandwidth, by the usual share of it.
PredictedSpeed speedFromBandwidth(double bandwidth, bool cuda, const backend::VariantInfo& variant,
                                  double utilisation);

// Part of the peak bandwidth that a GPU's driver reports which a copy has (one H200: 4.25 of 4.8
// TB/s, tests/bench/RESULTS.md).
constexpr double copyShareOfPeak = 0.88;

// The same on a GPU from that peak.
PredictedSpeed speedFromPeak(double peak, const backend::VariantInfo& variant, double utilisation);

// Bytes per second read and written by copies of 34 MB with all threads, in less than 0.1 s; 0
// without the memory for it.
double copyBandwidthOfCpu();

}  // namespace tessera::solver::bench
