// SPDX-License-Identifier: GPL-3.0-or-later
// Texts and JSON reports of other programs: bounded, and read before anything is made of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <type_traits>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/json.hpp"

namespace tessera::stage {

// Text of a file of at most so many MiB. kind: "report of tessera-solver", which never has more;
// advice: "name the file of tessera-solver --report". Throws StageError(BadInput).
std::string boundedText(const std::filesystem::path& path, std::uintmax_t mebibytes,
                        const std::string& kind, const std::string& advice);

// interpret(json, text) of the report of a program. Throws StageError(BadInput), also for what
// interpret() throws as Json::exception.
template <class Interpret>
auto readReport(const std::filesystem::path& path, const std::string& program,
                const Interpret& interpret) {
  constexpr std::uintmax_t most = 16;
  const std::string text =
      boundedText(path, most, "report of " + program, "name the file of " + program + " --report");
  try {
    return interpret(parseJson(text), text);
  } catch (const Json::exception&) {
    fail(ExitCode::BadInput,
         path.string() + " is not a report of " + program + "; name the file of its --report");
  }
}

// read(given), or without one read(standard) if that file exists: its faults are warned of.
template <class Read>
auto readGivenOrStandard(const std::filesystem::path& given, const std::filesystem::path& standard,
                         const Read& read)
    -> std::optional<std::invoke_result_t<Read, const std::filesystem::path&>> {
  if (!given.empty()) return read(given);
  std::error_code error;
  if (!std::filesystem::exists(standard, error)) return std::nullopt;
  try {
    return read(standard);
  } catch (const StageError& problem) {
    logWarning(std::string(problem.what()) + "; the report is ignored");
    return std::nullopt;
  }
}

}  // namespace tessera::stage
