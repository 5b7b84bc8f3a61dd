// SPDX-License-Identifier: GPL-3.0-or-later
// Segments of 3D Slicer's .seg.nrrd, and labels of images by name.
#include <catch2/catch.hpp>

#include "preprocess/image/crop.hpp"
#include "preprocess/image/labels.hpp"
#include "preprocess/read/image/image_readers.hpp"
#include "preprocess/read/image/segments.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/files/image_files.hpp"

using namespace tessera;
using namespace tessera::preprocess::image;
using namespace tessera::preprocess::read;
using namespace tessera::stage;
using namespace tessera::test;

namespace {

Image segNrrd(const std::string& fields, const std::string& voxels) {
  return parseNrrd(wholeFileOf("NRRD0004\n# Complete NRRD file format specification at:\n" +
                               fields + "\n" + voxels),
                   "a.seg.nrrd");
}

const std::string place =
    "space: left-posterior-superior\nspace origin: (10,20,30)\nendian: little\n";
// Two layers of 2 x 2 x 2 voxels, as Slicer writes overlapping segments.
const std::string layered =
    "type: unsigned char\ndimension: 4\n" + place +
    "sizes: 2 2 2 2\nspace directions: none (2,0,0) (0,2,0) (0,0,2)\n"
    "kinds: list domain domain domain\nencoding: raw\n"
    "Segment0_Color:=0.5 0.1 0.1\nSegment0_ID:=Segment_1\nSegment0_LabelValue:=1\n"
    "Segment0_Layer:=0\nSegment0_Name:=artery\n"
    "Segment1_LabelValue:=1\nSegment1_Layer:=1\nSegment1_Name:=plaque\n"
    "Segment2_LabelValue:=2\nSegment2_Layer:=0\nSegment2_Name:=vein\n"
    "Segmentation_MasterRepresentation:=Binary labelmap\n";
// Layers side by side: voxel 0 is artery and plaque, 1 artery, 2 vein, 3 plaque.
const std::string voxels = std::string("\1\1\1\0\2\0\0\1", 8) + std::string(8, '\0');
const std::string cube = "type: uchar\ndimension: 3\nsizes: 2 2 1\nencoding: raw\n" + place +
                         "space directions: (2,0,0) (0,2,0) (0,0,2)\nkinds: domain domain domain\n";

std::size_t nodesOf(const Image& image, const LabelSet& labels) {
  return fluidOf(image, rangesOf(labels, image, "--pore", "a.seg.nrrd")).count();
}

}  // namespace

TEST_CASE("Segments: overlapping segments are layers, found by name", "[unit]") {
  const Image image = segNrrd(layered, voxels);
  CHECK(image.size == Int3{2, 2, 2});
  CHECK(image.layers == 2);
  CHECK(image.voxel[0] == Approx(2e-3));
  CHECK(image.origin[2] == Approx(30e-3));
  REQUIRE(image.segments.size() == 3);
  CHECK(image.segments[1].name == "plaque");
  CHECK(image.segments[1].layer == 1);
  CHECK(image.segments[2].value == 2);
  CHECK(image.value(3, 0) == 0);
  CHECK(image.value(3, 1) == 1);
  CHECK(nodesOf(image, {{}, {"artery"}}) == 2);
  CHECK(nodesOf(image, {{}, {"plaque"}}) == 2);
  CHECK(nodesOf(image, {{}, {"artery", "plaque"}}) == 3);
  CHECK(nodesOf(image, {{{2, 2}}, {"artery"}}) == 3);  // 2 is that of the vein alone
}

TEST_CASE("Segments: layers stay together when planes are reversed and cut out", "[unit]") {
  std::string left = layered;
  left.replace(left.find("(0,0,2)"), 7, "(0,0,-2)");
  const Image reversed = segNrrd(left, voxels);
  CHECK(reversed.planesReversed);
  CHECK(reversed.value(4, 0) == 1);
  CHECK(reversed.value(7, 1) == 1);
  CHECK(nodesOf(reversed, {{}, {"artery", "plaque"}}) == 3);
  Image part = segNrrd(layered, voxels);
  crop(part, {{1, 0, 0}, {2, 2, 1}});
  CHECK(nodesOf(part, {{}, {"artery"}}) == 1);
  CHECK(nodesOf(part, {{}, {"plaque"}}) == 1);
}

TEST_CASE("Segments: a labelmap without layers has values and names", "[unit]") {
  const Image image = segNrrd(cube +
                                  "Segment0_Name:=wall\nSegment0_LabelValue:=7\nSegment0_Layer:=0\n"
                                  "Segment12_Name:=lumen\nSegment12_LabelValue:=3\n",
                              "\7\3\3\1");
  CHECK(image.layers == 1);
  CHECK(nodesOf(image, {{}, {"lumen"}}) == 2);
  CHECK(nodesOf(image, {{{1, 1}, {7, 7}}, {"lumen"}}) == 4);
  CHECK(nodesOf(segNrrd(cube, "\7\3\3\1"), {{{1, 3}}, {}}) == 3);
}

