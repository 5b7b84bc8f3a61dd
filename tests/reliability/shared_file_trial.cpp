// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a file as three processes do together, for fault_trials: shared_file_trial OUTPUT.
#include <cstring>
#include <numeric>
#include <vector>

#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/io/container.hpp"
#include "pipelines/stage/io/shared_file.hpp"
#include "tests/fixtures/threads_as_processes.hpp"

using namespace tessera;
using namespace tessera::stage;

namespace {

constexpr std::uint64_t chunk = std::uint64_t{1} << 20U;

// Two chunks each; a third of each chunk is each process's.
void writeAs(Processes& processes, const std::string& path) {
  std::vector<std::uint32_t> values(2 * chunk / sizeof(std::uint32_t));
  std::iota(values.begin(), values.end(), static_cast<std::uint32_t>(processes.rank()));
  const auto bytes = std::as_bytes(std::span(values));
  SpreadBytes own{{}, [bytes](std::uint64_t from, std::span<std::byte> target) {
                    std::memcpy(target.data(), &bytes[from], target.size());
                  }};
  std::uint64_t local = 0;
  for (std::uint64_t k = 0; k < 6; ++k) {
    const Share third = shareOf(chunk, processes.rank(), 3);
    appendRun(own.runs, {k * chunk + third.begin, third.size(), local});
    local += third.size();
  }
  ContainerWriter writer("fields", 1, 0);
  writer.addText("meta", "{}");
  writer.addSpread("values", ElementType::Unsigned, 1, 6 * chunk, std::move(own));
  SharedFile file(path, processes);
  writer.write(file, chunk);
  file.commit();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string path = argv[1];
  return runStage("shared_file_trial", [&] {
    asProcesses(3, [&](Processes& processes) { writeAs(processes, path); });
    return 0;
  });
}
