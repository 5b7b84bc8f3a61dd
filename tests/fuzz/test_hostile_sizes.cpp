// SPDX-License-Identifier: GPL-3.0-or-later
// Files of some 20 MB whose sizes are a trap: the mutations of the other tests are too small to
// find a reader that needs ten times its file.
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "preprocess/read/surface/surface_readers.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/files/image_files.hpp"
#include "tests/fixtures/files/polygon_files.hpp"
#include "tests/fuzz/allocation_meter.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;
using namespace tessera::stage;

namespace {

constexpr std::size_t bytesOfFile = 24 << 20;

std::string repeated(const std::string& part, std::size_t bytes = bytesOfFile) {
  std::string text;
  text.reserve(bytes + part.size());
  while (text.size() < bytes) text += part;
  return text;
}

// Read or refused, but within four times the file (which is the first of the four) and 256 MB.
void requireBounded(const std::function<TriangleSoup(const std::string&)>& parse,
                    const std::string& file) {
  std::string sentence;
  const std::size_t most = 3 * file.size() + (std::size_t{256} << 20);
  fuzz::startMeter(~std::size_t{0} >> 2);
  try {
    parse(file);
  } catch (const StageError& error) {
    sentence = error.what();
    CHECK(error.code() == ExitCode::BadInput);
  }
  const std::size_t held = fuzz::stopMeter();
  INFO(sentence.substr(0, 300));
  CHECK(held <= most);
}

TriangleSoup obj(const std::string& file) {
  return parseObj(file, "in");
}
TriangleSoup off(const std::string& file) {
  return parseOff(file, "in");
}
TriangleSoup ply(const std::string& file) {
  return parsePly(file, "in");
}
// Its copy is the file.
TriangleSoup vtp(const std::string& file) {
  return parseVtp(test::wholeFileOf(file), "in");
}

TriangleSoup vtk(const std::string& file) {
  return parseVtk(file, "in");
}

const std::string threePoints = "0 0 0\n1 0 0\n0 1 0\n";

std::string vtpOf(const std::string& offsets, const std::string& connectivity,
                  const std::string& root = "", const std::string& format = "ascii") {
  return "<VTKFile type=\"PolyData\"" + root +
         "><PolyData><Piece NumberOfPoints=\"3\" NumberOfPolys=\"1\"><Points><DataArray "
         "type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">" +
         threePoints + "</DataArray></Points><Polys><DataArray type=\"Int32\" Name=\"offsets\">" +
         offsets + "</DataArray><DataArray type=\"Int32\" Name=\"connectivity\" format=\"" +
         format + "\">" + connectivity + "</DataArray></Polys></Piece></PolyData></VTKFile>";
}

std::string vtkOf(const std::string& cells) {
  const bool isGrid = cells.starts_with("CELLS");
  return std::string("# vtk DataFile Version 5.1\n\nASCII\nDATASET ") +
         (isGrid ? "UNSTRUCTURED_GRID" : "POLYDATA") + "\nPOINTS 3 float\n" + threePoints + cells;
}

}  // namespace

TEST_CASE("Hostile sizes: one polygon of millions of corners stays within the memory bound",
          "[unit]") {
  const std::string corners = repeated("0 1 2 ");
  const std::string count = std::to_string(corners.size() / 2);
  requireBounded(off, "OFF\n3 1 0\n" + threePoints + count + " " + corners + "\n");
  requireBounded(obj, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf " + repeated("1 2 3 ") + "\n");
  const std::string head =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty int x\nproperty int y\nproperty int z\n";
  for (const std::string element : {"face", "tristrips"})
    requireBounded(ply, head + "element " + element + " 1\nproperty list int int vertex_index\n" +
                            "end_header\n" + threePoints + count + " " + corners + "\n");
  requireBounded(vtp, vtpOf(count, corners));
  requireBounded(vtk, vtkOf("POLYGONS 1 " + std::to_string(corners.size() / 2 + 1) + "\n" + count +
                            " " + corners + "\n"));
  requireBounded(vtk, vtkOf("POLYGONS 2 " + count + "\nOFFSETS vtktypeint64\n0 " + count +
                            "\nCONNECTIVITY vtktypeint64\n" + corners + "\n"));
  requireBounded(vtk, vtkOf("TRIANGLE_STRIPS 1 " + std::to_string(corners.size() / 2 + 1) + "\n" +
                            count + " " + corners + "\n"));
}

TEST_CASE("Hostile sizes: millions of the shortest faces stay within the memory bound", "[unit]") {
  requireBounded(obj, "v 0 0 0\nv 1 0 0\nv 0 1 0\n" + repeated("f 1 2 3\n"));
  requireBounded(obj, repeated("v 0 0 0\n") + "f 1 2 3\n");
  requireBounded(off, "OFF\n3 2000000 0\n" + threePoints + repeated("3 0 1 2\n"));
  requireBounded(vtk, vtkOf("POLYGONS 3000000 12000000\n" + repeated("3 0 1 2\n")));
  requireBounded(vtk, vtkOf("CELLS 3000000 12000000\n" + repeated("3 0 1 2\n") +
                            "CELL_TYPES 3000000\n" + repeated("5 ", 6000000)));
}

TEST_CASE("Hostile sizes: millions of names stay within the memory bound", "[unit]") {
  std::string file = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  for (int i = 0; file.size() < bytesOfFile; ++i) file += "g " + std::to_string(i) + "\nf 1 2 3\n";
  requireBounded(obj, file);
}

TEST_CASE("Hostile sizes: XML of nothing but tags stays within the memory bound", "[unit]") {
  requireBounded(vtp, "<VTKFile>" + repeated("<a/>") + "</VTKFile>");
  requireBounded(vtp, "<VTKFile>" + repeated("<a>") + "</VTKFile>");
  requireBounded(vtp, "<VTKFile " + repeated("a='' ") + "></VTKFile>");
}

TEST_CASE("Hostile sizes: an array that zlib would expand a thousand times is refused unexpanded",
          "[unit]") {
  test::VtpStyle style;
  style.compressed = true;
  style.blockBytes = 1 << 20;
  const std::size_t values = 1 << 28;
  const std::string zeros = test::vtpArray(std::string(std::size_t{1} << 26, '\0'), style);
  const std::string file =
      vtpOf(std::to_string(values), zeros, " compressor=\"vtkZLibDataCompressor\"", "binary");
  checkError(ExitCode::BadInput, [&] { vtp(file); }, {"64"});
  requireBounded(vtp, file);
}
