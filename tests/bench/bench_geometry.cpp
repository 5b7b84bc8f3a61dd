// SPDX-License-Identifier: GPL-3.0-or-later
// From an STL in memory to the lattice, at the size of the seed paper's case (a vessel of a million
// triangles, 730 nodes on the longest side) and with half the spacing, compared with OpenVDB's
// conversion of the same mesh and CGAL's exact test of a sample of nodes, extrapolated to all.
//   bench_geometry [TRIANGLES [NODES [RUNS]]]
// Every case runs in a process of its own, which reports its peak memory. The best run and its
// processor time (both threads) depend least on other load.
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "preprocess/lattice/choose_lattice.hpp"
#include "preprocess/lattice/connectivity/components.hpp"
#include "preprocess/lattice/links/boundary_layer.hpp"
#include "preprocess/lattice/links/links.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "preprocess/read/surface/surface_readers.hpp"
#include "preprocess/sample/vessels.hpp"
#include "preprocess/sample/write_stl.hpp"
#include "preprocess/surface/openings/caps.hpp"
#include "preprocess/surface/openings/openings.hpp"
#include "preprocess/surface/repair/repair.hpp"
#include "tests/bench/wide_vessel.hpp"
#include "tests/fixtures/oracle/cgal_oracle.hpp"
#include "tests/fixtures/oracle/openvdb_oracle.hpp"

extern char** environ;

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::preprocess::read;
using namespace tessera::preprocess::sample;
using namespace tessera::preprocess::surface;
using namespace tessera::stage;
namespace fs = std::filesystem;

namespace {

struct Seconds {
  double wall = 0.0, processor = 0.0;
};

Seconds now() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now().time_since_epoch();
  return {wall.count(), seconds(usage.ru_utime) + seconds(usage.ru_stime)};
}

// Times by stage, in the order in which they first came; the stages of a run and their sum.
class Times {
 public:
  template <class Work>
  auto take(const std::string& stage, const Work& work) {
    const Seconds before = now();
    auto result = work();
    const Seconds after = now();
    auto at = std::find_if(stage_.begin(), stage_.end(),
                           [&](const Stage& known) { return known.name == stage; });
    if (at == stage_.end()) at = stage_.insert(stage_.end(), {stage, {}});
    at->runs.push_back({after.wall - before.wall, after.processor - before.processor});
    return result;
  }
  void print(const std::string& name) {
    Stage total{name, {}};
    for (std::size_t run = 0; run < stage_.front().runs.size(); ++run) {
      Seconds sum;
      for (const Stage& stage : stage_) {
        sum.wall += stage.runs[run].wall;
        sum.processor += stage.runs[run].processor;
      }
      total.runs.push_back(sum);
    }
    printStage(total);
    if (stage_.size() > 1)
      for (Stage& stage : stage_) {
        stage.name = "  " + stage.name;
        printStage(stage);
      }
  }

 private:
  struct Stage {
    std::string name;
    std::vector<Seconds> runs;
  };
  static void printStage(const Stage& stage) {
    std::vector<double> wall, processor;
    for (const Seconds& run : stage.runs) {
      wall.push_back(run.wall);
      processor.push_back(run.processor);
    }
    std::sort(wall.begin(), wall.end());
    std::sort(processor.begin(), processor.end());
    std::printf("%-42s %9.0f %9.0f %9.0f\n", stage.name.c_str(), 1e3 * wall[wall.size() / 2],
                1e3 * wall.front(), 1e3 * processor.front());
  }
  std::vector<Stage> stage_;
};

std::string bytesOf(const fs::path& file) {
  std::string bytes(fs::file_size(file), '\0');
  std::ifstream(file, std::ios::binary).read(bytes.data(), static_cast<long>(bytes.size()));
  return bytes;
}

TriangleMesh onLattice(TriangleMesh mesh, const LatticeChoice& lattice) {
  tbb::parallel_for(std::size_t{0}, mesh.vertex.size(), [&](std::size_t v) {
    Double3& vertex = mesh.vertex[v];
    vertex = lattice.frame.toLattice(vertex);
    for (std::size_t a = 0; a < 3; ++a)
      vertex[a] = std::clamp(vertex[a], -0.5, lattice.nodes[a] - 0.5);
  });
  return mesh;
}

