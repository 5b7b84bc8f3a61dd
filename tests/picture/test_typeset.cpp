// SPDX-License-Identifier: GPL-3.0-or-later
// Text in pictures: scripts, directions, fonts of the machine, names that nobody vouches for.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "pipelines/picture/image.hpp"
#include "pipelines/picture/typeset.hpp"
#include "pipelines/picture/unicode.hpp"

using namespace tessera::picture;

namespace {

struct Bounds {
  double left = 1e300, right = -1e300, top = 1e300, bottom = -1e300;
};

Bounds boundsOf(const TextOutline& outline) {
  Bounds box;
  for (const auto& contour : outline.contours)
    for (const Point& p : contour) {
      box.left = std::min(box.left, p.x);
      box.right = std::max(box.right, p.x);
      box.top = std::min(box.top, p.y);
      box.bottom = std::max(box.bottom, p.y);
    }
  return box;
}

bool areEqual(const TextOutline& a, const TextOutline& b) {
  return a.width == b.width &&
         std::equal(a.contours.begin(), a.contours.end(), b.contours.begin(), b.contours.end(),
                    [](const auto& one, const auto& two) {
                      return std::equal(
                          one.begin(), one.end(), two.begin(), two.end(),
                          [](const Point& p, const Point& q) { return p.x == q.x && p.y == q.y; });
                    });
}

}  // namespace

TEST_CASE("Text: every printable character of ASCII has an outline and its width of the table",
          "[unit]") {
  const bool bold = GENERATE(false, true);
  for (char c = '!'; c <= '~'; ++c) {
    const TextOutline outline = typeset(std::string(1, c), bold);
    CAPTURE(c, bold);
    CHECK_FALSE(outline.contours.empty());
    CHECK(outline.width == Approx(textWidth(std::string(1, c), bold)).margin(0.002));
  }
  CHECK(typeset("H", false).width > 0.5);
  const Bounds capital = boundsOf(typeset("H", false));
  CHECK(capital.top == Approx(-0.729).margin(0.01));  // capitals stand on the baseline
  CHECK(capital.bottom == Approx(0.0).margin(0.01));
}

TEST_CASE("Text: names in Greek, Arabic, Hebrew, Japanese and Chinese are drawn", "[unit]") {
  const TextOutline missing = typeset("\U000A0000", false);         // a box
  for (const char* name : {"\u0391\u03bf\u03c1\u03c4\u03ae",        // Greek: aorta
                           "\u0627\u0644\u0623\u0628\u0647\u0631",  // Arabic: the aorta
                           "\u05d0\u05d1 \u05e2\u05d5\u05e8\u05e7\u05d9\u05dd",
                           "\u5927\u52d5\u8108",              // Japanese: aorta
                           "\u30ab\u30c6\u30fc\u30c6\u30eb",  // katakana
                           "\u4e3b\u52a8\u8109", "Gef\u00e4\u00df \u2192 \u00d8"}) {
    CAPTURE(name);
    for (std::string_view rest = name; !rest.empty(); rest.remove_prefix(codeLength(rest))) {
      const TextOutline one = typeset(rest.substr(0, codeLength(rest)), false);
      CHECK(one.contours.empty() == rest.starts_with(' '));
      CHECK_FALSE(areEqual(one, missing));
    }
    CHECK(typeset(name, false).width > 1.0);
    CHECK(typeset(name, true).width > 1.0);
  }
}

TEST_CASE("Text: right-to-left text runs from the right, and numbers in it from the left",
          "[unit]") {
  const TextOutline alef = typeset("\u05d0", false), bet = typeset("\u05d1", false);
  const TextOutline both = typeset("\u05d0\u05d1", false);  // alef is read first, on the right
  REQUIRE(both.contours.size() == alef.contours.size() + bet.contours.size());
  CHECK(both.contours.front().front().x == Approx(bet.contours.front().front().x));
  CHECK(both.contours.back().front().x == Approx(bet.width + alef.contours.back().front().x));
  // "12" after Hebrew stands on its left and is read from the left.
  const TextOutline number = typeset("\u05d0 12", false);
  const TextOutline twelve = typeset("12", false);
  CHECK(number.contours.front().front().x == Approx(twelve.contours.front().front().x));
}

