// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/run_files.hpp"

#include <cstdio>

#include "pipelines/stage/text.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::solver::run {

namespace {

constexpr const char* fieldsEnding = ".fields";
constexpr int leastDigits = 4;

}  // namespace

std::filesystem::path RunFiles::intermediate(std::uint64_t number) const {
  return fmt::format("{}.{:0{}}{}", stem.string(), number, leastDigits, fieldsEnding);
}

bool RunFiles::isIntermediate(const std::filesystem::path& file) const {
  const std::string name = file.filename().string();
  const std::string before = stem.filename().string() + ".";
  const std::string after = fieldsEnding;
  if (!name.starts_with(before) || !name.ends_with(after) ||
      name.size() < before.size() + leastDigits + after.size())
    return false;
  const auto digits = name.substr(before.size(), name.size() - before.size() - after.size());
  std::error_code none;
  return digits.find_first_not_of("0123456789") == std::string::npos &&
         std::filesystem::equivalent(std::filesystem::absolute(file).parent_path(),
                                     std::filesystem::absolute(stem).parent_path(), none);
}

std::vector<std::filesystem::path> RunFiles::earlierIntermediates() const {
  std::vector<std::filesystem::path> found;
  std::error_code none;
  const auto folder = stem.has_parent_path() ? stem.parent_path() : std::filesystem::path(".");
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (isIntermediate(entry.path())) found.push_back(entry.path());
  return found;
}

std::vector<std::filesystem::path> RunFiles::sideFiles() const {
  return {monitor, checkpoint, checkpoint.string() + ".prev"};
}

RunFiles runFilesOf(const std::filesystem::path& output) {
  const std::filesystem::path stem = file::stemOf(output);
  RunFiles files{stem.string() + ".monitor.csv", stem.string() + ".ckpt", stem};
  files.report = file::reportBeside(output);
  files.fields = output;
  return files;
}

}  // namespace tessera::solver::run
