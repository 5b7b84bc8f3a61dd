// SPDX-License-Identifier: GPL-3.0-or-later
// Command lines: the options every stage shares, defined once, and the one place that turns an
// exception into a sentence and an exit code. CLI11 stays behind command_line.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::stage {

struct CommonOptions {
  std::vector<std::filesystem::path> inputs;
  std::filesystem::path output;    // -o
  std::filesystem::path caseFile;  // --case
  std::filesystem::path report;    // --report
  int threads = 0;                 // --threads; 0: all
  bool plan = false;
  bool quiet = false;
  bool verbose = false;
};

class CommandLine {
 public:
  // maxInputs: how many positional INPUT arguments at most. needsOutput: -o is required unless
  // --plan.
  CommandLine(std::string program, std::string description, int minInputs, int maxInputs,
              bool needsOutput);
  ~CommandLine();

  void flag(const std::string& name, bool& target, const std::string& help);
  void option(const std::string& name, std::string& target, const std::string& help);
  void option(const std::string& name, std::optional<std::string>& target, const std::string& help);
  void option(const std::string& name, std::optional<std::int64_t>& target,
              const std::string& help);
  void option(const std::string& name, std::optional<double>& target, const std::string& help);
  // May be given several times, one value each.
  void repeated(const std::string& name, std::vector<std::string>& target, const std::string& help);
  // One of the words; anything else is answered with the list.
  void choice(const std::string& name, std::string& target, const std::vector<std::string>& words,
              const std::string& help);
  // Takes away shared options that mean nothing to this program, e.g. {"--case", "--plan"}.
  void without(const std::vector<std::string>& names);
  void example(const std::string& line);  // shown at the end of --help
  // Text appended to --version, e.g. the devices found.
  void versionDetail(std::function<std::string()> detail);

  // nullopt: --help or --version was answered, leave with 0. Throws StageError(Usage), with the
  // nearest option for an unknown one.
  std::optional<CommonOptions> parse(int argc, const char* const* argv);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Runs body, turns StageError, bad_alloc (5) and any other exception (1) into "program: sentence"
// on stderr and the exit code. Applies NO_COLOR.
int runStage(const std::string& program, const std::function<int()>& body);

// Sets verbosity and the TBB thread limit for the life of the program.
void applyCommonOptions(const CommonOptions& options);

// "0.1.0", the commit, and "x86-64-v3 g++ 12.2.0 CUDA 13.0" or "... no CUDA".
std::string versionNumber();
std::string gitHash();
std::string buildDescription();

}  // namespace tessera::stage
