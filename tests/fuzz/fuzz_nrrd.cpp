// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/image/image_readers.hpp"
#include "tests/fixtures/files/image_files.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;

std::vector<std::string> fuzz::seeds() {
  const std::string start = "NRRD0005\n# made for a test\ndimension: 3\nsizes: 3 2 2\n";
  const std::string place =
      "space: right-anterior-superior\nspace directions: (2,0,0) (0,2,0) (0,0,-2)\n"
      "space origin: (1,2,3)\nspace units: \"mm\" \"mm\" \"mm\"\nkinds: domain domain domain\n";
  const std::string voxels(24, '\2');
  return {
      start + "type: uchar\nencoding: raw\n" + place + "\n" + voxels.substr(0, 12),
      start + "type: short\nencoding: raw\nendian: big\nbyte skip: -1\n" + place + "\n" + voxels,
      start + "type: ushort\nencoding: gzip\nendian: little\nspacings: 1 1 2\n\n" +
          test::gzipOf(voxels),
      start + "type: float\nencoding: ascii\nline skip: 1\n\nskipped\n" +
          "1 2.5 -3 4e2 5 6 7 8 9 10 11 12\n",
      "NRRD0004\ntype: uchar\ndimension: 4\nsizes: 2 3 2 2\nencoding: raw\nspace: LPS\n"
      "space directions: none (2,0,0) (0,2,0) (0,0,-2)\nkinds: list domain domain domain\n"
      "Segment0_Name:=artery\nSegment0_LabelValue:=2\nSegment0_Layer:=1\n"
      "Segment1_Name:=vein\nSegment1_LabelValue:=2\nSegment1_Layer:=0\n\n" +
          voxels};
}

// Compressed data with a true checksum; values and their number.
std::vector<fuzz::Inside> fuzz::insides() {
  const std::vector<std::string> files = seeds();
  Inside zipped = insideOf(files[2], "\n\n", "");
  zipped.bytes = std::string(24, '\2');
  zipped.wrap = [wrap = zipped.wrap](const std::string& voxels) {
    return wrap(test::gzipOf(voxels));
  };
  return {zipped,
          insideOf(files[3], "skipped\n", ""),
          insideOf(files[3], "sizes: ", "\n"),
          insideOf(files[0], "space directions: ", "\n"),
          insideOf(files[0], "space: ", "\n\n"),
          insideOf(files[2], "spacings: ", "\n"),
          insideOf(files[4], "kinds: ", "\n\n"),
          insideOf(files[4], "sizes: ", "\n")};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readOrRefuse(data, size, [](std::string_view bytes) {
    return parseNrrd(test::wholeFileOf(std::string(bytes)), "input.nrrd");
  });
}
