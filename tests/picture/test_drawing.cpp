// SPDX-License-Identifier: GPL-3.0-or-later
// Colours, numbers, text, charts, PNG and SVG.
#include <png.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <set>

#include "pipelines/picture/chart.hpp"
#include "pipelines/picture/colour.hpp"
#include "pipelines/picture/image.hpp"
#include "pipelines/picture/markup.hpp"
#include "pipelines/picture/ticks.hpp"
#include "pipelines/picture/typeset.hpp"
#include "pipelines/picture/unicode.hpp"

using namespace tessera;
using namespace tessera::picture;

namespace {

// CIE relative luminance (IEC 61966-2-1 primaries).
float luminance(const Colour& c) {
  return 0.2126F * linearFromSrgb(c.r) + 0.7152F * linearFromSrgb(c.g) +
         0.0722F * linearFromSrgb(c.b);
}

Image decodePng(const std::string& bytes) {
  png_image reader{};
  reader.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_memory(&reader, bytes.data(), bytes.size()) != 0);
  reader.format = PNG_FORMAT_RGB;
  Image image(static_cast<int>(reader.width), static_cast<int>(reader.height), Colour{});
  REQUIRE(png_image_finish_read(&reader, nullptr, image.pixel.data(), 0, nullptr) != 0);
  return image;
}

std::vector<std::string> textsOf(const std::vector<Tick>& ticks) {
  std::vector<std::string> texts;
  for (const Tick& tick : ticks) texts.push_back(tick.text);
  return texts;
}

int distance(const Colour& a, const Colour& b) {
  return std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b);
}

double darkness(const Image& image) {
  double sum = 0.0;
  for (const Colour& c : image.pixel) sum += (255.0 - c.g) / 255.0;
  return sum;
}

}  // namespace

TEST_CASE("Drawing: colour maps rise in luminance from one end to the other", "[unit]") {
  const auto map = GENERATE(ColourMap::Viridis, ColourMap::Magma, ColourMap::Cividis);
  for (int i = 1; i <= 64; ++i)  // steps that outweigh the rounding to 8 bits
    CHECK(luminance(mapColour(map, i / 64.0)) > luminance(mapColour(map, (i - 1) / 64.0)));
  CHECK(mapColour(map, -3.0) == mapColour(map, 0.0));
  CHECK(mapColour(map, 7.0) == mapColour(map, 1.0));
  CHECK(mapColour(map, std::numeric_limits<double>::quiet_NaN()) == mapColour(map, 0.0));
}

TEST_CASE("Drawing: viridis has the published ends and middle", "[unit]") {
  CHECK(hexColour(mapColour(ColourMap::Viridis, 0.0)) == "#440154");
  CHECK(hexColour(mapColour(ColourMap::Viridis, 1.0)) == "#fde725");
  CHECK(hexColour(mapColour(ColourMap::Viridis, 120.0 / 255.0)) == "#23898e");
}

TEST_CASE("Drawing: sRGB to linear light and back gives every component again", "[unit]") {
  for (int i = 0; i < 256; ++i)
    CHECK(srgbFromLinear(linearFromSrgb(static_cast<std::uint8_t>(i))) == i);
}

TEST_CASE("Drawing: a PNG holds the pixels that were written, and the same bytes each time",
          "[unit]") {
  Image image(7, 5, Colour{255, 255, 255});
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 7; ++x)
      image.at(x, y) = {static_cast<std::uint8_t>(30 * x), static_cast<std::uint8_t>(50 * y), 9};
  const Image back = decodePng(encodePng(image));
  REQUIRE(back.width == 7);
  REQUIRE(back.height == 5);
  CHECK(back.pixel == image.pixel);
  CHECK(encodePng(image) == encodePng(image));
}

