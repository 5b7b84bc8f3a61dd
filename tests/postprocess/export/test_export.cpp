// SPDX-License-Identifier: GPL-3.0-or-later
// The exports as VTK and OpenVDB themselves read them.
#include <openvdb/io/File.h>
#include <openvdb/openvdb.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "postprocess/export/writers.hpp"
#include "postprocess/fields/field_selection.hpp"
#include "postprocess/fields/velocity_gradient.hpp"
#include "postprocess/quantity/compute_results.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/analytic_pipe.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::postprocess::exports;
using namespace tessera::postprocess::fields;
using namespace tessera::postprocess::quantity;
using namespace tessera::postprocess::results;
using namespace tessera::preprocess::geometry;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::test;
namespace fs = std::filesystem;

namespace {

// "vtu.cells" and such by name.
std::map<std::string, double> readWithVtk(const fs::path& folder,
                                          const std::vector<std::string>& names) {
  const std::string output = (folder / "seen").string();
  std::string command =
      "/usr/bin/python3 '" TESSERA_SOURCE "/tests/postprocess/export/read_with_vtk.py'";
  for (const std::string& name : names) command += " '" + (folder / name).string() + "'";
  REQUIRE(std::system((command + " > '" + output + "'").c_str()) == 0);
  std::map<std::string, double> seen;
  std::ifstream file(output);
  for (std::string name; file >> name;) file >> seen[name];
  return seen;
}

bool haveVtk() {
  const bool have =
      std::system("/usr/bin/python3 -c 'import vtkmodules.vtkIOHDF' 2>/dev/null") == 0;
  if (!have) WARN("skipped: VTK for Python (python3-vtk9) is not installed");
  return have;
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

// Expected selection, by brute force over all nodes.
struct Expected {
  double nodes = 0.0;
  Double3 velocity{}, centre{};
  double pressure = 0.0, q = 0.0;
  Double3 vorticity{};
};

template <class Holds>
Expected expectedOf(const AnalyticPipe& pipe, const Holds& holds) {
  Expected sum;
  const Frame& frame = pipe.geometry.frame;
  const NodeLookup lookup(pipe.geometry);
  forEachNode(lookup, [&](std::size_t t, int l, std::uint64_t index) {
    const Int3 n = pipe.geometry.nodeOf(t, l);
    const Double3 place = frame.toWorld({1.0 * n[0], 1.0 * n[1], 1.0 * n[2]});
    if (!holds(n, place)) return;
    const auto& v = pipe.fields.velocity[index];
    const auto gradient = velocityGradient(lookup, pipe.fields, n, index);
    sum.nodes += 1.0;
    sum.centre = sum.centre + place;
    sum.velocity =
        sum.velocity + pipe.fields.velocityFactor * frame.directionToWorld({v[0], v[1], v[2]});
    sum.pressure += pipe.fields.pressurePa(pipe.fields.pressure[index]);
    sum.vorticity = sum.vorticity + frame.directionToWorld(vorticity(gradient));
    sum.q += qCriterion(gradient);
  });
  const double part = 1.0 / sum.nodes;
  return {sum.nodes,           part * sum.velocity, part * sum.centre,
          part * sum.pressure, part * sum.q,        part * sum.vorticity};
}

// Metres, read from files in millimetres.
double metres(double millimetres) {
  return 1e-3 * millimetres;
}
const FileMetadata inMillimetres{lengthUnitOf(1e-3), "RAS", 0.25};

void checkMeans(std::map<std::string, double>& seen, const std::string& kind,
                const Expected& expected) {
  INFO(kind);
  for (std::size_t a = 0; a < 3; ++a) {
    const std::string axis = std::string(".") + "xyz"[a];
    CHECK(seen[kind + ".velocity" + axis] == Approx(expected.velocity[a]).epsilon(1e-5));
    CHECK(seen[kind + ".vorticity" + axis] ==
          Approx(expected.vorticity[a]).epsilon(1e-5).margin(1e-4));
  }
  CHECK(seen[kind + ".pressure"] == Approx(expected.pressure).epsilon(1e-5).margin(1e-6));
  CHECK(seen[kind + ".q"] == Approx(expected.q).epsilon(1e-4).margin(1e-3));
}

AnalyticPipe pipeTurned(bool turned) {
  AnalyticPipe pipe = analyticPipe({5.0, 16.0});
  pipe.geometry.frame.space = "RAS";
  if (turned) pipe.geometry.frame.axis = {{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}};
  return pipe;
}

const std::vector<std::string> derived{"vorticity", "q"};

}  // namespace

TEST_CASE("Export: VTK reads all nodes of fields.vtkhdf and fields.vtu, and the wall",
          "[pipeline]") {
  if (!haveVtk()) return;
  const bool turned = GENERATE(false, true);
  const AnalyticPipe pipe = pipeTurned(turned);
  const TemporaryFolder folder;
  const Results results = computeResults(pipe.fields, pipe.geometry);
  const NodeLookup lookup(pipe.geometry);
  const SelectedNodes all(lookup, {});
  const auto arrays = fieldArrays(lookup, pipe.fields, derived);
  writeVtkhdf(folder / "fields.vtkhdf", all, arrays, inMillimetres);
  writeVtu(folder / "fields.vtu", all, arrays, inMillimetres);
  writeVti(folder / "fields.vti", all, arrays, inMillimetres);
  const FaceIds faces = modelFaceIds({"face7"}, pipe.geometry.openings);
  writeWallVtp(folder / "wall.vtp", results.wall, std::nullopt, faces.wall, inMillimetres);
  auto seen = readWithVtk(folder.path(), {"fields.vtkhdf", "fields.vtu", "fields.vti", "wall.vtp"});
  for (const std::string kind : {"vtkhdf", "vtu", "vti", "vtp"}) {
    INFO(kind);
    CHECK(seen[kind + ".TimeValue"] == 0.25);
    CHECK(seen[kind + ".is.length_unit=mm"] == 1);
    CHECK(seen[kind + ".is.SPACE=RAS"] == 1);
    CHECK(seen[kind + ".is.pressure_unit=Pa"] == 1);
    CHECK(seen[kind + (kind == "vtp" ? ".is.wss_unit=Pa" : ".is.velocity_unit=m/s")] == 1);
  }

  const auto cells = static_cast<double>(pipe.geometry.fluidNodes);
  const double h = pipe.geometry.frame.spacing;
  const Expected expected = expectedOf(pipe, [](const Int3&, const Double3&) { return true; });
  for (const std::string kind : {"vtkhdf", "vtu"}) {
    checkMeans(seen, kind, expected);
    CHECK(seen[kind + ".cells"] == cells);
    CHECK(seen[kind + ".points"] == static_cast<double>(distinctCorners(pipe.geometry)));
    CHECK(seen[kind + ".cell_type"] == (turned ? 12 : 11));
    CHECK(seen[kind + ".volume"] == Approx(1e9 * cells * h * h * h).epsilon(1e-3));
    CHECK(seen[kind + ".pressure_first"] ==
          Approx(pipe.fields.pressurePa(pipe.fields.pressure[0])));
    CHECK(metres(seen[kind + ".low_z"]) > pipe.geometry.frame.origin[2] - 0.51 * h);
    CHECK(metres(seen[kind + ".high_z"]) <
          pipe.geometry.frame.origin[2] + (pipe.geometry.nodes[2] - 0.49) * h);
  }
  checkMeans(seen, "vti", expected);
  CHECK(seen["vti.seen"] == cells);
  for (std::size_t a = 0; a < 3; ++a)
    CHECK(metres(seen[std::string("vti.centre_") + "xyz"[a]]) ==
          Approx(expected.centre[a]).margin(1e-3 * h));
  CHECK(seen["vtp.triangles"] == static_cast<double>(results.wall.triangle.size()));
  for (const std::string data : {"vtp", "vtp.vertex"}) {
    CHECK(seen[data + ".wss_magnitude"] == Approx(pipe.wallShear()).epsilon(1e-3));
    CHECK(seen[data + ".wall_label"] == 0);
    CHECK(seen[data + ".ModelFaceID"] == 7);
    const Double3 shear{seen[data + ".wss.x"], seen[data + ".wss.y"], seen[data + ".wss.z"]};
    CHECK(length(shear) == Approx(pipe.wallShear()).epsilon(0.02));
  }
}

TEST_CASE("Export: VTK reads regions, slices and every n-th node", "[pipeline]") {
  if (!haveVtk()) return;
  const AnalyticPipe pipe = pipeTurned(false);
  const Double3 m = pipe.middle;
  const double h = pipe.geometry.frame.spacing;
  FieldSelection selection;
  selection.region = std::array<Double3, 2>{m - Double3{4 * h, 3 * h, 5 * h}, m + Double3{h, h, h}};
  selection.slices = {{2, m[2] - 2 * h}, {0, m[0]}};
  selection.every = GENERATE(1, 2);
  const int every = selection.every;
  const auto holds = [&](const Int3& n, const Double3& place) {
    for (std::size_t a = 0; a < 3; ++a)
      if (n[a] % every != 0 || place[a] < (*selection.region)[0][a] ||
          place[a] > (*selection.region)[1][a])
        return false;
    // The layer whose cells the plane passes.
    const double z = (place[2] - (m[2] - 2 * h)) / (every * h), x = (place[0] - m[0]) / (every * h);
    return (z >= -0.5 && z < 0.5) || (x >= -0.5 && x < 0.5);
  };
  const Expected expected = expectedOf(pipe, holds);
  const TemporaryFolder folder;
  const NodeLookup lookup(pipe.geometry);
  const SelectedNodes part(lookup, selection);
  const auto arrays = fieldArrays(lookup, pipe.fields, derived);
  writeVtkhdf(folder / "fields.vtkhdf", part, arrays, {});
  writeVtu(folder / "fields.vtu", part, arrays, {});
  writeVti(folder / "fields.vti", part, arrays, {});
  auto seen = readWithVtk(folder.path(), {"fields.vtkhdf", "fields.vtu", "fields.vti"});
  REQUIRE(expected.nodes > 5.0);
  for (const std::string kind : {"vtkhdf", "vtu", "vti"}) checkMeans(seen, kind, expected);
  const double volume = std::pow(every * h, 3) * expected.nodes;
  CHECK(seen["vtkhdf.cells"] == expected.nodes);
  CHECK(seen["vtkhdf.volume"] == Approx(volume).epsilon(1e-3));
  CHECK(seen["vtu.cells"] == expected.nodes);
  CHECK(seen["vti.seen"] == expected.nodes);
  CHECK(seen["vti.spacing"] == Approx(every * h));
}

TEST_CASE("Export: OpenVDB reads fields.vdb: values at the nodes, its own UUID", "[pipeline]") {
  AnalyticPipe pipe = pipeTurned(GENERATE(false, true));
  pipe.geometry.frame.spacing = GENERATE(1e-4, 2e-6);
  const TemporaryFolder folder;
  const NodeLookup lookup(pipe.geometry);
  FieldSelection selection;
  selection.every = 2;
  const SelectedNodes nodes(lookup, selection);
  const auto arrays = fieldArrays(lookup, pipe.fields, {"q"});
  writeVdb(folder / "fields.vdb", nodes, arrays);
  writeVdb(folder / "again.vdb", nodes, arrays);
  CHECK(readWhole(folder / "fields.vdb") == readWhole(folder / "again.vdb"));

  openvdb::initialize();
  openvdb::io::File file((folder / "fields.vdb").string());
  file.open();
  const auto velocity = openvdb::gridPtrCast<openvdb::Vec3SGrid>(file.readGrid("velocity"));
  const auto pressure = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid("pressure"));
  REQUIRE(file.readGrid("q"));
  REQUIRE((velocity && pressure));
  CHECK(velocity->activeVoxelCount() == nodes.count());
  CHECK(pressure->metaValue<std::string>("unit") == "Pa");
  const bool metres = pressure->metaValue<std::string>("units") == "metres";
  CHECK(metres == (pipe.geometry.frame.spacing > 1e-5));
  nodes.forEach([&](const Int3& cell, const Int3& node, std::uint64_t index) {
    const openvdb::Coord at(cell[0], cell[1], cell[2]);
    REQUIRE(pressure->tree().getValue(at) ==
            static_cast<float>(pipe.fields.pressurePa(pipe.fields.pressure[index])));
    const auto& u = pipe.fields.velocity[index];
    const Double3 world = pipe.geometry.frame.directionToWorld({u[0], u[1], u[2]});
    REQUIRE(velocity->tree().getValue(at)[0] ==
            Approx(world[0] * pipe.fields.velocityFactor).margin(1e-9));
    const openvdb::Vec3d place = velocity->transform().indexToWorld(at);
    const Double3 expected =
        pipe.geometry.frame.toWorld({1.0 * node[0], 1.0 * node[1], 1.0 * node[2]});
    REQUIRE(place[1] * (metres ? 1.0 : 1e-6) == Approx(expected[1]).epsilon(1e-9));
  });
}

