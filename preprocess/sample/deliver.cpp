// SPDX-License-Identifier: GPL-3.0-or-later
// Writing samples; see deliver.hpp.
#include "preprocess/sample/deliver.hpp"

#include <iostream>
#include <span>

#include "pipelines/stage/io/atomic_file.hpp"
#include "preprocess/sample/write_stl.hpp"

namespace tessera::preprocess::sample {

using stage::CommonOptions;

namespace {
constexpr double millimetre = 1e-3;

std::string fileName(const CommonOptions& common, const std::string& whenPlanned) {
  return common.output.empty() ? whenPlanned : common.output.filename().string();
}

int tell(const CommonOptions& common, const Summary& summary) {
  if (!common.report.empty()) stage::writeTextAtomically(common.report, summary.json);
  std::cout << summary.text;
  return 0;
}
}  // namespace

int deliver(const CommonOptions& common, const std::string& kind,
            const geometry::TriangleMesh& mesh, const Told& told) {
  if (!common.plan)
    writeStl(common.output, mesh, millimetre, "Tessera sample: " + kind + ", millimetres");
  return tell(common, describeMesh(kind, mesh, fileName(common, kind + ".stl"), told));
}

int deliver(const CommonOptions& common, const std::string& kind, const SampleImage& image,
            const std::string& extension, const Told& told) {
  if (!common.plan) {
    stage::AtomicFile file(common.output);
    if (extension == ".pgm")
      file.write("P5\n" + std::to_string(image.size[0]) + " " + std::to_string(image.size[1]) +
                 "\n" + std::to_string(int{solidValue}) + "\n");
    file.write(std::as_bytes(std::span(image.value)));
    file.commit();
  }
  return tell(common, describeImage(kind, image, fileName(common, kind + extension), told));
}

}  // namespace tessera::preprocess::sample
