// SPDX-License-Identifier: GPL-3.0-or-later
// Damaged 3MF files, read by the child process.
#include "preprocess/read/surface/surface_readers.hpp"
#include "tests/fixtures/files/three_mf_files.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;

namespace {

const preprocess::geometry::TriangleMesh tetrahedron{
    {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}, {}};

constexpr const char* item = "<item objectid=\"1\" transform=\"1 0 0 0 1 0 0 0 1 5 0 0\"/>";
constexpr const char* parts =
    "<object id=\"2\" type=\"model\"><components><component objectid=\"1\"/><component "
    "objectid=\"1\" transform=\"0 1 0 -1 0 0 0 0 1 5 6 7\"/></components></object>";

}  // namespace

std::vector<std::string> fuzz::seeds() {
  const std::string object = test::objectOf(tetrahedron, 1, "name=\"wall\"");
  return {test::threeMfFile("millimeter", object, item),
          test::threeMfFile("inch", object + parts, "<item objectid=\"2\"/>")};
}

// The model alone, with true checksums.
std::vector<fuzz::Inside> fuzz::insides() {
  return {{test::objectOf(tetrahedron, 1),
           [](const std::string& object) { return test::threeMfFile("meter", object, item); }}};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TemporaryFolder folder;
  return fuzz::readOrRefuse(data, size, [](std::string_view bytes) {
    writeWhole(folder / "input.3mf", std::string(bytes));
    return read3mf(folder / "input.3mf");
  });
}
