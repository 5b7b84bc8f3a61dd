// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/bench/stored_speeds.hpp"

#include <tbb/global_control.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>

#include "pipelines/stage/cli/printable_output.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/system/machine.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/backend/gpu/device.hpp"

namespace tessera::solver::bench {

namespace {

constexpr std::size_t longestFile = 256U << 10U, mostLines = 1000, mostKept = 500;
constexpr const char* heading =
    "# tessera-solver --bench: device, variant, copies, MFLUPS, "
    "utilisation, copy bandwidth in B/s\n";

// Behind the name of a variant whose passes make two steps.
constexpr std::string_view twoSteps = " by two steps in a pass";

std::vector<std::string_view> wordsOf(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find('\t', at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// A number within bounds; nullopt for anything else.
std::optional<double> numberIn(std::string_view word, double lowest, double highest) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool whole = error == std::errc{} && end == word.data() + word.size();
  return whole && value >= lowest && value <= highest ? std::optional(value) : std::nullopt;
}

std::optional<StoredSpeed> speedOf(std::string_view line) {
  constexpr std::size_t longestName = 200;
  const std::vector<std::string_view> words = wordsOf(line);
  if (words.size() != 6 || words[0].size() > longestName || words[1].size() > longestName)
    return std::nullopt;
  const auto copies = numberIn(words[2], 1, 2);
  const auto mflups = numberIn(words[3], 1e-6, 1e9);
  const auto utilisation = numberIn(words[4], 1e-4, 1.0);
  const auto bandwidth = numberIn(words[5], 0.0, 1e18);
  if (!copies || !mflups || !utilisation || !bandwidth) return std::nullopt;
  const bool twice = words[1].ends_with(twoSteps);
  return StoredSpeed{
      std::string(words[0]),
      std::string(words[1].substr(0, words[1].size() - (twice ? twoSteps.size() : 0))),
      static_cast<int>(*copies),
      *mflups,
      *utilisation,
      *bandwidth,
      twice ? 2 : 1};
}

// A name in one word of the file.
std::string word(const std::string& name) {
  std::string text = stage::printable(name);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
  return text;
}

bool isSame(const StoredSpeed& a, const StoredSpeed& b) {
  return a.device == b.device && a.variant == b.variant && a.copies == b.copies &&
         a.stepsInPass == b.stepsInPass;
}

}  // namespace

std::filesystem::path speedsFile() {
  const auto folder = [](const char* variable) {
    const char* value = std::getenv(variable);
    const std::filesystem::path path = value != nullptr ? value : "";
    return path.is_absolute() ? path : std::filesystem::path();
  };
  std::filesystem::path cache = folder("XDG_CACHE_HOME");
  if (cache.empty() && !folder("HOME").empty()) cache = folder("HOME") / ".cache";
  return cache.empty() ? cache : cache / "tessera" / "speeds.txt";
}

std::vector<StoredSpeed> readSpeeds(const std::filesystem::path& file) {
  std::vector<StoredSpeed> speeds;
  std::error_code absent;
  if (file.empty() || !std::filesystem::is_regular_file(file, absent)) return speeds;
  std::ifstream stream(file, std::ios::binary);
  std::string text(longestFile, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  std::string_view rest = text;
  for (std::size_t lines = 0; !rest.empty() && lines < mostLines; ++lines) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (auto speed = speedOf(rest.substr(0, end))) speeds.push_back(std::move(*speed));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return speeds;
}

void storeSpeeds(const std::filesystem::path& file, const std::vector<StoredSpeed>& measured) {
  std::vector<StoredSpeed> all = measured;
  for (const StoredSpeed& older : readSpeeds(file))
    if (std::none_of(measured.begin(), measured.end(),
                     [&](const StoredSpeed& newer) { return isSame(newer, older); }))
      all.push_back(older);
  all.resize(std::min(all.size(), mostKept));
  std::string text = heading;
  for (const StoredSpeed& speed : all)
    text += fmt::format("{}\t{}{}\t{}\t{:.6g}\t{:.6g}\t{:.6g}\n", word(speed.device),
                        word(speed.variant), speed.stepsInPass == 2 ? twoSteps : "", speed.copies,
                        speed.mflups, speed.utilisation, speed.bandwidth);
  std::error_code failed;
  std::filesystem::create_directories(file.parent_path(), failed);
  if (failed) stage::failToWrite(file, failed.value());
  stage::writeTextAtomically(file, text);
}

std::string deviceOf(bool cuda) {
  if (cuda) {
    const auto device = backend::findDevice();
    return word(device ? device->name : "CUDA");
  }
  using tbb::global_control;
  return word(fmt::format("{}, {} threads", stage::processorName(),
                          global_control::active_value(global_control::max_allowed_parallelism)));
}

namespace {

// Bytes a node in proportion to which a step takes its time: moments in 28 bytes, bound by
// instructions, take about as long as those in 40.
double bytesOfSpeed(const backend::VariantInfo& variant) {
  return variant.axes.precision == model::PrecisionId::M32F16
             ? 2.0 * variant.stateValues * variant.storageBytes
             : variant.bytesPerNode();
}

}  // namespace

std::optional<PredictedSpeed> speedFrom(const std::vector<StoredSpeed>& stored,
                                        const std::string& device,
                                        const backend::VariantInfo& variant, int copies,
                                        int stepsInPass, double utilisation) {
  const std::string name = variant.name();
  std::optional<PredictedSpeed> best;
  int bestRank = 0;
  for (const StoredSpeed& speed : stored) {
    const backend::VariantInfo* const measured = backend::variantNamed(speed.variant);
    if (speed.device != device || measured == nullptr || speed.stepsInPass > stepsInPass) continue;
    const bool same = speed.variant == name;
    const bool alike = measured->storageBytes == variant.storageBytes &&
                       measured->axes.state == variant.axes.state;
    const int rank = 2 * (same && speed.copies == copies ? 4
                          : same                         ? 3
                          : alike                        ? 2
                                                         : 1) +
                     (speed.stepsInPass == stepsInPass ? 1 : 0);
    if (rank <= bestRank) continue;
    bestRank = rank;
    best = {speed.mflups * utilisation / speed.utilisation * bytesOfSpeed(*measured) /
                bytesOfSpeed(variant),
            same ? "measured by --bench" : "from --bench of " + speed.variant};
  }
  return best;
}

PredictedSpeed speedFromBandwidth(double bandwidth, bool cuda, const backend::VariantInfo& variant,
                                  double utilisation) {
  // Steps of D3Q19 with walls and openings (tests/bench/RESULTS.md): arithmetic bounds those of a
  // CPU.
  const double share = cuda ? 0.85 : 0.4;
  return {1e-6 * share * bandwidth * utilisation / variant.bytesPerNode(),
          fmt::format("from the memory bandwidth, {:.3g} GB/s; --bench step measures it",
                      1e-9 * bandwidth)};
}

PredictedSpeed speedFromPeak(double peak, const backend::VariantInfo& variant, double utilisation) {
  PredictedSpeed speed = speedFromBandwidth(copyShareOfPeak * peak, true, variant, utilisation);
  speed.source =
      fmt::format("from {:.0f} % of the device's peak, {:.0f} GB/s; --bench step measures it",
                  100.0 * copyShareOfPeak, 1e-9 * peak);
  return speed;
}

double copyBandwidthOfCpu() {
  constexpr std::size_t parts = 32, bytes = 1U << 20U, repeats = 4;
  using Clock = std::chrono::steady_clock;
  try {
    std::vector<char> from(parts * bytes, 1), to(parts * bytes, 2);
    double best = 0.0;
    for (std::size_t k = 0; k < repeats; ++k) {
      const Clock::time_point start = Clock::now();
      stage::parallelFor(parts, [&](std::size_t part) {
        std::memcpy(&to[part * bytes], &from[part * bytes], bytes);
      });
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      best = std::max(best, 2.0 * parts * bytes / std::max(seconds, 1e-9));
    }
    return best;
  } catch (const std::bad_alloc&) {
    return 0.0;
  }
}

}  // namespace tessera::solver::bench
