// SPDX-License-Identifier: GPL-3.0-or-later
// Damaged messages of tessera-read-3mf: a process that lib3mf has corrupted may send anything.
#include "preprocess/read/surface/surface_readers.hpp"
#include "tests/fixtures/files/child_messages.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;

namespace {

void addTetrahedron(test::ChildStream& stream, const std::string& name, double xScale) {
  constexpr float vertex[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  constexpr std::uint32_t triangle[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  stream.begin(ChildMessage::Mesh).text(name);
  stream.reals({xScale, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7});
  stream.numbers({4, 4}).add(vertex, sizeof vertex).add(triangle, sizeof triangle);
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  test::ChildStream one, three;
  addTetrahedron(one.begin(ChildMessage::Unit).real(0.0254), "", 1.0);
  three.begin(ChildMessage::Unit).real(1e-3);
  for (const double scale : {1.0, -1.0, 1e-3}) addTetrahedron(three, "wall", scale);
  return {one.ended(), three.ended()};
}

// All behind the unit.
std::vector<fuzz::Inside> fuzz::insides() {
  constexpr std::size_t at = 16;
  std::vector<Inside> parts;
  for (const std::string& seed : seeds())
    parts.push_back({seed.substr(at), [start = seed.substr(0, at)](const std::string& rest) {
                       return start + rest;
                     }});
  return parts;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readOrRefuse(data, size, [](std::string_view bytes) {
    return parse3mf(*test::recorded(std::string(bytes), "input.3mf"), 1000, "input.3mf");
  });
}
