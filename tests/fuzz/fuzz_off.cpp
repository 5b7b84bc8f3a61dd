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
  return {test::offFile(mesh), test::offFile(mesh, "COFF"), test::offFile(mesh, "STCNOFF"),
          test::polygonFile(concave, "off")};
}

std::vector<fuzz::Inside> fuzz::insides() {
  return {};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readOrRefuse(data, size,
                            [](std::string_view bytes) { return parseOff(bytes, "input.off"); });
}
