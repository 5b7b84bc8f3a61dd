// SPDX-License-Identifier: GPL-3.0-or-later
// The project's part of geom.vdb; the part for other programs is never read back.
#include "preprocess/file/lattice_file.hpp"

#include "preprocess/file/vdb_trailer.hpp"
#include "tests/fuzz/own_file.hpp"
#include "tests/fuzz/own_geometry.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::stage;

std::vector<std::string> fuzz::seeds() {
  return {writtenBy([](const std::filesystem::path& path) {
    writeLatticeFile(path, ductLattice(), newProvenance("tessera-preprocess"));
  })};
}

std::vector<fuzz::Inside> fuzz::insides() {
  const std::string file = seeds().front();
  const std::size_t vdbBytes = readVdbTrailer(fileOf(file.data(), file.size())).vdbBytes;
  const std::string vdb = file.substr(0, vdbBytes);
  return sectionsOf(file, vdbBytes, sizeof(VdbTrailer),
                    [vdb](const std::string& container) { return latticeFileOf(vdb, container); });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readFileOrRefuse(data, size,
                                [](const std::filesystem::path& path) { readLatticeFile(path); });
}
