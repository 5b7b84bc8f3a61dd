// SPDX-License-Identifier: GPL-3.0-or-later
// Damaged DICOM files, read by the child process: whatever happens to it, the reader has a result
// or one sentence.
#include "preprocess/read/image/image_readers.hpp"
#include "tests/fixtures/files/dicom_files.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;

std::vector<std::string> fuzz::seeds() {
  test::DicomFile slice, bytes, frames;
  slice.slope = "2";
  slice.intercept = "-1024";
  slice.stored = 12;
  bytes.bits = bytes.stored = 8;
  bytes.isSigned = false;
  bytes.voxels = std::string(6, '\7');
  frames.framePositions = {"0\\0\\0", "0\\0\\2", "0\\0\\4"};
  frames.voxels = std::string(36, '\1');
  return {slice.bytes(), bytes.bytes(), frames.bytes()};
}

// Data set behind the preamble and the meta information.
std::vector<fuzz::Inside> fuzz::insides() {
  std::vector<Inside> parts;
  for (const std::string& seed : seeds()) {
    constexpr std::size_t at = 300;
    parts.push_back({seed.substr(at), [start = seed.substr(0, at)](const std::string& rest) {
                       return start + rest;
                     }});
  }
  return parts;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TemporaryFolder folder;
  return fuzz::readOrRefuse(data, size, [](std::string_view bytes) {
    writeWhole(folder / "input.dcm", std::string(bytes));
    return readDicomSeries({folder / "input.dcm"}, 1);
  });
}
