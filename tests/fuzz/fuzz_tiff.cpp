// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/read_tiff.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/preprocess/pixel_files.hpp"

using namespace tessera;

std::vector<std::string> fuzz::seeds() {
  using namespace test;
  const TiffPage plain = strip("\1\2\3\4");
  TiffPage described = plain, packed = strip(std::string("\xfd\x09", 2)), zipped = plain, tile;
  described.description = "ImageJ=1.53t\nimages=2\nunit=micron\nspacing=4.0\n";
  described.voxels = "\1\2\3\4\5\6\7\10";
  described.perUnit = 2;
  packed.compression = 32773;
  zipped.compression = 8;
  zipped.voxels = zlibOf("\1\2\3\4");
  tile.voxels.assign(256, '\3');
  TiffPage bits = strip(std::string("\x40\x80\x80\x00", 4), 1);
  bits.width = 9;
  return {tiff({plain, plain}),   tiff({plain, plain}, true),
          tiff({described}),      tiff({packed}),
          tiff({zipped, zipped}), tiff({tile}),
          tiff({bits}),           tiff({strip(std::string(16, '\1'), 32, 3)}, true)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readOrRefuse(data, size, [](std::string_view bytes) {
    return parseTiff(test::wholeFileOf(std::string(bytes)), "input.tif");
  });
}
