// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/image/image_readers.hpp"
#include "tests/fixtures/files/image_files.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;

std::vector<std::string> fuzz::seeds() {
  const std::string start =
      "ObjectType = Image\nNDims = 3\nBinaryData = True\nTransformMatrix = 1 0 0 0 1 0 0 0 -1\n"
      "Offset = 1 2 3\nElementSpacing = 2 2 2\nDimSize = 3 2 2\n";
  const std::string end = "ElementDataFile = LOCAL\n", voxels(24, '\2');
  return {start + "ElementType = MET_UCHAR\n" + end + voxels.substr(0, 12),
          start + "ElementType = MET_SHORT\nBinaryDataByteOrderMSB = True\nHeaderSize = -1\n" +
              end + voxels,
          start + "ElementType = MET_USHORT\nCompressedData = True\n" + end + test::zlibOf(voxels)};
}

// Compressed data with a true checksum; fields, the last of which has to stay.
std::vector<fuzz::Inside> fuzz::insides() {
  const std::vector<std::string> files = seeds();
  Inside zipped = insideOf(files[2], "LOCAL\n", "");
  zipped.bytes = std::string(24, '\2');
  zipped.wrap = [wrap = zipped.wrap](const std::string& voxels) {
    return wrap(test::zlibOf(voxels));
  };
  std::vector<Inside> parts = {zipped};
  for (const std::string& file : files) {
    parts.push_back(insideOf(file, "TransformMatrix", "ElementDataFile"));
    parts.push_back(insideOf(file, "DimSize = ", "\n"));
    parts.push_back(insideOf(file, "LOCAL\n", ""));
  }
  return parts;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readOrRefuse(data, size, [](std::string_view bytes) {
    return parseMetaImage(test::wholeFileOf(std::string(bytes)), "input.mha");
  });
}
