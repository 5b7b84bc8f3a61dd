// SPDX-License-Identifier: GPL-3.0-or-later
// Postprocess at the size of a large vessel: an exact Poiseuille flow in a tube is written as
// run.fields and geom.tiles, then read, reduced and exported as a user does. Prints seconds, and
// the peak memory beside the size of the fields.
//
//   bench_postprocess [MILLION NODES = 15] [FOLDER]    FOLDER keeps the two files
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numbers>
#include <string>

#include "postprocess/export/writers.hpp"
#include "postprocess/fields/field_selection.hpp"
#include "postprocess/fields/node_lookup.hpp"
#include "postprocess/fields/run_files.hpp"
#include "postprocess/quantity/compute_results.hpp"
#include "postprocess/quantity/opening_flow.hpp"
#include "postprocess/quantity/wall_curvature.hpp"
#include "postprocess/quantity/wall_stress.hpp"
#include "tests/fixtures/geometry/analytic_pipe.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::postprocess::exports;
using namespace tessera::postprocess::fields;
using namespace tessera::postprocess::quantity;
using namespace tessera::solver::file;
using namespace tessera::stage;
using namespace tessera::tiler::file;
namespace fs = std::filesystem;

namespace {

double peakBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

// Sum over all threads; less sensitive to other load than the wall clock.
double processorSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

template <class Work>
void timed(const char* what, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  const double before = processorSeconds();
  work();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("%-24s %8.2f s, %6.2f s of processors, peak memory %6.0f MB\n", what, seconds.count(),
              processorSeconds() - before, peakBytes() / 1e6);
  std::fflush(stdout);
}

// A tube of that many nodes, nearly five radii long.
void writeRun(const fs::path& folder, double nodes) {
  const double radius = std::cbrt(nodes / (4.8 * std::numbers::pi));
  test::AnalyticPipe pipe = test::analyticPipe({radius, 4.8 * radius, {0.0, 0.0, 1.0}, 400});
  writeTilesFile(folder / "geom.tiles", pipe.geometry, newProvenance("bench_postprocess"));
  pipe.fields.tilesHash = readTilesFile(folder / "geom.tiles").contentHash;
  pipe.fields.provenance = newProvenance("bench_postprocess");
  writeFieldsFile(folder / "run.fields", pipe.fields);
}

// In a separate process, so that its memory does not count.
bool written(const fs::path& folder, double nodes) {
  if (fs::exists(folder / "run.fields")) return true;
  const pid_t child = fork();
  if (child == 0) {
    writeRun(folder, nodes);
    std::_Exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0;
}

void measure(const fs::path& folder) {
  RunFiles run;
  timed("read", [&] { run = readRun({folder / "run.fields"}); });
  const NodeLookup lookup(run.geometry());
  timed("  the wall's triangles", [&] { wallSurface(run.geometry()); });
  const WallSurface wall = wallSurface(run.geometry());
  std::printf("  %zu wall triangles\n", wall.mesh.triangle.size());
  timed("  their curvature", [&] { wallCurvature(wall); });
  timed("  stress on them", [&] { stressOnSurface(lookup, run.fields, wall); });
  timed("  sums over the nodes", [&] { nodeSums(run.fields); });
  timed("  openings", [&] { openingSummaries(lookup, run.fields); });
  Request request;
  timed("reduce", [&] { computeResults(run.fields, run.geometry(), request); });
  request.stations = 50;
  timed("reduce, 50 stations", [&] { computeResults(run.fields, run.geometry(), request); });
  const auto arrays = fieldArrays(lookup, run.fields, {});
  FieldSelection eighth;
  eighth.every = 2;
  timed("fields.vtkhdf, every 2",
        [&] { writeVtkhdf(folder / "every2.vtkhdf", SelectedNodes(lookup, eighth), arrays, {}); });
  timed("fields.vtkhdf",
        [&] { writeVtkhdf(folder / "fields.vtkhdf", SelectedNodes(lookup, {}), arrays, {}); });
  const auto fields = static_cast<double>(fs::file_size(folder / "run.fields"));
  std::printf("%.2f million nodes, run.fields %.0f MB, peak memory %.2f times that\n",
              static_cast<double>(run.geometry().fluidNodes) / 1e6, fields / 1e6,
              peakBytes() / fields);
}

}  // namespace

int main(int argc, char** argv) {
  const double millions = argc > 1 ? std::atof(argv[1]) : 15.0;
  const TemporaryFolder temporary;
  const fs::path folder = argc > 2 ? fs::path(argv[2]) : temporary.path();
  if (!(millions > 0.0) || !written(folder, 1e6 * millions)) {
    std::fprintf(stderr, "usage: bench_postprocess [MILLION NODES] [FOLDER]\n");
    return 2;
  }
  measure(folder);
  return 0;
}