LatticeChoice latticeOf(const TriangleMesh& mesh, int longest) {
  SpacingRequest request;
  request.longest = longest;
  return chooseLattice(boundsOf(mesh), request, {}, {});
}

std::uint64_t boundaryNodes(const BitLattice& fluid) {
  return tbb::parallel_reduce(
      tbb::blocked_range<int>(0, fluid.blocks()[2], 1), std::uint64_t{0},
      [&](const tbb::blocked_range<int>& layers, std::uint64_t sum) {
        for (int k = layers.begin(); k < layers.end(); ++k)
          sum += BoundaryLayer(fluid, {}, k).node().size();
        return sum;
      },
      std::plus<>());
}

// Parameters of every case.
struct Case {
  std::string name;
  fs::path stl;
  int longest, runs;
};

void printMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:"))
      std::printf("%-42s %9.0f MB\n", "  peak memory", std::atof(line.c_str() + 6) / 1024.0);
}

// Ours: STL in memory to fluid nodes, openings and boundary nodes, or to the links of these.
void runOurs(const Case& given, bool links) {
  const std::string bytes = bytesOf(given.stl);
  Times times;
  std::uint64_t fluidNodes = 0;
  std::uint64_t boundary = 0;
  std::uint64_t linkCount = 0;
  Int3 size{};
  for (int run = 0; run < given.runs; ++run) {
    RepairedMesh repaired = [&] {
      TriangleSoup soup = times.take("parse", [&] { return parseStl(bytes, "vessel"); });
      return times.take("repair", [&] { return repair(std::move(soup), 1e-3, "vessel"); });
    }();
    times.take("openings", [&] {
      const double tolerance = 1e-4 * boundsOf(repaired.mesh).longest();
      std::vector<Cap> caps = findFlatCaps(repaired.mesh, tolerance, repaired.caps).caps;
      caps.insert(caps.end(), repaired.caps.begin(), repaired.caps.end());
      return labelOpenings(repaired.mesh, caps);
    });
    const LatticeChoice lattice = latticeOf(repaired.mesh, given.longest);
    size = lattice.size();
    const TriangleMesh mesh = times.take(
        "lattice coordinates", [&] { return onLattice(std::move(repaired.mesh), lattice); });
    BitLattice fluid = times.take("voxelise", [&] { return voxelise(mesh, size, {}); });
    times.take("connected part",
               [&] { return keepConnected(fluid, {}, nodesAtOpenings(fluid, mesh)); });
    fluidNodes = fluid.count();
    if (links) {
      const FoundLinks found = times.take("links", [&] { return findLinks(fluid, {}, mesh); });
      boundary = found.boundary.node.size();
      linkCount = found.boundary.patch.size();
    } else {
      boundary = times.take("boundary nodes", [&] { return boundaryNodes(fluid); });
    }
  }
  times.print(links ? "STL to lattice with links" : "STL to classified lattice");
  printMemory();
  std::printf("  %d x %d x %d nodes, %.1f M; %.2f M fluid, %.2f M at walls", size[0], size[1],
              size[2], 1e-6 * size[0] * size[1] * size[2], 1e-6 * static_cast<double>(fluidNodes),
              1e-6 * static_cast<double>(boundary));
  if (links) std::printf(", %.1f M links", 1e-6 * static_cast<double>(linkCount));
  std::printf("\n");
}

TriangleMesh meshOf(const Case& given, Int3& size) {
  TriangleMesh mesh = repair(parseStl(bytesOf(given.stl), "vessel"), 1e-3, "vessel").mesh;
  const LatticeChoice lattice = latticeOf(mesh, given.longest);
  size = lattice.size();
  return onLattice(std::move(mesh), lattice);
}

void runOpenVdb(const Case& given, float band) {
  Int3 size{};
  const TriangleMesh mesh = meshOf(given, size);
  Times times;
  for (int run = 0; run < given.runs; ++run)
    times.take("", [&] { return test::insideByOpenVdb(mesh, size, band).count(); });
  times.print("OpenVDB meshToVolume, band " + std::to_string(static_cast<int>(band)));
  printMemory();
}

