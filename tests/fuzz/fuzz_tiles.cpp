// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/own_file.hpp"
#include "tests/fuzz/own_geometry.hpp"
#include "tiler/file/tiles_file.hpp"

using namespace tessera;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::tiler::file;

namespace {

std::string written(const TiledGeometry& geometry) {
  return fuzz::writtenBy([&](const std::filesystem::path& path) {
    writeTilesFile(path, geometry, newProvenance("tessera-tiler"));
  });
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {written(testing::inTiles(ductLattice(), {1, 0, 3}).geometry),
          written(testing::shiftedTiles(ductLattice(), {0, 1, 2}).geometry)};
}

std::vector<fuzz::Inside> fuzz::insides() {
  std::vector<Inside> parts;
  for (const std::string& seed : seeds())
    for (Inside& part : sectionsOf(seed)) parts.push_back(std::move(part));
  return parts;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readFileOrRefuse(data, size,
                                [](const std::filesystem::path& path) { readTilesFile(path); });
}
