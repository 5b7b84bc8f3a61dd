// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/file/fields_file.hpp"

#include "tests/fuzz/own_file.hpp"

using namespace tessera;
using namespace tessera::solver::file;
using namespace tessera::stage;

namespace {

Fields someFields(bool pulsatile) {
  const std::size_t nodes = fuzz::seedsAreLarge ? 1200 : 70;
  Fields fields;
  fields.tilesName = "geom.tiles";
  fields.tilesHash = std::string(32, 'a');
  fields.step = 1000;
  fields.variant = "D3Q19 trt quasi-compressible f32";
  fields.caseText = "[fluid]\ndensity = 1000\n";
  fields.openings = {{1, "inlet", "velocity", -1e-6, 20.0}, {2, "outlet", "pressure", 1e-6, 0.0}};
  fields.walls = {{"wall", {1.0, 2.0, 3.0}, {-1.0, 0.0, 0.5}}};
  fields.forceReference = {0.1, 1e-6, 1e-3, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0}};
  fields.pressure.assign(nodes, 0.5F);
  fields.velocity.assign(nodes, {0.1F, -0.2F, 0.0F});
  fields.stress.assign(nodes, {1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F});
  fields.monitorColumns = {"step", "time[s]"};
  fields.monitorRows = {0.0, 0.0, 100.0, 0.1};
  fields.provenance = newProvenance("tessera-solver");
  if (!pulsatile) return fields;
  MeanFields means;
  means.samples = 20;
  means.lastStep = 1000;
  means.pressure.assign(nodes, 0.25F);
  means.velocity.assign(nodes, {0.1F, 0.2F, 0.3F});
  means.wallNode = {0, 5, 69};
  means.wallTraction.assign(3, {1.0F, 0.0F, 0.0F});
  means.wallShear.assign(3, 1.0F);
  fields.means = std::move(means);
  return fields;
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> files;
  for (const bool pulsatile : {false, true})
    files.push_back(writtenBy(
        [&](const std::filesystem::path& path) { writeFieldsFile(path, someFields(pulsatile)); }));
  return files;
}

std::vector<fuzz::Inside> fuzz::insides() {
  return sectionsOf(seeds().back());
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readFileOrRefuse(data, size, [](const std::filesystem::path& path) {
    const Fields fields = readFieldsFile(path);
    const std::size_t nodes = fields.pressure.size();
    if (fields.velocity.size() != nodes || fields.stress.size() != nodes)
      fuzz::promiseBroken("fields of different sizes");
    if (fields.means)
      for (const std::uint64_t node : fields.means->wallNode)
        if (node >= nodes) fuzz::promiseBroken("a wall node that is none");
  });
}
