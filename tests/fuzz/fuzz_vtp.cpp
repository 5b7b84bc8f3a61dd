// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/read_vtp.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/preprocess/image_files.hpp"
#include "tests/preprocess/lattice_meshes.hpp"
#include "tests/preprocess/polygon_files.hpp"

using namespace tessera;

std::vector<std::string> fuzz::seeds() {
  TriangleMesh mesh = test::sphereMesh({1.0, 2.0, 3.0}, 0.7, 6, 4);
  for (std::size_t t = 0; t < mesh.label.size(); ++t) mesh.label[t] = static_cast<Patch>(t % 3);
  const std::vector<Double3> concave = {{0, 0, 0}, {4, -3, 0}, {1, 0, 0}, {4, 3, 0}, {2, 3, 1}};
  std::vector<std::string> files = {test::polygonFile(concave, "vtp")};
  for (const test::VtpPlace place : {test::VtpPlace::Ascii, test::VtpPlace::Inline,
                                     test::VtpPlace::AppendedRaw, test::VtpPlace::AppendedBase64})
    for (int bits = 0; bits < 8; ++bits) {
      test::VtpStyle style;
      style.place = place;
      style.compressed = (bits & 1) != 0;
      style.bigEndian = style.header64 = (bits & 2) != 0;
      style.doubles = style.wide = (bits & 4) != 0;
      style.pieces = 1 + bits % 2;
      style.faceArray = bits < 4 ? "ModelFaceID" : "CapID";
      files.push_back(test::vtpFile(mesh, style));
    }
  return files;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readOrRefuse(data, size, [](std::string_view bytes) {
    return parseVtp(test::wholeFileOf(std::string(bytes)), "input.vtp");
  });
}
