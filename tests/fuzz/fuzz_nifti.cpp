// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/image/image_readers.hpp"
#include "tests/fixtures/files/image_files.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;

std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> files;
  for (const int version : {1, 2})
    for (const bool big : {false, true}) {
      test::NiftiText text;
      text.version = version;
      text.bigEndian = big;
      text.dim = {3, 5, 4, 3, 1, 1, 1, 1};
      text.datatype = big ? 4 : 2;
      text.pixdim = {-1, 2, 2, 2, 0, 0, 0, 0};
      text.qform = 1;
      text.sform = big ? 0 : 1;
      text.srow = {{{-2, 0, 0, 10}, {0, 2, 0, 20}, {0, 0, 2, 30}}};
      const std::string file = test::niftiHeader(text) + std::string(big ? 120 : 60, '\1');
      files.push_back(file);
      files.push_back(test::gzipOf(file));
    }
  return files;
}

// Compressed data with a true checksum, or the fields from the type on.
std::vector<fuzz::Inside> fuzz::insides() {
  std::vector<Inside> parts;
  for (const std::string& file : seeds()) {
    if (file.starts_with("\x1f\x8b")) continue;
    parts.push_back({file, test::gzipOf});
    parts.push_back({file.substr(16, 324), [file](std::string fields) {
                       fields.resize(324);
                       return file.substr(0, 16) + fields + file.substr(340);
                     }});
  }
  return parts;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readOrRefuse(data, size, [](std::string_view bytes) {
    return parseNifti(test::wholeFileOf(std::string(bytes)), "input.nii");
  });
}
