// SPDX-License-Identifier: GPL-3.0-or-later
// A damaged checkpoint is skipped, one of another run is refused; neither is resumed.
#include <numeric>

#include "pipelines/stage/cli/progress.hpp"
#include "solver/file/checkpoint_file.hpp"
#include "tests/fuzz/own_file.hpp"

using namespace tessera;
using namespace tessera::solver::file;
using namespace tessera::stage;

namespace {

TileLayout stateLayout() {
  constexpr std::size_t most = 19;
  static const std::vector<std::uint32_t> slots = [] {
    std::vector<std::uint32_t> some(most);
    std::iota(some.begin(), some.end(), 0U);
    std::swap(some[0], some[1]);
    return some;
  }();
  static const std::vector<std::uint8_t> fluid(most * 64, 1);
  const std::size_t tiles = fuzz::seedsAreLarge ? most : 3;
  return {std::span(slots).first(tiles), std::span(fluid).first(tiles * 64), 10, 4};
}

Checkpoint someCheckpoint() {
  Checkpoint out{std::string(32, 'a'), "D3Q19", std::string(32, 'b'), 0.8, 1e-3, 100};
  out.monitorRows = {0.0, 0.0, 1.0, 1.0};
  out.outlets = {0.5};
  out.walls = {0.25, 0.125};
  out.cycles.cycles = {1.0, 2.0, 3.0};
  out.cycles.samples = 3;
  out.cycles.nodes.assign(stateLayout().nodeType.size() * 4, 1.0F);
  out.cycles.wall.assign(5, {1.0, 2.0, 3.0, 4.0});
  return out;
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  const std::vector<std::byte> state(stateLayout().size(), std::byte{63});
  Checkpoint small = someCheckpoint();
  small.cycles = {};
  std::vector<std::string> files;
  for (const Checkpoint& checkpoint : {someCheckpoint(), small})
    files.push_back(writtenBy([&](const std::filesystem::path& path) {
      writeCheckpoint(path, checkpoint, state, stateLayout(), newProvenance("tessera-solver"));
    }));
  return files;
}

std::vector<fuzz::Inside> fuzz::insides() {
  return sectionsOf(seeds().front());
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  setVerbosity(Verbosity::Quiet);
  return fuzz::readFileOrRefuse(data, size, [](const std::filesystem::path& path) {
    const Checkpoint found = readCheckpointFile(path, someCheckpoint(), stateLayout());
    if (found.otherThanExpected.empty() && found.state.size() != stateLayout().size())
      fuzz::promiseBroken("a state of another size");
  });
}
