// SPDX-License-Identifier: GPL-3.0-or-later
// The project's part of geom.vdb; the part for other programs is never read back.
#include "preprocess/file/lattice_file.hpp"

#include "preprocess/file/vdb_trailer.hpp"
#include "tests/fuzz/own_file.hpp"
#include "tests/fuzz/own_geometry.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::stage;

namespace {

// A container between the OpenVDB part of a file and a trailer that is true of it.
std::string whole(const std::string& vdb, const std::string& container) {
  VdbTrailer trailer;
  trailer.vdbBytes = vdb.size();
  trailer.fileBytes = vdb.size() + container.size() + sizeof trailer;
  std::string file = vdb + container;
  file.append(reinterpret_cast<const char*>(&trailer), sizeof trailer - sizeof trailer.hash);
  trailer.hash = hash128(std::as_bytes(std::span(file.data(), file.size())));
  file.append(reinterpret_cast<const char*>(trailer.hash.data()), sizeof trailer.hash);
  return file;
}

}  // namespace

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
                    [vdb](const std::string& container) { return whole(vdb, container); });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readFileOrRefuse(data, size,
                                [](const std::filesystem::path& path) { readLatticeFile(path); });
}
