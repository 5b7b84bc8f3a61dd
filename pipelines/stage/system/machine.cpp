// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/system/machine.hpp"

#include <sys/utsname.h>

#include <array>
#include <ctime>
#include <fstream>

#include "pipelines/stage/cli/printable_output.hpp"

namespace tessera::stage {

std::string processorName() {
  constexpr std::size_t mostLines = 200, mostLetters = 80;
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  for (std::size_t i = 0; i < mostLines && std::getline(file, line); ++i)
    if (const std::size_t colon = line.find(": ");
        line.starts_with("model name") && colon != std::string::npos)
      return printable(line.substr(colon + 2, mostLetters));
  utsname system{};
  return ::uname(&system) == 0 ? system.machine : "unknown processor";
}

std::string utcMinute() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  std::array<char, 32> text{};
  if (::gmtime_r(&now, &utc) == nullptr ||
      std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &utc) == 0)
    return {};
  return text.data();
}

}  // namespace tessera::stage
