// SPDX-License-Identifier: GPL-3.0-or-later
// Small files of ours for tessera-info to read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/container.hpp"
#include "pipelines/stage/io/provenance.hpp"
#include "preprocess/file/vdb_trailer.hpp"

namespace tessera {

using namespace tessera::preprocess::file;
using namespace tessera::stage;

inline Provenance sampleProvenance() {
  Provenance preprocess = newProvenance("tessera-preprocess");
  preprocess.options = {{"unit", "mm"}};
  preprocess.inputs = {{"vessel.stl", hashBytes("stl", 3)}};
  Provenance tiler = newProvenance("tessera-tiler");
  tiler.inputs = {{"geom.vdb", hashBytes("vdb", 3)}};
  tiler.history = preprocess.steps();
  return tiler;
}

inline ContainerWriter sampleContainer(const std::string& kind,
                                       const std::vector<std::uint16_t>& patch) {
  ContainerWriter writer(kind, 1, 0);
  writer.addText("meta",
                 R"({"nodes": [4, 5, 6], "spacing_m": 0.0001,
                     "openings": [{"id": 1, "name": "inlet"}, {"id": 2, "name": "outlet"}]})");
  writer.addText("provenance", sampleProvenance().toJson());
  writer.add("linkPatch", patch);
  return writer;
}

inline void writeSampleTiles(const std::filesystem::path& path) {
  const std::vector<std::uint16_t> patch(100, 3);
  AtomicFile file(path);
  sampleContainer("tiles", patch).write(file);
  file.commit();
}

// Magic number and some bytes in place of OpenVDB's part.
inline void writeSampleVdb(const std::filesystem::path& path) {
  const std::vector<std::uint16_t> patch(100, 3);
  AtomicFile file(path);
  file.write(" BDV and what OpenVDB writes");
  const std::uint64_t vdbBytes = file.size();
  sampleContainer("lattice", patch).write(file);
  writeVdbTrailer(file, vdbBytes);
  file.commit();
}

}  // namespace tessera
