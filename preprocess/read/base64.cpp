// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/base64.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "preprocess/read/text_words.hpp"

namespace tessera::preprocess::read {
namespace {

constexpr std::uint8_t none = 255;
constexpr std::uint8_t padding = 254;

constexpr std::array<std::uint8_t, 256> makeTable() {
  std::array<std::uint8_t, 256> table{};
  table.fill(none);
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < digits.size(); ++i)
    table[static_cast<std::uint8_t>(digits[i])] = static_cast<std::uint8_t>(i);
  table['='] = padding;
  return table;
}
constexpr std::array<std::uint8_t, 256> digitOf = makeTable();

}  // namespace

std::string decodeBase64(std::string_view text, std::size_t most) {
  std::string bytes;
  bytes.reserve(std::min(most, text.size() / 4 * 3 + 3));
  std::uint32_t bits = 0;
  int digits = 0;
  int pads = 0;
  for (const char c : text) {
    if (bytes.size() >= most) break;
    if (isBlank(c)) continue;
    const std::uint8_t digit = digitOf[static_cast<std::uint8_t>(c)];
    if (digit == none || (pads > 0 && digit != padding)) break;
    if (digit == padding) ++pads;
    bits = bits << 6U | (digit == padding ? 0U : digit);
    if (++digits < 4) continue;
    for (int k = 0; k < 3 - pads; ++k)
      bytes.push_back(static_cast<char>(bits >> (16 - 8 * k) & 255U));
    bits = 0;
    digits = 0;
    pads = 0;
  }
  if (bytes.size() > most) bytes.resize(most);
  return bytes;
}

}  // namespace tessera::preprocess::read