TEST_CASE("Export: selections are read with units, and ones that miss the fluid are refused",
          "[pipeline]") {
  CHECK(parseRegion("1 mm,0,0,0,2 mm,3") ==
        std::array<Double3, 2>{Double3{0, 0, 0}, Double3{1e-3, 2e-3, 3}});
  CHECK(parseSlice("y=2 mm").axis == 1);
  CHECK(parseSlice("y=2 mm").value == Approx(2e-3));
  for (const char* text : {"y", "w=1", "y=1=2", "=1"})
    checkError(ExitCode::Usage, [&] { parseSlice(text); }, {"--slice"});
  checkError(ExitCode::Usage, [] { parseRegion("0,0,0,1,1"); }, {"--region"});
  checkError(ExitCode::Usage, [] { parseFieldNames("vorticity,swirl"); }, {"swirl", "vorticity"});
  const AnalyticPipe pipe = pipeTurned(false);
  const NodeLookup lookup(pipe.geometry);
  FieldSelection away;
  away.slices = {{0, 5.0}};
  checkError(ExitCode::Usage, [&] { SelectedNodes(lookup, away); }, {"--slice"});
}

TEST_CASE("Export: VTK reads openings.vtp: caps with id, name, flow rate and pressure",
          "[pipeline]") {
  if (!haveVtk()) return;
  const AnalyticPipe pipe = pipeTurned(false);
  const TemporaryFolder folder;
  const Results results = computeResults(pipe.fields, pipe.geometry);
  REQUIRE(!results.openings.empty());
  const FaceIds faces = modelFaceIds({"wall"}, pipe.geometry.openings);
  writeOpeningsVtp(folder / "openings.vtp", pipe.geometry, results.openings, faces.opening,
                   inMillimetres);
  auto seen = readWithVtk(folder.path(), {"openings.vtp"});
  for (const OpeningSummary& opening : results.openings) {
    INFO(opening.id);
    const std::string cap = "vtp.cap" + std::to_string(opening.id);
    CHECK(seen[cap + ".name=" + opening.name] == 1);
    CHECK(seen[cap + ".flow_rate"] == Approx(opening.flowRate).epsilon(1e-5));
    CHECK(seen[cap + ".pressure"] == Approx(opening.meanPressure).epsilon(1e-5).margin(1e-6));
    CHECK(seen[cap + ".ModelFaceID"] == opening.id + 1);
    CHECK(1e-6 * seen[cap + ".area"] == Approx(opening.area).epsilon(0.02));
  }
}

