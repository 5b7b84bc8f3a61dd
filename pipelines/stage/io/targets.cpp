// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/io/targets.hpp"

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::stage {
namespace {

namespace fs = std::filesystem;

// Sees through links and "./"; the files need not exist.
bool isSameFile(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::equivalent(a, b, ignored) ||
         fs::weakly_canonical(fs::absolute(a, ignored), ignored) ==
             fs::weakly_canonical(fs::absolute(b, ignored), ignored);
}

}  // namespace

void refuseOverwriting(const CommonOptions& options) {
  std::vector<fs::path> read = options.inputs;
  if (!options.caseFile.empty()) read.push_back(options.caseFile);
  for (const fs::path& target : {options.output, options.report})
    for (const fs::path& input : read)
      if (!target.empty() && isSameFile(input, target))
        fail(ExitCode::Usage,
             target.string() + " is an input and would be overwritten; name another output.");
  if (!options.output.empty() && !options.report.empty() &&
      isSameFile(options.output, options.report))
    fail(ExitCode::Usage,
         options.output.string() + " is given both to -o and to --report; name another report.");
}

void refuseOverwriting(const std::vector<fs::path>& beside, const std::vector<fs::path>& others) {
  for (const fs::path& file : beside)
    for (const fs::path& other : others)
      if (!other.empty() && isSameFile(file, other))
        fail(ExitCode::Usage, fmt::format("{} would be overwritten by a file of that name written "
                                          "next to the output; name another output.",
                                          other.string()));
}

void requireRegular(const std::vector<fs::path>& beside) {
  for (const fs::path& file : beside) {
    std::error_code ignored;
    const fs::file_status status = fs::symlink_status(file, ignored);
    if (!fs::exists(status) || fs::is_regular_file(status)) continue;
    const char* kind = fs::is_symlink(status)     ? "a link"
                       : fs::is_directory(status) ? "a folder"
                       : fs::is_fifo(status)      ? "a fifo"
                                                  : "no regular file";
    fail(ExitCode::OutputFailed,
         fmt::format("{} is {}, where a file of that name is written next to the output; remove it "
                     "or name another output.",
                     file.string(), kind));
  }
}

void requireWritable(const std::vector<fs::path>& targets) {
  for (const fs::path& target : targets)
    if (!target.empty()) AtomicFile{target};
}

void checkTargets(const CommonOptions& options) {
  refuseOverwriting(options);
  if (!options.plan) requireWritable({options.output, options.report});
}

}  // namespace tessera::stage
