// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/unicode.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tessera::picture {

std::size_t codeLength(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((at(i) & 0xc0) != 0x80) return 0;
  const bool isOther = (lead == 0xe0 && at(1) < 0xa0) || (lead == 0xed && at(1) >= 0xa0) ||
                       (lead == 0xf0 && at(1) < 0x90) || (lead == 0xf4 && at(1) >= 0x90);
  return isOther ? 0 : length;
}

namespace {

constexpr std::size_t mostCodes = 300;

struct CodeRange {
  char32_t first, last;
};

template <std::size_t n>
bool isIn(const std::array<CodeRange, n>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(), [code](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
}

// Control characters, marks and overrides of direction, invisible operators, noncharacters, tags.
// The joiners U+200C and U+200D stay: Persian and Indic spelling needs them.
constexpr std::array<CodeRange, 13> notDrawn{{{0x00, 0x1f},
                                              {0x7f, 0x9f},
                                              {0xad, 0xad},
                                              {0x61c, 0x61c},
                                              {0x200b, 0x200b},
                                              {0x200e, 0x200f},
                                              {0x2028, 0x202e},
                                              {0x2060, 0x206f},
                                              {0xfdd0, 0xfdef},
                                              {0xfeff, 0xfeff},
                                              {0xfff9, 0xfffb},
                                              {0xfffe, 0xffff},
                                              {0xe0000, 0xe0fff}}};

// Characters of East Asian width W or F (Unicode Annex 11), with the symbols that are drawn as
// wide.
constexpr std::array<CodeRange, 9> wide{{{0x1100, 0x115f},
                                         {0x2e80, 0xa4cf},
                                         {0xac00, 0xd7a3},
                                         {0xf900, 0xfaff},
                                         {0xfe30, 0xfe4f},
                                         {0xff00, 0xff60},
                                         {0xffe0, 0xffe6},
                                         {0x1f300, 0x1faff},
                                         {0x20000, 0x3fffd}}};

constexpr std::array<CodeRange, 8> combining{{{0x300, 0x36f},
                                              {0x483, 0x489},
                                              {0x591, 0x5bd},
                                              {0x610, 0x61a},
                                              {0x64b, 0x65f},
                                              {0x200c, 0x200d},
                                              {0x20d0, 0x20ff},
                                              {0xfe00, 0xfe0f}}};

constexpr std::array<CodeRange, 3> raised{{{0xb2, 0xb3}, {0xb9, 0xb9}, {0x2070, 0x207a}}};

// Advances of DejaVu Sans 2.37 for ' ' to '~', thousandths of the em.
constexpr std::array<std::uint16_t, 95> plainAdvance{
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838};
// The same of DejaVu Sans Bold.
constexpr std::array<std::uint16_t, 95> boldAdvance{
    348,  456, 521, 838, 696, 1002, 872, 306,  457, 457, 523, 838, 380, 415,  380, 365,
    696,  696, 696, 696, 696, 696,  696, 696,  696, 696, 400, 400, 838, 838,  838, 580,
    1000, 774, 762, 734, 830, 683,  683, 821,  837, 372, 372, 775, 637, 995,  837, 850,
    733,  850, 770, 720, 682, 812,  774, 1103, 771, 724, 725, 457, 365, 457,  838, 500,
    500,  675, 716, 593, 716, 678,  435, 716,  712, 343, 343, 665, 343, 1042, 712, 687,
    716,  716, 493, 595, 478, 712,  652, 924,  645, 652, 582, 712, 365, 712,  838};

double advanceOf(char32_t code, bool bold) {
  if (code >= ' ' && code <= '~')
    return (bold ? boldAdvance : plainAdvance)[static_cast<std::size_t>(code - ' ')] / 1000.0;
  if (isIn(combining, code)) return 0.0;
  if (isIn(wide, code)) return 1.0;
  if (isIn(raised, code)) return bold ? 0.44 : 0.41;
  return bold ? 0.76 : 0.68;
}

char32_t codeAt(std::string_view text, std::size_t length) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (length == 0) return U'\ufffd';
  if (length == 1) return lead;
  char32_t code = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i)
    code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3fU);
  return code;
}

void appendUtf8(char32_t code, std::string& text) {
  const auto byte = [&](char32_t bits) { text += static_cast<char>(bits); };
  const auto later = [&](int shift) { byte(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    later(6);
  } else {
    byte(0xf0 | code >> 18);
    later(12);
    later(6);
  }
  later(0);
}

std::string utf8Of(std::u32string_view codes) {
  std::string text;
  for (char32_t code : codes) appendUtf8(code, text);
  return text;
}

double widthOf(std::u32string_view codes, bool bold) {
  double width = 0.0;
  for (char32_t code : codes) width += advanceOf(code, bold);
  return width;
}

}  // namespace

std::u32string drawnCodes(std::string_view utf8) {
  std::u32string codes;
  while (!utf8.empty()) {
    const std::size_t length = codeLength(utf8);
    char32_t code = codeAt(utf8, length);
    utf8.remove_prefix(std::max<std::size_t>(length, 1));
    if (code == '\n' || code == '\t') code = ' ';
    if (isIn(notDrawn, code) || (code & 0xfffe) == 0xfffe) continue;
    if (codes.size() == mostCodes) {
      codes.back() = U'\u2026';
      break;
    }
    codes += code;
  }
  return codes;
}

std::string drawnText(std::string_view utf8) {
  return utf8Of(drawnCodes(utf8));
}

double textWidth(std::string_view utf8, bool bold) {
  return widthOf(drawnCodes(utf8), bold);
}

std::string cutToWidth(std::string_view utf8, bool bold, double most) {
  std::u32string codes = drawnCodes(utf8);
  if (widthOf(codes, bold) <= most) return utf8Of(codes);
  while (!codes.empty() && widthOf(codes, bold) + 1.0 > most) codes.pop_back();
  return utf8Of(codes) + "\u2026";
}

}  // namespace tessera::picture