TEST_CASE("Text: letters of Arabic are joined", "[unit]") {
  double apart = 0.0;
  for (const char* letter : {"\u0628", "\u0647", "\u0631"}) apart += typeset(letter, false).width;
  const TextOutline joined = typeset("\u0628\u0647\u0631", false);
  CHECK(joined.width < 0.95 * apart);
  // Neighbouring letters touch: there is no gap of a fifth of the em between their outlines.
  std::vector<Bounds> parts;
  for (const auto& contour : joined.contours) parts.push_back(boundsOf({{contour}, 0.0}));
  std::sort(parts.begin(), parts.end(),
            [](const Bounds& a, const Bounds& b) { return a.left < b.left; });
  double reached = parts.front().right;
  for (const Bounds& part : parts) {
    CHECK(part.left < reached + 0.05);
    reached = std::max(reached, part.right);
  }
}

TEST_CASE("Text: a mark stands on its letter, whatever font has both", "[unit]") {
  CHECK(typeset("e\u0301", false).width == Approx(typeset("\u00e9", false).width).margin(0.01));
  CHECK(textWidth("e\u0301", false) == Approx(textWidth("e", false)));
}

TEST_CASE("Text: control characters are dropped, lengths bounded, a missing character is a box",
          "[unit]") {
  CHECK(drawnText("a\u202eb\x07\u200f\u2066c\u2029") == "abc");
  CHECK(drawnText("a\nb\tc") == "a b c");
  CHECK(drawnText("caf\xe9") == "caf\ufffd");
  CHECK(drawnText("\xff\xc3") == "\ufffd\ufffd");
  CHECK(drawnCodes(std::string(100000, 'x')).size() == 300);
  CHECK(drawnText(std::string(100000, 'x')).ends_with("x\u2026"));
  std::string marks = "a";
  for (int i = 0; i < 5000; ++i) marks += "\u0301";
  CHECK(boundsOf(typeset(marks, false)).right < 5.0);
  CHECK(typeset("", false).contours.empty());
  CHECK_FALSE(typeset("\xff\xc3", false).contours.empty());
  CHECK_FALSE(typeset("\U000A0000", false).contours.empty());
  CHECK(textWidth(cutToWidth(std::string(500, 'm'), false, 10.0), false) <= 10.0);
  CHECK(cutToWidth("short", false, 10.0) == "short");
}

TEST_CASE("Text: the same outline on several threads at once", "[unit]") {
  const std::string name = "\u5927\u52d5\u8108 \u0627\u0644\u0623\u0628\u0647\u0631 Aorta";
  const TextOutline alone = typeset(name, true);
  std::vector<TextOutline> outlines(8);
  std::vector<std::thread> threads;
  for (TextOutline& outline : outlines)
    threads.emplace_back([&outline, &name] { outline = typeset(name, true); });
  for (std::thread& thread : threads) thread.join();
  for (const TextOutline& outline : outlines) CHECK(areEqual(outline, alone));
}

TEST_CASE("Text: a counter stays open, and strokes that overlap are filled once", "[unit]") {
  Image image(80, 60, white);
  Drawing drawing{80, 60, {}};
  drawing.add(Label{{10.0, 50.0}, "O", 60.0, ink});
  paint(drawing, 1.0, image);
  const double width = typeset("O", false).width * 60.0;
  CHECK(image.at(static_cast<int>(10.0 + width / 2), 28) == white);
  int inked = 0;
  for (const Colour& pixel : image.pixel) inked += pixel.g < 128 ? 1 : 0;
  CHECK(inked > 300);
}
