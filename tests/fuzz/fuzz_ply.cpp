// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/surface/surface_readers.hpp"
#include "tests/fixtures/files/polygon_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::read;

std::vector<std::string> fuzz::seeds() {
  TriangleMesh mesh = test::sphereMesh({1.0, 2.0, 3.0}, 0.7, 6, 4);
  for (std::size_t t = 0; t < mesh.label.size(); ++t) mesh.label[t] = static_cast<Patch>(t % 3);
  const std::vector<Double3> concave = {{0, 0, 0}, {4, -3, 0}, {1, 0, 0}, {4, 3, 0}, {2, 3, 1}};
  std::vector<std::string> files;
  for (const test::Bytes bytes : {test::Bytes::Text, test::Bytes::Little, test::Bytes::Big})
    for (const bool rich : {false, true}) files.push_back(test::plyFile(mesh, bytes, rich));
  files.push_back(test::polygonFile(concave, "ply"));
  return files;
}

// The bytes behind the header, and its counts and types.
std::vector<fuzz::Inside> fuzz::insides() {
  std::vector<Inside> parts;
  for (const std::string& file : seeds()) {
    for (int times = 0; times < 4; ++times) parts.push_back(insideOf(file, "end_header\n", ""));
    parts.push_back(insideOf(file, "\nelement vertex ", "\n"));
    parts.push_back(insideOf(file, "\nelement face ", "\n"));
    parts.push_back(insideOf(file, "property list ", " vertex_ind"));
  }
  return parts;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readOrRefuse(data, size,
                            [](std::string_view bytes) { return parsePly(bytes, "input.ply"); });
}
