// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/surface/surface_readers.hpp"
#include "tests/fixtures/files/image_files.hpp"
#include "tests/fixtures/files/polygon_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::read;

namespace {

TriangleMesh labelledMesh() {
  TriangleMesh mesh = test::sphereMesh({1.0, 2.0, 3.0}, 0.7, 6, 4);
  for (std::size_t t = 0; t < mesh.label.size(); ++t) mesh.label[t] = static_cast<Patch>(t % 3);
  return mesh;
}

test::VtpStyle styleOf(test::VtpPlace place, int bits) {
  test::VtpStyle style;
  style.place = place;
  style.compressed = (bits & 1) != 0;
  style.bigEndian = style.header64 = (bits & 2) != 0;
  style.doubles = style.wide = (bits & 4) != 0;
  style.pieces = 1 + bits % 2;
  style.faceArray = bits < 4 ? "ModelFaceID" : "CapID";
  return style;
}

// One array's bytes, encoded again after the damage.
fuzz::Inside arrayOf(const std::string& name, const test::VtpStyle& style, std::size_t bytes) {
  const std::string file = test::vtpFile(labelledMesh(), style);
  const std::size_t begin = file.find('>', file.find("Name=\"" + name + "\"")) + 1;
  const std::size_t end = file.find('<', begin);
  std::string plain(bytes, '\0');  // zeros: all corners are the first point
  return {plain,
          [style, head = file.substr(0, begin), tail = file.substr(end)](
              const std::string& damaged) { return head + test::vtpArray(damaged, style) + tail; }};
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  const std::vector<Double3> concave = {{0, 0, 0}, {4, -3, 0}, {1, 0, 0}, {4, 3, 0}, {2, 3, 1}};
  std::vector<std::string> files = {test::polygonFile(concave, "vtp")};
  for (const test::VtpPlace place : {test::VtpPlace::Ascii, test::VtpPlace::Inline,
                                     test::VtpPlace::AppendedRaw, test::VtpPlace::AppendedBase64})
    for (int bits = 0; bits < 8; ++bits)
      files.push_back(test::vtpFile(labelledMesh(), styleOf(place, bits)));
  return files;
}

// Counts, offsets and types among the attributes; arrays as text, appended, and before they are
// compressed and encoded.
std::vector<fuzz::Inside> fuzz::insides() {
  using test::VtpPlace;
  std::vector<Inside> parts;
  for (int bits = 0; bits < 8; ++bits) {
    const std::string raw = vtpFile(labelledMesh(), styleOf(VtpPlace::AppendedRaw, bits));
    for (const char* name : {"NumberOfPoints=\"", "NumberOfPolys=\"", "NumberOfStrips=\"",
                             "offset=\"", "header_type=\"", "<DataArray type=\""})
      parts.push_back(insideOf(raw, name, "\""));
    for (int times = 0; times < 3; ++times)
      parts.push_back(insideOf(raw, "\n_", "\n</AppendedData>"));
    const std::string coded = vtpFile(labelledMesh(), styleOf(VtpPlace::AppendedBase64, bits));
    parts.push_back(insideOf(coded, "\n_", "\n</AppendedData>"));
    const std::string text = vtpFile(labelledMesh(), styleOf(VtpPlace::Ascii, bits));
    for (const char* name : {"Points", "connectivity", "offsets"}) {
      const std::size_t at = text.find(std::string("Name=\"") + name + "\"");
      const std::size_t begin = text.find('>', at) + 1;
      Inside part = insideOf(text.substr(begin), "", "</DataArray>");
      part.wrap = [head = text.substr(0, begin), wrap = part.wrap](const std::string& values) {
        return head + wrap(values);
      };
      parts.push_back(part);
    }
    const test::VtpStyle style = styleOf(VtpPlace::Inline, bits);
    const std::size_t triangles = labelledMesh().triangle.size();
    parts.push_back(arrayOf("connectivity", style, 3 * triangles * (style.wide ? 8 : 4)));
    parts.push_back(arrayOf("Points", style, 3 * labelledMesh().vertex.size() * 8));
    parts.push_back(arrayOf(style.faceArray, style, 4 * triangles));
  }
  return parts;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readOrRefuse(data, size, [](std::string_view bytes) {
    return parseVtp(test::wholeFileOf(std::string(bytes)), "input.vtp");
  });
}
