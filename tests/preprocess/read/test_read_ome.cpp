// SPDX-License-Identifier: GPL-3.0-or-later
// OME-TIFF: the XML in the first page's description.
#include <catch2/catch.hpp>

#include "preprocess/read/image/image_readers.hpp"
#include "preprocess/read/image/ome_xml.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/files/pixel_files.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;
using namespace tessera::stage;
using namespace tessera::test;

namespace {

std::string omeXml(const std::string& attributes, const std::string& content = "<TiffData/>",
                   const std::string& sizes = "SizeX=\"2\" SizeY=\"2\" SizeZ=\"2\"") {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?><!-- <Warning> by Bio-Formats -->\n<OME "
         "xmlns=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\"><Image ID=\"Image:0\">"
         "<Description>a = b &lt; c</Description><Pixels ID=\"Pixels:0\" Type=\"uint8\" " +
         sizes + " " + attributes + ">" + content + "</Pixels></Image></OME>";
}

Image omeTiff(const std::string& xml, int pages = 2) {
  std::vector<TiffPage> stack(static_cast<std::size_t>(pages), strip("\1\2\3\4"));
  stack.front().description = xml;
  return parseTiff(wholeFileOf(tiff(stack)), "a.ome.tif");
}

const std::string oneStack = "SizeC=\"1\" SizeT=\"1\" DimensionOrder=\"XYCZT\" ";

}  // namespace

TEST_CASE("OME-TIFF: the physical size is the size of a voxel, in its unit", "[unit]") {
  const Image image = omeTiff(
      omeXml(oneStack + "PhysicalSizeX=\"0.5\" PhysicalSizeY=\"0.25\" PhysicalSizeZ=\"2.0E0\""));
  CHECK(image.size == Int3{2, 2, 2});
  CHECK(image.voxel[0] == Approx(0.5e-6));  // micrometres, if no unit is given
  CHECK(image.voxel[1] == Approx(0.25e-6));
  CHECK(image.voxel[2] == Approx(2e-6));
  CHECK(image.space.empty());
  CHECK(image.warnings.empty());
  for (const auto& [unit, metres] : {std::pair{"nm", 1e-9},
                                     {"&#181;m", 1e-6},
                                     {"\u00b5m", 1e-6},
                                     {"mm", 1e-3},
                                     {"\u00c5", 1e-10},
                                     {"in", 25.4e-3}}) {
    INFO(unit);
    std::string sizes = oneStack;
    for (const char axis : {'X', 'Y', 'Z'})
      sizes += std::string(" PhysicalSize") + axis + "=\"3\" PhysicalSize" + axis + "Unit=\"" +
               unit + "\"";
    CHECK(omeTiff(omeXml(sizes)).voxel[2] == Approx(3 * metres));
  }
  const Image plane = omeTiff(omeXml(oneStack + "PhysicalSizeX=\"3\" PhysicalSizeY=\"3\"", "",
                                     "SizeX=\"2\" SizeY=\"2\" SizeZ=\"1\""),
                              1);
  CHECK(plane.dimensions == 2);
  CHECK(plane.voxel[1] == Approx(3e-6));
}

TEST_CASE("OME-TIFF: tags may have the prefix of a namespace", "[unit]") {
  const Image image = omeTiff(
      "<?xml version=\"1.0\"?><ome:OME xmlns:ome=\"http://ome\"><ome:Image ID=\"Image:0\">"
      "<ome:Pixels SizeX=\"2\" SizeY=\"2\" SizeZ=\"2\" SizeC=\"1\" SizeT=\"1\" "
      "PhysicalSizeX=\"0.5\" PhysicalSizeY=\"0.5\" PhysicalSizeZ=\"4\"><ome:TiffData/>"
      "</ome:Pixels></ome:Image></ome:OME>");
  CHECK(image.size == Int3{2, 2, 2});
  CHECK(image.voxel[2] == Approx(4e-6));
  checkError(ExitCode::BadInput,
             [] { omeTiff("<x:OME xmlns:x=\"y\"><x:Image/><x:Image/></x:OME>"); }, {"2 images"});
}

TEST_CASE("OME-TIFF: a size that is missing, no length or of another image is not used", "[unit]") {
  CHECK_FALSE(omeTiff(omeXml(oneStack)).hasVoxelSize());
  CHECK_FALSE(omeTiff(omeXml(oneStack + "PhysicalSizeX=\"3\" PhysicalSizeY=\"3\"")).hasVoxelSize());
  const auto warning = [](const std::string& attributes, const std::string& sizes) {
    const Image image = omeTiff(omeXml(oneStack + attributes, "", sizes));
    CHECK_FALSE(image.hasVoxelSize());
    REQUIRE_FALSE(image.warnings.empty());
    return image.warnings.front();
  };
  const std::string two = "SizeX=\"2\" SizeY=\"2\" SizeZ=\"2\"";
  const std::string other = " PhysicalSizeY=\"1\" PhysicalSizeZ=\"1\"";
  CHECK_THAT(warning("PhysicalSizeX=\"1\" PhysicalSizeXUnit=\"pixel\"" + other, two),
             Catch::Contains("pixel"));
  for (const std::string size : {"0", "-2", "nan", "wide", "1e400"})
    CHECK_THAT(warning("PhysicalSizeX=\"" + size + "\"" + other, two), Catch::Contains(size));
  CHECK_THAT(warning("PhysicalSizeX=\"1\"" + other, "SizeX=\"4\" SizeY=\"4\" SizeZ=\"2\""),
             Catch::Contains("4 x 4") && Catch::Contains("2 x 2"));
}

TEST_CASE("OME-TIFF: anything but one stack in order is refused with the reason", "[unit]") {
  const auto refused = [](const std::string& xml, const std::string& words) {
    INFO(xml);
    checkError(ExitCode::BadInput, [&] { omeTiff(xml); }, {words, "a.ome.tif"});
  };
  refused(omeXml("SizeC=\"2\" SizeT=\"1\""), "2 channels");
  refused(omeXml("SizeC=\"1\" SizeT=\"7\""), "7 times");
  refused(omeXml("SizeC=\"0\" SizeT=\"1\""), "SizeC");
  refused(omeXml(oneStack, "", "SizeX=\"2\" SizeY=\"2\" SizeZ=\"9\""), "2 of the 9 planes");
  refused(omeXml(oneStack, "<TiffData IFD=\"0\" FirstZ=\"1\"/><TiffData IFD=\"1\" FirstZ=\"0\"/>"),
          "order");
  refused("<OME></OME>", "0 images");
  refused("<OME><Image/><Image/></OME>", "2 images");
  refused("<OME ><Image></OME>", "OME-XML");
  // In order, plane by plane.
  CHECK(omeTiff(omeXml(oneStack,
                       "<TiffData IFD=\"0\" FirstZ=\"0\" PlaneCount=\"1\"/><TiffData IFD=\"1\" "
                       "FirstZ=\"1\" PlaneCount=\"1\"/>"))
            .size == Int3{2, 2, 2});
  CHECK(looksLikeOme("\n<OME>"));
  CHECK(looksLikeOme("<?xml version=\"1.0\"?>\n<ome:OME xmlns:ome=\"http://ome\">"));
  CHECK_FALSE(looksLikeOme("<a b=\"x:OME \">"));
  CHECK_FALSE(looksLikeOme("<HOME >"));
  CHECK_FALSE(looksLikeOme("about <OME >"));
  CHECK_FALSE(looksLikeOme("<html>"));
}