TEST_CASE("Export: faceN keeps its number as ModelFaceID, other names get the next free ones",
          "[pipeline]") {
  const auto named = [](const char* name) {
    Opening opening;
    opening.name = name;
    return opening;
  };
  const FaceIds ids = modelFaceIds({"face2", "stent", "face2"}, {named("face1"), named("inlet")});
  CHECK(ids.wall == std::vector<int>{2, 3, 4});
  CHECK(ids.opening == std::vector<int>{1, 5});
  CHECK(modelFaceIds({"face0", "face-3", "face3x"}, {}).wall == std::vector<int>{1, 2, 3});
}

TEST_CASE("Export: an unstructured file of several times has one mesh and values of each time",
          "[pipeline]") {
  if (std::system("/usr/bin/python3 -c 'import h5py' 2>/dev/null") != 0) {
    WARN("skipped: h5py (python3-h5py) is not installed");
    return;
  }
  const AnalyticPipe pipe = pipeTurned(false);
  const TemporaryFolder folder;
  const NodeLookup lookup(pipe.geometry);
  const SelectedNodes all(lookup, {});
  const auto arrays = fieldArrays(lookup, pipe.fields, {});
  auto later = pipe.fields;
  later.velocityFactor *= 3.0;
  for (const char* name : {"a.vtkhdf", "b.vtkhdf"}) {
    VtkhdfSeries series(folder / name, all, arrays, {0.5, 0.75}, inMillimetres);
    series.write(0, arrays);
    series.write(1, fieldArrays(lookup, later, {}));
    series.finish();
  }
  CHECK(readWhole(folder / "a.vtkhdf") == readWhole(folder / "b.vtkhdf"));
  const std::string check =
      "import h5py,numpy as n;f=h5py.File('" + (folder / "a.vtkhdf").string() +
      "')['VTKHDF'];s=f['Steps'];c=int(f['NumberOfCells'][0]);v=f['CellData/velocity'][:];"
      "assert list(f.attrs['Version'])==[2,0] and s.attrs['NSteps']==2;"
      "assert list(s['Values'])==[0.5,0.75] and list(s['CellDataOffsets/velocity'])==[0,c];"
      "assert list(s['PointOffsets'])==[0,0] and list(s['NumberOfParts'])==[1,1];"
      "assert len(v)==2*c and n.abs(v).max()>0 and n.allclose(v[c:],3*v[:c],rtol=1e-5);"
      "assert f['FieldData/length_unit'][0]==b'mm'";
  CHECK(std::system(("/usr/bin/python3 -c \"" + check + "\"").c_str()) == 0);
}
