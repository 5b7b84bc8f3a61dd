// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/io/report_file.hpp"

#include <fstream>
#include <iterator>

#include "pipelines/stage/text.hpp"

namespace tessera::stage {

std::string boundedText(const std::filesystem::path& path, std::uintmax_t mebibytes,
                        const std::string& kind, const std::string& advice) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    fail(ExitCode::BadInput, path.string() + " does not exist; " + advice);
  if (std::filesystem::file_size(path, error) > mebibytes << 20U)
    fail(ExitCode::BadInput, fmt::format("{} has more than {} MiB, which no {} has; {}",
                                         path.string(), mebibytes, kind, advice));
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) fail(ExitCode::BadInput, path.string() + " cannot be read; check its permissions");
  return text;
}

}  // namespace tessera::stage