// Nodes from all over the box, on all threads.
void runCgal(const Case& given) {
  Int3 size{};
  const TriangleMesh mesh = meshOf(given, size);
  const BitLattice fluid = voxelise(mesh, size, {});
  const test::CgalOracle exact(mesh);
  constexpr std::size_t samples = 50'000;
  std::vector<Int3> node(samples);
  std::mt19937 random(5);
  for (Int3& n : node)
    for (std::size_t a = 0; a < 3; ++a)
      n[a] = static_cast<int>(random() % static_cast<std::uint32_t>(size[a]));
  const auto isWrong = [&](const Int3& n) {
    return exact.inside({1.0 * n[0], 1.0 * n[1], 1.0 * n[2]}) != fluid.at(n[0], n[1], n[2]);
  };
  isWrong(node[0]);  // builds the tree
  std::atomic<std::size_t> wrong = 0;
  const Seconds before = now();
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, samples, 256), [&](const auto& range) {
    for (std::size_t k = range.begin(); k < range.end(); ++k) wrong += isWrong(node[k]) ? 1 : 0;
  });
  const Seconds after = now();
  const double all = 1.0 * size[0] * size[1] * size[2] / samples;
  std::printf("%-42s %9.0f %9s %9.0f\n", "CGAL Side_of_triangle_mesh, all nodes",
              1e3 * all * (after.wall - before.wall), "",
              1e3 * all * (after.processor - before.processor));
  std::printf("  from %zu of %.1f M nodes; %zu of them differ from ours\n", samples,
              1e-6 * all * samples, wrong.load());
}

void runCase(const Case& given) {
  if (given.name == "lattice") return runOurs(given, false);
  if (given.name == "links") return runOurs(given, true);
  if (given.name == "openvdb3") return runOpenVdb(given, 3.0F);
  if (given.name == "openvdb1") return runOpenVdb(given, 1.0F);
  runCgal(given);
}

void spawn(const Case& given) {
  std::fflush(stdout);
  const std::string longest = std::to_string(given.longest);
  const std::string runs = std::to_string(given.runs);
  std::vector<std::string> words{"bench_geometry",   "--case", given.name,
                                 given.stl.string(), longest,  runs};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  int status = 0;
  if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments.data(), environ) != 0 ||
      waitpid(child, &status, 0) != child || status != 0)
    std::printf("%s failed\n", given.name.c_str());
}

void printTable(const fs::path& stl, int longest, int runs) {
  for (const int scale : {1, 2}) {
    std::printf("\n%d nodes on the longest side %17s %9s %9s\n", scale * longest, "median ms",
                "best", "processor");
    for (const char* name : {"lattice", "links"}) spawn({name, stl, scale * longest, runs});
    for (const char* name : {"openvdb3", "openvdb1"})
      spawn({name, stl, scale * longest, std::min(runs, 3)});
    if (scale == 1) spawn({"cgal", stl, longest, 1});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 6 && std::string(argv[1]) == "--case") {
    runCase({argv[2], argv[3], std::atoi(argv[4]), std::atoi(argv[5])});
    return 0;
  }
  const long triangles = argc > 1 ? std::atol(argv[1]) : 1'000'000;
  const int longest = argc > 2 ? std::atoi(argv[2]) : 730;
  const int runs = argc > 3 ? std::max(std::atoi(argv[3]), 1) : 7;
  const fs::path folder =
      fs::temp_directory_path() / ("tessera-bench-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const AneurysmShape shape = wideVessel();
  const TriangleMesh mesh = sampleAneurysm(shape, aneurysmEdge(shape, triangles));
  writeStl(folder / "vessel.stl", mesh, 1e-3, "bench");
  std::printf("%zu triangles, %d runs a case on %u threads\n", mesh.triangle.size(), runs,
              std::thread::hardware_concurrency());
  printTable(folder / "vessel.stl", longest, runs);
  fs::remove_all(folder);
}
