// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/image/image_readers.hpp"
#include "tests/fixtures/files/pixel_files.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;

namespace {

const std::string omeDescription =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><OME xmlns=\"http://ome\"><Image ID=\"Image:0\">"
    "<Pixels SizeX=\"2\" SizeY=\"2\" SizeZ=\"2\" SizeC=\"1\" SizeT=\"1\" PhysicalSizeX=\"0.5\" "
    "PhysicalSizeY=\"0.5\" PhysicalSizeZ=\"2\" PhysicalSizeZUnit=\"&#181;m\">"
    "<TiffData IFD=\"1\" FirstZ=\"1\"/></Pixels></Image></OME>";
const std::string omeWithPrefix =
    "<o:OME xmlns:o=\"http://ome\"><o:Image><o:Pixels SizeX=\"2\" SizeY=\"2\" SizeZ=\"2\" "
    "PhysicalSizeX=\"0.5\"><o:TiffData/></o:Pixels></o:Image></o:OME>";

}  // namespace

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
  TiffPage ome = plain;
  ome.description = omeDescription;
  TiffPage bits = strip(std::string("\x40\x80\x80\x00", 4), 1);
  bits.width = 9;
  return {tiff({plain, plain}),   tiff({plain, plain}, true),
          tiff({described}),      tiff({packed}),
          tiff({zipped, zipped}), tiff({tile}),
          tiff({bits}),           tiff({strip(std::string(16, '\1'), 32, 3)}, true),
          tiff({ome, plain})};
}

// Voxels that are compressed, with a true checksum; the entries of a directory.
std::vector<fuzz::Inside> fuzz::insides() {
  using namespace test;
  std::vector<Inside> parts;
  parts.push_back({std::string(4, '\3'), [](const std::string& voxels) {
                     TiffPage zipped = strip(zlibOf(voxels));
                     zipped.compression = 8;
                     return tiff({zipped, zipped});
                   }});
  parts.push_back({std::string("\xfd\x09", 2), [](const std::string& voxels) {
                     TiffPage packed = strip(voxels);
                     packed.compression = 32773;
                     return tiff({packed});
                   }});
  for (const std::string& description : {omeDescription, omeWithPrefix})
    parts.push_back({description, [](const std::string& xml) {
                       TiffPage page = strip("\1\2\3\4");
                       page.description = xml;
                       return tiff({page, strip("\1\2\3\4")});
                     }});
  for (const std::string& file : seeds()) {
    std::size_t directory = 0;
    for (std::size_t k = 0; k < 4; ++k)
      directory = 256 * directory + static_cast<std::uint8_t>(file[file[0] == 'M' ? 4 + k : 7 - k]);
    // One value, of 4 bytes, after the other: sizes and places rather than tags.
    for (std::size_t entry = directory + 2; entry + 12 < file.size(); entry += 12)
      parts.push_back({file.substr(entry + 8, 4), [file, entry](std::string value) {
                         value.resize(4);
                         return file.substr(0, entry + 8) + value + file.substr(entry + 12);
                       }});
  }
  return parts;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readOrRefuse(data, size, [](std::string_view bytes) {
    return parseTiff(test::wholeFileOf(std::string(bytes)), "input.tif");
  });
}
