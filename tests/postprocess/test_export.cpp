// SPDX-License-Identifier: GPL-3.0-or-later
// fields.vtkhdf and wall.vtp as VTK itself reads them.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "analytic_pipe.hpp"
#include "postprocess/compute_results.hpp"
#include "postprocess/write_vtkhdf.hpp"
#include "postprocess/write_vtp.hpp"

using namespace tessera;
using namespace tessera::test;
namespace fs = std::filesystem;

namespace {

std::map<std::string, double> readWithVtk(const fs::path& folder) {
  const std::string output = (folder / "seen").string();
  const std::string command = "/usr/bin/python3 '" TESSERA_SOURCE
                              "/tests/postprocess/read_with_vtk.py' '" +
                              (folder / "fields.vtkhdf").string() + "' '" +
                              (folder / "wall.vtp").string() + "' > '" + output + "'";
  REQUIRE(std::system(command.c_str()) == 0);
  std::map<std::string, double> seen;
  std::ifstream file(output);
  for (std::string name; file >> name;) file >> seen[name];
  return seen;
}

std::size_t distinctCorners(const TiledGeometry& geometry) {
  std::set<Int3> corners;
  forEachNode(NodeLookup(geometry), [&](std::size_t t, int l, std::uint64_t) {
    const Int3 n = geometry.nodeOf(t, l);
    for (int c = 0; c < 8; ++c)
      corners.insert({n[0] + (c & 1), n[1] + (c >> 1 & 1), n[2] + (c >> 2)});
  });
  return corners.size();
}

Double3 meanVelocity(const Fields& fields, const Frame& frame) {
  Double3 sum{};
  for (const auto& v : fields.velocity) sum = sum + Double3{v[0], v[1], v[2]};
  return (fields.velocityFactor / static_cast<double>(fields.velocity.size())) *
         frame.directionToWorld(sum);
}

bool haveVtk() {
  return std::system("/usr/bin/python3 -c 'import vtkmodules.vtkIOHDF' 2>/dev/null") == 0;
}

}  // namespace

TEST_CASE("VTK reads the fields and the wall", "[pipeline]") {
  if (!haveVtk()) {
    WARN("skipped: VTK for Python (python3-vtk9) is not installed");
    return;
  }
  AnalyticPipe pipe = analyticPipe({5.0, 16.0});
  const bool turned = GENERATE(false, true);
  if (turned) pipe.geometry.frame.axis = {{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}};
  const fs::path folder = fs::temp_directory_path() / ("export_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const Results results = computeResults(pipe.fields, pipe.geometry, {});
  writeVtkhdf(folder / "fields.vtkhdf", NodeLookup(pipe.geometry), pipe.fields);
  writeWallVtp(folder / "wall.vtp", results.wall);
  auto seen = readWithVtk(folder);
  fs::remove_all(folder);

  const auto cells = static_cast<double>(pipe.geometry.fluidNodes);
  const double h = pipe.geometry.frame.spacing;
  CHECK(seen["cells"] == cells);
  CHECK(seen["points"] == static_cast<double>(distinctCorners(pipe.geometry)));
  CHECK(seen["cell_type"] == (turned ? 12 : 11));
  CHECK(seen["volume"] == Approx(cells * h * h * h).epsilon(1e-3));
  const Double3 velocity = meanVelocity(pipe.fields, pipe.geometry.frame);
  CHECK(seen["velocity_x"] == Approx(velocity[0]).epsilon(1e-5));
  CHECK(seen["velocity_y"] == Approx(velocity[1]).epsilon(1e-5));
  CHECK(seen["velocity_z"] == Approx(velocity[2]).epsilon(1e-5));
  CHECK(seen["pressure_first"] == Approx(pipe.fields.pressurePa(pipe.fields.pressure[0])));
  CHECK(seen["low_z"] > pipe.geometry.frame.origin[2] - 0.51 * h);
  CHECK(seen["high_z"] < pipe.geometry.frame.origin[2] + (pipe.geometry.nodes[2] - 0.49) * h);
  CHECK(seen["triangles"] == static_cast<double>(results.wall.triangle.size()));
  CHECK(seen["wss"] == Approx(pipe.wallShear()).epsilon(1e-3));
  CHECK(seen["wss_vertex"] == Approx(pipe.wallShear()).epsilon(1e-3));
}
