// SPDX-License-Identifier: GPL-3.0-or-later
// The arrays of cells alone: the rest is that of fuzz_vtp.cpp.
#include "preprocess/read/surface/surface_readers.hpp"
#include "tests/fixtures/files/image_files.hpp"
#include "tests/fixtures/files/polygon_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::read;

namespace {

std::string fileOf(test::VtpPlace place, int bits) {
  TriangleMesh mesh = test::sphereMesh({1.0, 2.0, 3.0}, 0.7, 6, 4);
  for (std::size_t t = 0; t < mesh.label.size(); ++t) mesh.label[t] = static_cast<Patch>(t % 3);
  test::VtpStyle style;
  style.grid = true;
  style.place = place;
  style.compressed = (bits & 1) != 0;
  style.bigEndian = style.header64 = (bits & 2) != 0;
  style.pieces = 1 + bits % 2;
  style.faceArray = "CellEntityIds";
  return test::vtpFile(mesh, style);
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  const std::vector<Double3> concave = {{0, 0, 0}, {4, -3, 0}, {1, 0, 0}, {4, 3, 0}, {2, 3, 1}};
  std::vector<std::string> files = {test::polygonFile(concave, "vtu")};
  for (const test::VtpPlace place : {test::VtpPlace::Ascii, test::VtpPlace::Inline,
                                     test::VtpPlace::AppendedRaw, test::VtpPlace::AppendedBase64})
    for (int bits = 0; bits < 4; ++bits) files.push_back(fileOf(place, bits));
  return files;
}

std::vector<fuzz::Inside> fuzz::insides() {
  std::vector<Inside> parts;
  const std::string text = fileOf(test::VtpPlace::Ascii, 0);
  for (const char* name : {"types", "connectivity", "offsets"}) {
    const std::size_t begin = text.find('>', text.find(std::string("Name=\"") + name + "\"")) + 1;
    Inside part = insideOf(text.substr(begin), "", "</DataArray>");
    part.wrap = [head = text.substr(0, begin), wrap = part.wrap](const std::string& values) {
      return head + wrap(values);
    };
    parts.push_back(part);
  }
  const std::string raw = fileOf(test::VtpPlace::AppendedRaw, 0);
  parts.push_back(insideOf(raw, "\n_", "\n</AppendedData>"));
  parts.push_back(insideOf(raw, "NumberOfCells=\"", "\""));
  return parts;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readOrRefuse(data, size, [](std::string_view bytes) {
    return parseVtu(test::wholeFileOf(std::string(bytes)), "input.vtu");
  });
}
