// SPDX-License-Identifier: GPL-3.0-or-later
// Tables 3 to 9 and Figures 13 to 16 and 19 of Tomczak & Szafran 2017 on this machine, compared
// with the paper's values. --scale 0.1 shortens every length for a quick run.
#include <algorithm>
#include <cstdio>
#include <functional>

#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/backend/gpu/device.hpp"
#include "solver/bench/trial.hpp"
#include "tests/bench/paper_parts.hpp"

using namespace tessera;
using namespace tessera::solver::backend;
using namespace tessera::solver::bench;
using namespace tessera::stage;
using namespace tessera::paper;

namespace {

constexpr const char* program = "paper_gpu";
const std::vector<std::string> parts{"cavity",   "launches", "single", "layouts",
                                     "channels", "spheres",  "vessels"};

struct Options {
  Folder folder;
  Effort effort;
  std::vector<std::string> only;
  bool profile = false;

  [[nodiscard]] bool wants(const std::string& part) const {
    return only.empty() || std::find(only.begin(), only.end(), part) != only.end();
  }
};

template <class T>
T within(const std::string& option, T value, T low, T high) {
  if (!(value >= low && value <= high))
    fail(ExitCode::Usage, fmt::format("{} is {}; expected {} to {}", option, value, low, high));
  return value;
}

std::vector<std::string> wordsOf(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size() && !text.empty();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::string list;
  for (const std::string& part : parts) list += (list.empty() ? "" : ", ") + part;
  for (const std::string& word : words)
    if (std::find(parts.begin(), parts.end(), word) == parts.end())
      fail(ExitCode::Usage, "--only \"" + word + "\" is not known; there is: " + list);
  return words;
}

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  std::string only;
  std::optional<double> scale, seconds;
  std::optional<std::int64_t> repeats;
  CommandLine line(program,
                   "Measures what Tables 3 to 9 and Figures 13 to 16 and 19 of Tomczak & Szafran "
                   "2017 tell of speed. -o is a folder for tables (CSV) and figures (SVG).",
                   0, 0, false);
  line.without({"--case", "--report", "--plan"});
  line.choice("--backend", options.effort.backend, {"auto", "cpu", "cuda"},
              "where to run; auto: a CUDA device when there is one (auto)");
  line.option("--only", only,
              "some parts, with commas between: cavity, launches, single, layouts, "
              "channels, spheres, vessels (all)");
  line.option("--scale", scale, "of the paper's lengths (1)");
  line.option("--seconds", seconds, "about so long each repeat of a measurement (0.03)");
  line.option("--repeats", repeats, "of each measurement (3)");
  line.flag("--profile", options.profile,
            "step the kernels of Table 5 a few times, for a profiler, and write nothing");
  line.example("paper_gpu -o out/paper-gpu");
  line.example("paper_gpu --only layouts,single --scale 0.3 --backend cpu -o look");
  const auto common = line.parse(argc, argv);
  if (!common) return std::nullopt;
  applyCommonOptions(*common);
  options.folder = common->output;
  if (options.folder.empty() && !options.profile)
    fail(ExitCode::Usage, "no folder was given, add -o FOLDER");
  options.only = wordsOf(only);
  options.effort.scale = within("--scale", scale.value_or(1.0), 0.02, 2.0);
  options.effort.bench.seconds = within("--seconds", seconds.value_or(0.03), 1e-4, 10.0);
  options.effort.bench.repeats =
      static_cast<int>(within<std::int64_t>("--repeats", repeats.value_or(3), 1, 100));
  return options;
}

void append(std::vector<Measured>& all, const std::vector<Measured>& rows) {
  all.insert(all.end(), rows.begin(), rows.end());
}

int run(int argc, char** argv) {
  const std::optional<Options> options = parse(argc, argv);
  if (!options) return 0;
  Effort effort = options->effort;
  if (trialOnCuda(effort.backend)) effort.cacheBytes = findDevice()->l2Bytes;
  if (options->profile) {
    stepLayouts(effort);
    return 0;
  }
  std::filesystem::create_directories(options->folder);
  std::vector<Measured> dense, sparse;  // dense: beyond the cache
  const auto part = [&](const std::string& name, const std::function<void()>& measure) {
    if (!options->wants(name)) return;
    logInfo("measuring " + name);
    measure();
  };
  const Folder& folder = options->folder;
  part("cavity", [&] { dense = beyondCache(cavitySweep(folder, effort), effort.cacheBytes); });
  part("launches", [&] { singleLaunches(folder, effort); });
  part("single", [&] { singlePrecision(folder, effort); });
  part("layouts", [&] { dataLayouts(folder, effort); });
  part("channels", [&] { channels(folder, effort); });
  part("spheres", [&] { append(sparse, spherePacks(folder, effort)); });
  part("vessels", [&] { append(sparse, vessels(folder, effort)); });
  if (dense.empty() && !sparse.empty()) dense = denseCases(effort.scaled(100), effort);
  if (!sparse.empty()) againstUtilisation(sparse, dense, folder);
  std::printf("Tables and figures: %s\n", folder.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return runStage(program, [&] { return run(argc, argv); });
}