TEST_CASE("Segments: files before Slicer 4.11 have a segment in each layer", "[unit]") {
  const Image image = segNrrd(
      "type: uchar\ndimension: 3\nsizes: 2 2 1\nencoding: ascii\n"
      "kinds: list domain domain\nspacings: nan 2 2\nspace units: \"mm\"\n"
      "Segment0_Name:=a\nSegment1_Name:=b\n",
      "1 0 0 1\n");
  CHECK(image.dimensions == 2);
  CHECK(image.layers == 2);
  CHECK(image.size == Int3{2, 1, 1});
  CHECK(image.voxel[0] == Approx(2e-3));
  CHECK(image.segments[1].layer == 1);
  CHECK(nodesOf(image, {{}, {"b"}}) == 1);
  CHECK(image.value(1, 1) == 1);
}

TEST_CASE("Segments: names are fit for options, cases and tables", "[unit]") {
  CHECK(segmentName("  left artery ", 0) == "left artery");
  CHECK(segmentName("a,b=\"c\"\x1b[1m", 0) == "a_b__c__[1m");
  CHECK(segmentName("12", 0) == "segment_12");
  CHECK(segmentName("", 4) == "segment5");
  CHECK(segmentName("4. ventricle", 0) == "4. ventricle");
  const std::string umlauts = segmentName(std::string(51, 'x') + "\u00e4\u00e4\u00e4\u00e4", 0);
  CHECK(umlauts == std::string(51, 'x') + "\u00e4\u00e4");
  CHECK(segmentName(std::string(1000, 'x'), 0).size() == 56);
  const Image twins = segNrrd(cube + "Segment0_Name:=a\nSegment1_Name:=a\n", "\1\1\1\1");
  CHECK(twins.segments[1].name == "a_2");
}

TEST_CASE("Segments: what is not there is refused with the segments that are", "[unit]") {
  const Image image = segNrrd(layered, voxels);
  const auto refused = [](const Image& of, const LabelSet& labels,
                          const std::vector<std::string>& facts) {
    checkError(
        ExitCode::Usage, [&] { nodesOf(of, labels); }, facts);
  };
  refused(image, {{}, {"arteri"}}, {"\"arteri\"", "artery (1), plaque (1), vein (2)", "--pore"});
  refused(image, {{{1, 1}}, {}}, {"2 layers", "artery (1)"});
  refused(image, {{{1, 2}}, {}}, {"1 to 2"});
  refused(image, {{{9, 9}}, {}}, {"9"});
  refused(segNrrd(cube, "\7\3\3\1"), {{}, {"artery"}}, {"artery", "numbers"});
  const auto damaged = [&](const std::string& fields, const char* words) {
    INFO(fields);
    checkError(ExitCode::BadInput, [&] { segNrrd(fields, voxels); }, {words, "a.seg.nrrd"});
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string fields = layered;
    return fields.replace(fields.find(from), from.size(), to);
  };
  damaged(with("Segment1_Layer:=1", "Segment1_Layer:=2"), "layer 2");
  damaged(with("Segment1_Layer:=1", "Segment1_Layer:=-1"), "layer -1");
  damaged(with("Value:=1", "Value:=one"), "\"one\"");
  damaged(with("sizes: 2 2", "sizes: 3 2"), "24");
  damaged(with("sizes: 2 2", "sizes: 0 2"), "0 layers");
  damaged(with("sizes: 2 2 2 2", "sizes: 1024 1000000 1000000 1000000"), "more voxels");
  damaged(with("kinds: list domain", "kinds: list vector"), "vector");
  damaged(with("dimension: 4", "dimension: -9223372036854775808"), "0 axes");
  std::string many = layered;
  for (int k = 3; k < 4100; ++k) many += "Segment" + std::to_string(k) + "_Name:=x\n";
  damaged(many, "4096");
}

TEST_CASE("Labels: the voxels of an image keep their labels after mirroring", "[unit]") {
  const std::vector<NamedLabel> labels{{"a", {{7, 7}}}, {"b", {{3, 4}, {7, 9}}}};
  const VoxelLabels plain(segNrrd(cube, "\7\3\3\1"), {});
  CHECK(plain.find(labels, {0, 0, 0}) == 0);
  CHECK(plain.find(labels, {1, 0, 0}) == 1);
  CHECK_FALSE(plain.find(labels, {1, 1, 0}));
  CHECK_FALSE(plain.find(labels, {2, 0, 0}));
  CHECK_FALSE(plain.find(labels, {0, -1, 0}));
  const VoxelLabels mirrored(segNrrd(cube, "\7\3\3\1"), {true, false, false});
  CHECK(mirrored.find(labels, {3, 0, 0}) == 0);
  CHECK(mirrored.find(labels, {2, 0, 0}) == 1);
  CHECK_FALSE(mirrored.find(labels, {4, 0, 0}));
  const std::vector<ValueRange> fluid{{3, 5}};
  CHECK(overlap(labels[1].ranges, fluid));
  CHECK_FALSE(overlap(labels[0].ranges, fluid));
  CHECK_FALSE(overlap(labels[1].ranges, std::vector<ValueRange>{{3, 5, 1}}));
}
