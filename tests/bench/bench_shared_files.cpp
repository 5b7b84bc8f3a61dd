// SPDX-License-Identifier: GPL-3.0-or-later
// bench_shared_files: what processes that share a geometry read of its file, and how long they take
// to write fields together. bench_shared_files [NODES ON A SIDE]
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <string>

#include "solver/bench/bench_geometry.hpp"
#include "solver/file/fields_file.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/fixtures/threads_as_processes.hpp"
#include "tiler/file/part_of_tiles.hpp"

using namespace tessera;
using namespace tessera::solver::bench;
using namespace tessera::solver::file;
using namespace tessera::stage;
using namespace tessera::tiler::file;

namespace {

// Bytes that this process has requested from the system.
double bytesRead() {
  std::ifstream io("/proc/self/io");
  std::string key;
  double value = 0.0;
  io >> key >> value;
  return value;
}

// Bits of the position on each axis in turn.
std::uint64_t mortonCode(const std::array<std::int32_t, 3>& at) {
  std::uint64_t code = 0;
  for (unsigned bit = 0; bit < 20; ++bit)
    for (unsigned a = 0; a < 3; ++a)
      code |= ((static_cast<std::uint64_t>(at[a]) >> bit) & 1U) << (3 * bit + a);
  return code;
}

// Tiles along a Morton curve, divided evenly; those of this process in the order of the file.
std::vector<std::int32_t> ownTiles(const TilesIndex& index, const Processes& processes) {
  std::vector<std::int32_t> tiles(index.outline.tiles());
  std::iota(tiles.begin(), tiles.end(), 0);
  const auto code = [&](std::int32_t t) {
    return mortonCode(index.outline.nonEmptyTiles[static_cast<std::size_t>(t)]);
  };
  std::sort(tiles.begin(), tiles.end(),
            [&](std::int32_t a, std::int32_t b) { return code(a) < code(b); });
  const Share share = shareOf(tiles.size(), processes.rank(), processes.size());
  std::vector<std::int32_t> own(tiles.begin() + static_cast<std::ptrdiff_t>(share.begin),
                                tiles.begin() + static_cast<std::ptrdiff_t>(share.end));
  std::sort(own.begin(), own.end());
  return own;
}

double secondsOf(const std::function<void()>& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void printBytesRead(const std::filesystem::path& path, int size) {
  const auto file = static_cast<double>(std::filesystem::file_size(path));
  double index = 0.0;
  const double before = bytesRead();
  asProcesses(size, [&](Processes& processes) {
    const TilesIndex tiles = readTilesIndex(path, processes);
    (void)processes.allGather({});
    if (processes.rank() == 0) index = bytesRead() - before;
    (void)processes.allGather({});
    (void)readTilesPart(path, tiles, ownTiles(tiles, processes));
  });
  const double all = bytesRead() - before;
  std::printf("%d processes read %.1f MB each of %.1f MB (%.3f of the file; %.3f for the index)\n",
              size, all / size / 1e6, file / 1e6, all / size / file, index / size / file);
}

void printSecondsToWrite(const std::filesystem::path& path, const TilesFile& tiles, int size) {
  const std::filesystem::path target = path.string() + ".fields";
  std::vector<Fields> fields(static_cast<std::size_t>(size));
  std::vector<TileOffsets> nodes(fields.size());
  asProcesses(size, [&](Processes& processes) {
    const TilesIndex index = readTilesIndex(path, processes);
    const std::vector<std::int32_t> own = ownTiles(index, processes);
    std::vector<std::uint32_t> count;
    for (const std::int32_t t : own) count.push_back(index.nonSolid[static_cast<std::size_t>(t)]);
    const auto k = static_cast<std::size_t>(processes.rank());
    nodes[k] = tileOffsetsOf(processes, own, index.outline.tiles(), std::move(count));
    fields[k].tilesHash = tiles.contentHash;
    fields[k].pressure.assign(nodes[k].own(), 1.0F);
    fields[k].velocity.assign(nodes[k].own(), {1.0F, 2.0F, 3.0F});
    fields[k].stress.assign(nodes[k].own(), {1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F});
  });
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 3; ++repeat)
    seconds.push_back(secondsOf([&] {
      asProcesses(size, [&](Processes& processes) {
        const auto k = static_cast<std::size_t>(processes.rank());
        writeFieldsTogether(target, fields[k], nodes[k], {}, processes);
      });
    }));
  std::sort(seconds.begin(), seconds.end());
  std::printf("%d processes: %.1f MB of fields in %.2f s (median of 3, %.2f to %.2f)\n", size,
              static_cast<double>(std::filesystem::file_size(target)) / 1e6, seconds[1], seconds[0],
              seconds[2]);
}

}  // namespace

int main(int argc, char** argv) {
  const int side = argc > 1 ? std::atoi(argv[1]) : 300;
  const TemporaryFolder folder;
  const TilesFile tiles = builtInTiles({"vessel", {side, side, side}});
  std::printf("%llu nodes in %zu tiles\n",
              static_cast<unsigned long long>(tiles.geometry.fluidNodes), tiles.geometry.tiles());
  const std::filesystem::path path = folder / "vessel.tiles";
  writeTilesFile(path, tiles.geometry, newProvenance("measure"));
  for (const int size : {1, 2, 8}) printBytesRead(path, size);
  Fields whole;
  whole.pressure.assign(tiles.geometry.fluidNodes, 1.0F);
  whole.velocity.assign(tiles.geometry.fluidNodes, {1.0F, 2.0F, 3.0F});
  whole.stress.assign(tiles.geometry.fluidNodes, {1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F});
  for (int repeat = 0; repeat < 3; ++repeat)
    std::printf("one alone: %.2f s\n",
                secondsOf([&] { writeFieldsFile(folder / "alone.fields", whole); }));
  whole = {};
  for (const int size : {1, 2, 4}) printSecondsToWrite(path, tiles, size);
  return 0;
}