TEST_CASE("Drawing: linear ticks are round and carry the digits they need", "[unit]") {
  CHECK(textsOf(linearTicks(0.0, 10.0, 5)) ==
        std::vector<std::string>{"0", "2", "4", "6", "8", "10"});
  CHECK(textsOf(linearTicks(-0.3, 0.31, 4)) == std::vector<std::string>{"\u22120.2", "0", "0.2"});
  CHECK(textsOf(linearTicks(0.0, 0.1, 4)) ==
        std::vector<std::string>{"0", "0.025", "0.050", "0.075", "0.100"});
  CHECK(
      textsOf(linearTicks(0.0, 200000.0, 4)) ==
      std::vector<std::string>{"0", "50\u00a0000", "100\u00a0000", "150\u00a0000", "200\u00a0000"});
  CHECK(textsOf(linearTicks(0.0, 3e-7, 3)) ==
        std::vector<std::string>{"0", "1.00 \u00d7 10\u207b\u2077", "2.00 \u00d7 10\u207b\u2077",
                                 "3.00 \u00d7 10\u207b\u2077"});
  CHECK(linearTicks(4.0, 4.0, 5).size() == 1);
  CHECK(linearTicks(-1.5e308, 1.5e308, 5).size() == 2);  // their difference is infinite
}

TEST_CASE("Drawing: decade ticks are powers of ten, thinned when there are many", "[unit]") {
  CHECK(textsOf(decadeTicks(1e-5, 1e1, 10)) ==
        std::vector<std::string>{"10\u207b\u2075", "10\u207b\u2074", "10\u207b\u00b3", "0.01",
                                 "0.1", "1", "10"});
  CHECK(decadeTicks(1e-16, 1.0, 7).size() <= 7);
}

TEST_CASE("Drawing: numbers and units are written for people", "[unit]") {
  CHECK(formatNumber(0.0123456, 3) == "0.0123");
  CHECK(formatNumber(-12.5, 3) == "\u221212.5");
  CHECK(formatNumber(9.9996e-5, 4) == "1.000 \u00d7 10\u207b\u2074");
  CHECK(formatCount(412345) == "412\u00a0345");
  CHECK(formatCount(12) == "12");
  CHECK(displayUnit("m3/s", 3.2e-6).name == "ml/s");
  CHECK(displayUnit("m3/s", 3.2e-6).factor == 1e6);
  CHECK(displayUnit("m", 2e-3).name == "mm");
  CHECK(displayUnit("J", 1.0).name == "J");
  CHECK(displayUnit("J", 2e-5).factor == 1e6);
  CHECK(displayUnit("s", 0.02).name == "ms");
  CHECK(displayUnit("N", 1.2e-11).name == "pN");
  CHECK(displayUnit("N.m", 3e-7).name == "\u00b5N m");
  CHECK(displayUnit("kg", 1e-9).name == "kg");
}

TEST_CASE("Drawing: neighbouring ticks of very small numbers have texts of their own", "[unit]") {
  for (const auto& [low, high] : {std::pair{1.97e-9, 1.99e-9}, std::pair{8.9e-7, 9.03e-7},
                                  std::pair{1.234e-12, 1.2345e-12}, std::pair{0.0, 3e-7}}) {
    const auto texts = textsOf(linearTicks(low, high, 5));
    CAPTURE(low, texts);
    CHECK(texts.size() >= 3);
    CHECK(std::set<std::string>(texts.begin(), texts.end()).size() == texts.size());
  }
}

TEST_CASE("Drawing: a stroke covers its width times its length", "[unit]") {
  Image image(60, 40, white);
  Drawing drawing{60, 40, {}};
  drawing.line({10.0, 20.3}, {50.0, 20.3}, Colour{0, 0, 0}, 4.0);
  paint(drawing, 1.0, image);
  // The line, and a round end on each side.
  CHECK(darkness(image) == Approx(40.0 * 4.0 + 3.14159 * 4.0).epsilon(0.03));
}

TEST_CASE("Drawing: an area covers its interior to a fraction of a pixel", "[unit]") {
  Image image(30, 30, white);
  Drawing drawing{30, 30, {}};
  drawing.add(Area{{{3.25, 4.0}, {20.75, 4.0}, {3.25, 25.0}}, Colour{0, 0, 0}});
  paint(drawing, 1.0, image);
  CHECK(darkness(image) == Approx(0.5 * 17.5 * 21.0).epsilon(0.005));
}

TEST_CASE("Drawing: shapes outside the image are left out", "[unit]") {
  Image image(10, 10, white);
  Drawing drawing{10, 10, {}};
  drawing.line({-500.0, -500.0}, {-400.0, 900.0}, ink, 3.0);
  drawing.add(Label{{-50.0, 5.0}, "far away", 8.0, ink, Anchor::End});
  drawing.rectangle({20.0, 20.0}, 5.0, 5.0, ink);
  paint(drawing, 1.0, image);
  CHECK(darkness(image) == 0.0);
}

