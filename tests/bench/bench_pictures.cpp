// SPDX-License-Identifier: GPL-3.0-or-later
// Times of the pictures and the report of a large run, and the memory they take.
//   bench_pictures coarse.fields fine.tiles fine.fields
// A real flow on a lattice as fine as one likes without its hours of solving: pressure, velocity
// and stress of a coarse run are interpolated onto the tiles of a finer voxelisation of the same
// surface and written as fine.fields, on which tessera-postprocess may then be timed as a whole.
// Prints each part with its seconds on the wall clock and of the processors, and the highest memory
// so far beside the file's size.
#include <sys/resource.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/error.hpp"
#include "postprocess/fields/run_files.hpp"
#include "postprocess/fields/sample_field.hpp"
#include "postprocess/picture/picture.hpp"
#include "postprocess/picture/slice_picture.hpp"
#include "postprocess/picture/streamlines.hpp"
#include "postprocess/picture/viewing_side.hpp"
#include "postprocess/quantity/compute_results.hpp"
#include "postprocess/report/report_html.hpp"

using namespace tessera;
using namespace tessera::postprocess::fields;
using namespace tessera::postprocess::picture;
using namespace tessera::postprocess::quantity;
using namespace tessera::postprocess::report;
using namespace tessera::postprocess::results;
using namespace tessera::solver::file;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
namespace fs = std::filesystem;

namespace {

double processorSeconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double peakMegabytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024.0;
}

template <class Work>
auto timed(const char* part, const Work& work) {
  const double processors = processorSeconds();
  const auto start = std::chrono::steady_clock::now();
  auto result = work();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  std::printf("%-28s %7.2f s  %7.2f s of processors  %7.0f MB\n", part, spent.count(),
              processorSeconds() - processors, peakMegabytes());
  std::fflush(stdout);
  return result;
}

// The coarse run's values at the fine lattice's nodes; zero where the coarse one has no node.
Fields refined(const RunFiles& coarse, const TilesFile& fine, const std::string& tilesName) {
  const Fields& from = coarse.fields;
  Fields to = from;
  to.tilesName = tilesName;
  to.tilesHash = fine.contentHash;
  to.means.reset();
  const std::size_t n = fine.geometry.fluidNodes;
  to.pressure.assign(n, 0.0F);
  to.velocity.assign(n, {});
  to.stress.assign(n, {});
  const NodeLookup coarseNodes(coarse.geometry()), fineNodes(fine.geometry);
  tbb::parallel_for(std::size_t{0}, fineNodes.mask.size(), [&](std::size_t t) {
    std::uint64_t i = fineNodes.first[t];
    for (int l = 0; l < tileNodes; ++l) {
      if ((fineNodes.mask[t] >> l & 1U) == 0) continue;
      const Int3 node = fine.geometry.nodeOf(t, l);
      const Double3 world =
          fine.geometry.frame.toWorld({static_cast<double>(node[0]), static_cast<double>(node[1]),
                                       static_cast<double>(node[2])});
      const Stencil stencil = stencilAt(coarseNodes, coarse.geometry().frame.toLattice(world));
      to.pressure[i] = static_cast<float>(sample(from.pressure, stencil));
      const auto u = sample(from.velocity, stencil);
      for (std::size_t a = 0; a < 3; ++a) to.velocity[i][a] = static_cast<float>(u[a]);
      const auto s = sample(from.stress, stencil);
      for (std::size_t a = 0; a < 6; ++a) to.stress[i][a] = static_cast<float>(s[a]);
      ++i;
    }
  });
  return to;
}

void writeRefined(const fs::path& coarseFields, const fs::path& fineTiles, const fs::path& target) {
  const RunFiles coarse = readRun({coarseFields});
  const TilesFile fine = readTilesFile(fineTiles);
  writeFieldsFile(target, refined(coarse, fine, fineTiles.filename().string()));
}

void measure(const fs::path& fields, const fs::path& tiles) {
  const fs::path folder =
      fs::temp_directory_path() / ("bench-pictures-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const RunFiles run = timed("reading", [&] { return readRun({fields, tiles}); });
  std::printf("%llu nodes, fields of %.0f MB\n",
              static_cast<unsigned long long>(run.geometry().fluidNodes),
              static_cast<double>(fs::file_size(fields)) / 1048576.0);
  Results results =
      timed("reductions", [&] { return computeResults(run.fields, run.geometry(), {}); });
  std::printf("%zu triangles of the wall\n", results.wall.triangle.size());
  describeOrigin(results, run, {});
  const auto wall = timed("values of the wall", [&] { return wallValues(results); });
  const NodeLookup lookup(run.geometry());
  WallModel model = timed("the wall's model", [&] {
    return wallModel(results, wall.front(), viewingSide(results, run.geometry()));
  });
  timed("wall, one view", [&] { return drawWall(results, wall.front(), model); });
  timed("wall, six views", [&] { return drawWallViews(results, wall.front(), model); });
  timed("streamlines", [&] { return drawStreamlines(results, run.fields, lookup, model); });
  model = {};
  timed("a slice",
        [&] { return drawSlice(results, run.fields, lookup, SliceOf::Speed, SlicePlane::Main); });
  timed("all pictures, once more", [&] {
    writePictures(results, wall, run.fields, run.geometry(), folder);
    return 0;
  });
  timed("report.html", [&] {
    writeReportHtml(results, wall, run.fields, run.geometry(), folder);
    return 0;
  });
  fs::remove_all(folder);
}

}  // namespace

int main(int argc, char** argv) {
  return runStage("bench_pictures", [&] {
    if (argc != 4) fail(ExitCode::Usage, "bench_pictures coarse.fields fine.tiles fine.fields");
    if (!fs::exists(argv[3])) writeRefined(argv[1], argv[2], argv[3]);
    measure(argv[3], argv[2]);
    return 0;
  });
}
