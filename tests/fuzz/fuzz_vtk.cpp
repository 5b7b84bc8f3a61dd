// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/surface/surface_readers.hpp"
#include "tests/fixtures/files/polygon_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::read;

std::vector<std::string> fuzz::seeds() {
  const TriangleMesh mesh = test::sphereMesh({1.0, 2.0, 3.0}, 0.7, 6, 4);
  const std::vector<Double3> concave = {{0, 0, 0}, {4, -3, 0}, {1, 0, 0}, {4, 3, 0}, {2, 3, 1}};
  std::vector<std::string> files = {
      test::polygonFile(concave, "vtk"),
      "# vtk DataFile Version 3.0\n\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 1 "
      "1 0\nTRIANGLE_STRIPS 1 5\n4 0 1 2 3\n"};
  for (int bits = 0; bits < 32; ++bits)
    files.push_back(test::vtkFile(mesh, {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0,
                                         (bits & 8) != 0, (bits & 16) != 0}));
  return files;
}

// Counts and types of the sections, and the cells behind their counts.
std::vector<fuzz::Inside> fuzz::insides() {
  std::vector<Inside> parts;
  for (const std::string& file : seeds())
    for (const char* section : {"POINTS ", "POLYGONS ", "CELLS ", "CELL_TYPES ", "OFFSETS",
                                "CONNECTIVITY", "FIELD FieldData ", "TIME "}) {
      const std::size_t at = file.find(section);
      if (at == file.npos) continue;
      const std::size_t begin = at + std::string(section).size();
      for (const std::size_t bytes : {std::size_t{16}, file.size()}) {
        const std::string part = file.substr(begin, bytes);
        parts.push_back(
            {part, [head = file.substr(0, begin), tail = file.substr(begin + part.size())](
                       const std::string& damaged) { return head + damaged + tail; }});
      }
    }
  return parts;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readOrRefuse(data, size,
                            [](std::string_view bytes) { return parseVtk(bytes, "input.vtk"); });
}