TEST_CASE("Drawing: shapes at places that are not finite are left out", "[unit]") {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinite = std::numeric_limits<double>::infinity();
  Drawing drawing{20.0, 20.0, {}};
  for (const double far : {nan, infinite, -infinite}) {
    drawing.line({5.0, far}, {far, 5.0}, ink);
    drawing.rectangle({far, 2.0}, 4.0, 4.0, ink);
    drawing.add(Label{{2.0, far}, "1", 10.0, ink});
  }
  Image image(20, 20, white);
  paint(drawing, 1.0, image);
  CHECK(darkness(image) == Approx(0.0));
}

TEST_CASE("Drawing: a colour scale places values whose range is beyond that of the type",
          "[unit]") {
  constexpr double most = std::numeric_limits<double>::max();
  const ColourScale scale{ColourMap::Viridis, -most, most};
  CHECK(scale.positionOf(-most) == Approx(0.0));
  CHECK(scale.positionOf(0.0) == Approx(0.5));
  CHECK(scale.positionOf(most) == Approx(1.0));
}

TEST_CASE("Drawing: labels have the width of the font, wherever they are anchored", "[unit]") {
  const auto anchor = GENERATE(Anchor::Start, Anchor::Middle, Anchor::End);
  Image image(200, 40, white);
  Drawing drawing{200, 40, {}};
  drawing.add(Label{{100.0, 25.0}, "HHH", 20.0, ink, anchor});
  paint(drawing, 1.0, image);
  int left = 200, right = 0;
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 200; ++x)
      if (image.at(x, y).g < 128) left = std::min(left, x), right = std::max(right, x);
  const double width = textWidth("HHH", false) * 20.0;
  const double start = anchor == Anchor::Start    ? 100.0
                       : anchor == Anchor::Middle ? 100.0 - width / 2
                                                  : 100.0 - width;
  CHECK(left >= start);
  CHECK(left < start + 3.0);
  CHECK(right <= start + width);
  CHECK(right > start + width - 4.0);
}

