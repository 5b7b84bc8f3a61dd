// SPDX-License-Identifier: GPL-3.0-or-later
// Command lines: shared options, and the one place that turns an exception into a sentence and an
// exit code. CLI11 stays behind command_line.cpp.
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
  // maxInputs: number of positional INPUT arguments. needsOutput: -o is required unless --plan.
  CommandLine(std::string program, std::string description, int minInputs, int maxInputs,
              bool needsOutput);
  ~CommandLine();

  // Heading in --help of the options that follow.
  void group(const std::string& title);
  // A name may end in the type of its value, "--spacing LENGTH", "--picture FILE.png": shown, and
  // completed where it is FILE, FILE.ending or FOLDER; without it TEXT or a number.
  void flag(const std::string& name, bool& target, const std::string& help);
  void option(const std::string& name, std::string& target, const std::string& help);
  void option(const std::string& name, std::optional<std::string>& target, const std::string& help);
  void option(const std::string& name, std::optional<std::int64_t>& target,
              const std::string& help);
  void option(const std::string& name, std::optional<double>& target, const std::string& help);
  // Repeatable, one value each.
  void repeated(const std::string& name, std::vector<std::string>& target, const std::string& help);
  // One of the words; the error lists them.
  void choice(const std::string& name, std::string& target, const std::vector<std::string>& words,
              const std::string& help);
  // Removes shared options that this program does not have, e.g. {"--case", "--plan"}.
  void without(const std::vector<std::string>& names);
  // Requirements of this program that the understood line lacks, such as "--case FILE.toml";
  // reported together with a missing input or output.
  void alsoRequired(std::function<std::vector<std::string>(const CommonOptions&)> missing);
  void example(const std::string& line);  // shown at the end of --help
  // INPUT and OUTPUT as --help shows them, such as "geom.tiles" and "FILE.fields"; the endings of
  // inputs that completion offers ("tiles").
  void inputs(const std::string& shown, const std::vector<std::string>& endings = {});
  void output(const std::string& type);
  // Side files and variables, for the man page.
  void file(const std::string& name, const std::string& meaning);
  void environment(const std::string& variable, const std::string& effect);
  // Text appended to --version, e.g. the devices found.
  void versionDetail(std::function<std::string()> detail);

  // nullopt: --help or --version was printed, exit with 0. Throws StageError(Usage), naming the
  // nearest option for an unknown one.
  std::optional<CommonOptions> parse(int argc, const char* const* argv);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Runs body, converts StageError, bad_alloc (5) and any other exception (1) into "program:
// sentence" on stderr and the exit code. Applies NO_COLOR.
int runStage(const std::string& program, const std::function<int()>& body);

// Sets verbosity and the TBB thread limit for the life of the program. Throws
// StageError(NoResource) where too few files may be open.
void applyCommonOptions(const CommonOptions& options);

}  // namespace tessera::stage