TEST_CASE("Drawing: markup escapes characters that HTML and XML would interpret", "[unit]") {
  CHECK(escapeMarkup("<a href=\"x\">&'") == "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  CHECK(escapeMarkup(std::string("a\x01\tb", 4)) == "a\ufffd\tb");
  CHECK(escapeMarkup("g\xe9om \u00e9 \u20ac \U0001f600 \xed\xa0\x80 \xc3") ==
        "g\ufffdom \u00e9 \u20ac \U0001f600 \ufffd\ufffd\ufffd \ufffd");
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foobar") == "Zm9vYmFy");
}

TEST_CASE("Drawing: a logarithmic chart leaves out values that it cannot show", "[unit]") {
  Chart chart;
  chart.logarithmic = true;
  chart.curves.push_back({"r<1>", {0, 1, 2, 3, 4}, {1e-2, 1e-3, 0.0, 1e-5, 1e-6}, ink});
  Drawing drawing{400, 300, {}};
  drawChart(chart, {0, 0}, 400, 300, drawing);
  std::vector<std::size_t> curvePoints;
  for (const auto& shape : drawing.shapes)
    if (const auto* stroke = std::get_if<Stroke>(&shape); stroke && stroke->width == 1.8)
      curvePoints.push_back(stroke->points.size());
  CHECK(curvePoints == std::vector<std::size_t>{2, 2});
  const std::string svg = toSvg(drawing, "a & b");
  CHECK(svg.find("r&lt;1&gt;") != std::string::npos);
  CHECK(svg.find("<title>a &amp; b</title>") != std::string::npos);
}

TEST_CASE("Drawing: a dotted curve has a dot at each value", "[unit]") {
  Chart chart;
  chart.curves.push_back({"dots", {0, 1, 2}, {0.0, 1.0, 0.5}, Colour{200, 0, 0}, true});
  Drawing drawing{400, 300, {}};
  drawChart(chart, {0, 0}, 400, 300, drawing);
  std::vector<Point> middle;  // of the dots; the last is the legend's
  for (const auto& shape : drawing.shapes)
    if (const auto* area = std::get_if<Area>(&shape))
      middle.push_back({0.5 * (area->points[0].x + area->points[2].x),
                        0.5 * (area->points[0].y + area->points[2].y)});
  REQUIRE(middle.size() == 4);
  CHECK(middle[2].x - middle[1].x == Approx(middle[1].x - middle[0].x));
  CHECK(middle[2].y == Approx(0.5 * (middle[0].y + middle[1].y)));
  CHECK(middle[1].y < middle[0].y);
}

TEST_CASE("Drawing: a colour bar shows the colours and numbers of its ends", "[unit]") {
  Drawing drawing{200, 300, {}};
  ColourBar bar;
  bar.scale = {ColourMap::Viridis, 0.0, 8.0};
  bar.caption = "wall shear stress [Pa]";
  bar.corner = {20, 20};
  bar.height = 250;
  drawColourBar(bar, drawing);
  Image image(200, 300, white);
  paint(drawing, 1.0, image);
  CHECK(distance(image.at(28, 20), mapColour(ColourMap::Viridis, 1.0)) <= 6);
  CHECK(distance(image.at(28, 269), mapColour(ColourMap::Viridis, 0.0)) <= 6);
  const std::string svg = toSvg(drawing, "bar");
  CHECK(svg.find(">8</text>") != std::string::npos);
  CHECK(svg.find("wall shear stress [Pa]") != std::string::npos);
}

TEST_CASE("Drawing: a colour bar has numbers at its ends, clear of the round ones", "[unit]") {
  const auto [low, high] = GENERATE(
      std::pair{0.0, 8.0}, std::pair{0.137, 7.93}, std::pair{-11.2, -10.9}, std::pair{1.1, 1.9},
      std::pair{2e-7, 3.3e-6}, std::pair{0.0, 0.0471}, std::pair{3.53e-4, 0.52});
  CAPTURE(low, high);
  Drawing drawing{200, 300, {}};
  ColourBar bar;
  bar.scale = {ColourMap::Viridis, low, high};
  bar.caption = "speed";
  bar.corner = {20, 20};
  bar.height = 250;
  drawColourBar(bar, drawing);
  std::vector<double> middle;  // of the numbers
  std::vector<std::string> texts;
  for (const auto& shape : drawing.shapes)
    if (const auto* label = std::get_if<Label>(&shape); label && !label->upwards)
      middle.push_back(label->at.y - 0.35 * label->size), texts.push_back(label->text);
  REQUIRE(middle.size() >= 2);
  CHECK(middle.front() == Approx(270.0));
  CHECK(middle.back() == Approx(20.0));
  CHECK(texts.front() == (low == 0.0 ? "0" : low == 3.53e-4 ? "0.0004" : formatNumber(low, 3)));
  CHECK(texts.back() == (high == 8.0 ? "8" : formatNumber(high, 3)));
  for (std::size_t i = 0; i + 1 < middle.size(); ++i) CHECK(middle[i] - middle[i + 1] > 15.0);
  // The caption is within the width that the bar states.
  for (const auto& shape : drawing.shapes)
    if (const auto* label = std::get_if<Label>(&shape); label && label->upwards)
      CHECK(label->at.x + 0.25 * label->size <= bar.corner.x + colourBarWidth(bar));
}

TEST_CASE("Drawing: numbers of a chart never touch its caption", "[unit]") {
  Chart chart;
  chart.yCaption = "energy [fJ]";
  chart.curves.push_back({"", {0.0, 1.0}, {9.7e-8, 1.01e-7}, ink});
  Drawing drawing{400.0, 300.0, {}};
  drawChart(chart, {0.0, 0.0}, 400.0, 300.0, drawing);
  double caption = 0.0, leftmost = 1e9;
  for (const auto& shape : drawing.shapes)
    if (const auto* label = std::get_if<Label>(&shape)) {
      if (label->upwards) caption = label->at.x;
      if (label->anchor == Anchor::End)
        leftmost = std::min(leftmost, label->at.x - textWidth(label->text, false) * label->size);
    }
  CHECK(caption > 0.0);
  CHECK(leftmost > caption + 4.0);
}
